"""The doubling cube for money: equities, and what to do with the cube.

A double is right when the equity with it, ``min(2 P, 1)``, is at least the equity without it; the opponent takes when
``2 P`` is at most the 1 point that passing costs (``P`` is the equity when the opponent owns the cube at 1). Ties are
settled so: double, take. The equities are proven intervals; what they cannot tell from a tie counts as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pymc_games import notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.bearoff import two_sided
from pymc_games.games.bearoff.positions import Position, show
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Largest number of pairs, times players on roll, that `solve` takes on: at two bounds of six equities, six gigabytes.
MOST_VALUES = 65_000_000


@dataclass(frozen=True)
class CubeDecision:
    """Money equities of the player on roll, per unit of the cube, before the roll; and the best cube action.

    ``cubeless`` is ``2 p - 1``. ``owned``, ``centred`` and ``opponent`` say who owns the cube, without an immediate
    double; ``double_take`` is the equity after double and take, ``2 * opponent``.
    """

    cubeless: Result
    owned: Result
    centred: Result
    opponent: Result

    @property
    def double_take(self) -> Result:
        """The equity after an accepted double."""
        p = self.opponent
        return Result(2 * p.value, 2 * p.lower, 2 * p.upper, method=p.method)

    @property
    def take(self) -> bool:
        """Whether the opponent takes a double."""
        return self.double_take.lower <= 1

    @property
    def double(self) -> bool:
        """Whether to double a centred cube."""
        return min(self.double_take.upper, 1.0) >= self.centred.lower

    @property
    def redouble(self) -> bool:
        """Whether to redouble an owned cube."""
        return min(self.double_take.upper, 1.0) >= self.owned.lower

    @property
    def action(self) -> str:
        """What to do with a centred cube: ``no double``, ``double/take`` or ``double/pass``."""
        return f"double/{self._answer}" if self.double else "no double"

    @property
    def redouble_action(self) -> str:
        """What to do with an owned cube: ``no redouble``, ``redouble/take`` or ``redouble/pass``."""
        return f"redouble/{self._answer}" if self.redouble else "no redouble"

    @property
    def optimal_centred(self) -> float:
        """The equity of a centred cube with the best cube action."""
        return max(self.centred.value, min(self.double_take.value, 1.0))

    @property
    def _answer(self) -> str:
        return "take" if self.take else "pass"

    @property
    def equities(self) -> dict[str, Result]:
        """The equities by name."""
        return {
            "cubeless": self.cubeless, "owned": self.owned, "centred": self.centred, "opponent": self.opponent,
            "double, take": self.double_take,
        }  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        equities = {name.replace(", ", "_"): equity.to_json() for name, equity in self.equities.items()}
        actions = {"action": self.action, "redouble_action": self.redouble_action}
        return {**equities, "optimal_centred": self.optimal_centred, **actions}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the equities, beside the 1 point that the opponent pays for passing."""
        ax = plotting.bars([(name, equity.value) for name, equity in self.equities.items()], ax, meaning="equity")
        ax.axvline(1, color="gray", linestyle=":", label="double, pass")
        ax.set_title(self.action)
        ax.legend()
        return ax

    def _repr_html_(self) -> str:
        rows = [(name, digits(equity), equity.lower, equity.upper) for name, equity in self.equities.items()]
        return notebook.table(self.action, ("cube", "equity", "at least", "at most"), rows)


def solve(own: Position, other: Position, most: int = MOST_VALUES) -> CubeDecision:
    """Return the equities and the cube action of ``own``, on roll, against ``other``.

    All pairs that can be met are solved.

    Raises
    ------
    UsageError
        If these are more than ``most`` values.
    """
    first = two_sided.side_below(own)
    second = first if own == other else two_sided.side_below(other)
    if two_sided.values(first, second) > most:
        raise UsageError(
            f"{show(own)} against {show(other)} leads to {two_sided.values(first, second):,} values, and at most "
            f"{most:,} are solved with the cube; take positions with fewer checkers"
        )
    lower, upper = two_sided.enclose(first, second)
    cell = second.place(other), first.place(own)
    return decision(lower, upper, cell)


def decision(lower: two_sided.Equities, upper: two_sided.Equities, cell: tuple[int, int]) -> CubeDecision:
    """Return the decision at one cell of two tables of bounds."""
    results = []
    for below, above in zip(lower.planes(), upper.planes(), strict=True):
        low, high = float(below[cell]), float(above[cell])
        results.append(Result((low + high) / 2, low, high, method="two-sided backward induction"))
    return CubeDecision(*results)


def last_rolls() -> dict[Position, CubeDecision]:
    """Return the classical table: all positions of one and two checkers when the opponent is off at the next roll."""
    side, last = two_sided.whole_side(2), two_sided.side_below((1, 0, 0, 0, 0, 0))
    lower, upper = two_sided.enclose(side, last)
    row = last.place((1, 0, 0, 0, 0, 0))
    found = {}
    for column, position in enumerate(side.positions()):
        if any(position):
            found[position] = decision(lower, upper, (row, column))
    return found


def take_points(checkers: int) -> tuple[float, float]:
    """Return where takes turn into passes, over all pairs of at most ``checkers`` checkers a side.

    Returns
    -------
    least_take, greatest_pass : float
        The opponent's smallest cubeless chance that is still a take, and the largest that is a pass. A dead cube would
        make both 1/4.
    """
    side = two_sided.whole_side(checkers)
    lower, upper = two_sided.enclose(side, side)
    chance = (1 - upper.cubeless[1:, 1:]) / 2
    takes = 2 * upper.opponent[1:, 1:] <= 1
    passes = 2 * lower.opponent[1:, 1:] > 1
    return float(chance[takes].min()), float(np.max(chance, where=passes, initial=0.0))
