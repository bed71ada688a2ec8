"""What to do at one point of a turn of Pig, and what either choice is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pymc_games import notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.result import Result, digits, margin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Advice:
    """The better choice, and the mover's chance to win after either; ``hold`` is None before the first roll."""

    action: str
    roll: Result
    hold: Result | None

    @property
    def margin(self) -> Result | None:
        """By how much the better choice is better; None where there is but one."""
        if self.hold is None:
            return None
        return margin([self.hold, self.roll] if self.action == "hold" else [self.roll, self.hold])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of the chance to win after either choice."""
        ax = plotting.intervals({"roll": self.roll, "hold": self.hold}, ax)
        ax.set_title(self.action)
        return ax

    def _repr_html_(self) -> str:
        choices = (("roll", self.roll), ("hold", self.hold))
        rows = [(name, digits(win), win.lower, win.upper) for name, win in choices if win is not None]
        return notebook.table(self.action, ("choice", "chance to win", "at least", "at most"), rows)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        return {
            "action": self.action, "roll": self.roll.to_json(), "hold": self.hold and self.hold.to_json(),
            "margin": self.margin and self.margin.to_json(),
        }  # fmt: skip


def advise(rules: Rules, own: int, other: int, total: int) -> Advice:
    """Return the better choice of the player on move with turn total ``total``, as `values.best_policy` has it.

    Raises
    ------
    UsageError
        If a number is not below the goal, or the game is won.
    """
    for name, number in (("own score", own), ("opponent's score", other), ("turn total", total)):
        if not 0 <= number < rules.goal:
            raise UsageError(f"{name} {number}: must lie between 0 and {rules.goal - 1}")
    if own + total >= rules.goal:
        raise UsageError(f"own score {own} and turn total {total} make the goal of {rules.goal}: the game is won")
    duel = values.solve(rules)
    roll = duel.roll(own, other, total)
    if total == 0:
        return Advice("roll", roll, None)
    holds = duel.value.waiting[own + total, other, 0] >= duel.value.after_roll(own, other, total)
    return Advice("hold" if holds else "roll", roll, duel.hold(own, other, total))
