"""The command ``pymc-games farkle``: solving, asking, and everything it refuses."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pymc_games import storm
from pymc_games.cli.farkle import farkle
from pymc_games.cli.main import main
from pymc_games.games.farkle import solution, values
from pymc_games.games.farkle.reference import reference
from pymc_games.games.farkle.rules import Rules

SMALL = ("--goal", "500", "--bound", "-100")
RULES = Rules(goal=500, bound=-100)


def run(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(farkle, [*arguments, "--json", "-"], catch_exceptions=False)
    assert result.exit_code == 0
    document: dict[str, Any] = json.loads(result.stdout)
    return document


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("solutions") / "small.farkle"
    solution.solve_to_file(RULES, path)
    return str(path)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def refused(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["pymc-games", "farkle", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        assert stop.value.code == 2
        assert captured.out == ""
        assert "Traceback" not in captured.err
        return captured.err

    return refused


def test_solve(tmp_path: Path) -> None:
    path = tmp_path / "small.farkle"
    document = run("solve", *SMALL, "-o", str(path))
    expected = values.solve(RULES)
    assert document["value"]["lower"] == expected.at(0, 0).lower
    assert document["value"]["upper"] == expected.at(0, 0).upper
    assert document["value"]["residual"] == 0
    assert (document["changed"], document["sweeps"], document["gap"]) == (0, expected.sweeps, expected.gap)
    assert document["states"] == RULES.states()
    assert document["peak_memory_bytes"] > 0
    assert solution.load(path, RULES).changed == 0
    table = CliRunner().invoke(farkle, ["solve", *SMALL], catch_exceptions=False).stdout
    assert repr(expected.at(0, 0).lower) in table


def test_solve_agrees_with_the_explicit_model(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(
        "goal = 200\nminimum = 50\nbound = -100\npenalty = 100\ndice = 2\nstraight = 0\nthree_pairs = 0\n"
        "triples = [0, 0, 0, 0, 0, 0]\n"
    )
    document = run("solve", "--rules", str(path))
    rules = Rules(goal=200, minimum=50, bound=-100, penalty=100, dice=2, triples=(0,) * 6, straight=0, three_pairs=0)
    expected = reference(rules).first
    assert document["value"]["lower"] <= expected.upper
    assert expected.lower <= document["value"]["upper"]


def test_a_killed_solve_resumes_to_the_same_bits(tmp_path: Path) -> None:
    path = tmp_path / "killed.farkle"
    command = [sys.executable, "-m", "pymc_games", "farkle", "solve", "--goal", "2000", "--bound", "-500", "-o"]
    process = subprocess.Popen([*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = path.with_name(path.name + ".part")
    began = time.monotonic()
    while not part.exists() and process.poll() is None and time.monotonic() - began < 100:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not path.exists()
    rules = Rules(goal=2000, bound=-500)
    swept = solution.load(part, rules).sweeps
    assert swept >= 1
    resumed = subprocess.run([*command, str(path), "--resume", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(resumed.stdout)["changed"] == 0
    assert not part.exists()
    found, whole = solution.load(path), values.solve(rules)
    assert found.sweeps == whole.sweeps > swept
    assert (found.lower == whole.lower).all()
    assert (found.upper == whole.upper).all()
    solution.save(whole, undisturbed := tmp_path / "undisturbed.farkle")
    assert path.read_bytes() == undisturbed.read_bytes()


def test_advise_before_a_roll(solved: str) -> None:
    document = run("advise", "--solution", solved, "--own", "100", "--other", "200", "--turn", "300", "--dice", "1")
    wins = {option["action"]: option["win_probability"] for option in document["options"]}
    assert set(wins) == {"bank", "roll"}
    assert document["action"] == max(wins, key=lambda action: wins[action])
    found = solution.load(Path(solved))
    # Banking passes the turn on at 200 to 400; the chance is what the opponent leaves.
    assert wins["bank"] == pytest.approx(1 - found.at(200, 400).value, abs=1e-14)


def test_advise_after_a_roll(solved: str) -> None:
    arguments = ("advise", "--solution", solved, "--own", "0", "--other", "0", "--roll", "1,1,5,2,3,4")
    document = run(*arguments)
    assert [1, 1] in [option["set_aside"] for option in document["options"]]
    best = document["options"][0]
    assert all(best["win_probability"] >= option["win_probability"] for option in document["options"])
    shown = CliRunner().invoke(farkle, arguments, catch_exceptions=False).stdout
    assert f"set {','.join(map(str, best['set_aside']))} aside and {best['action']}" in shown


def test_advise_after_a_farkle(solved: str) -> None:
    arguments = ("advise", "--solution", solved, "--own", "100", "--other", "50", "--farkles", "2,1", "--dice", "2",
                 "--turn", "200", "--roll", "2,3")  # fmt: skip
    document = run(*arguments)
    assert (document["action"], document["options"]) == ("farkle", [])
    # The third farkle in a row costs 500, but nobody falls below the bound.
    after = solution.load(Path(solved)).at(50, -100, 1, 0).value
    assert document["farkle"]["win_probability"] == pytest.approx(1 - after, abs=1e-14)
    assert "the turn is lost" in CliRunner().invoke(farkle, arguments, catch_exceptions=False).stdout


def test_table_csv_and_page(solved: str, tmp_path: Path) -> None:
    sheet, page = tmp_path / "turn.csv", tmp_path / "turn.html"
    arguments = ["table", "--solution", solved, "--own", "100", "--other", "200", "--csv", str(sheet)]
    result = CliRunner().invoke(farkle, [*arguments, "--page", str(page)], catch_exceptions=False)
    assert result.exit_code == 0
    with sheet.open() as file:
        rows = list(csv.DictReader(file))
    chosen = {(row["dice"], row["roll"], row["turn"]): row for row in rows}
    for dice, roll, points in (("6", "111556", "0"), ("3", "155", "250"), ("2", "", "300")):
        asked = ["--solution", solved, "--own", "100", "--other", "200", "--turn", points, "--dice", dice]
        document = run("advise", *asked, *(["--roll", ",".join(roll)] if roll else []))
        best, row = document["options"][0], chosen[dice, roll, points]
        assert float(row["win_probability"]) == pytest.approx(best["win_probability"], abs=1e-15)
        assert row["action"] == best["action"]
    text = page.read_text()
    assert "<h1>Farkle at 100 to 200</h1>" in text
    assert "6 dice rolled: 456 rolls that score" in text  # all 462 but those of the faces 2, 3, 4 and 6 without a set
    assert "src=" not in text
    assert 'href="http' not in text


def test_banking(solved: str) -> None:
    document = run("banking", "--solution", solved, "--own", "0", "--every", "300")
    assert [row["other"] for row in document["opponents"]] == [-100, 200]
    for row in document["opponents"]:
        for dice, ranges in enumerate(row["bank"], 1):
            for points in range(50, 500, 50):
                asked = ("--own", "0", "--other", str(row["other"]), "--turn", str(points), "--dice", str(dice))
                options = run("advise", "--solution", solved, *asked)["options"]
                wins = {option["action"]: option["win_probability"] for option in options}
                inside = any(first <= points <= last for first, last in ranges)
                assert inside == (wins.get("bank", -1) >= wins["roll"])
    shown = CliRunner().invoke(farkle, ["banking", "--solution", solved, "--own", "0"], catch_exceptions=False)
    assert "opponent has" in shown.stdout


def test_turn_is_a_model_that_storm_reads(solved: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        farkle, ["turn", "--solution", solved, "--own", "50", "--other", "0", "-o", str(tmp_path / "new")],
        catch_exceptions=False,
    )  # fmt: skip
    assert [Path(line).name for line in result.stdout.split()] == ["turn.prism", "turn.props"]
    model = storm.build(storm.parse(tmp_path / "new" / "turn.prism"))
    answer = storm.check(model, 'Pmax=? [ F "win" ]', precision=1e-10).at(0)
    assert answer.value == pytest.approx(solution.load(Path(solved)).at(50, 0).value, abs=1e-10)


def test_witness(solved: str) -> None:
    document = run("witness", "--solution", solved, "--models", "3", "--executor", "serial")
    assert document["agree"]
    assert document["models"] == 3
    assert document["property"] == 'Pmax=? [ F "win" ]'


def test_score() -> None:
    document = run("score", "1,1,5")
    assert {(option["dice"], option["points"]) for option in document["options"]} >= {(1, 100), (2, 200), (3, 250)}
    assert "no die scores" in CliRunner().invoke(farkle, ["score", "2,3"], catch_exceptions=False).stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gaol = 5000", "unknown key 'gaol'"),
        ("goal = 200", "minimum bank"),
        ("goal = 10010", "not a multiple of the step"),
        ("singles = [100, 0, 0, 0, 55, 0]", "not a multiple of the step"),
        ("bound = 50", "must not lie above"),
        ("dice = 2", "need six dice"),
        ("goal = 'many'", "goal"),
        ("goal = [", "not TOML"),
    ],
)
def test_bad_rules(refused, tmp_path: Path, text: str, says: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "bad.toml"
    path.write_text(text + "\n")
    output = tmp_path / "never.farkle"
    message = refused("solve", "--rules", str(path), "-o", str(output))
    assert says in message
    assert "bad.toml" in message
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("solve", "--rules", "facebok"), "facebook"),
        (("solve", "--resume"), "--resume goes on with a file"),
        (("solve", *SMALL, "--resume", "-o", "none.farkle"), "there is no unfinished solve"),
        (("solve", "--goal", "200"), "minimum bank"),
        (("solve", "--bound", "50"), "must not lie above"),
        (("solve", "--gap", "-1"), "--gap"),
        (("solve", *SMALL, "-o", "no/such/folder/x.farkle"), "no/such/folder"),
        (("score", "1,7"), "not a roll"),
        (("advise", "--solution", "none.farkle", "--own", "0", "--other", "0"), "none.farkle"),
        (("advise", "--solution", "SOLVED", "--own", "25", "--other", "0"), "multiples of 50"),
        (("advise", "--solution", "SOLVED", "--own", "500", "--other", "0"), "to below 500"),
        (("advise", "--solution", "SOLVED", "--own", "0", "--other", "0", "--farkles", "3,0"), "3 farkles in a row"),
        (("advise", "--solution", "SOLVED", "--own", "0", "--other", "0", "--farkles", "two"), "two whole numbers"),
        (("advise", "--solution", "SOLVED", "--own", "0", "--other", "0", "--roll", "1,2"), "2 dice, not 6"),
        (("advise", "--solution", "SOLVED", "--own", "0", "--other", "0", "--dice", "7"), "7 dice"),
        (("advise", "--solution", "SOLVED", "--own", "0", "--other", "0", "--turn", "30"), "multiple of 50"),
        (("witness", "--solution", "SOLVED", "--models", "0"), "--models"),
    ],
)  # fmt: skip
def test_bad_requests(  # type: ignore[no-untyped-def]
    refused, solved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in refused(*(solved if argument == "SOLVED" else argument for argument in arguments))
    assert list(tmp_path.iterdir()) == []


def test_a_solution_for_other_rules_is_not_resumed(refused, solved: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "small.farkle"
    path.write_bytes(Path(solved).read_bytes())
    message = refused("solve", "--rules", "facebook-1500", *SMALL, "-o", str(path), "--resume")
    assert "for other rules: three_pairs is 750, not 1500" in message
