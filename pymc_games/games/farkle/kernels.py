"""Compiled backward passes over turns, for eight positions at once and both bounds: sixteen lanes.

Bounds are arrays ``[own farkles, other's farkles, own score, other's score]``, scores in steps from the lowest.
Lane ``q`` is the lower bound of the ``q``-th position of a block, lane ``8 + q`` its upper bound. Positions of a block
have one sum of scores, so none of them leads to another.

A turn's buffer has the program's fixed rows, then for each turn total a row for each number of dice, then for each
turn total the value of banking it.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from pymc_games.games.farkle.lanes import LANES, add_maximum, maximum, multiply
from pymc_games.games.farkle.program import FACTOR_ROW, FARKLE_ROW

POSITIONS = LANES // 2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Limits = tuple[int, int, int, int]

#: ``1 - v`` is rounded by at most half an ulp of a number that is at least a half, or not at all.
_BELOW = 1 - 2.0**-52
_ABOVE = 1 + 2.0**-52


@njit(cache=True, inline="always")
def _other_wins_not(
    lower: Floats, upper: Floats, i: int, j: int, own: int, other: int, buffer: Floats, row: int, lane: int
) -> None:
    """Set both lanes of a position to ``1 - v`` for the turn start of the other player, moved outwards."""
    buffer[row * LANES + lane] = (1 - upper[i, j, own, other]) * _BELOW
    buffer[row * LANES + POSITIONS + lane] = min(1.0, (1 - lower[i, j, own, other]) * _ABOVE)


@njit(cache=True)
def prepare(
    lower: Floats, upper: Floats, i: int, j: int, own: int, total: int, last: int, limits: Limits, bank_row: int,
    height: int, buffer: Floats,
) -> None:  # fmt: skip
    """Fill in what a block's turns lead to: the farkle, and for each turn total the bank.

    The block has the positions ``(own + q, total - own - q)``, of which those after ``last`` repeat it.
    """
    goal, minimum, farkles, penalty = limits
    for lane in range(POSITIONS):
        mine = min(own + lane, last)
        theirs = total - mine
        if i + 1 < farkles:
            _other_wins_not(lower, upper, j, i + 1, theirs, mine, buffer, FARKLE_ROW, lane)
        else:
            _other_wins_not(lower, upper, j, 0, theirs, max(mine - penalty, 0), buffer, FARKLE_ROW, lane)
        for steps in range(height):
            row = bank_row + steps
            if steps < minimum or steps == 0:
                buffer[row * LANES + lane] = buffer[row * LANES + POSITIONS + lane] = 0.0
            elif mine + steps >= goal:
                buffer[row * LANES + lane] = buffer[row * LANES + POSITIONS + lane] = 1.0
            else:
                _other_wins_not(lower, upper, j, 0, theirs, mine + steps, buffer, bank_row + steps, lane)


def _turn(
    height: int, bank_row: int, dice: int, maxima: Ints, terms: Ints, weights: Floats, maxima_from: Ints,
    terms_from: Ints, fixed: int, reach: int, buffer: Floats,
) -> None:  # fmt: skip
    """Pass backward over the turn totals below ``height``: ``Q(t, d) = max(bank(t), roll(t, d))``."""
    for row in range(fixed + height * dice, fixed + (height + reach) * dice):
        for lane in range(LANES):
            buffer[row * LANES + lane] = 1.0
    for steps in range(height - 1, -1, -1):
        base = steps * dice
        for left in range(dice):
            row = fixed + base + left
            for lane in range(LANES):
                buffer[row * LANES + lane] = 0.0
            for k in range(maxima_from[left], maxima_from[left + 1]):
                a, b = maxima[k, 1], maxima[k, 2]
                maximum(buffer, maxima[k, 0], a + base * (a >= fixed), b + base * (b >= fixed))
            for k in range(terms_from[left], terms_from[left + 1]):
                a, b = terms[k, 0], terms[k, 1]
                add_maximum(buffer, row, a + base * (a >= fixed), b + base * (b >= fixed), weights[k])
            multiply(buffer, row, FACTOR_ROW + left)
            maximum(buffer, row, row, bank_row + steps)


turn: Any = njit(cache=True)(_turn)


def _sweep_level(
    lower: Floats, upper: Floats, total: int, limits: Limits, dice: int, maxima: Ints, terms: Ints, weights: Floats,
    maxima_from: Ints, terms_from: Ints, fixed: int, reach: int, buffers: Floats,
) -> int:  # fmt: skip
    """Update all turn starts with one sum of scores; return how many bounds changed.

    Farkle counts come with the largest sum first: a farkle leads to a larger sum of counts at the same scores, unless
    it brings the penalty.
    """
    goal, minimum, farkles, _ = limits
    first, last = max(0, total - goal + 1), min(goal - 1, total)
    blocks = (last - first) // POSITIONS + 1
    threads = len(buffers)
    bank_row = fixed + (goal + minimum + reach) * dice
    start = fixed + dice - 1
    fresh = np.empty((farkles * blocks, LANES))
    changed = 0
    for counts in range(2 * (farkles - 1), -1, -1):
        least = max(0, counts - farkles + 1)
        tasks = (min(counts, farkles - 1) - least + 1) * blocks
        for thread in prange(threads):
            for task in range(thread, tasks, threads):
                i, own = least + task // blocks, first + task % blocks * POSITIONS
                height = max(goal - own, minimum)
                prepare(lower, upper, i, counts - i, own, total, last, limits, bank_row, height, buffers[thread])
                turn(height, bank_row, dice, maxima, terms, weights, maxima_from, terms_from, fixed, reach,
                     buffers[thread])  # fmt: skip
                for lane in range(LANES):
                    fresh[task, lane] = buffers[thread, start * LANES + lane]
        for task in range(tasks):
            i, own = least + task // blocks, first + task % blocks * POSITIONS
            for lane in range(min(POSITIONS, last - own + 1)):
                place = (i, counts - i, own + lane, total - own - lane)
                below, above = fresh[task, lane], min(1.0, fresh[task, POSITIONS + lane])
                changed += (below != lower[place]) + (above != upper[place])
                lower[place], upper[place] = below, above
    return changed


#: The same on one core, where starting threads would take longer than what they do, and on all.
sweep_level: Any = njit(cache=True)(_sweep_level)
sweep_level_in_parallel: Any = njit(cache=True, parallel=True)(_sweep_level)


def cores() -> int:
    """Return how many threads the kernels may run on."""
    return int(numba.get_num_threads())
