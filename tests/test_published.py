"""The rounding rule, against Python's decimal module and by hand."""

import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pymc_games.errors import FileFormatError
from pymc_games.published import Published
from pymc_games.result import Result, enclose


def exactly(number: Fraction | int | str) -> Result:
    return Result.from_exact(Fraction(number), method="exact")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0.530593", "530593/1000000", "1/1000000"),
        ("58.74 %", "5874/10000", "1/10000"),
        ("53.487%", "53487/100000", "1/100000"),
        ("44 %", "44/100", "1/100"),
        ("129329/10125", "129329/10125", "0"),
        ("423,765,000", "423765000", "0"),
        ("50.0000", "50", "1/10000"),
        ("-0.25", "-1/4", "1/100"),
        ("21", "21", "0"),
        ("true", "1", "0"),
        ("false", "0", "0"),
    ],
)
def test_printed_numbers_are_read_exactly(text: str, value: str, unit: str) -> None:
    number = Published.parse(text)
    assert (number.value, number.unit) == (Fraction(value), Fraction(unit))


@pytest.mark.parametrize("text", ["", "about 0.5", "0,5", "1e-3", "1/0", "1/2/3", ".5", "5.", "nan", "True", "12,34"])
def test_anything_else_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(FileFormatError, match=r"no printed number; write a decimal"):
        Published.parse(text)


decimals = st.decimals(min_value=-50, max_value=50, places=2)


@given(decimals, st.integers(0, 1))
def test_an_exact_value_reproduces_its_own_rounding_and_no_other(number: Decimal, places: int) -> None:
    unit = Decimal(1).scaleb(-places)
    printed = {number.quantize(unit, rounding) for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN)}
    for candidate in {*printed, *(p + unit for p in printed), *(p - unit for p in printed)}:
        text = f"{candidate:.{places}f} %"
        reproduced = Published.parse(text).reproduced_by(exactly(Fraction(number) / 100))
        assert reproduced == (candidate in printed)


@pytest.mark.parametrize(
    ("exact", "text", "reproduced"),
    [
        ("0.125", "0.13", True),  # half up
        ("0.125", "0.12", True),  # half to even
        ("0.135", "0.14", True),
        ("0.135", "0.13", False),  # neither way
        ("-0.125", "-0.13", True),
        ("-0.135", "-0.13", False),
        ("0.5305927252737", "0.530593", True),
        ("0.5305927252737", "0.530592", False),
    ],
)
def test_ties(exact: str, text: str, reproduced: bool) -> None:
    assert Published.parse(text).reproduced_by(exactly(exact)) is reproduced


def test_an_interval_reproduces_a_decimal_if_some_number_in_it_rounds_there() -> None:
    number = Published.parse("0.53")
    assert number.reproduced_by(Result(0.5349, 0.5349, 0.5351))
    assert number.reproduced_by(Result(0.5249, 0.5249, 0.5251))
    assert not number.reproduced_by(Result(0.5352, 0.5351, 0.5353))


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.52, 0.54), (-math.inf, math.inf), (math.nan, math.nan)])
def test_bounds_too_wide_to_tell_reproduce_nothing(bounds: tuple[float, float]) -> None:
    assert not Published.parse("0.53").reproduced_by(Result(0.53, *bounds))


def test_an_infinite_answer_is_no_printed_number() -> None:
    assert not Published.parse("0.53").reproduced_by(Result(math.inf, math.inf, math.inf))


def test_a_fraction_is_reproduced_by_the_exact_value_only() -> None:
    third = Fraction(1, 3)
    number = Published.parse("1/3")
    assert number.reproduced_by(exactly(third))
    assert not number.reproduced_by(exactly(third + Fraction(1, 10**30)))
    assert not number.reproduced_by(Result(1 / 3, *enclose(third)))
    assert not Published.parse("21").reproduced_by(Result(21.0, 21.0, 21.0))


def test_a_tolerance_takes_the_place_of_rounding() -> None:
    number = Published.parse("12.634906", "0.005")
    assert number.reproduced_by(exactly("12.636769"))
    assert not number.reproduced_by(exactly("12.64"))
    assert Published.parse("53 %", "1 %").reproduced_by(Result(0.522, 0.521, 0.523))
