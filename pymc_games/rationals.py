"""Rationals read from floats: what was probably written, for models that were stored in rounded numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray

from pymc_games.explicit import ExactNumbers, Floats, Ints

#: Two fractions with denominators up to this differ by more than the window in which they are looked for.
DENOMINATOR = 2**24
#: Half the window, in units in the last place: room for the few roundings with which a tool computes a probability.
ULPS = 4
_SAMPLE = 2**17
_MANY_DIGITS = 4000


def read_fraction(text: str) -> Fraction:
    """Return the rational that ``3``, ``-2/7``, ``0.25`` or ``1e-3`` writes, however many digits it has.

    Raises
    ------
    ValueError
        If the text is no number.
    ZeroDivisionError
        If the denominator is 0.
    """
    # Python reads no more than some thousand digits at a time; FLINT has no such limit.
    if len(text) < _MANY_DIGITS:
        return Fraction(text)
    numerator, _, denominator = text.partition("/")
    return Fraction(int(flint.fmpz(numerator)), int(flint.fmpz(denominator or "1")))


def read_float(number: float) -> Fraction:
    """Return the rational that a float was probably rounded from.

    In this order: the fraction with denominator at most 2^24 that lies within 4 units in the last place (there is at
    most one for numbers up to 1); the decimal that prints as the float, if it has at most 15 digits; the float itself.
    """
    near = Fraction(number).limit_denominator(DENOMINATOR)
    if abs(near - Fraction(number)) <= ULPS * Fraction(math.ulp(number)):
        return near
    text = repr(number)
    digits = text.partition("e")[0].replace(".", "").replace("-", "").strip("0")
    return Fraction(text) if len(digits) <= 15 else Fraction(number)


def read_floats(numbers: Floats) -> ExactNumbers:
    """Return the rationals behind an array of finite floats, one reading for each distinct value."""
    distinct, index = distinct_values(numbers)
    return ExactNumbers(tuple(read_float(float(x)) for x in distinct), index)


def distinct_values(numbers: NDArray) -> tuple[NDArray, NDArray[np.int32]]:
    """Return the sorted distinct values of an array, and the position of each entry among them.

    Like ``numpy.unique`` with its inverse, and faster where a sample already shows nearly all values.
    """
    distinct = np.unique(numbers[: min(len(numbers), _SAMPLE)])
    while True:
        index = _positions(distinct, numbers)
        missed = numbers[distinct[index] != numbers] if len(distinct) else numbers
        if not len(missed):
            return distinct, index.astype(np.int32)
        distinct = np.union1d(distinct, np.unique(missed))


def _positions(distinct: NDArray, numbers: NDArray) -> Ints:
    return np.minimum(np.searchsorted(distinct, numbers), max(len(distinct) - 1, 0))
