"""Storm: values against known fractions, and every fault as one sentence of ours."""

from fractions import Fraction

import numpy as np
import pytest

from pymc_games import storm
from pymc_games.errors import GamesError, ModelError, PropertyError, StormError, UnsupportedError, UsageError
from pymc_games.propertyfiles import parse_properties

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
GAME = """
smg
player one [a], [b] endplayer
player two [c], [end] endplayer
module m
  x : [0..3] init 0;
  [a] x=0 -> (x'=1);
  [b] x=0 -> 1/2:(x'=2) + 1/2:(x'=3);
  [c] x=1 -> 1/3:(x'=2) + 2/3:(x'=3);
  [end] x>1 -> true;
endmodule
"""


def test_values_of_the_fair_walk_exactly_and_soundly():
    asked = ['Pmax=? [ F "top" ]', "Pmin=? [ F x=N ]", 'Rmax=? [ F x=0 | "top" ]', "P<=1/4 [ G x<N ]"]
    exact = storm.check_text(WALK, asked, constants={"N": 4}, exact=True)
    # gambler's ruin: fair 1/4; with up-odds 1/2, (2 - 1)/(2^4 - 1). The longest walk is fair at 1, 2 and
    # falls from 3: E1 = 1 + E2/2, E2 = 1 + E1/2 + E3/2, E3 = 1 + 2/3 E2
    assert [result.exact for result in exact] == [Fraction(1, 4), Fraction(1, 15), Fraction(17, 5), Fraction(14, 15)]
    for floats, truth in zip(storm.check_text(WALK, asked, constants={"N": "4"}), exact, strict=True):
        assert floats.lower <= truth.exact <= floats.upper
        assert floats.width < 1e-5


def test_precision_is_respected_and_bounds_hold():
    chain = (
        "dtmc\nmodule m\n x:[0..20];\n [] x<20 -> 1/2:(x'=x+1)+1/2:(x'=max(0,x-1));\n [] x=20 -> true;\nendmodule\n"
        "rewards true:1; endrewards"
    )
    exact = storm.check_text(chain, ["R=? [ F x=20 ]"], exact=True)[0].exact
    for precision in (1e-3, 1e-9):
        result = storm.check_text(chain, ["R=? [ F x=20 ]"], precision=precision)[0]
        assert result.lower <= exact <= result.upper
        assert result.width <= 3 * precision * exact


def test_all_states_and_the_scheduler():
    model = storm.build(storm.parse_text(WALK, {"N": 4}))
    answer = storm.check(model, 'Pmax=? [ F "top" ]', scheduler=True)
    explicit = storm.to_explicit(model)
    x = explicit.variables["x"]
    assert ((answer.lower <= x / 4) & (x / 4 <= answer.upper)).all()
    assert (answer.upper - answer.lower).max() < 1e-5
    fair = [
        explicit.choice_to_action[explicit.state_to_choices[s] + answer.choice[s]]
        for s in np.flatnonzero((x > 0) & (x < 4))
    ]
    assert fair == ["fair"] * 3


def test_a_die_is_accepted_although_its_floats_do_not_sum_to_one():
    die = "dtmc\nmodule m\n x:[0..6];\n [] x=0 -> {};\n [] x>0 -> true;\nendmodule"
    faces = [f"1/6:(x'={face})" for face in range(1, 7)]
    model = storm.build(storm.parse_text(die.format(" + ".join(faces))))
    assert list(storm.to_explicit(model).variables) == ["x"]
    again = storm.build(model.program, exact=False)
    assert storm.to_explicit(again).digest() == storm.to_explicit(model).digest()
    results = storm.check_text(die.format(" + ".join(faces)), ["P=? [ F x=6 ]", "P=? [ F x>4 ]"])
    assert all(r.lower <= truth <= r.upper for r, truth in zip(results, (Fraction(1, 6), Fraction(1, 3)), strict=True))
    with pytest.raises(ModelError, match="actually sum to 5/6"):
        storm.check_text(die.format(" + ".join(faces[1:])), ["P=? [ F x=6 ]"])
    with pytest.raises(ModelError, match="out-of-bounds value"):
        storm.check_text(die.format(" + ".join(faces)).replace("[0..6]", "[0..5]"), ["P=? [ F x=5 ]"])


def test_infinite_rewards():
    for exact in (False, True):
        result = storm.check_text(WALK, ['Rmax=? [ F "top" ]'], constants={"N": 3}, exact=exact)[0]
        assert result.value == result.lower == result.upper == np.inf


def test_an_explicit_model_goes_to_storm_and_back():
    explicit = storm.to_explicit(storm.build(storm.parse_text(WALK, {"N": 4})))
    again = storm.from_explicit(explicit, exact=True)
    assert storm.check(again, 'Pmin=? [ F "top" ]').at(again.initial_state).exact == Fraction(1, 15)


def test_a_game_is_built_and_its_coalition_left_to_the_engine():
    model = storm.build(storm.parse_text(GAME))
    assert model.type == "smg"
    with pytest.raises(StormError, match="gives no answer"):
        storm.check(model, "<<one>> Pmax=? [ F true ]")


def test_constants_of_a_property_file_reach_storm():
    (prop,) = parse_properties("const int K = 2; Pmax=? [ F<=K x=3 ];")
    model = storm.build(storm.parse_text(WALK, {"N": 3}), [prop], exact=True)
    assert storm.check(model, prop).at(model.initial_state).exact == Fraction(1, 4)


