"""Races of two positions: the closed form for independent play, the true optimum, and bounds on it.

If both players bear off as fast as they can without looking at each other, their numbers of rolls ``T1`` and ``T2``
are independent, and the player on roll wins with probability ``P(T1 <= T2) = sum f1(k) (1 - F2(k - 1))``; the player
off roll with ``P(T1 < T2) = sum f1(k) (1 - F2(k))``. The true optimum is that of the two-sided game, where a player may
prefer a play with more expected rolls because of what the opponent needs.
"""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from pymc_games.games.bearoff import exact, one_sided, two_sided
from pymc_games.games.bearoff.positions import Position, index
from pymc_games.result import Result

#: Largest number of values that `optimal` computes on demand: one for each pair and player on roll, a gigabyte in all.
MOST_VALUES = 130_000_000


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


def optimal(first: Position, second: Position) -> Result:
    """Return the win probability of ``first``, on roll, when both play the two-sided optimum.

    All pairs that can be met are solved if that takes at most `MOST_VALUES`; otherwise the result is that of `bounds`.
    """
    began = time.perf_counter()
    own = two_sided.side_below(first)
    other = own if first == second else two_sided.side_below(second)
    if two_sided.values(own, other) > MOST_VALUES:
        return bounds(first, second)
    on_roll, _ = two_sided.solve_cubeless(own, other)
    value = float(on_roll[other.place(second), own.place(first)])
    error = two_sided.PROBABILITY_ERROR
    lower, upper = max(0.0, value - error), min(1.0, value + error)
    return Result(value, lower, upper, method="two-sided backward induction", seconds=time.perf_counter() - began)


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
