"""Rationals read from floats: what was probably written, for models that were stored in rounded numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray

from pymc_games.explicit import ExactNumbers, Floats, Ints

#: Two fractions below 1 with denominators up to this differ by more than the window in which they are looked for.
DENOMINATOR = 2**24
#: Half the window, in units in the last place: room for the few roundings with which a tool computes a probability.
ULPS = 4
_FEW, _FEW_DIGITS = 2**20, 12
#: Digits that every decimal keeps on its way through a float.
_DIGITS = 15
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

    In this order: the fraction within 4 units in the last place, if its denominator is at most 2^24 and so small that
    there can be only one; the decimal that prints as the float, if it has at most 15 digits; the float itself. Where a
    fraction and a decimal both fit, the decimal is preferred if its denominator is below the square of the fraction's:
    there are about as many fractions up to a denominator as decimals up to its square.
    """
    value, text, window = Fraction(number), repr(number), 2 * ULPS * math.ulp(number)
    digits = text.partition("e")[0].replace(".", "").replace("-", "").strip("0")
    decimal = Fraction(text) if len(digits) <= _DIGITS else None
    # Fractions with denominators up to the square root of 1/w are at least w apart.
    most = math.isqrt(int(min(1 / window, DENOMINATOR**2)))
    if decimal is not None:
        most = min(most, math.isqrt(decimal.denominator))
    near = value.limit_denominator(max(most, 1))
    if near and 2 * abs(near - value) <= window:
        return near
    return value if decimal is None else decimal


def is_doubtful(reading: Fraction) -> bool:
    """Return whether a reading may well not be what was written: no fraction and no decimal of few digits.

    Of all floats between 0 and 1 one in thirteen lies so close to a fraction with a denominator of at most 2^24 that it
    is taken for it, with 2^20 one in three thousand; and one in ten prints with 15 digits, one in ten thousand with 12.
    """
    return reading.denominator > _FEW and 10**_FEW_DIGITS % reading.denominator != 0


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
