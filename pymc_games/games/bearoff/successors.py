"""Where each roll can lead, for all positions at once, in position numbers; compiled.

``drop[p]`` is how much a position's number falls by bearing off a checker from point ``p``; a move from ``p`` to ``q``
lowers the number by ``drop[p] - drop[q]``, so that moves need no counting and no search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from pymc_games.games.bearoff.positions import MAX_CHECKERS, POINTS, all_positions

COUNTS = types.Array(types.int8, 2, "C", readonly=True)
COUNTS_ROW = types.Array(types.int8, 1, "C", readonly=True)

#: ``_FALL[k, t] = C(t + 4 - k, 5 - k)``: how much a position's number falls when tail ``k + 1`` falls from ``t``.
_FALL = np.array([[comb(t + 4 - k, 5 - k) if t else 0 for t in range(MAX_CHECKERS + 1)] for k in range(POINTS)])


@dataclass(frozen=True)
class Successors:
    """The distinct positions that each roll can lead to.

    Attributes
    ----------
    starts : int64 array, shape (positions * 21 + 1,)
        Those of position ``i`` and roll ``r`` are ``to[starts[21 * i + r] : starts[21 * i + r + 1]]``.
    to : int32 array
    """

    starts: NDArray[np.int64]
    to: NDArray[np.int32]

    def of(self, position: int, roll: int) -> NDArray[np.int32]:
        """Return the numbers of the positions that a roll can lead to."""
        row = position * 21 + roll
        return self.to[self.starts[row] : self.starts[row + 1]]


@lru_cache(maxsize=4)
def successors(checkers: int) -> Successors:
    """Return the successors of all positions of at most ``checkers`` checkers; those of the empty one are none."""
    counts = all_positions(checkers)
    starts = np.zeros(len(counts) * 21 + 1, dtype=np.int64)
    _fill(counts, starts, np.empty(0, dtype=np.int32))
    np.cumsum(starts, out=starts)
    to = np.empty(starts[-1], dtype=np.int32)
    _fill(counts, starts, to)
    return Successors(starts, to)


@njit(types.int64(COUNTS_ROW, types.int32[::1]), cache=True)
def drops(counts, drop):  # type: ignore[no-untyped-def]
    """Set ``drop[0:7]`` for one position and return its highest occupied point."""
    tail = 0
    for k in range(6):
        tail += counts[k]
    highest = 0
    for k in range(6):
        drop[k + 1] = drop[k] + _FALL[k, tail]
        if counts[k] > 0:
            highest = k + 1
        tail -= counts[k]
    return highest


@njit(cache=True)
def _play(counts, seen, token, now, size, die, after, found):  # type: ignore[no-untyped-def]
    """Append to ``after`` what one die leads to from the positions ``now[:size]``, each once, and return its length.

    ``seen[s] == token`` marks the positions that ``after`` already has.
    """
    drop = np.zeros(7, dtype=np.int32)
    for x in range(size):
        i = now[x]
        # From the empty position (the case highest = 0) the only 'play' is to stay.
        highest = drops(counts[i], drop)
        for p in range(min(highest, 1), highest + 1):
            if p > 0 and (counts[i, p - 1] == 0 or (die > p and p < highest)):
                continue
            s = i - drop[p] + drop[max(p - die, 0)]
            if seen[s] != token:
                seen[s] = token
                after[found] = s
                found += 1
    return found


@njit(types.void(COUNTS, types.int64[::1], types.int32[::1]), cache=True)
def _fill(counts, starts, to):  # type: ignore[no-untyped-def]
    """Count the successors of row ``x`` into ``starts[x + 1]`` if ``to`` is empty, or else write them to ``to``."""
    seen = np.full(len(counts), -1)
    lists = np.empty((5, 1024), dtype=np.int32)
    row = 21
    for i in range(1, len(counts)):
        lists[0, 0] = i
        for high in range(1, 7):
            for low in range(1, high + 1):
                token = row * 4
                if high == low:
                    found = 1
                    for n in range(4):
                        found = _play(counts, seen, token + n, lists[n], found, high, lists[n + 1], 0)
                else:
                    one = _play(counts, seen, token, lists[0], 1, high, lists[1], 0)
                    two = _play(counts, seen, token + 1, lists[0], 1, low, lists[2], 0)
                    found = _play(counts, seen, token + 3, lists[1], one, low, lists[4], 0)
                    found = _play(counts, seen, token + 3, lists[2], two, high, lists[4], found)
                if len(to) == 0:
                    starts[row + 1] = found
                else:
                    to[starts[row] : starts[row] + found] = lists[4, :found]
                row += 1
