"""Comparing Pig can fail: a template without a face, and rules that are not the game's, are named with a state."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pymc_games import games, loading, prism
from pymc_games.cli import main
from pymc_games.compare import Options, Session
from pymc_games.games.pig import GAME, model
from pymc_games.games.pig.rules import Rules
from pymc_games.paths import data_folder

CONSTANTS = ["goal=15"]


def remarks(target: loading.Target) -> str:
    session = Session(target, target.properties, Options())
    checked = session.compare(target.properties[0])
    assert not checked.agree
    return "\n".join(checked.remarks)


def broken_template(tmp_path: Path) -> Path:
    """Return templates in which player 1's die has 2 twice and no 3; every row still sums to 1."""
    folder = tmp_path / "templates" / "pig"
    folder.mkdir(parents=True)
    for path in (data_folder("templates") / "pig").iterdir():
        text = path.read_text()
        if path.name == "game.prism.j2":
            text = text.replace(
                "min(total+{{ face }}, goal-score{{ player }})",
                "min(total+{{ 2 if player == 1 and face == 3 else face }}, goal-score{{ player }})",
            )
        (folder / path.name).write_text(text)
    return tmp_path / "templates"


def test_a_missing_face_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = broken_template(tmp_path)
    monkeypatch.setattr(prism, "data_folder", lambda name: folder)
    text = remarks(loading.load_target("pig", CONSTANTS))
    assert "the models differ" in text
    assert "the moves differ" in text
    assert "turn=1" in text
    assert "a solver is wrong" not in text


def test_a_missing_face_exits_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = broken_template(tmp_path)
    monkeypatch.setattr(prism, "data_folder", lambda name: folder)
    monkeypatch.setattr("sys.argv", ["pymc-games", "compare", "pig", "-c", "goal=15", "--json", "-"])
    with pytest.raises(SystemExit) as stop:
        main.main()
    assert stop.value.code == 1
    document = json.loads(capsys.readouterr().out)
    assert not document["results"][0]["agree"]


def test_wrong_rules_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules in which face 2 busts instead of face 1."""

    def wrong(constants):  # type: ignore[no-untyped-def]
        return model.build(Rules(15, 6, 2), "smg", None, None)

    broken = tuple(replace(v, explicit=wrong) if v.name == "smg" else v for v in GAME.variants)
    monkeypatch.setattr(games, "get", lambda name: replace(GAME, variants=broken))
    text = remarks(loading.load_target("pig", CONSTANTS, "smg"))
    assert "reached by the rules and not by the template" in text
    assert "the moves differ" in text


def test_the_unbroken_game_agrees_in_every_state() -> None:
    target = loading.load_target("pig", CONSTANTS)
    session = Session(target, target.properties, Options())
    for prop in target.properties:
        checked = session.compare(prop)
        assert checked.agree, checked.remarks
        assert checked.states_compared == session.model.states
