"""The command ``pymc-games bearoff``."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from pymc_games.cli.bearoff import bearoff
from pymc_games.errors import UsageError


def run(*arguments: str) -> dict:
    result = CliRunner().invoke(bearoff, [*arguments, "--json", "-"], catch_exceptions=False)
    assert result.exit_code == 0
    document: dict = json.loads(result.stdout)
    return document


def test_solo() -> None:
    document = run("solo", "0,0,0,0,1,1")
    exact = document["expected_rolls"]["exact"]
    assert Fraction(int(exact["num"]), int(exact["den"])) == Fraction(11431, 5832)
    assert document["pmf"][0] == 0
    assert sum(document["pmf"]) == pytest.approx(1)
    assert document["effective_pips"] == pytest.approx(11431 / 5832 * 49 / 6)
    assert len(document["best_moves"]) == 21
    assert document["best_moves"]["6-5"] == {"play": "6/off 5/off", "after": "0,0,0,0,0,0"}


def test_solo_exact_counts() -> None:
    document = run("solo", "1,0,0,0,0,0", "--exact")
    assert document["pmf_over_36_to_k"] == ["0", "36"]
    assert document["variance_exact"]["num"] == "0"


def test_race() -> None:
    document = run("race", "0,0,0,0,0,2", "6,0,0,0,0,0")
    assert document["pips"] == [12, 6]
    assert document["independent"]["value"] == pytest.approx(0.931340, abs=5e-7)
    assert document["optimal"]["lower"] <= document["independent"]["value"] <= document["optimal"]["upper"]
    assert document["heuristics"]["keith"]["own"] == 16


def test_race_in_a_table_for_people() -> None:
    result = CliRunner().invoke(bearoff, ["race", "1,0,0,0,0,0", "1,0,0,0,0,0"])
    assert result.exit_code == 0
    assert "optimal" in result.stdout


def test_advise() -> None:
    document = run("advise", "2,0,0,1,0,0", "2,0,0,0,1,0", "--roll", "1-2")
    assert document["action"] == "4/2 1/off"
    assert [option["after"] for option in document["options"]] == ["1,1,0,0,0,0", "3,0,0,0,0,0"]
    first, second = document["options"]
    assert first["lower"] <= 8 / 9 <= first["upper"]  # the opponent needs both checkers off with one of four doubles
    assert document["margin"]["value"] == pytest.approx(first["win_probability"] - second["win_probability"])


@pytest.mark.parametrize(
    ("own", "roll", "says"),
    [
        ("2,0,0,1,0,0", "2-1", "ahead of 4/2 2/1 by 0.738"),
        ("0,0,0,1,1,0", "2-1", "the bounds cannot tell it from"),
        ("1,0,0,0,0,0", "6-6", "the only play"),
    ],
)
def test_advise_in_a_table_for_people(own: str, roll: str, says: str) -> None:
    other = "2,0,0,0,1,0" if own.startswith("2") else "0,0,0,0,0,2"
    result = CliRunner().invoke(bearoff, ["advise", own, other, "--roll", roll])
    assert result.exit_code == 0
    assert says in result.stdout


@pytest.mark.parametrize("roll", ["7-1", "0-1", "6", "six", "", "6-5-4", "-1"])
def test_advise_refuses_what_is_no_roll(roll: str) -> None:
    result = CliRunner().invoke(bearoff, ["advise", "1,0,0,0,0,0", "1,0,0,0,0,0", "--roll", roll])
    assert isinstance(result.exception, UsageError)
    assert "write two dice" in str(result.exception)
    assert result.stdout == ""


def test_cube() -> None:
    document = run("cube", "0,1,0,0,1,0", "0,1,1,0,0,0")
    assert document["action"] == "double/take"
    assert document["redouble_action"] == "no redouble"
    assert document["owned"]["value"] == pytest.approx(0.344135802469, abs=1e-12)
    assert document["double_take"]["value"] == pytest.approx(0.320987654321, abs=1e-12)
    assert document["optimal_centred"] == document["double_take"]["value"]


def test_cube_in_a_table_for_people() -> None:
    result = CliRunner().invoke(bearoff, ["cube", "2,0,0,0,0,0", "2,0,0,0,0,0"])
    assert result.exit_code == 0
    assert "centred: double/pass" in result.stdout


@pytest.mark.parametrize(
    "position", ["-1,0,0,0,0,3", "0,0,0,0,0,16", "1,1,1,1,1,1,1", "0,0,0,0,0,0", "1,2", "", "1.5,0,0,0,0,0"]
)
@pytest.mark.parametrize("command", ["solo", "race", "cube", "advise"])
def test_bad_positions_are_refused(command: str, position: str) -> None:
    arguments = [command, position] + ([] if command == "solo" else ["1,0,0,0,0,0"])
    arguments += ["--roll", "2-1"] if command == "advise" else []
    result = CliRunner().invoke(bearoff, arguments)
    assert isinstance(result.exception, UsageError)
    assert result.stdout == ""


def test_build_and_race_from_the_table(tmp_path: Path) -> None:
    path = tmp_path / "two.table"
    report = run("build", "--checkers", "3", "--two-sided", "-o", str(path))
    assert (report["positions"], report["pairs"]) == (84, 84**2)
    assert report["bytes"] == path.stat().st_size
    assert report["peak_memory_bytes"] > 0
    document = run("race", "0,0,0,0,0,2", "3,0,0,0,0,0", "--table", str(path))
    assert document["optimal"]["method"] == "table two.table"


def test_build_refuses_more_than_15_checkers_and_a_pointless_resume() -> None:
    for arguments in (["--checkers", "16"], ["--checkers", "0"], ["--resume"]):
        result = CliRunner().invoke(bearoff, ["build", *arguments])
        assert result.exit_code == 2


def test_analyse() -> None:
    document = run("analyse", "--checkers", "2", "--least-pips", "5")
    assert document["play"]["cost"] >= 0
    assert min(sum(p * n for p, n in enumerate(case["own"], 1)) for case in document["rules"]) >= 5
    result = CliRunner().invoke(bearoff, ["analyse", "--checkers", "2"])
    assert "closed form" in result.stdout


def test_most_likely_off_within_two_rolls() -> None:
    likely = run("solo", "0,0,0,0,1,1", "--within", "1")["most_likely_off"]
    assert likely["probability"]["lower"] <= 6 / 36 <= likely["probability"]["upper"]
    assert likely["best_moves"]["6-5"]["after"] == "0,0,0,0,0,0"
    result = CliRunner().invoke(bearoff, ["solo", "0,0,0,0,1,1", "--within", "1"])
    assert "off within 1 rolls with probability 0.166666667" in result.stdout


def test_off_roll_in_the_closed_form() -> None:
    on_roll = run("race", "0,0,0,0,0,2", "6,0,0,0,0,0")["independent_off_roll"]["exact"]
    other = run("race", "6,0,0,0,0,0", "0,0,0,0,0,2")["independent"]["exact"]
    assert sum(Fraction(int(x["num"]), int(x["den"])) for x in (on_roll, other)) == 1


def test_last_roll() -> None:
    rows = {row["position"]: row for row in run("last-roll")["positions"]}
    assert len(rows) == 27
    assert rows["0,1,0,0,1,0"]["win"] == pytest.approx(19 / 36)
    assert rows["0,1,0,0,1,0"]["action"] == "double/take"
    assert "no double" in CliRunner().invoke(bearoff, ["last-roll"]).stdout
