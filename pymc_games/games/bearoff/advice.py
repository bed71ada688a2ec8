"""Which play of a roll wins most often, and what each of them is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pymc_games import notebook, plotting
from pymc_games.games.bearoff import race
from pymc_games.games.bearoff.positions import Position, show
from pymc_games.result import Result, digits, margin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of the chance to win after every play."""
        ax = plotting.intervals({option.text: option.win for option in self.options}, ax)
        ax.set_title(self.action)
        return ax

    def _repr_html_(self) -> str:
        rows = [(one.text, show(one.after), digits(one.win), one.win.lower, one.win.upper) for one in self.options]
        return notebook.table(self.action, ("play", "leaves", "chance to win", "at least", "at most"), rows)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        return {
            "action": self.action, "options": [option.to_json() for option in self.options],
            "margin": self.margin and self.margin.to_json(),
        }  # fmt: skip


def advise(own: Position, other: Position, roll: tuple[int, int], most: int = race.MOST_VALUES) -> Advice:
    """Return what the player on roll may play, as `race.plays` has it."""
    return Advice(race.plays(own, other, roll, most))
