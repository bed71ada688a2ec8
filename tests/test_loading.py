"""Models from files and games: every route to a matrix gives the same one."""

from fractions import Fraction

import numpy as np
import pytest

from pymc_games import drn, exporting, loading, storm, umb
from pymc_games.compare import Options, Session
from pymc_games.engine import solve
from pymc_games.errors import FileFormatError, GamesError, ModelError, PropertyError, UnsupportedError, UsageError
from pymc_games.properties import parse_property
from pymc_games.propertyfiles import parse_properties
from pymc_games.queries import choice_rewards, question

MDP = """
mdp
const int N;
const double p;
module m
  x : [0..N] init 1;
  up : bool init true;
  [go] 0<x & x<N -> p:(x'=x+1)&(up'=true) + 1-p:(x'=x-1)&(up'=false);
  [wait] 0<x & x<N -> 1/3:true + 1/3:(up'=!up) + 1/3:(x'=0)&(up'=true);
  [end] x=0 | x=N -> true;
endmodule
label "top" = x=N;
rewards "steps" 0<x & x<N : 1/7; [wait] true : 2; endrewards
"""
GIVEN = {"N": "4", "p": "2/7"}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "m.prism").write_text(MDP)
    return tmp_path / "m.prism"


def value(model, text, constants=None):
    asked = question(parse_property(text), model, constants or {"N": 4})
    return asked.answer(solve(model, asked.query, exact=True)).at(model.initial_state).exact


def test_all_routes_lead_to_one_model(path, tmp_path):
    by_floats = loading.load_model(path, GIVEN)
    by_rationals = loading.load_model(path, GIVEN, exact=True)
    umb.write(by_floats, tmp_path / "m.umb")
    built = storm.build(storm.parse(path, GIVEN), exact=True)
    storm.export_drn(built, tmp_path / "m.drn")
    by_umb, by_drn = loading.load_model(tmp_path / "m.umb"), loading.load_model(tmp_path / "m.drn")
    models = [by_floats, by_rationals, by_umb, by_drn]
    assert len({model.digest() for model in models}) == 1
    for model in models:
        assert list(model.variables) == list(by_floats.variables)
        assert all((model.variables[name] == by_floats.variables[name]).all() for name in model.variables)
        assert (model.label("top") == (model.variables["x"] == 4)).all()
        assert sorted(set(choice_rewards(model, "steps").table)) == [0, Fraction(1, 7), 2 + Fraction(1, 7)]


def test_the_engine_agrees_with_storm_on_every_kind_of_property(path):
    model = loading.load_model(path, GIVEN)
    texts = [
        'Pmax=? [ F "top" ]', "Pmin=? [ F x=N ]", "Pmax=? [ up U x=N ]", "Pmin=? [ x<=2 U<=6 x=2+1 ]",
        "Pmax=? [ F<5 x=0 ]", "Pmin=? [ G x<N ]", "Pmax=? [ G<=5 x>0 ]", "Pmax=? [ F !up & (x=1 | x=2) => x=0 ]",
        'Rmin=? [ F x=0 | "top" ]', 'R{"steps"}max=? [ F x=0 | "top" ]', 'P>=1/4 [ F "top" ]',
        "Pmax=? [ F max(x,2)=mod(7,4) ]", "Pmin=? [ F x*2>=N+1.5 ]",
    ]  # fmt: skip
    exact = storm.check_text(MDP, texts, constants=GIVEN, exact=True)
    assert [value(model, text) for text in texts] == [result.exact for result in exact]


def test_rewards_on_branches_count_with_their_probabilities():
    from pymc_games.explicit import ExactNumbers, ExplicitModel, RewardModel

    half, one = Fraction(1, 2), Fraction(1)
    chain = ExplicitModel(
        "dtmc", np.arange(3), np.array([0, 2, 3]), np.array([0, 1, 1]), ExactNumbers.of([half, half, one]),
        rewards={"r": RewardModel(ExactNumbers.of([one, 0 * one]), None, ExactNumbers.of([one * 4, one * 6, 0 * one]))},
        labels={"end": np.array([False, True])},
    )  # fmt: skip
    # each round costs 1 + 4/2 + 6/2 and there are two on average
    assert value(chain, 'R=? [ F "end" ]') == 12


