"""``check`` with ranges of constants, named properties and exported schedulers; ``generate`` in other formats."""

import csv
import json
import sys
from fractions import Fraction

import numpy as np
import pytest
import stormpy

from pymc_games import drn, experiments, exporting, loading, storm, umb
from pymc_games.cli.main import main
from pymc_games.errors import UnsupportedError, UsageError
from pymc_games.explicit import ExactNumbers, ExplicitModel
from pymc_games.properties import parse_property
from pymc_games.storm.models import formula_of

WALK = """mdp
const int N;
const double p;
module walk
  x : [0..N] init 1;
  t : bool init true;
  [up] 0<x & x<N -> p:(x'=x+1) & (t'=!t) + 1-p:(x'=x-1);
  [] 0<x & x<N -> 1/8:(x'=x+1) + 7/8:(x'=x-1);
  [end] x=0 | x=N -> true;
endmodule
label "top" = x=N;
rewards "steps" 0<x & x<N : 1; [up] true : 1/2; endrewards
"""
REACH = 'Pmax=? [ F "top" ]'


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.prism").write_text(WALK)
    (tmp_path / "walk.props").write_text(f'"reach": {REACH};\n"lost": Pmin=? [ F x=0 ];\n')

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pymc-games", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, *capsys.readouterr()

    return run


def ruin(n: int, p: Fraction) -> Fraction:
    """Return the gambler's chance to reach n from 1: (1 - r) / (1 - r^n) with r = (1 - p) / p, and 1/n for p = 1/2."""
    r = (1 - p) / p
    return Fraction(1, n) if r == 1 else (1 - r) / (1 - r**n)


def test_an_experiment_checks_the_product_of_its_ranges(run, tmp_path):
    asked = ["-c", "N=2:2:6,p=0.25:1/4:0.5", "--prop", "reach", "--exact"]
    status, out, err = run("check", "walk.prism", *asked, "--csv", "a.csv", "--json", "a.json")
    assert (status, out, err) == (0, "", "")
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert [(row["N"], row["p"]) for row in rows] == [(n, p) for n in "246" for p in ("1/4", "1/2")]
    for row in rows:
        assert Fraction(row["exact"]) == ruin(int(row["N"]), Fraction(row["p"]))
        assert (row["property"], row["agree"]) == ("reach", "True")
    points = json.loads((tmp_path / "a.json").read_text())["points"]
    assert points[-1]["constants"] == {"N": "6", "p": "1/2"}
    assert points[-1]["results"][0]["native"]["exact"]["den"] == "6"


