"""Results: bounds around exact values, agreement, and the JSON objects."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pymc_games.result import Result, enclose, exact_json, json_number

fractions = st.fractions()


@given(fractions)
def test_bounds_enclose_the_exact_value_and_are_neighbours(exact: Fraction) -> None:
    lower, upper = enclose(exact)
    assert Fraction(lower) <= exact <= Fraction(upper)
    assert upper == lower or upper == math.nextafter(lower, math.inf)
    assert (lower == upper) == (exact.denominator & (exact.denominator - 1) == 0 and Fraction(lower) == exact)


def test_a_third_lies_strictly_between_its_bounds() -> None:
    lower, upper = enclose(Fraction(1, 3))
    assert Fraction(lower) < Fraction(1, 3) < Fraction(upper)
    assert Result.from_exact(Fraction(1, 3), method="exact").width == upper - lower > 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_value_beyond_the_floats_has_an_infinite_bound(sign: int) -> None:
    huge = Fraction(sign * 10**400)
    lower, upper = enclose(huge)
    assert math.isinf(upper if sign > 0 else lower)
    assert math.isfinite(lower if sign > 0 else upper)
    assert exact_json(huge)["num"] == str(huge)
    json.dumps(Result.from_exact(huge, method="exact").to_json(), allow_nan=False)


@given(fractions, fractions)
def test_exact_results_agree_only_when_equal(a: Fraction, b: Fraction) -> None:
    first, second = Result.from_exact(a, method="a"), Result.from_exact(b, method="b")
    assert first.overlaps(second) == (a == b)


def test_values_one_part_in_10_to_the_30_apart_do_not_agree_exactly_but_do_as_intervals() -> None:
    a, b = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)
    exact = Result.from_exact(a, method="exact")
    assert not exact.overlaps(Result.from_exact(b, method="exact"))
    assert exact.overlaps(Result(float(b), *enclose(b)))


@pytest.mark.parametrize(
    ("lower", "upper", "agrees"),
    [(0.25, 0.5, True), (0.5, 0.75, True), (0.75, 1.0, True), (0.76, 1.0, False), (0.0, 0.49, False)],
)
def test_intervals_agree_when_they_share_a_number(lower: float, upper: float, agrees: bool) -> None:
    ours, theirs = Result(0.6, 0.5, 0.75), Result(lower, lower, upper)
    assert ours.overlaps(theirs) is agrees
    assert theirs.overlaps(ours) is agrees


def test_nothing_agrees_with_not_a_number() -> None:
    assert not Result(math.nan, math.nan, math.nan).overlaps(Result(0.5, 0.0, 1.0))


def test_the_width_of_an_infinite_value_is_zero() -> None:
    assert Result(math.inf, math.inf, math.inf).width == 0
    assert Result(0.5, 0.25, math.inf).width == math.inf


def test_the_json_object_has_the_interface_s_fields_in_strict_json() -> None:
    exact = Fraction(10**40, 3)
    document = json.loads(json.dumps(Result.from_exact(exact, method="elimination").to_json(), allow_nan=False))
    assert list(document) == ["value", "lower", "upper", "exact", "residual", "iterations", "method", "seconds"]
    assert Fraction(int(document["exact"]["num"]), int(document["exact"]["den"])) == exact
    assert document["exact"]["approx"] == document["value"] == float(exact)
    infinite = Result(math.inf, 0.0, math.inf).to_json()
    assert (infinite["value"], infinite["upper"], infinite["exact"]) == ("Infinity", "Infinity", None)


def test_numbers_that_json_cannot_write_become_words() -> None:
    assert [json_number(x) for x in (math.inf, -math.inf, math.nan, 0.5)] == ["Infinity", "-Infinity", "NaN", 0.5]
