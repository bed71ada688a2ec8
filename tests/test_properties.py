"""The property language: what is read, what is refused by name, and where a mistake is."""

from fractions import Fraction

import pytest

from pymc_games.errors import PropertyError, UnsupportedError
from pymc_games.expressions import Label, Literal, Name, Operation, constant_value
from pymc_games.properties import Globally, Until, choose_reward, parse_property


def test_reads_a_named_reachability_property():
    prop = parse_property('"first_player": Pmax=? [ F "win1" ];')
    assert (prop.name, prop.operator, prop.optimise, prop.bound) == ("first_player", "P", "max", None)
    assert prop.path == Until(Literal(True), Label("win1"))
    assert prop.quantitative() == 'Pmax=? [ F "win1" ]'


def test_reads_bounds_step_bounds_and_rewards():
    prop = parse_property("P>=1/2 [ !x=1 & y<3 U<=5 z>2 ]")
    assert prop.bound == (">=", Fraction(1, 2))
    assert isinstance(prop.path, Until)
    assert prop.path.steps == Literal(5)
    # '!' binds more loosely than '='
    assert prop.path.left == Operation(
        "&", (Operation("!", (Operation("=", (Name("x"), Literal(1))),)), Operation("<", (Name("y"), Literal(3))))
    )
    assert parse_property('R{"steps"}min=? [ F x=3 ]').reward == "steps"
    assert parse_property("P=? [ G<4 x=0 ]").path == Globally(
        Operation("=", (Name("x"), Literal(0))), Operation("-", (Literal(4), Literal(1)))
    )
    assert parse_property("<<p1,p2>> Pmax=? [ F true ]").coalition == ("p1", "p2")


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("P>=0.5 [ F x=1 ]", "min"),  # all schedulers reach at least 0.5
        ("P<0.5 [ F x=1 ]", "max"),
        ("<<p>> P>=0.5 [ F x=1 ]", "max"),  # the coalition can reach 0.5
        ("<<p>> P<0.5 [ F x=1 ]", "min"),
    ],
)
def test_a_bound_says_what_is_optimised(text, direction):
    assert parse_property(text).direction == direction


def test_a_bound_is_decided_only_by_an_interval_on_one_side():
    prop = parse_property("P>=0.5 [ F x=1 ]")
    assert prop.satisfied(0.5, 0.6) is True
    assert prop.satisfied(0.3, 0.4) is False
    assert prop.satisfied(0.4, 0.6) is None
    assert parse_property("P=? [ F x=1 ]").satisfied(0.1, 0.2) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("S=? [ x=1 ]", "long-run average is not supported"),
        ("Smax=? [ x=1 ]", "long-run average is not supported"),
        ("P=? [ F x=1 & F x=2 ]", "LTL"),
        ('P=? [ (F "a") & x=1 U x=2 ]', "LTL"),
        ("P=? [ F<=2.0 x=1 ]", "a time bound is not supported"),
        ("LRA=? [ x=1 ]", "long-run average is not supported"),
        ("R=? [ S ]", "long-run average is not supported"),
        ("R=? [ C<=3 ]", "cumulative reward (C) is not supported"),
        ("R=? [ I=3 ]", "instantaneous reward (I) is not supported"),
        ('R=? [ G "a" ]', "G in a reward property is not supported"),
        ("P=? [ X x=1 ]", "next (X) is not supported"),
        ("P=? [ a=1 W b=2 ]", "weak until (W) is not supported"),
        ("P=? [ F x=1 || F y=2 ]", "a conditional property is not supported"),
        ("multi(Pmax=? [ F x=1 ], Pmin=? [ F y=1 ])", "multi-objective is not supported"),
        ("P=? [ F P>0.5 [ F x=1 ] ]", "an operator P inside a formula is not supported"),
        ('Pmax=? [ G F "a" ]', "a path operator inside a path operator (LTL) is not supported"),
        ("P=? [ F<=2.5 x=1 ]", "a time bound is not supported"),
        ("P=? [ F[1,2] x=1 ]", "only upper step bounds (<=k) are supported"),
        ("filter(max, P=? [ F x=1 ], true)", "filter(...) is not supported"),
    ],
)
def test_what_is_outside_the_scope_is_refused_by_name(text, named):
    with pytest.raises(UnsupportedError) as refusal:
        parse_property(text)
    assert named in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("P=? [ F x=1", "expected ']' at position 12, found the end"),
        ("P=? F x=1 ]", "expected '[' at position 5, found 'F'"),
        ("Q=? [ x ]", "expected P or R"),
        ("P=? [ F x=1 ] more", "expected the end of the property at position 15"),
        ("P=? [ F @ ]", "unexpected '@' at position 9"),
        ("P=? [ x=1 ]", "expected 'U'"),
        ("P>=high [ F x=1 ]", "no variable or constant 'high'"),
        ("P>=high [ F x=1 ]", "the bound high must be a number"),
        (f"P=? [ F {'(' * 5000}x=1{')' * 5000} ]", "nested too deeply"),
        (f"P=? [ F x={'1' * 5000} ]", "too many digits"),
    ],
)
def test_a_malformed_property_says_where(text, complaint):
    with pytest.raises(PropertyError) as refusal:
        parse_property(text)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("4/2", 2),
        ("N+1", 6),
        ("2*(3-5)", -4),
        ("true", True),
        ("max(2,7)", 7),
    ],
)
def test_constants_are_exact(text, value):
    assert constant_value(text, {"N": 5}) == value


def test_the_reward_model_must_be_named_where_there_are_several():
    assert choose_reward(parse_property("R=? [ F x=1 ]"), ["only"]) == "only"
    with pytest.raises(PropertyError, match="names no reward model"):
        choose_reward(parse_property("R=? [ F x=1 ]"), ["cost", "steps"])
    with pytest.raises(PropertyError, match='no reward model "cost"'):
        choose_reward(parse_property('R{"cost"}=? [ F x=1 ]'), ["steps"])


def test_an_unnamed_reward_model_is_meant_where_none_is_named():
    assert choose_reward(parse_property("R=? [ F x=1 ]"), ["steps", ""]) == ""


def test_comments_around_a_property_are_left_out():
    assert parse_property("// first\nP=? [ F x=1 ]; // last").text == "P=? [ F x=1 ]"


@pytest.mark.parametrize(
    ("text", "complement"),
    [
        ("Pmin=? [ G x>0 ]", "Pmax=? [ F !(x>0) ]"),
        ('Pmax=? [ G<=3 "a"&x>0 ]', 'Pmin=? [ F<=3 !("a"&x>0) ]'),
        ("P=? [ G<(2*(k+1)) (x>0) ]", "P=? [ F<(2*(k+1)) !((x>0)) ]"),
    ],
)
def test_the_complement_of_always_is_eventually_not(text, complement):
    asked, expected = parse_property(text).complement(), parse_property(complement)
    assert (asked.path, asked.direction) == (expected.path, expected.direction)
    assert parse_property(asked.quantitative()).path == expected.path
