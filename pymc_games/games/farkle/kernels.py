"""Compiled sweeps over Farkle's turn starts: one level of total score, several opponents at a time."""

from __future__ import annotations

import numba
import numpy as np

#: Score pairs of a level that are worked on together, in neighbouring numbers.
LANES = 16


@numba.njit(cache=True)
def turn_values(best, farkle, bank, reach, least, dice, starts, first, used, points, chance, factor):  # type: ignore[no-untyped-def]
    """Fill ``best[t, d - 1, lane]``, the value with ``t`` steps of turn points and ``d`` dice, before bank or roll.

    ``reach[lane]`` is the number of steps that wins, ``bank[t, lane]`` the value of banking, ``farkle[lane]`` that of
    a farkle. Returns the values of the turn's first roll. Each sum has factors and terms that are not negative, so
    its relative error is at most ``terms * 2**-53``; ``factor[d - 1]`` moves it beyond that.
    """
    lanes = farkle.shape[0]
    total = np.empty(lanes)
    most = np.empty(lanes)
    for t in range(bank.shape[0] - 1, -1, -1):
        for d in range(dice):
            total[:] = 0.0
            for s in range(starts[d], starts[d + 1]):
                if first[s] == first[s + 1]:
                    for lane in range(lanes):
                        total[lane] += chance[s] * farkle[lane]
                    continue
                most[:] = 0.0
                for k in range(first[s], first[s + 1]):
                    left = d + 1 - used[k]
                    row = best[t + points[k], (left if left else dice) - 1]
                    for lane in range(lanes):
                        most[lane] = max(most[lane], row[lane])
                for lane in range(lanes):
                    total[lane] += chance[s] * most[lane]
            for lane in range(lanes):
                value = min(1.0, total[lane] * factor[d])
                if t > 0 and t >= least:
                    value = max(value, bank[t, lane])
                best[t, d, lane] = 1.0 if t >= reach[lane] else value
    return best[0, dice - 1].copy()


@numba.njit(cache=True, parallel=True)
def sweep(values, others, rising, least, down, farkles, dice, starts, first, used, points, chance, factor):  # type: ignore[no-untyped-def]
    """Improve ``values[i, j, own, other]`` once, from bounds ``others`` of the other side; return what changed.

    Levels of total score come highest first, inside a level the farkle counts together from high to low: then only
    the penalty looks at values that are not yet new.
    """
    size = values.shape[2]
    height = points.max() + 1
    changed = 0
    for level in range(2 * size - 2, -1, -1):
        low = max(0, level - size + 1)
        high = min(size - 1, level)
        blocks = (high - low) // LANES + 1
        for together in range(2 * farkles - 2, -1, -1):
            for i in range(max(0, together - farkles + 1), min(farkles - 1, together) + 1):
                j = together - i
                for block in numba.prange(blocks):
                    start = low + block * LANES
                    lanes = min(LANES, high + 1 - start)
                    turns = max(size - start, least)
                    best = np.ones((turns + height, dice, lanes))
                    bank = np.zeros((turns, lanes))
                    farkle = np.empty(lanes)
                    reach = np.empty(lanes, np.int64)
                    for lane in range(lanes):
                        own = start + lane
                        other = level - own
                        reach[lane] = max(size - own, least)
                        for t in range(least, min(turns, size - own)):
                            bank[t, lane] = 1.0 - others[j, 0, other, own + t]
                        if i + 1 < farkles:
                            farkle[lane] = 1.0 - others[j, i + 1, other, own]
                        else:
                            farkle[lane] = 1.0 - others[j, 0, other, max(own - down, 0)]
                    new = turn_values(
                        best, farkle, bank, reach, least, dice, starts, first, used, points, chance, factor
                    )
                    for lane in range(lanes):
                        own = start + lane
                        old = values[i, j, own, level - own]
                        if (new[lane] > old) if rising else (new[lane] < old):
                            values[i, j, own, level - own] = new[lane]
                            changed += 1
    return changed