def test_probabilities_that_floats_cannot_tell_are_taken_from_rationals(tmp_path):
    parts = [Fraction(1, 10**7 + 19), Fraction(1, 10**7 + 79)]
    move = f"{parts[0]}:(x'=1)+{parts[1]}:(x'=2)+{1 - sum(parts)}:(x'=3)"
    text = f"dtmc\nmodule m\n x:[0..3];\n [] x=0 -> {move};\n [] x>0->true;\nendmodule"
    (tmp_path / "fine.pm").write_text(text)
    model = loading.load_model(tmp_path / "fine.pm")
    assert {model.probabilities[branch] for branch in range(3)} == {*parts, 1 - sum(parts)}


def test_a_game_keeps_its_owners(tmp_path):
    (tmp_path / "g.prism").write_text(
        "smg\nplayer a [x] endplayer\nplayer b [y] endplayer\nmodule m\n s:[0..2];\n [x] s=0 -> (s'=1);\n"
        " [y] s=1 -> (s'=2);\n [y] s=1 -> (s'=0);\n [x] s=2 -> true;\nendmodule"
    )
    model = loading.load_model(tmp_path / "g.prism", exact=True)
    assert dict(zip(model.variables["s"].tolist(), model.state_to_player.tolist(), strict=True)) == {0: 0, 1: 1, 2: 0}
    assert value(model, "<<b>> Pmax=? [ F s=2 ]") == 1
    assert value(model, "<<2>> Pmin=? [ F s=2 ]") == 0
    assert value(model, "<<a,b>> Pmax=? [ G s<2 ]") == 1


@pytest.mark.parametrize(
    ("change", "kind", "complaint"),
    [
        (lambda text: text.replace("@model", ""), FileFormatError, "no line @model"),
        (lambda text: text.replace("@type: MDP", "@type: CTMC"), UnsupportedError, "CTMC is not supported"),
        (lambda text: text.replace("@type: MDP", "@type: SMG"), UnsupportedError, "who owns a state"),
        (lambda text: text.replace("2/7", "3/7"), ModelError, r"sum to 8/7 .*not 1"),
        (lambda text: text.replace("2/7", "-2/7"), ModelError, "a probability is -2/7"),
        (lambda text: text.replace("2/7", "2/0"), FileFormatError, "'2/0' is not a number"),
        (lambda text: text.replace("2/7", "nan"), FileFormatError, "'nan' is not a number"),
        (lambda text: text.replace("\t1 :", "\t900 :"), ModelError, "leads outside"),
        (lambda text: text[: len(text) // 2], GamesError, "m.drn|sum to|rows are broken|deadlock"),
        (lambda text: text.replace("state 3", "state 5"), FileFormatError, r"line \d+: state 5 stands where state 3"),
        (lambda text: text.replace("action go", "acting go"), FileFormatError, r"line \d+: 'acting go"),
        (lambda text: text.replace(" init", ""), UnsupportedError, "0 initial states"),
        (lambda text: text.replace("@parameters\n", "@parameters\nq"), UnsupportedError, "parameters"),
        (lambda text: text.replace("[1/7]", "[1/7, 3, 4]"), FileFormatError, "rewards"),
    ],
)
def test_broken_drn_files_are_refused(path, tmp_path, change, kind, complaint):
    storm.export_drn(storm.build(storm.parse(path, GIVEN), exact=True), tmp_path / "m.drn")
    text = (tmp_path / "m.drn").read_text()
    changed = change(text)
    assert changed != text
    (tmp_path / "m.drn").write_text(changed)
    with pytest.raises(kind, match=complaint):
        drn.read(tmp_path / "m.drn")


def test_targets_that_are_nothing(tmp_path, path):
    with pytest.raises(UsageError, match="neither a game nor a model file"):
        loading.load_target(str(tmp_path))
    with pytest.raises(UsageError, match="neither a game nor a model file"):
        loading.load_target("model.txt")
    with pytest.raises(UsageError, match="there is no game 'pug'"):
        loading.load_target("pug")
    with pytest.raises(UsageError, match="--type is for games"):
        loading.load_target(str(path), ["N=4,p=1/2"], "mdp")
    with pytest.raises(UsageError, match="the constant 'N' is given twice"):
        loading.load_target(str(path), ["N=4,p=1/2", "N=4"])
    umb.write(loading.load_model(path, GIVEN), tmp_path / "m.umb")
    with pytest.raises(UsageError, match="has no constants"):
        loading.load_target(str(tmp_path / "m.umb"), ["N=4"])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('Pmax=? [ F "nowhere" ]', 'no label "nowhere"'),
        ("Pmax=? [ F y=1 ]", "no variable or constant 'y'"),
        ("P=? [ F x=1 ]", "write Pmin or Pmax"),
        ("<<a>> Pmax=? [ F x=1 ]", r"a coalition needs a game \(smg\)"),
        ('R{"cost"}max=? [ F x=1 ]', 'no reward model "cost"'),
        ("Pmax=? [ F x ]", "is a number"),
        ("Pmax=? [ F up=1 ]", "operands of the wrong kind"),
        ("Pmax=? [ F<=N/3 x=1 ]", "a step bound is 4/3|expected"),
        ("Pmax=? [ F x/0=1 ]", "division by zero"),
    ],
)
def test_properties_that_do_not_fit_the_model(path, text, complaint):
    with pytest.raises(GamesError, match=complaint):
        question(parse_property(text), loading.load_model(path, GIVEN), {"N": 4})


