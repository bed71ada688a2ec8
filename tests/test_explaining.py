"""``explain``: small texts with exactly one mistake each get exactly that warning, and the shipped models none."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from pymc_games import sourcetext, storm
from pymc_games.cli.main import main
from pymc_games.explaining import Explanation, explain
from pymc_games.paths import data_folder

CHAIN = """dtmc
const int N = 2;
module walk
  x : [0..N] init 0;
  [] x=0 -> 1/3:(x'=1) + 2/3:(x'=2);
  [] x>0 -> true;
endmodule
label "end" = x=N;
"""

GAME = """mdp
module walk
  x : [0..2] init 0;
  [go] x=0 -> 1/2:(x'=1) + 1/2:(x'=2);
  [end] x>0 -> true;
endmodule
"""


def look(text: str, properties: str = "") -> Explanation:
    return explain(storm.parse_text(text), properties)


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


# What to change, the one kind of warning that comes, and words of where it is and what it says.
MISTAKES = [
    (CHAIN, "1/3:(x'=1) + 2/3", "0.33:(x'=1) + 67/100", "decimal", "line 5", "1/3"),
    (CHAIN, "1/3:(x'=1) + 2/3", "1/3:(x'=1) + 1/2", "row-sum", "x=0", "5/6"),
    (CHAIN, "1/3:(x'=1) + 2/3", "1/2:(x'=1) + 1", "row-sum", "x=0", "3/2"),
    (CHAIN, "init 0;", "init 0;\n  y : bool init false;", "never-written", "module walk", "variable y"),
    (CHAIN, "  [] x>0", "  [] x=0 & x=1 -> true;\n  [] x>0", "unreachable-command", "line 6", "no reachable state"),
    (CHAIN, "[] x>0", "[] x=0 -> (x'=1);\n  [] x>0", "overlapping-guards", "line 5 and line 6, state (x=0)", "dtmc"),
    (CHAIN, "[] x>0", "[] x=1", "deadlock", "(x=2)", "no command"),
    (CHAIN, "x=N;", "x=2;\nconst int M = 3;", "unused-constant", "line 9", "M"),
    (CHAIN, "x=N;", "x=N;\nformula f = x+1;", "unused-formula", "line 9", "f"),
    (CHAIN, "(x'=1)", "(x'=x+3)", "out-of-range", "x=0", "range"),
    (GAME, "[end]", "[wait] x=0 -> true;\n  [end]", "end-component", "(x=0)", "for ever"),
]


@pytest.mark.parametrize(("text", "old", "new", "kind", "where", "message"), MISTAKES)
def test_each_mistake_gets_its_warning_and_no_other(
    text: str, old: str, new: str, kind: str, where: str, message: str
) -> None:
    assert look(text).warnings == []
    (warning,) = look(changed(text, old, new)).warnings
    assert (warning.kind, warning.level) == (kind, "warning")
    assert where in warning.where
    assert message in warning.message
    assert warning.advice


def test_overlapping_guards_are_information_in_a_decision_process() -> None:
    told = look(changed(GAME, "  [end]", "  [go] x=0 -> (x'=2);\n  [end]"))
    assert told.warnings == []
    (finding,) = told.findings
    assert (finding.kind, finding.level) == ("overlapping-guards", "information")
    assert "line 4 and line 5" in finding.where


def test_labels_that_no_property_names_are_information() -> None:
    assert not look(CHAIN).findings
    assert [one.kind for one in look(CHAIN, "P=? [ F x=1 ]").findings] == ["unused-label"]
    assert not look(CHAIN, 'P=? [ F "end" ]').findings


def test_a_constant_that_only_a_property_names_is_used() -> None:
    text = CHAIN + "const int K = 3;\n"
    assert [one.kind for one in look(text).warnings] == ["unused-constant"]
    assert look(text, 'P=? [ F<=K "end" ]').warnings == []


def test_what_a_model_contains() -> None:
    has = explain(storm.parse_text(CHAIN.replace("const int N = 2", "const int N"), {"N": 2})).to_json()
    assert (has["type"], has["states"], has["choices"], has["branches"]) == ("dtmc", 3, 3, 4)
    assert has["modules"] == [{"name": "walk", "commands": 2}]
    assert has["variables"] == [{"name": "x", "module": "walk", "low": "0", "high": "2"}]
    assert has["constants"] == [{"name": "N", "value": 2, "defined": False}]
    assert has["labels"] == [{"name": "end", "states": 1}]
    assert has["distinct_probabilities"] == 3
    assert (has["deadlocks"], has["end_components"]) == (0, {"number": 2, "largest": [1, 1]})


SHIPPED = [path for path in sorted(data_folder("models").glob("*/*.prism")) if path.stem != "strategic"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_shipped_models_raise_no_false_alarm(path: Path) -> None:
    told = explain(storm.parse(path), path.with_suffix(".props").read_text())
    assert told.warnings == []
    assert not any(one.kind == "not-read" for one in told.findings)


@pytest.mark.parametrize(
    ("decimal", "meant"),
    [("0.33", "1/3"), ("0.67", "2/3"), ("0.66", "2/3"), ("0.167", "1/6"), (".1667", "1/6"), ("0.0278", "1/36")],
)
def test_decimals_that_stand_for_fractions(decimal: str, meant: str) -> None:
    assert list(sourcetext.rounded_fractions(f"\n{decimal} :")) == [(decimal, Fraction(meant), 2)]


@pytest.mark.parametrize("code", ["0.5", "0.25", "0.1", "0.9", "0.95", "0.99", "0.125", "[0..33]", "1.33", "x0.33"])
def test_decimals_that_are_meant(code: str) -> None:
    assert not list(sourcetext.rounded_fractions(code))


def test_renamed_modules_have_the_lines_of_their_original() -> None:
    code = "module a\n [] x=0 ->\n true;\nendmodule\nmodule b = a [x=y] endmodule\n"
    assert sourcetext.command_lines(code) == {"a": [2], "b": [2]}


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pymc-games", "explain", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, *capsys.readouterr()

    return run


def test_warnings_fail_only_when_strict(run, tmp_path):
    path = tmp_path / "chain.prism"
    path.write_text(changed(CHAIN, "[] x>0", "[] x=1"))
    status, out, err = run(str(path))
    assert (status, err) == (0, "")
    assert "warning: state (x=2): no command is enabled" in out
    assert "1 warning\n" in out
    assert run(str(path), "--strict")[0] == 1
    status, out, _ = run(str(path), "--strict", "--json")
    assert status == 1
    assert [one["kind"] for one in json.loads(out)["findings"]] == ["deadlock"]
    path.write_text(CHAIN)
    assert run(str(path), "--strict")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.prism"], "cannot read none.prism"),
        (["bearof"], "did you mean bearoff?"),
        (["bearoff", "--props", "none.props"], "cannot read the property file none.props"),
        (["model.txt"], "neither a game nor a model file"),
    ],
)
def test_bad_requests(run, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
