"""Expected rolls and distributions of single positions as exact rationals.

The float table says which plays can be best: those within ``2 * MEAN_ERROR`` of the least value. Only these are
compared exactly, so that the result is the exact optimum, at the cost of one exact sum a reachable position and roll.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pymc_games.games.bearoff import one_sided
from pymc_games.games.bearoff.moves import WEIGHTS
from pymc_games.games.bearoff.positions import Position, index
from pymc_games.games.bearoff.successors import successors


def expected_rolls(position: Position) -> Fraction:
    """Return the least expected number of rolls, exactly: ``E = 1 + sum w[r] / 36 * min E'``."""
    checkers, start = sum(position), index(position)
    table, close = one_sided.solve(checkers), _close_plays(checkers)
    values: dict[int, fmpq] = {0: fmpq(0)}
    for i in sorted(_reachable(table.best, start, close) - {0}):
        total = fmpq(0)
        for roll, weight in enumerate(WEIGHTS):
            row = i * 21 + roll
            plays = close.get(row) or (int(table.best[i, roll]),)
            total += weight * min(values[s] for s in plays)
        values[i] = 1 + total / 36
    value = values[start]
    return Fraction(int(value.p), int(value.q))


def distribution(position: Position) -> list[int]:
    """Return the distribution of the number of rolls, as counts of dice sequences.

    Entry ``k`` of the list, divided by ``36**k``, is the probability to need exactly ``k`` rolls under the table's
    policy (which has the fewest expected rolls).
    """
    best = one_sided.solve(sum(position)).best
    start = index(position)
    counts: dict[int, list[int]] = {0: [1]}
    for i in sorted(_reachable(best, start, {}) - {0}):
        after = [(weight, counts[int(s)]) for weight, s in zip(WEIGHTS, best[i], strict=True)]
        longest = max(len(row) for _, row in after)
        counts[i] = [0] + [sum(w * row[k] for w, row in after if k < len(row)) for k in range(longest)]
    return counts[start]


@lru_cache(maxsize=4)
def _close_plays(checkers: int) -> dict[int, tuple[int, ...]]:
    """Return, for each position and roll (``21 * i + r``) with several, the plays that may be best."""
    table, moves = one_sided.solve(checkers), successors(checkers)
    least = np.repeat(table.mean[table.best].ravel(), np.diff(moves.starts))
    candidate = table.mean[moves.to] <= least + 2 * one_sided.MEAN_ERROR
    rows = np.repeat(np.arange(len(moves.starts) - 1), np.diff(moves.starts))[candidate]
    several = np.flatnonzero(np.bincount(rows, minlength=len(moves.starts) - 1) > 1)
    place = np.flatnonzero(candidate)
    ends = np.searchsorted(rows, several, side="right")
    begins = np.searchsorted(rows, several, side="left")
    return {int(r): tuple(map(int, moves.to[place[b:e]])) for r, b, e in zip(several, begins, ends, strict=True)}


def _reachable(best: NDArray[np.int32], start: int, close: dict[int, tuple[int, ...]]) -> set[int]:
    """Return the positions that can be met from ``start`` by the best plays and their close rivals."""
    found, waiting = {start}, [start]
    while waiting:
        i = waiting.pop()
        after = set(map(int, best[i]))
        for row in range(i * 21, i * 21 + 21):
            after.update(close.get(row, ()))
        waiting.extend(after - found)
        found |= after
    return found