@pytest.mark.parametrize(
    ("text", "constants", "kind", "sentence"),
    [
        (WALK, {}, ModelError, "no value for the constant N; give -c N=VALUE"),
        (WALK, {"M": 1}, UsageError, "no constant 'M'"),
        (WALK, {"N": "1/2"}, UsageError, "must be a whole number"),
        (WALK, {"N": "many"}, UsageError, "no readable value"),
        (WALK, {"N": "1e30"}, UsageError, "too large"),
        (WALK, {"N": "1" * 5000}, UsageError, "too many digits"),
        ("mdp\nmodule m\n c : clock;\nendmodule", {}, UnsupportedError, "has clocks, which are not supported"),
        (
            "dtmc\nmodule m\n x:[0..2];\n [] true -> true;\nendmodule\ninit true endinit",
            {},
            UnsupportedError,
            "the model has 3 initial states",
        ),
        ("hello", {}, ModelError, "line 1, column 1: expected <model type>, found 'hello'"),
        ("", {}, ModelError, "line 1, column 1: expected <model type>"),
        ("// what?\ncsg\n", {}, UnsupportedError, "a concurrent game (csg), which is not supported"),
        ("ctmc\nmodule m\n x:[0..1];\nendmodule", {}, UnsupportedError, "(ctmc), which is not supported"),
        ("pomdp\n", {}, UnsupportedError, "(pomdp), which is not supported"),
        ("dtmc\nmodule m\n x:[0..1];\n [] x=0 -> (x=1);\nendmodule", {}, ModelError, "line 4, column 11"),
        ("dtmc\nmodule m\n x:[0..1];\n [] true -> 0.9:(x'=1);\nendmodule", {}, ModelError, "actually sum to 9/10"),
        (
            "dtmc\nmodule m\n x:[0..1];\n [] true -> (x'=x+2);\nendmodule",
            {},
            ModelError,
            "out-of-bounds value (2) for the variable 'x'",
        ),
        (GAME.replace("[c] x=1", "[c] x<2"), {}, ModelError, "player for state"),
        (
            "mdp\nglobal g:[0..1];\nmodule m\n x:[0..1];\n [a] true -> (g'=1);\nendmodule\n"
            "module n\n y:[0..1];\n [a] true -> (g'=0);\nendmodule",
            {},
            ModelError,
            "the model: line 9: Syncronizing command",
        ),
    ],
)
def test_faults_in_a_model_are_one_sentence(text, constants, kind, sentence, capfd):
    with pytest.raises(kind) as refusal:
        storm.build(storm.parse_text(text, constants))
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("prop", "kind"),
    [
        ('Pmax=? [ F "nowhere" ]', PropertyError),
        ("Pmax=? [ F y=1 ]", PropertyError),
        ("P=? [ F x=N ]", PropertyError),
        ('R{"cost"}max=? [ F x=N ]', PropertyError),
        ("S=? [ x=N ]", UnsupportedError),
    ],
)
def test_faults_in_a_property_are_one_sentence(prop, kind, capfd):
    with pytest.raises(kind) as refusal:
        storm.check_text(WALK, [prop], constants={"N": 3})
    assert "\n" not in str(refusal.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("given", "chance"), [("1", 1), ("0", 0), ("4/4", 1), ("1e-9", Fraction(1, 10**9)), (1, 1)])
def test_a_double_may_be_given_as_a_whole_number(given, chance):
    text = "dtmc\nconst double p;\nmodule m\n x:[0..2];\n [] x=0 -> p:(x'=1)+1-p:(x'=2);\n [] x>0 -> true;\nendmodule"
    (result,) = storm.check_text(text, ["P=? [ F x=1 ]"], constants={"p": given}, exact=True)
    assert result.exact == chance


def test_the_mark_at_the_beginning_of_a_file_from_windows_is_skipped(tmp_path):
    (tmp_path / "walk.prism").write_bytes(b"\xef\xbb\xbf" + WALK.replace("\n", "\r\n").encode())
    assert storm.build(storm.parse(tmp_path / "walk.prism", {"N": 3})).handle.nr_states == 4


@pytest.mark.parametrize("rewards", ["x<9 : -10;", "[step] true : -10;"])
def test_negative_rewards_never_reach_storm(rewards):
    # stormpy 2.0 claims a lower bound of about -59.5 for the first of these; the answer is -100.
    chain = "dtmc\nmodule m\n x:[0..9];\n [step] x<9 -> 9/10:(x'=min(9,x+1))+1/10:true;\n [] x=9 -> true;\nendmodule\n"
    with pytest.raises(UnsupportedError, match="negative rewards"):
        storm.check_text(f"{chain} rewards {rewards} endrewards", ["R=? [ F x=9 ]"])


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(ModelError, match="No such file"):
        storm.parse(tmp_path / "missing.prism")
    binary = tmp_path / "binary.prism"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(ModelError, match="not text"):
        storm.parse(binary)
    with pytest.raises(GamesError, match="directory"):
        storm.parse(tmp_path)


def test_six_sixths_are_one_although_doubles_say_otherwise():
    branches = " + ".join(f"1/6 : (x'={face})" for face in range(1, 7))
    model = storm.build(storm.parse_text(f"dtmc\nmodule m\n x:[0..6];\n [] true -> {branches};\nendmodule"))
    assert storm.to_explicit(model).states == 7
