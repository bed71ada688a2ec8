"""What to do at one point of a turn of Farkle, and what each option is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pymc_games import notebook, plotting
from pymc_games.games.farkle import play
from pymc_games.games.farkle.play import Option, Position
from pymc_games.games.farkle.values import Values
from pymc_games.result import Result, digits, margin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Options that are drawn or shown in a notebook.
_MOST_SHOWN = 20


@dataclass(frozen=True)
class Advice:
    """All options, the best first, none after a farkle; and the chance to win that a farkle leaves."""

    options: list[Option]
    lost: Result

    @property
    def action(self) -> str:
        """The best option in words, or 'farkle'."""
        return self.options[0].said if self.options else "farkle"

    @property
    def margin(self) -> Result | None:
        """By how much the best option is better than the next; None where there is no other."""
        return margin([option.win for option in self.options])

    @property
    def _shown(self) -> list[tuple[str, Result]]:
        return [*((option.said, option.win) for option in self.options[:_MOST_SHOWN]), ("farkle", self.lost)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of the chance to win after the best options, and after a farkle."""
        ax = plotting.intervals(dict(self._shown), ax)
        ax.set_title(self.action)
        return ax

    def _repr_html_(self) -> str:
        rows = [(said, digits(win), win.lower, win.upper) for said, win in self._shown]
        return notebook.table(self.action, ("option", "chance to win", "at least", "at most"), rows)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        return {
            "action": self.action, "options": [option.to_json() for option in self.options],
            "margin": self.margin and self.margin.to_json(),
            "farkle": {"win_probability": self.lost.value, "lower": self.lost.lower, "upper": self.lost.upper},
        }  # fmt: skip


def advise(values: Values, position: Position, points: int, dice: int, roll: Sequence[int] | None = None) -> Advice:
    """Return what the player on move may do, as `play.Turn.options` has it.

    Raises
    ------
    UsageError
        If there is no such position or turn, or the roll is not one of so many dice.
    """
    turn = play.turn(values, position)
    return Advice(turn.options(points, dice, roll), turn.lost)
