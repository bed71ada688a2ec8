"""The command ``pymc-games pig``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pymc_games.cli import main
from pymc_games.cli.pig import pig


def run(*arguments: str) -> dict:
    result = CliRunner().invoke(pig, [*arguments, "--json", "-"], catch_exceptions=False)
    assert result.exit_code == 0
    document: dict = json.loads(result.stdout)
    return document


def test_solve() -> None:
    document = run("solve")
    assert document["value"]["value"] == pytest.approx(0.5305927252737, abs=1e-13)
    assert 0 < document["value"]["upper"] - document["value"]["lower"] <= 1e-12
    assert document["value"]["residual"] == 0
    assert document["states"] == 980_496
    assert document["hold_at_start"] == 21
    assert document["sweeps"] > 1


def test_solve_piglet() -> None:
    document = run("solve", "--goal", "3", "--die", "2", "--bust", "2")
    assert document["value"]["lower"] <= 6 / 11 <= document["value"]["upper"]
    assert document["hold_at_start"] == 1


def test_advise() -> None:
    document = run("advise", "--own", "90", "--other", "0", "--turn", "5")
    assert document["action"] == "roll"
    assert document["roll"]["value"] == pytest.approx(0.9956, abs=5e-5)
    assert document["hold"]["value"] == pytest.approx(0.9864, abs=5e-5)
    assert document["roll"]["upper"] - document["roll"]["lower"] < 1e-12
    assert run("advise", "--own", "0", "--other", "0", "--turn", "21")["action"] == "hold"
    assert run("advise", "--own", "0", "--other", "0", "--turn", "0")["hold"] is None


def test_match() -> None:
    first = run("match", "hold-at-20", "best-response:hold-at-20")["first"]
    assert first["value"] == pytest.approx(0.477618, abs=5e-7)
    assert first["lower"] <= first["value"] <= first["upper"]


def test_tables_for_people() -> None:
    runner = CliRunner()
    assert "0.5679147444" in runner.invoke(pig, ["solve", "--goal", "30"]).stdout
    assert "roll" in runner.invoke(pig, ["advise", "--own", "0", "--other", "0", "--turn", "0"]).stdout
    assert "wins" in runner.invoke(pig, ["match", "optimal", "roll-to-win", "--goal", "30"]).stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["solve", "--goal", "0"], "goal=0: must lie between 1 and 200"),
        (["solve", "--die", "0"], "die=0: must lie between 2 and 100"),
        (["solve", "--bust", "7"], "choose 1 to 6"),
        (["match", "optimal", "greedy"], "there is no policy 'greedy'"),
        (["advise", "--own", "95", "--other", "0", "--turn", "5"], "the game is won"),
        (["advise", "--own", "-1", "--other", "0", "--turn", "5"], "own score -1: must lie between 0 and 99"),
        (["advise", "--own", "1"], "Missing option '--other'"),
        (["solve", "--json", "/no/such/folder/file.json", "--goal", "5"], "cannot write"),
    ],
)
def test_bad_input(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["pymc-games", "pig", *arguments])
    with pytest.raises(SystemExit) as stop:
        main.main()
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
