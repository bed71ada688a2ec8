"""State formulas are evaluated as Python's own numbers would be, in every state."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pymc_games.errors import PropertyError
from pymc_games.explicit import ExactNumbers, ExplicitModel
from pymc_games.expressions import constant_value, evaluate, parse, states_where

VALUES = [-3, 0, 2, 2**40, -(2**62)]


def model(values):
    rows = np.arange(len(values) + 1)
    certain = ExactNumbers((Fraction(1),), np.zeros(len(values), dtype=np.int32))
    return ExplicitModel("dtmc", rows, rows, rows[:-1], certain, variables={"x": np.array(values, dtype=np.int64)})


@given(st.integers(-(2**70), 2**70), st.integers(1, 2**70), st.sampled_from("+-*"), st.sampled_from("+-*"))
def test_integers_do_not_wrap_around(a, b, first, second):
    text = f"x{first}({a}){second}{b}"
    expected = [eval(text, {"x": x}) for x in VALUES]  # noqa: S307
    assert list(evaluate(parse(text), {}, model(VALUES))) == expected
    assert list(evaluate(parse(f"min(x, {a})*mod(x, {b})"), {}, model(VALUES))) == [min(x, a) * (x % b) for x in VALUES]


def test_constants_do_not_wrap_around():
    assert constant_value("9223372036854775807 + 1") == 2**63
    assert constant_value("-(4294967296 * 4294967296) / 3") == Fraction(-(2**64), 3)


@pytest.mark.parametrize("text", ["mod(x, 0) = 1", "1/(x-2) > 0"])
def test_a_division_by_zero_is_refused(text):
    with pytest.raises(PropertyError, match="division by zero"):
        states_where(parse(text), model(VALUES))


def test_a_chain_of_thousands_is_no_deep_formula():
    text = " | ".join(f"x={k}" for k in range(1, 4000)) + " & x<3"
    assert states_where(parse(text), model([0, 2, 5, 9000])).tolist() == [False, True, True, False]


def test_formulas_are_meanings_of_names():
    meanings = {"big": parse("twice > limit"), "twice": parse("2*x"), "limit": 3}
    assert states_where(parse("big & x<9"), model([1, 2, 10]), meanings).tolist() == [False, True, False]