def test_an_experiment_s_picture_has_a_line_for_each_other_value(run, tmp_path):
    pytest.importorskip("matplotlib")
    status, out, _ = run("check", "walk.prism", "-c", "N=2:6,p=1/4:1/4:1/2", "--prop", REACH, "--plot", "a.svg")
    assert status == 0
    assert out.count("yes") == 10
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_a_picture_without_matplotlib_is_refused_before_work(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, err = run("check", "walk.prism", "-c", "N=2:6,p=1/2", "--plot", "a.svg")
    assert status == 2
    assert "pymc-games[plot]" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-c", "N=1:0:10,p=1/2"], "N=1:0:10 has the step 0; it must be greater than 0"),
        (["-c", "N=10:1:1,p=1/2"], "N=10:1:1 is empty: 10 is above 1"),
        (["-c", "N=1:x,p=1/2"], "'x' is not a number"),
        (["-c", "N=1:,p=1/2"], "'' is not a number"),
        (["-c", "N=1:1/0:3,p=1/2"], "'1/0' is not a number"),
        (["-c", "N=1:2:3:4,p=1/2"], "has 4 parts"),
        (["-c", "N=1:1000000,p=1/2"], "has 1,000,000 values"),
        (["-c", "N=1:200,p=0:0.001:1"], "has 200,200 points"),
        (["-c", "NN=1:3,p=1/2"], "no constant 'NN'; did you mean N?"),
        (["-c", "N=1:1/2:3,p=1/2", "--prop", "reach"], "must be a whole number"),
        (["-c", "N=3,p=1/2", "--csv", "a.csv"], "for experiments"),
        (["-c", "N=3:4,p=1/2", "--plot", "a.txt"], "a picture is .png"),
        (["-c", "N=3:4,p=1/2", "--prop", "reach", "--export-scheduler", "a.json"], "for one model"),
        (["-c", "N=3,p=1/2", "--prop", "raech"], "no property named 'raech'; did you mean reach?"),
        (["-c", "N=3,p=1/2", "--prop", "reach", "--props", "none.props"], "cannot read the property file none.props"),
        (["-c", "N=3,p=1/2", "--prop", "none.props"], "cannot read the property file none.props"),
        (["-c", "N=3,p=1/2", "--props", "walk.props", "--export-scheduler", "a.json"], "exactly one property"),
        (["-c", "N=3,p=1/2", "--prop", "reach", "--export-scheduler", "a.txt"], "as .json"),
        (["-c", "N=3,p=1/2", "--prop", "Pmax=? [ F<=2 x=0 ]", "--export-scheduler", "a.csv"], "steps left"),
    ],
)
def test_bad_requests_are_one_sentence_and_leave_no_file(run, tmp_path, arguments, sentence):
    status, out, err = run("check", "walk.prism", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walk.prism", "walk.props"]


def test_ranges_are_exact_and_include_their_ends():
    assert experiments.values_of("p", "0.1:0.1:0.5") == ["1/10", "1/5", "3/10", "2/5", "1/2"]
    assert experiments.values_of("N", "3:5") == ["3", "4", "5"]
    assert experiments.values_of("N", "-1:2:2") == ["-1", "1"]
    assert experiments.points(["N=3"]) is None
    with pytest.raises(UsageError, match="not a number"):
        experiments.values_of("b", "false:true")


def test_a_property_is_a_text_a_file_or_a_name(run):
    constants = ["-c", "N=4,p=1/2", "--exact", "--json"]
    for asked, count in ((["--prop", REACH], 1), (["--prop", "walk.props"], 2), (["--prop", "reach"], 1),
                         (["--prop", "lost", "--prop", "reach", "--props", "walk.props"], 2)):  # fmt: skip
        status, out, _ = run("check", "walk.prism", *constants, *asked)
        assert status == 0
        results = json.loads(out)["results"]
        assert len(results) == count
    assert [result["native"]["exact"]["num"] + "/" + result["native"]["exact"]["den"] for result in results] == [
        "3/4", "1/4",
    ]  # fmt: skip


def test_an_exported_scheduler_is_storm_s(run, tmp_path):
    asked = ["-c", "N=5,p=1/3", "--prop", REACH]
    assert run("check", "walk.prism", *asked, "--export-scheduler", "a.json")[0] == 0
    program = storm.parse(tmp_path / "walk.prism", {"N": 5, "p": Fraction(1, 3)})
    built = storm.build(program, exact=True)
    formula = stormpy.parse_property(REACH, program.handle)
    answer = stormpy.model_checking(
        built.handle, formula, extract_scheduler=True, environment=stormpy.environments.exact()
    )
    theirs = json.loads(answer.get_scheduler().to_json_str(built.handle))
    ours = json.loads((tmp_path / "a.json").read_text())
    # Where the walk has ended any choice will do, and there is only one.
    assert ours == theirs
    assert run("check", "walk.prism", *asked, "--export-scheduler", "a.csv")[0] == 0
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert len(rows) == len(theirs)
    assert {row["action"] for row in rows if 0 < int(row["x"]) < 5} == {"up"}


@pytest.mark.parametrize("kind", ["drn", "umb"])
def test_exported_models_read_back_as_they_were_and_storm_reads_them(run, tmp_path, kind):
    status, out, _ = run("generate", "walk.prism", "-c", "N=5,p=1/3", "--format", kind, "-o", f"a.{kind}")
    assert (status, out) == (0, f"a.{kind}\n")
    program = storm.parse(tmp_path / "walk.prism", {"N": 5, "p": Fraction(1, 3)})
    built = loading.explicit_model(program, exact=True)
    again = {"drn": drn.read, "umb": umb.read}[kind](tmp_path / f"a.{kind}")
    assert again.digest() == built.digest()
    assert {name: list(values) for name, values in again.variables.items()} == {
        name: list(values) for name, values in built.variables.items()
    }
    steps, same = again.rewards["steps"], built.rewards["steps"]
    assert [steps.choice[k] for k in range(again.choices)] == [same.choice[k] for k in range(again.choices)]
    if kind == "drn":
        model = stormpy.build_model_from_drn(str(tmp_path / "a.drn"))
        assert (model.nr_states, model.nr_choices) == (built.states, built.choices)
        read = storm.StormModel(model, "a.drn", exact=False)
        formula = formula_of(None, parse_property(REACH))
        assert abs(stormpy.model_checking(model, formula)[read.initial_state].value - ruin(5, Fraction(1, 3))) < 1e-6


def test_dot_has_every_state_choice_and_branch(run, tmp_path):
    assert run("generate", "walk.prism", "-c", "N=3,p=1/3", "--format", "dot", "-o", "a.dot")[0] == 0
    text = (tmp_path / "a.dot").read_text()
    assert text.startswith("digraph")
    assert (text.count("[label=\"t="), text.count("shape=point"), text.count("  c") - text.count("shape=point")) == (
        8, 12, 20,
    )  # fmt: skip
    assert '"t=true, x=1\\ninit", style=bold' in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["walk.prism", "-c", "N=3,p=1/2", "--format", "dott"], "no format 'dott'; did you mean dot?"),
        (["walk.prism", "-c", "N=3,p=1/2", "--format", "xyz"], "there are prism, drn, umb, dot"),
        (["walk.prism", "-c", "N=600,p=1/2", "--format", "dot"], "dot is for at most 1,000"),
        (["pig", "-c", "goal=10", "--type", "smg", "--format", "drn"], "who owns a state"),
        (["pig", "--type", "mpd", "--format", "drn"], "did you mean mdp?"),
    ],
)
def test_bad_exports(run, tmp_path, arguments, sentence):
    status, out, err = run("generate", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert len(list(tmp_path.iterdir())) == 2


def test_a_million_states_are_refused_with_the_limit(tmp_path):
    count = 10**6
    each = np.arange(count + 1)
    ones = ExactNumbers((Fraction(1),), np.zeros(count, dtype=np.int32))
    model = ExplicitModel("dtmc", each, each, each[:-1], ones)
    with pytest.raises(UnsupportedError, match="1,000,000 states, and dot is for at most 1,000"):
        exporting.write_model(model, tmp_path / "a.dot", "dot")
    assert not list(tmp_path.iterdir())
