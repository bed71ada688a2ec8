"""What a solver answers: a value between proven bounds, never a lone float."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import flint

from pymc_games import notebook, plotting

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Result:
    """A value with its bounds and how it was obtained.

    Attributes
    ----------
    value, lower, upper : float
        ``lower <= true value <= upper``; ``value`` lies between them. All may be infinite.
    exact : Fraction or None
        The rational value where it was computed exactly.
    residual : float or None
        Largest change that one more Bellman backup over all states would make, where the method iterates.
    iterations : int or None
        Sweeps or policy updates, where the method has them.
    method : str
        The algorithm, by its usual name.
    seconds : float
        Wall-clock time of the solution, without building the model.
    """

    value: float
    lower: float
    upper: float
    exact: Fraction | None = None
    residual: float | None = None
    iterations: int | None = None
    method: str = ""
    seconds: float = 0.0

    @classmethod
    def from_exact(cls, exact: Fraction, *, method: str, seconds: float = 0.0) -> Result:
        """Return the result of an exact method, with the tightest float bounds around ``exact``."""
        lower, upper = enclose(exact)
        return cls(_nearest(exact), lower, upper, exact, 0.0, None, method, seconds)

    @property
    def width(self) -> float:
        """``upper - lower``; 0 where both are the same infinity."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    def overlaps(self, other: Result) -> bool:
        """Return whether the two intervals, or the two exact values where both are known, can be one number."""
        if self.exact is not None and other.exact is not None:
            return self.exact == other.exact
        return self.lower <= other.upper and other.lower <= self.upper

    def minus(self, other: Result) -> Result:
        """Return the difference of two finite results, between bounds rounded outwards."""
        lower = math.nextafter(self.lower - other.upper, -math.inf)
        upper = math.nextafter(self.upper - other.lower, math.inf)
        return Result(self.value - other.value, lower, upper, method="difference of bounds")

    def to_json(self) -> dict[str, Any]:
        """Return the result object of the JSON interface."""
        return {
            "value": json_number(self.value),
            "lower": json_number(self.lower),
            "upper": json_number(self.upper),
            "exact": None if self.exact is None else exact_json(self.exact),
            "residual": None if self.residual is None else json_number(self.residual),
            "iterations": self.iterations,
            "method": self.method,
            "seconds": self.seconds,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds around the value."""
        return plotting.intervals({self.method or "value": self}, ax)

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("value", digits(self)), ("at least", self.lower), ("at most", self.upper)]
        if self.exact is not None:
            rows.append(("exactly", self.exact))
        if self.residual is not None:
            rows.append(("residual", self.residual))
        return notebook.facts(self.method, rows)


def margin(ranked: Sequence[Result]) -> Result | None:
    """Return by how much the first of results, the best first, is greater than the second; None for one or none."""
    return ranked[0].minus(ranked[1]) if len(ranked) > 1 else None


def digits(result: Result) -> str:
    """Return the decimals in which the two bounds of a result agree once rounded, twelve at most."""
    for places in range(12, 0, -1):
        lower, upper = (round(Decimal(bound), places) for bound in (result.lower, result.upper))
        if lower == upper:
            return str(lower)
    return str(round(result.value))


def enclose(exact: Fraction) -> tuple[float, float]:
    """Return the largest float at most ``exact`` and the smallest at least ``exact``."""
    nearest = _nearest(exact)
    if math.isinf(nearest):
        return (sys.float_info.max, nearest) if exact > 0 else (nearest, -sys.float_info.max)
    as_fraction = Fraction(nearest)
    lower = nearest if as_fraction <= exact else math.nextafter(nearest, -math.inf)
    upper = nearest if as_fraction >= exact else math.nextafter(nearest, math.inf)
    return lower, upper


def json_number(number: float) -> float | str:
    """Return ``number``, or the word ``Infinity``, ``-Infinity`` or ``NaN``, which JSON cannot write as a number."""
    if math.isfinite(number):
        return float(number)
    return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")


def exact_json(exact: Fraction) -> dict[str, Any]:
    """Return a fraction as decimal strings, which outgrow 64 bits, and its nearest float."""
    # FLINT's integers print any number of digits; Python's refuse beyond some thousand.
    numerator, denominator = (str(flint.fmpz(int(part))) for part in (exact.numerator, exact.denominator))
    return {"num": numerator, "den": denominator, "approx": json_number(_nearest(exact))}


def _nearest(exact: Fraction) -> float:
    """Return the nearest float, infinite where the largest one is too small."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
