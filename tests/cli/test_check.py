"""``check`` and ``compare`` on the command line: answers, and bad input as one sentence with exit status 2."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from pymc_games import prism, storm
from pymc_games.cli.main import main
from pymc_games.games.base import Game

WALK = """
mdp
const int N;
module walk
  x : [0..N] init 1;
  [up] 0<x & x<N -> 1/3:(x'=x+1) + 2/3:(x'=x-1);
  [fair] 0<x & x<N -> 1/2:(x'=x+1) + 1/2:(x'=x-1);
  [end] x=0 | x=N -> true;
endmodule
label "top" = x=N;
rewards "steps" 0<x & x<N : 1; endrewards
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "walk.prism").write_text(WALK)
    return str(tmp_path / "walk.prism")


@pytest.fixture
def run(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pymc-games", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, *capfd.readouterr()

    return run


def test_check_prints_the_json_of_the_interface(run, path):
    status, out, _ = run(
        "check", path, "-c", "N=4", "--prop", 'Pmax=? [ F "top" ]', "--prop", "P>=1/5 [ F x=N ]", "--exact", "--json"
    )
    assert status == 0
    document = json.loads(out)
    assert document["model"] == {
        "name": "walk.prism", "type": "mdp", "constants": {"N": 4}, "states": 5, "choices": 8, "branches": 14,
    }  # fmt: skip
    first, second = document["results"]
    assert first["property"] == 'Pmax=? [ F "top" ]'
    for side in ("storm", "native"):
        assert first[side]["exact"] == {"num": "1", "den": "4", "approx": 0.25}
        assert set(first[side]) == {"value", "lower", "upper", "exact", "residual", "iterations", "method", "seconds"}
    assert (first["agree"], first["states_compared"], first["max_difference"]) == (True, 1, 0)
    assert second["native"]["exact"]["den"] == "15"
    assert second["satisfied"] is False


def test_compare_counts_every_state_and_writes_files(run, path, tmp_path):
    out_path = tmp_path / "out.json"
    asked = ["--prop", 'R{"steps"}min=? [ F x=0 | x=N ]']
    status, out, _ = run("compare", path, "-c", "N=50", *asked, "--json", str(out_path))
    assert (status, out) == (0, "")
    (result,) = json.loads(out_path.read_text())["results"]
    assert result["states_compared"] == 51
    assert result["agree"]
    assert result["storm"]["lower"] <= result["native"]["upper"]


def test_without_json_a_table_is_printed(run, path):
    status, out, _ = run("compare", path, "-c", "N=4", "--prop", "Pmin=? [ F x=N ]")
    assert status == 0
    assert "0.0666666" in out
    assert "yes" in out


def test_each_engine_alone(run, path):
    for engine, other in (("storm", "native"), ("native", "storm")):
        _, out, _ = run("check", path, "-c", "N=4", "--prop", "Pmin=? [ F x=N ]", "--engine", engine, "--json")
        (result,) = json.loads(out)["results"]
        assert result[other] is None
        assert abs(result[engine]["value"] - 1 / 15) < 1e-6


def test_a_property_file_with_its_own_constant(run, path, tmp_path):
    (tmp_path / "a.props").write_text('const int K;\n"reach": Pmax=? [ F<=K x=N ];\nPmin=? [ G x<N ]\n')
    status, out, _ = run("check", path, "-c", "N=3,K=2", "--props", str(tmp_path / "a.props"), "--exact", "--json")
    assert status == 0
    assert [result["native"]["exact"]["approx"] for result in json.loads(out)["results"]] == [0.25, 2 / 3]


def test_a_disagreement_is_exit_status_1(run, path, monkeypatch):
    honest = storm.check

    def lying(model, prop, **options):
        answer = honest(model, prop, **options)
        return replace(answer, value=answer.value * 0 + 0.9, lower=answer.lower * 0 + 0.9, upper=answer.upper * 0 + 0.9)

    monkeypatch.setattr(storm, "check", lying)
    status, out, err = run("compare", path, "-c", "N=4", "--prop", "Pmax=? [ F x=N ]", "--json")
    assert status == 1
    assert json.loads(out)["results"][0]["agree"] is False
    assert "a solver is wrong" in err


FILES = {
    "empty.prism": "",
    "text.prism": "hello",
    "ctmc.sm": "ctmc\nmodule m\n x:[0..1];\n [] x=0 -> 2:(x'=1);\nendmodule\n",
    "deadlock.nm": "mdp\nmodule m\n x:[0..1];\n [] x=0 -> (x'=1);\nendmodule\n",
    "sum.pm": "dtmc\nmodule m\n x:[0..1];\n [] x=0 -> 0.5:(x'=1)+0.4:(x'=0);\n [] x=1 -> true;\nendmodule\n",
    "negative.pm": "dtmc\nmodule m\n x:[0..1];\n [] x=0 -> 0.5:(x'=1)+0.5:(x'=0);\n [] x=1 -> true;\nendmodule\n"
    "rewards x=0:-10; endrewards",
    "bad.umb": "not an archive",
    "bad.drn": "not a model",
    "game.prism": "smg\nplayer a [x] endplayer\nplayer b [y] endplayer\nmodule m\n s:[0..1];\n [x] s=0 -> (s'=1);\n"
    " [y] s=1 -> true;\nendmodule\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nogame"], "there is no game 'nogame'"),
        (["missing.prism"], "cannot read missing.prism"),
        (["empty.prism"], "expected <model type>"),
        (["text.prism"], "line 1, column 1"),
        (["ctmc.sm"], "(ctmc), which is not supported"),
        (["deadlock.nm"], "deadlock in x=1"),
        (["sum.pm"], "do not sum to one"),
        (["bad.umb"], "not a readable archive"),
        (["bad.drn"], "not a DRN file"),
        (["walk.prism"], "no value for the constant N"),
        (["walk.prism", "-c", "N=3,M=4"], "no constant 'M'"),
        (["walk.prism", "-c", "N=3", "-c", "N=4"], "the constant 'N' is given twice"),
        (["walk.prism", "-c", "N"], "does not define a constant"),
        (["walk.prism", "-c", "N=two"], "no readable value"),
        (["walk.prism", "-c", "N=3", "--prop", "Pmax=? [ F x=1"], "expected ']' at position"),
        (["walk.prism", "-c", "N=3", "--prop", 'Pmax=? [ F "nowhere" ]'], 'no label "nowhere"; its labels'),
        (["walk.prism", "-c", "N=3", "--prop", "LRA=? [ x=1 ]"], "long-run average is not supported"),
        (["walk.prism", "-c", "N=3", "--props", "missing.props"], "cannot read the property file"),
        (["walk.prism", "-c", "N=3", "--precision", "0"], "must lie between 0 and 1"),
        (
            ["walk.prism", "-c", "N=3", "--prop", "Pmax=? [ F x=1 ]", "--json", "nowhere/out.json"],
            "nowhere/out.json: No such file",
        ),
        (["negative.pm", "--prop", "R=? [ F x=1 ]"], "negative rewards"),
        (["game.prism", "--prop", "Pmax=? [ F s=1 ]"], "needs a coalition, such as <<a>>"),
        (["game.prism", "--prop", "<<c>> Pmax=? [ F s=1 ]"], "there is no player 'c'"),
        (["walk.prism", "-c", "N=3"], "comes without properties"),
    ],
)
@pytest.mark.parametrize("command", ["check", "compare"])
def test_bad_input_is_one_sentence_and_exit_status_2(run, path, tmp_path, monkeypatch, command, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.iterdir())
    if "--prop" not in arguments and "comes without" not in sentence:
        arguments = [*arguments, "--prop", "Pmax=? [ F true ]"]
    status, out, err = run(command, *arguments)
    assert status == 2
    assert out == ""
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


