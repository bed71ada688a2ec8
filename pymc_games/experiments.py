"""Experiments: ranges of constants, as PRISM writes them, and the points of their product."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from pymc_games.errors import PropertyError, UsageError
from pymc_games.expressions import constant_value
from pymc_games.games.base import split_definitions

#: Points of one experiment; more are a job for a loop.
LIMIT = 10_000


def values_of(name: str, text: str) -> list[str]:
    """Return the values of a constant: of a range ``low:high`` or ``low:step:high``, ends included, or the one value.

    Raises
    ------
    UsageError
        For a part that is not a number, a step that is not positive, or a range that is empty or too long.
    """
    if ":" not in text:
        return [text]
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise UsageError(
            f"the range {name}={text} has {len(parts)} parts; write {name}=LOW:HIGH or {name}=LOW:STEP:HIGH"
        )
    numbers = [_number(name, text, part) for part in parts]
    low, high = numbers[0], numbers[-1]
    step = numbers[1] if len(numbers) == 3 else Fraction(1)
    if step <= 0:
        raise UsageError(f"the range {name}={text} has the step {step}; it must be greater than 0")
    if high < low:
        raise UsageError(f"the range {name}={text} is empty: {low} is above {high}; write LOW:STEP:HIGH")
    count = (high - low) // step + 1
    if count > LIMIT:
        raise UsageError(f"the range {name}={text} has {count:,} values; an experiment has at most {LIMIT:,} points")
    return [str(low + k * step) for k in range(count)]


def points(definitions: Sequence[str]) -> list[dict[str, str]] | None:
    """Return the points of the product of all ranges, as values of the constants that vary; ``None`` without a range.

    Raises
    ------
    UsageError
        See `values_of`; also if there are too many points.
    """
    given = split_definitions(definitions)
    ranges = {name: values_of(name, text) for name, text in given if ":" in text}
    if not ranges:
        return None
    count = math.prod(map(len, ranges.values()))
    if count > LIMIT:
        raise UsageError(f"the experiment has {count:,} points; at most {LIMIT:,} are allowed: take a larger step")
    return [dict(zip(ranges, values, strict=True)) for values in itertools.product(*ranges.values())]


def at(definitions: Sequence[str], point: Mapping[str, str]) -> list[str]:
    """Return the definitions with each range replaced by its value at a point."""
    return [f"{name}={point.get(name, text)}" for name, text in split_definitions(definitions)]


def _number(name: str, text: str, part: str) -> Fraction:
    try:
        value = constant_value(part)
    except (PropertyError, ZeroDivisionError, ValueError, TypeError):
        value = True
    if isinstance(value, bool):
        raise UsageError(f"the range {name}={text}: '{part}' is not a number")
    return Fraction(value)
