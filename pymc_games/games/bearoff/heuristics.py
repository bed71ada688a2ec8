"""Rules of thumb for races, as players use them: counts, a win probability, and cube decisions.

The rules are those collected by Tom Keith, 'Cube Handling in Noncontact Positions' (bkgm.com), restricted to positions
with all checkers in the home board. A rule that compares two counts says, for money play with a centred cube, whether
the player on roll doubles and whether the opponent takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pymc_games import notebook, plotting
from pymc_games.games.bearoff.positions import Position, pips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Average number of pips of a roll, doubles counted twice: 49 / 6.
PIPS_A_ROLL = Fraction(49, 6)


@dataclass(frozen=True)
class Advice:
    """What a rule says to the player on roll, and to the opponent if doubled; with the counts it compares."""

    own: float
    other: float
    double: bool
    redouble: bool
    take: bool

    @property
    def said(self) -> str:
        """The advice in words: ``double, no redouble; take``."""
        doubles = f"{'double' if self.double else 'no double'}, {'redouble' if self.redouble else 'no redouble'}"
        return f"{doubles}; {'take' if self.take else 'pass'}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the two counts."""
        ax = plotting.bars([("on roll", self.own), ("opponent", self.other)], ax, meaning="count")
        ax.set_title(self.said)
        return ax

    def _repr_html_(self) -> str:
        return notebook.facts(self.said, [("count on roll", f"{self.own:.6g}"), ("other count", f"{self.other:.6g}")])


def effective_pips(expected_rolls: float) -> float:
    """Return the effective pip count (Trice): expected rolls times 49/6."""
    return expected_rolls * float(PIPS_A_ROLL)


def keith_count(counts: Position) -> int:
    """Return Keith's count: pips, and penalties for checkers stacked on low points and for gaps.

    2 for each checker more than one on the ace point, 1 for each more than one on the two point, 1 for each more than
    three on the three point, 1 for each empty point among four, five and six.
    """
    stacked = 2 * max(0, counts[0] - 1) + max(0, counts[1] - 1) + max(0, counts[2] - 3)
    return pips(counts) + stacked + sum(count == 0 for count in counts[3:])


def keith(own: Position, other: Position) -> Advice:
    """Apply Keith's rule, with a seventh added to the count of the player on roll.

    Double if that is at most 4 above the other count, redouble if at most 3. The opponent takes if it is at most 2
    below.
    """
    mine, theirs = keith_count(own) * 8 / 7, keith_count(other)
    return Advice(mine, theirs, mine <= theirs + 4, mine <= theirs + 3, mine >= theirs - 2)


def ward_count(counts: Position, other: Position) -> int:
    """Return Ward's count of ``counts`` against ``other``.

    Pips, and 2 for each checker more than the other side has; 2 for each checker more than two on the ace point, 1 for
    each more than two on the two point and more than three on the three point; 1 for each empty point among four, five
    and six where the other side has a checker.
    """
    extra = 2 * max(0, sum(counts) - sum(other))
    stacked = 2 * max(0, counts[0] - 2) + max(0, counts[1] - 2) + max(0, counts[2] - 3)
    gaps = sum(mine == 0 and theirs > 0 for mine, theirs in zip(counts[3:], other[3:], strict=True))
    return pips(counts) + extra + stacked + gaps


def ward(own: Position, other: Position) -> Advice:
    """Apply Ward's rule, with a tenth added to the count of the player on roll.

    Double if that is at most 2 above the other count, redouble if at most 1. The opponent takes if it is at most 2
    below.
    """
    mine, theirs = ward_count(own, other) * 11 / 10, ward_count(other, own)
    return Advice(mine, theirs, mine <= theirs + 2, mine <= theirs + 1, mine >= theirs - 2)


def thorp_count(counts: Position) -> int:
    """Return Thorp's count: pips, 2 a checker, 1 a checker on the ace point, less 1 a covered point."""
    return pips(counts) + 2 * sum(counts) + counts[0] - sum(count > 0 for count in counts)


def thorp(own: Position, other: Position) -> Advice:
    """Apply Thorp's rule, with a tenth added to the count of the player on roll if it is above 30.

    Double if that is at most 2 above the other count, redouble if at most 1. The opponent takes if it is at most 2
    below.
    """
    mine: float = thorp_count(own)
    mine, theirs = mine * 11 / 10 if mine > 30 else mine, thorp_count(other)
    return Advice(mine, theirs, mine <= theirs + 2, mine <= theirs + 1, mine >= theirs - 2)


def eight_nine_twelve(own: Position, other: Position) -> Advice:
    """Apply the 8-9-12 rule: double with a lead of 8 % of the own pips, redouble with 9 %, take up to 12 %."""
    mine, theirs = pips(own), pips(other)
    lead = theirs - mine
    return Advice(mine, theirs, 100 * lead >= 8 * mine, 100 * lead >= 9 * mine, 100 * lead <= 12 * mine)


def kleinman_metric(own: Position, other: Position) -> float:
    """Return Kleinman's metric ``K = (D + 4)**2 / (S - 4)``, with ``D`` the lead and ``S`` the sum of the pips.

    The sign of ``D + 4`` is kept; ``S <= 4`` gives infinity.
    """
    lead, total = pips(other) - pips(own) + 4, pips(own) + pips(other) - 4
    if total <= 0:
        return math.copysign(math.inf, lead)
    return math.copysign(lead**2 / total, lead)


def kleinman_probability(own: Position, other: Position) -> float:
    """Return Kleinman's win probability for the player on roll, ``(1 + erf(sqrt(K) / 2)) / 2``."""
    metric = kleinman_metric(own, other)
    return (1 + math.erf(math.copysign(math.sqrt(abs(metric)) / 2, metric))) / 2


#: Rules that give cube decisions, by name.
RULES: dict[str, Callable[[Position, Position], Advice]] = {
    "keith": keith,
    "ward": ward,
    "thorp": thorp,
    "8-9-12": eight_nine_twelve,
}
