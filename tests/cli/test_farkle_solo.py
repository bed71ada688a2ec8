"""The command ``pymc-games farkle solo``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pymc_games.cli import main
from pymc_games.cli.farkle import farkle

ONE_DIE = """
goal = 300
minimum = 50
bound = -100
penalty = 100
dice = 1
triples = [0, 0, 0, 0, 0, 0]
straight = 0
three_pairs = 0
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "one-die.toml"
    path.write_text(ONE_DIE)
    return str(path)


def test_solo(rules: str) -> None:
    result = CliRunner().invoke(farkle, ["solo", "--rules", rules, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    # 25 points a turn, less a hundred after three farkles in a row: see the test of the average.
    assert document["points_per_turn"]["exact"]["num"] == "625"
    assert document["points_per_turn"]["exact"]["den"] == "57"
    assert document["points_per_turn"]["residual"] == 0
    turns = document["turns_to_goal"]
    assert turns["residual"] == 0
    assert 0 < turns["upper"] - turns["lower"] < 1e-9
    assert turns["value"] == pytest.approx(23.7606653324779, abs=1e-12)  # by Storm, exactly


def test_a_table_for_people(rules: str) -> None:
    result = CliRunner().invoke(farkle, ["solo", "--rules", rules], catch_exceptions=False)
    assert "points a turn" in result.stdout
    assert "turns to 300" in result.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gaol = 5\n", "unknown key 'gaol'"),
        ("goal = \n", "not TOML"),
        ("dice = 1\n", "need six dice"),
    ],
)
def test_bad_rules(
    tmp_path: Path, text: str, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, document = tmp_path / "bad.toml", tmp_path / "answer.json"
    path.write_text(text)
    monkeypatch.setattr("sys.argv", ["pymc-games", "farkle", "solo", "--rules", str(path), "--json", str(document)])
    with pytest.raises(SystemExit) as stop:
        main.main()
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert not document.exists()
