"""``generate`` and ``list``."""

import json
import os
import sys

import pytest

from pymc_games import storm
from pymc_games.cli.main import main
from pymc_games.paths import data_folder


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pymc-games", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, *capsys.readouterr()

    return run


def test_generate_writes_every_model_of_a_game(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, _ = run("generate", "bearoff", "-c", "position=0,0,0,0,0,2")
    assert status == 0
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert written == sorted(out.split())
    assert "bearoff/solo.prism" in written
    assert "bearoff/solo.props" in written
    assert storm.parse(tmp_path / "bearoff/solo.prism").type == "mdp"


def test_generate_one_model_into_a_folder(run, tmp_path):
    status, out, _ = run("generate", "bearoff", "--type", "dtmc", "-o", str(tmp_path / "new" / "folder"), "--json")
    assert status == 0
    document = json.loads(out)
    assert document["game"] == "bearoff"
    assert [os.path.basename(path) for path in document["files"]] == ["chain.prism", "chain.props"]
    # the default constants are those of the models that are checked in
    for path in document["files"]:
        with open(path) as new:
            assert new.read() == (data_folder("models") / "bearoff" / os.path.basename(path)).read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bearof"], "there is no game 'bearof'; did you mean bearoff?"),
        (["bearoff", "-c", "place=1"], "bearoff has no constant 'place'"),
        (["bearoff", "-c", "position=1"], "position"),
        (["bearoff", "--type", "smg"], "bearoff has no model 'smg'"),
        (["bearoff", "-o", "file.txt"], "cannot create the folder file.txt"),
        (["bearoff", "-o", "/proc/nowhere"], "cannot create the folder /proc/nowhere"),
    ],
)
def test_bad_requests_write_nothing(run, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("here already")
    status, out, err = run("generate", *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_list_shows_constants_models_and_properties(run):
    status, out, _ = run("list", "bearoff", "--json")
    assert status == 0
    (game,) = json.loads(out)["games"]
    assert game["name"] == "bearoff"
    assert {constant["name"] for constant in game["constants"]} == {"position"}
    assert {model["name"]: model["type"] for model in game["models"]} == {"solo": "mdp", "chain": "dtmc"}
    assert all(model["properties"] for model in game["models"])
    status, out, _ = run("list", "bearoff")
    assert status == 0
    assert "position" in out


def test_list_of_an_unknown_game(run):
    status, _, err = run("list", "chess")
    assert status == 2
    assert "there is no game 'chess'" in err