REWARDS = """
dtmc
const double q = 0.7123456789;
module m
  x : [0..1] init 0;
  [go] x=0 -> 1/2:(x'=1) + 1/2:(x'=0);
  [end] x=1 -> true;
endmodule
formula over = x=1;
rewards "zed" [go] true : 1; endrewards
rewards [go] true : 10; x=0 : 100; endrewards
rewards "abc" x=0 : 7; endrewards
rewards "power" x=0 : q*q; endrewards
"""


@pytest.mark.parametrize("exact", [False, True])
def test_each_reward_model_keeps_its_rewards(tmp_path, exact):
    # Two steps are expected, so each reward is collected twice.
    (tmp_path / "m.prism").write_text(REWARDS)
    model = loading.load_model(tmp_path / "m.prism", exact=exact)
    exporting.write_model(model, tmp_path / "m.drn", "drn")
    exporting.write_model(model, tmp_path / "m.umb", "umb")
    for one in (model, loading.load_model(tmp_path / "m.drn"), loading.load_model(tmp_path / "m.umb")):
        found = {name: value(one, f"R{name}=? [ F x=1 ]") for name in ('{"zed"}', "", '{"abc"}', '{"power"}')}
        assert found == {'{"zed"}': 2, "": 220, '{"abc"}': 14, '{"power"}': 2 * Fraction("0.7123456789") ** 2}


def test_a_constant_of_a_property_file_must_have_a_name_of_its_own(path):
    for text in ("const int x = 3; Pmax=? [ F x=3 ];", "const int N = 3; Pmax=? [ F x=N ];"):
        (prop,) = parse_properties(text)
        with pytest.raises(PropertyError, match="has already; rename one"):
            question(prop, loading.load_model(path, GIVEN), {"N": 4})


def test_storm_answers_about_the_unnamed_reward_model_and_about_formulas(tmp_path):
    (tmp_path / "m.prism").write_text(REWARDS)
    session = Session(
        loading.load_target(str(tmp_path / "m.prism")), [parse_property("R=? [ F over ]")], Options(exact=True)
    )
    checked = session.compare(session.properties[0])
    assert checked.agree
    assert checked.storm.exact == checked.native.exact == 220
