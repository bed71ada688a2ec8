"""Which play of a roll wins most often, and what each of them is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pymc_games.games.bearoff import race
from pymc_games.games.bearoff.positions import Position
from pymc_games.result import Result, margin


@dataclass(frozen=True)
class Advice:
    """All plays of a roll, the best first."""

    options: list[race.Play]

    @property
    def action(self) -> str:
        """The best play in the usual notation."""
        return self.options[0].text

    @property
    def margin(self) -> Result | None:
        """By how much the best play is better than the next; None where there is no other."""
        return margin([option.win for option in self.options])

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        return {
            "action": self.action, "options": [option.to_json() for option in self.options],
            "margin": self.margin and self.margin.to_json(),
        }  # fmt: skip


def advise(own: Position, other: Position, roll: tuple[int, int], most: int = race.MOST_VALUES) -> Advice:
    """Return what the player on roll may play, as `race.plays` has it."""
    return Advice(race.plays(own, other, roll, most))
