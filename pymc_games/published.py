"""Published numbers as printed, and what it takes to reproduce one.

A printed decimal stands for all numbers that round to it, half up or half to even; an answer known to lie in
``[lower, upper]`` reproduces it when one of those numbers is in that interval and the interval is no wider than one
unit of the last printed digit. A printed fraction or whole number is reproduced by the exact value only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from pymc_games.errors import FileFormatError
from pymc_games.result import Result

_NUMBER = re.compile(r"(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<digits>\d+))?(?P<percent>\s*%)?")
_FRACTION = re.compile(r"[-+]?\d+/0*[1-9]\d*")


@dataclass(frozen=True)
class Published:
    """A number as printed in a source.

    Attributes
    ----------
    text : str
        As printed: ``0.530593``, ``58.74 %``, ``129329/10125``, ``423,765,000``, or ``true`` for a claim.
    value : Fraction
        The number itself; 1 for a true claim, 0 for a false one.
    unit : Fraction
        One unit of the last digit; 0 where the number is printed exactly.
    tolerance : Fraction or None
        For sources that say 'about': the largest distance allowed, in place of rounding.
    """

    text: str
    value: Fraction
    unit: Fraction
    tolerance: Fraction | None = None

    @classmethod
    def parse(cls, text: str, tolerance: str | None = None) -> Published:
        """Read a printed number.

        Raises
        ------
        FileFormatError
            If the text is none of a decimal, percentage, fraction, whole number, ``true`` or ``false``.
        """
        value, unit = _read(text)
        return cls(text, value, unit, None if tolerance is None else _read(tolerance)[0])

    def interval(self) -> tuple[Fraction, Fraction, bool]:
        """Return the lowest and the highest number that the printed one stands for, and whether the highest does.

        A tie at ``value + unit / 2`` rounds to ``value`` only half to even, so only if the last digit is even;
        a tie at ``value - unit / 2`` does so half up. Negative numbers round by their magnitude.
        """
        if self.tolerance is not None:
            return self.value - self.tolerance, self.value + self.tolerance, True
        half = self.unit / 2
        even = self.unit == 0 or (self.value / self.unit) % 2 == 0
        return self.value - half, self.value + half, even

    def reproduced_by(self, result: Result) -> bool:
        """Return whether an answer reproduces this number: see the module's head."""
        unit = self.unit if self.tolerance is None else max(self.unit, self.tolerance)
        if result.exact is None and (unit == 0 or not result.width <= unit):
            return False
        lower, upper = (result.lower, result.upper) if result.exact is None else (result.exact, result.exact)
        lowest, highest, closed = self.interval()
        if self.value < 0 and self.tolerance is None:
            lowest, highest, lower, upper = -highest, -lowest, -upper, -lower
        return bool(upper >= lowest and (lower <= highest if closed else lower < highest))


def _read(text: str) -> tuple[Fraction, Fraction]:
    """Return a printed number and one unit of its last digit, 0 for exact ones."""
    if text in ("true", "false"):
        return Fraction(text == "true"), Fraction(0)
    if _FRACTION.fullmatch(text):
        return Fraction(text), Fraction(0)
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise FileFormatError(
            f"'{text}' is no printed number; write a decimal, a percentage, a fraction, a whole number, true or false"
        )
    digits, percent = match["digits"] or "", 100 if match["percent"] else 1
    value = Fraction(f"{match['sign']}{match['whole'].replace(',', '')}{digits}") / 10 ** len(digits) / percent
    exact = not digits and percent == 1
    return value, Fraction(0) if exact else Fraction(1, 10 ** len(digits) * percent)