BREAKS = {
    # a face of player 1's die is missing and the others are as likely as ever
    "missing": lambda text: text.replace("\n    + 1/6 : (total'=min(total+6, goal-score1));", ";", 1),
    # the face is there, but counts as the one below it
    "wrong": lambda text: text.replace("total'=min(total+6, goal-score1)", "total'=min(total+5, goal-score1)", 1),
}


def broken_template(monkeypatch, change):
    honest = prism.render

    def render(template, context, *more):
        text = honest(template, context, *more)
        assert not template.endswith("smg.prism.j2") or change(text) != text
        return change(text)

    monkeypatch.setattr(prism, "render", render)


def test_a_template_whose_die_lost_a_face_does_not_sum_to_1(run, monkeypatch):
    broken_template(monkeypatch, BREAKS["missing"])
    status, out, err = run("compare", "pig", "--type", "smg", "-c", "goal=8")
    assert (status, out) == (2, "")
    assert "pig/smg: Probabilities do not sum to one for command '[roll1]" in err
    assert "actually sum to 5/6" in err


def test_a_wrong_face_in_the_template_is_found_and_the_template_blamed(run, monkeypatch):
    broken_template(monkeypatch, BREAKS["wrong"])
    status, out, err = run("compare", "pig", "--type", "smg", "-c", "goal=8", "--json")
    assert status == 1
    first = json.loads(out)["results"][0]
    assert not first["agree"]
    assert first["max_difference"] > 1e-3
    assert "a solver is wrong" not in err
    assert "such as (turn=1, score1=0, score2=0, total=0): template" in err
    assert "so the template must be wrong" in err


def test_a_wrong_face_in_the_rules_is_found_and_the_rules_blamed(run, monkeypatch):
    honest = Game.variant

    def variant(self, name):
        found = honest(self, name)
        return replace(found, explicit=lambda constants: found.explicit({**constants, "bust": 2}))

    monkeypatch.setattr(Game, "variant", variant)
    status, out, err = run("compare", "pig", "--type", "smg", "-c", "goal=8", "--json")
    assert status == 1
    assert not json.loads(out)["results"][0]["agree"]
    assert "a solver is wrong" not in err
    assert "the moves differ in" in err
    assert "so the rules must be wrong" in err


def test_storm_alone_cannot_answer_for_a_game(run, tmp_path):
    (tmp_path / "game.prism").write_text(FILES["game.prism"])
    status, _, err = run("check", str(tmp_path / "game.prism"), "--engine", "storm", "--prop", "<<a>> Pmax=? [ F s=1 ]")
    assert status == 2
    assert "Storm gives no answer" in err


def test_ctrl_c_in_a_long_build_is_one_sentence(tmp_path):
    (tmp_path / "long.prism").write_text(WALK.replace("walk\n", "walk\n  y : [0..N]; z : [0..N];\n").replace(
        "[end]", "[] y<N -> (y'=y+1);\n  [] z<N -> (z'=z+1);\n  [end]"))  # fmt: skip
    arguments = ["check", "long.prism", "-c", "N=2000", "--prop", "Pmax=? [ F x=N ]", "--json", "out.json"]
    # A shell without job control starts its children deaf to Ctrl-C, so hearing it is asked for.
    # It says when it has imported what it needs, since that takes long on a busy machine.
    code = (
        "import signal; signal.signal(2, signal.default_int_handler)\n"
        "import pymc_games.cli.check, pymc_games.cli.main as cli\n"
        "print('ready', flush=True); cli.main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert len(err.strip().splitlines()) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["long.prism"]
