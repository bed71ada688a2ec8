"""Races of two positions: the closed form for independent play, the true optimum, and bounds on it.

If both players bear off as fast as they can without looking at each other, their numbers of rolls ``T1`` and ``T2``
are independent, and the player on roll wins with probability ``P(T1 <= T2) = sum f1(k) (1 - F2(k - 1))``; the player
off roll with ``P(T1 < T2) = sum f1(k) (1 - F2(k))``. The true optimum is that of the two-sided game, where a player may
prefer a play with more expected rolls because of what the opponent needs.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from pymc_games import notebook, plotting
from pymc_games.games.bearoff import exact, moves, one_sided, two_sided
from pymc_games.games.bearoff.positions import Position, index, show
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Largest number of values that `optimal` computes on demand: one for each pair and player on roll, a gigabyte in all.
MOST_VALUES = 130_000_000


@dataclass(frozen=True)
class Play:
    """A play of a roll: in the usual notation, the position that it leaves, and the chance to win after it."""

    text: str
    after: Position
    win: Result

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of the chance to win."""
        return plotting.intervals({self.text: self.win}, ax)

    def _repr_html_(self) -> str:
        rows = [("leaves", show(self.after)), ("chance to win", digits(self.win)), ("at least", self.win.lower),
                ("at most", self.win.upper)]  # fmt: skip
        return notebook.facts(self.text, rows)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        return {
            "play": self.text, "after": show(self.after), "win_probability": self.win.value, "lower": self.win.lower,
            "upper": self.win.upper,
        }  # fmt: skip


def independent(first: Position, second: Position, *, on_roll: bool = True) -> Result:
    """Return the chance of ``first`` to bear off first when both play for the fewest expected rolls; exact.

    Parameters
    ----------
    first, second : Position
    on_roll : bool
        Whether ``first`` is the player on roll; if not, ``second`` is.
    """
    began = time.perf_counter()
    own, other = exact.distribution(first), exact.distribution(second)
    chance = closed_form(own, other, on_roll=on_roll)
    return Result.from_exact(chance, method="closed form of independent play", seconds=time.perf_counter() - began)


def closed_form(own: list[int], other: list[int], *, on_roll: bool) -> Fraction:
    """Return ``P(T1 <= T2)``, or ``P(T1 < T2)`` off roll, from two distributions in counts over ``36**k``."""
    longest = max(len(own), len(other))
    scale = 36**longest
    f1 = [count * 36 ** (longest - k) for k, count in enumerate(own)]
    f2 = [count * 36 ** (longest - k) for k, count in enumerate(other)]
    not_yet, total = scale, 0
    for k, mass in enumerate(f1):
        after = not_yet - (f2[k] if k < len(f2) else 0)
        total += mass * (not_yet if on_roll else after)
        not_yet = after
    return Fraction(total, scale**2)


def optimal(first: Position, second: Position, most: int = MOST_VALUES) -> Result:
    """Return the win probability of ``first``, on roll, when both play the two-sided optimum.

    All pairs that can be met are solved if they have at most ``most`` values; otherwise the result is that of
    `bounds`.
    """
    began = time.perf_counter()
    own = two_sided.side_below(first)
    other = own if first == second else two_sided.side_below(second)
    if two_sided.values(own, other) > most:
        return bounds(first, second)
    on_roll, _ = two_sided.solve_cubeless(own, other)
    value = float(on_roll[other.place(second), own.place(first)])
    return _with_error(value, time.perf_counter() - began)


def plays(first: Position, second: Position, roll: tuple[int, int], most: int = MOST_VALUES) -> list[Play]:
    """Return every play of a roll of ``first`` with its win probability against ``second``, the best first.

    Both go on with the two-sided optimum; pairs with more than ``most`` values get the `bounds` of each play.
    """
    began = time.perf_counter()
    own = two_sided.side_below(first)
    other = own if first == second else two_sided.side_below(second)
    to_roll = None
    if two_sided.values(own, other) <= most:
        _, to_roll = two_sided.solve_cubeless(own, other)
    found = []
    for after in sorted(moves.after_roll(first, *roll)):
        if not any(after):
            win = Result.from_exact(Fraction(1), method="the last checker is off")
        elif to_roll is None:
            win = _complement(bounds(second, after))
        else:
            theirs = _with_error(float(to_roll[own.place(after), other.place(second)]), time.perf_counter() - began)
            win = _complement(theirs)
        found.append(Play(moves.describe(first, *roll, after), after, win))
    return sorted(found, key=lambda play: -play.win.value)


def _with_error(value: float, seconds: float) -> Result:
    error = two_sided.PROBABILITY_ERROR
    lower, upper = max(0.0, value - error), min(1.0, value + error)
    return Result(value, lower, upper, method="two-sided backward induction", seconds=seconds)


def _complement(theirs: Result) -> Result:
    """Return the other player's chance; the next floats allow for the rounding of the differences."""
    lower = max(0.0, math.nextafter(1 - theirs.upper, 0.0))
    upper = min(1.0, math.nextafter(1 - theirs.lower, 2.0))
    return Result(1 - theirs.value, lower, upper, method=theirs.method, seconds=theirs.seconds)


def bounds(first: Position, second: Position) -> Result:
    """Bound the two-sided optimum for ``first``, on roll, by one-sided tables; for positions of any size.

    If the opponent plays alone, for fewest expected rolls, the player on roll does no better than by knowing the
    opponent's number of rolls ``k`` in advance: at most ``sum f2(k) Q1(k)``, where ``Q1(k)`` is the best chance to be
    off within ``k`` rolls. The optimal opponent holds the player to no more than that. The lower bound is the same
    argument for the opponent, who has one roll less: ``1 - sum f1(k) Q2(k - 1)``.
    """
    began = time.perf_counter()
    upper = _informed(second, first, 0)
    lower = 1.0 - _informed(first, second, 1)
    # Sums of at most 64 products of numbers below 1, each with the proven error of a one-sided table.
    error = 64 * 3 * one_sided.PMF_ERROR
    lower, upper = max(0.0, lower - error), min(1.0, upper + error)
    seconds = time.perf_counter() - began
    return Result((lower + upper) / 2, lower, upper, method="bounds from one-sided tables", seconds=seconds)


def _informed(alone: Position, informed: Position, handicap: int) -> float:
    """Return the chance that ``informed`` is off ``handicap`` rolls before ``alone``, knowing when that will be."""
    pmf = one_sided.solve(sum(alone)).pmf[index(alone)]
    within = one_sided.off_within(informed, len(pmf) - 1)
    return float(np.dot(pmf[1:], within[1 - handicap : len(pmf) - handicap]))
