"""Reading the parameters of a request: each known, given once, and of its kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from pymc_games.errors import UsageError, hint

#: Longest text of a parameter: no position or roll needs more.
LONGEST = 40


class Parameters:
    """The parameters of one request; empty ones count as left out, as a form sends them.

    Raises
    ------
    UsageError
        If one is unknown, given twice or too long.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], known: Collection[str]) -> None:
        self.given: dict[str, str] = {}
        for name, text in pairs:
            if name not in known:
                raise UsageError(f"unknown parameter '{_short(name)}'; {hint(name, known)}")
            if name in self.given:
                raise UsageError(f"{name} is given twice; give it once")
            if len(text) > LONGEST:
                raise UsageError(f"{name} '{_short(text)}': too long, {LONGEST} characters are enough")
            self.given[name] = text.strip()
        self.given = {name: text for name, text in self.given.items() if text}

    def __bool__(self) -> bool:
        return bool(self.given)

    def text(self, name: str, example: str) -> str:
        """Return a parameter that must be given."""
        if name not in self.given:
            raise UsageError(f"{name} is missing; give it, as in {name}={example}")
        return self.given[name]

    def optional(self, name: str) -> str | None:
        """Return a parameter, or None where it is left out."""
        return self.given.get(name)

    def number(self, name: str, default: int | None = None) -> int:
        """Return a whole number; one without a default must be given."""
        text = self.text(name, "0") if default is None else self.given.get(name, str(default))
        if re.fullmatch(r"[-+]?[0-9]{1,9}", text) is None:
            raise UsageError(f"{name} '{_short(text)}': write a whole number")
        return int(text)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
