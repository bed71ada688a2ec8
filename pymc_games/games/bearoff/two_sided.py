"""Two players: win probability, and money equities with the doubling cube, by backward induction.

Write ``V(i, j)`` for the value to the player on roll, who has position ``i``, against position ``j``. After the roll
and the play it is the opponent's turn, so with probabilities::

    V(i, j) = sum over rolls of w / 36 * max over plays s of (1 - V(j, s)) = 1 - sum w / 36 * min V(j, s),

and with equities the same with 0 in place of 1. A won game is ``V(j, empty) = 0`` (equity -1). For the cube, let ``O``,
``C`` and ``P`` be the equities before the roll, per unit of the cube, when the player on roll owns it, when it is
centred, and when the opponent owns it, always without an immediate double. A player who may double has

    O' = max(O, min(2 P, 1)),        C' = max(C, min(2 P, 1)),

for the opponent takes when ``2 P`` is less than the 1 point that passing costs, and owns the cube then. Hence::

    O(i, j) = -sum w / 36 * min P(j, s),   P(i, j) = -sum w / 36 * min O'(j, s),   C(i, j) = -sum w / 36 * min C'(j, s).

A player whose opponent has borne off none is taken to lose no gammon. Without gammons nobody is too good to double.

Order. ``V(i, j)`` needs ``V(j, s)`` with ``s`` of fewer pips than ``i``. Tables hold ``V(j, s)`` at ``[s, j]``: the
player who has just moved first, the player on roll second. A play is then a row, the opponents are its columns, and one
pass over the successors' rows serves all opponents at once. With positions sorted by pips, the pairs are filled level
by level: first every mover of the level against all opponents of lower levels, then every mover against the opponents
of the level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit, prange, types
from numpy.typing import NDArray

from pymc_games.games.bearoff.positions import Position, all_positions, index
from pymc_games.games.bearoff.successors import successors

#: Bound on the error of a win probability in doubles: a turn adds at most 60 roundings of values that are at most 1,
#: best plays and averages add none, and a game has at most 92 turns (two pips a roll at least, 90 pips a side).
PROBABILITY_ERROR = 92 * 60 * 2.0**-53

Floats = NDArray[np.float64]

#: Movers and opponents that are filled together: the working set of one task stays in the second-level cache.
_TILE, _LANES = 16, 512


@dataclass(frozen=True)
class Side:
    """The positions that one player can meet, sorted by pips, with their successors in this numbering.

    Attributes
    ----------
    numbers : int64 array, shape (positions,)
        Their numbers in the order of all positions; the empty one comes first.
    levels : int64 array, shape (most pips + 2,)
        Those of ``p`` pips are ``levels[p] : levels[p + 1]``.
    starts, to : arrays
        Successors of the ``i``-th, roll by roll, as in `Successors`.
    """

    numbers: NDArray[np.int64]
    levels: NDArray[np.int64]
    starts: NDArray[np.int64]
    to: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, position: Position) -> int:
        """Return where a position stands in this side."""
        return int(np.flatnonzero(self.numbers == index(position))[0])


def whole_side(checkers: int) -> Side:
    """Return all positions of at most ``checkers`` checkers."""
    return _side(checkers, np.arange(len(all_positions(checkers))))


def side_below(position: Position) -> Side:
    """Return the positions that can be met from ``position``, itself the last."""
    checkers = sum(position)
    moves = successors(checkers)
    met = np.zeros(len(all_positions(checkers)), dtype=bool)
    met[[0, index(position)]] = True
    # Successors have smaller numbers: one pass from above meets them all.
    for i in range(index(position), 0, -1):
        if met[i]:
            met[moves.to[moves.starts[21 * i] : moves.starts[21 * i + 21]]] = True
    return _side(checkers, np.flatnonzero(met))


def _side(checkers: int, numbers: NDArray[np.int64]) -> Side:
    counts, moves = all_positions(checkers)[numbers], successors(checkers)
    pips = counts @ np.arange(1, 7)
    order = np.lexsort((numbers, pips))
    numbers = numbers[order]
    place = np.full(len(all_positions(checkers)), -1, dtype=np.int32)
    place[numbers] = np.arange(len(numbers))
    lengths = np.diff(moves.starts).reshape(-1, 21)[numbers]
    starts = np.concatenate([[0], np.cumsum(lengths.ravel())])
    first = moves.starts[:-1].reshape(-1, 21)[numbers, 0]
    width = lengths.sum(axis=1)
    take = np.repeat(first - (np.cumsum(width) - width), width) + np.arange(width.sum())
    levels = np.searchsorted(pips[order], np.arange(pips.max() + 2))
    return Side(numbers, levels, starts, place[moves.to[take]])


def schedule(mover: Side, opponent: Side) -> Iterator[tuple[bool, slice, slice]]:
    """Yield the steps of the induction: (whether the first side is the one to move, its positions, the opponent's)."""
    sides = (mover, opponent) if mover is not opponent else (mover,)
    for p in range(1, max(len(side.levels) for side in sides) - 1):
        for first, (own, other) in ((True, (mover, opponent)), (False, (opponent, mover)))[: len(sides)]:
            yield first, _at(own, p), slice(1, _at(other, p).start)
        for first, (own, other) in ((True, (mover, opponent)), (False, (opponent, mover)))[: len(sides)]:
            yield first, slice(1, _at(own, p).stop), _at(other, p)


def _at(side: Side, p: int) -> slice:
    """Return the positions of ``p`` pips; empty beyond the last level."""
    last = len(side.levels) - 1
    return slice(int(side.levels[min(p, last)]), int(side.levels[min(p + 1, last)]))


@dataclass(frozen=True)
class Equities:
    """Equities to the player on roll, at ``[position of the other, position of the player on roll]`` of the two sides.

    ``cubeless`` is ``2 p - 1``; ``owned``, ``centred``, ``opponent`` are before the roll, without an immediate double.
    """

    cubeless: Floats
    owned: Floats
    centred: Floats
    opponent: Floats


def solve(first: Side, second: Side) -> tuple[Equities, Equities]:
    """Solve every pair of two sides with the cube.

    Returns
    -------
    first, second : Equities
        When the first side is on roll, arrays of shape (len(second), len(first)); when the second is, the other way
        round. One object twice where both sides are one.
    """
    on_roll = _empty(len(second), len(first))
    other = on_roll if first is second else _empty(len(first), len(second))
    _induce(first, second, on_roll, other, 0.0)
    return _equities(on_roll), _equities(other)


def solve_cubeless(first: Side, second: Side) -> tuple[Floats, Floats]:
    """Return the win probability of the player on roll for all pairs of two sides.

    Returns
    -------
    first, second : float64 arrays
        When the first side is on roll, shape (len(second), len(first)): the value at ``[j, i]`` is for the player on
        roll with position ``i`` against ``j``; and the other way round. One array twice where both sides are one.
    """
    on_roll = np.zeros((1, len(second), len(first)))
    other = on_roll if first is second else np.zeros((1, len(first), len(second)))
    _induce(first, second, on_roll, other, 1.0)
    return on_roll[0], other[0]


def _induce(first: Side, second: Side, on_roll: NDArray, other: NDArray, win: float) -> None:
    """Fill the planes of both players, level by level."""
    for is_first, own, against in schedule(first, second):
        side = first if is_first else second
        target, source = (on_roll, other) if is_first else (other, on_roll)
        backup(side.starts, side.to, own.start, own.stop, against.start, against.stop, source, target, win)


def _empty(rows: int, columns: int) -> Floats:
    """Return six planes of equities in which a player whose opponent (row 0) is off has lost."""
    planes = np.zeros((6, rows, columns))
    planes[:, 0] = -1.0
    return planes


def _equities(planes: Floats) -> Equities:
    return Equities(planes[0], planes[1], planes[2], planes[3])


def _backup(starts, to, i0, i1, j0, j1, source, target, win):  # type: ignore[no-untyped-def]
    """Set ``target[t, j, i] = win - sum w / 36 * min source[f, s, j]`` for movers i0:i1 and opponents j0:j1.

    One plane is cubeless, ``f = t = 0``. Six are (cubeless, O, C, P, O', C'): the first four come from the planes
    (cubeless, P, C', O') of the opponent, and the last two are what doubling makes of O and C.
    """
    planes = min(len(source), 4)
    rows, columns = (i1 - i0 + _TILE - 1) // _TILE, (j1 - j0 + _LANES - 1) // _LANES
    for task in prange(rows * columns):
        top = i0 + task // columns * _TILE
        left = j0 + task % columns * _LANES
        bottom, right = min(top + _TILE, i1), min(left + _LANES, j1)
        width = right - left
        least = np.empty(width, dtype=source.dtype)
        total = np.empty(width)
        tile = np.empty((planes, _TILE, width))
        for i in range(top, bottom):
            for t in range(planes):
                plane = source[0 if t == 0 else 3 if t == 1 else 5 if t == 2 else 4]
                total[:] = 0.0
                row = i * 21
                for high in range(6):
                    for low in range(high + 1):
                        begin, end = starts[row], starts[row + 1]
                        first = plane[to[begin], left:right]
                        for x in range(width):
                            least[x] = first[x]
                        for k in range(begin + 1, end):
                            other = plane[to[k], left:right]
                            for x in range(width):
                                least[x] = min(least[x], other[x])
                        weight = 1.0 if high == low else 2.0
                        for x in range(width):
                            total[x] += weight * least[x]
                        row += 1
                for x in range(width):
                    tile[t, i - top, x] = win - total[x] / 36.0
        for t in range(planes):
            for x in range(width):
                for i in range(top, bottom):
                    target[t, left + x, i] = tile[t, i - top, x]
        if planes > 1:
            for x in range(width):
                for i in range(top, bottom):
                    cash = min(2.0 * tile[3, i - top, x], 1.0)
                    target[4, left + x, i] = max(tile[1, i - top, x], cash)
                    target[5, left + x, i] = max(tile[2, i - top, x], cash)


_ARGUMENTS = (types.int64[::1], types.int32[::1], types.int64, types.int64, types.int64, types.int64)
backup = njit(
    [types.void(*_ARGUMENTS, t[:, :, ::1], t[:, :, ::1], types.float64) for t in (types.float64, types.float32)],
    parallel=True, cache=True,
)(_backup)  # fmt: skip
