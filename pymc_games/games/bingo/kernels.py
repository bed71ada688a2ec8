r"""Expected rolls of many boards at once, in floats with a proven error.

Boards of one pattern share the whole control flow of the backward induction, so they run side by side in the lanes of
vector instructions: every array has the boards as its last axis.

A mask's expectation takes at most 9 products, 9 sums and a division of non-negative numbers (minima are exact), so one
level of the recursion multiplies the relative error by at most :math:`(1+u)^{19}` with :math:`u = 2^{-53}`. A line is
complete after at most 7 marks without one (the largest transient sets have 6 cells), so 7 levels give
:math:`(1+u)^{133} - 1 <` `RELATIVE_ERROR`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pymc_games.games.bingo.board import CELLS, TRANSIENT

RELATIVE_ERROR = 140 * 2.0**-53
#: Boards that run side by side.
LANES = 64
ORDER = np.array(TRANSIENT, dtype=np.int64)


@njit(cache=True)
def expected_rolls(pattern, weights, order):  # type: ignore[no-untyped-def]
    """Return the fewest expected rolls of boards of one pattern.

    Parameters
    ----------
    pattern : int64 array, shape (9,)
        Block of each cell.
    weights : float64 array, shape (blocks, boards)
    order : int64 array
        The transient masks, larger sets first.

    Returns
    -------
    float64 array, shape (boards,)
    """
    blocks, boards = weights.shape
    values = np.zeros((512, boards))
    best = np.empty(boards)
    for mask in order:
        row = values[mask]
        total = np.zeros(boards)
        row[:] = 36.0
        for block in range(blocks):
            found = False
            for cell in range(9):
                if pattern[cell] != block or (mask >> cell) & 1:
                    continue
                after = values[mask | (1 << cell)]
                if found:
                    for lane in range(boards):
                        best[lane] = min(best[lane], after[lane])
                else:
                    for lane in range(boards):
                        best[lane] = after[lane]
                found = True
            if found:
                for lane in range(boards):
                    row[lane] += weights[block, lane] * best[lane]
                    total[lane] += weights[block, lane]
        for lane in range(boards):
            row[lane] /= total[lane]
    return values[0].copy()


def evaluate(pattern: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """Return the expected rolls of all weightings of a pattern, `LANES` boards at a time.

    Parameters
    ----------
    pattern : tuple of 9 int
    weights : int array, shape (boards, blocks)

    Returns
    -------
    float64 array, shape (boards,)
        Within a relative error of `RELATIVE_ERROR`.
    """
    cells = np.array(pattern, dtype=np.int64)
    if len(cells) != CELLS:
        raise ValueError("a pattern has nine cells")
    result = np.empty(len(weights))
    columns = np.ascontiguousarray(weights.T, dtype=np.float64)
    for begin in range(0, len(weights), LANES):
        part = np.ascontiguousarray(columns[:, begin : begin + LANES])
        result[begin : begin + LANES] = expected_rolls(cells, part, ORDER)
    return result
