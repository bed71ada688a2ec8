"""Looking at PRISM text itself: what is defined on which line, where commands begin, which decimals stand there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

_DEFINITION = re.compile(r"\b(const|formula)\s+(?:(?:int|double|bool)\s+)?([A-Za-z_]\w*)\s*(?==|;)")
_FORMULA = re.compile(r"\bformula\s+([A-Za-z_]\w*)\s*=([^;]*);")
_MODULE = re.compile(r"\bmodule\s+([A-Za-z_]\w*)\s*(=\s*([A-Za-z_]\w*)\s*\[)?")
_COMMAND = re.compile(r"\[[A-Za-z0-9_]*\](?=[^;]*->)")
_DECIMAL = re.compile(r"(?<![\w.])0?\.(\d+)(?![\w.])")
_NAME = re.compile(r"[A-Za-z_]\w*")

#: Largest denominator of the fraction that a decimal of so many digits is taken for; long ones pin it down better.
_LARGEST = {2: 6, 3: 12}
_LARGEST_OF_MANY = 36


def without_comments(text: str) -> str:
    """Return the text with comments and quoted names blanked, so that every place keeps its line."""
    return re.sub(r'//[^\n]*|"[^"\n]*"', lambda found: " " * len(found[0]), text)


def line_of(text: str, position: int) -> int:
    """Return the line, from 1, of a place in a text."""
    return text.count("\n", 0, position) + 1


def definitions(code: str) -> list[tuple[str, str, int]]:
    """Return what the code defines as (``const`` or ``formula``, name, line)."""
    return [(found[1], found[2], line_of(code, found.start())) for found in _DEFINITION.finditer(code)]


def formulas(code: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each formula that the code defines."""
    yield from _FORMULA.findall(code)


def unused(code: str, elsewhere: str = "") -> Iterator[tuple[str, str, int]]:
    """Yield the definitions whose names stand nowhere else in the code, nor in the text ``elsewhere``."""
    times = Counter(_NAME.findall(code))
    named = set(_NAME.findall(elsewhere))
    for kind, name, line in definitions(code):
        if times[name] == 1 and name not in named:
            yield kind, name, line


def command_lines(code: str) -> dict[str, list[int]]:
    """Return for each module the lines on which its commands begin; a renamed module has those of its original."""
    lines: dict[str, list[int]] = {}
    for module in _MODULE.finditer(code):
        if module[3]:
            lines[module[1]] = lines.get(module[3], [])
            continue
        end = code.find("endmodule", module.end())
        stop = len(code) if end < 0 else end
        lines[module[1]] = [line_of(code, one.start()) for one in _COMMAND.finditer(code, module.end(), stop)]
    return lines


def rounded_fractions(code: str) -> Iterator[tuple[str, Fraction, int]]:
    """Yield decimals that look like a fraction rounded or cut off, ``0.33`` for 1/3, with that fraction and the line.

    Only fractions that no decimal writes come into question, and for two or three digits only simple ones.
    """
    for found in _DECIMAL.finditer(code):
        digits = found[1]
        if len(digits) < 2 or not int(digits):
            continue
        meant = _meant(int(digits), len(digits))
        if meant is not None:
            yield found[0], meant, line_of(code, found.start())


def _meant(number: int, digits: int) -> Fraction | None:
    scale = 10**digits
    if Fraction(number, scale).denominator <= 16:
        return None
    for denominator in range(3, _LARGEST.get(digits, _LARGEST_OF_MANY) + 1):
        for numerator in {number * denominator // scale, number * denominator // scale + 1}:
            guess = Fraction(numerator, denominator)
            endless = scale % guess.denominator != 0
            if endless and number in (int(guess * scale), round(guess * scale)):
                return guess
    return None
