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

Gammons, possible against 15 checkers only, are not counted; without them nobody is too good to double.

Order. ``V(i, j)`` needs ``V(j, s)`` with ``s`` of fewer pips than ``i``. Tables hold ``V(j, s)`` at ``[s, j]``: the
player who has just moved first, the player on roll second. A play is then a row, the opponents are its columns, and one
pass over the successors' rows serves all opponents at once. With positions sorted by pips, the pairs are filled level
by level: first every mover of the level against all opponents of lower levels, then every mover against the opponents
of the level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.bearoff.positions import Position, all_positions, index, position
from pymc_games.games.bearoff.successors import successors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bound on the error of a win probability in doubles: a turn adds at most 60 roundings of values that are at most 1,
#: best plays and averages add none, and a game has at most 92 turns (two pips a roll at least, 90 pips a side).
PROBABILITY_ERROR = 92 * 60 * 2.0**-53

Floats = NDArray[np.float64]

#: Bound on the rounding of one backup: an average of values of at most 1 takes 21 additions and a division.
_SLACK = 32 * 2.0**-53

#: Movers and opponents that are filled together: the working set of one task stays in the second-level cache.
_TILE, _LANES = 16, 1024

#: Pairs from which a second thread pays.
_WORTH_THREADS = 4_000_000


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
        Successors of the ``i``-th, roll by roll, as in `Successors`, each list filled up to a multiple of four.
    """

    numbers: NDArray[np.int64]
    levels: NDArray[np.int64]
    starts: NDArray[np.int64]
    to: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, counts: Position) -> int:
        """Return where a position stands in this side."""
        return int(np.flatnonzero(self.numbers == index(counts))[0])

    def positions(self) -> list[Position]:
        """Return the positions in this side's order."""
        return [position(int(number)) for number in self.numbers]


def whole_side(checkers: int) -> Side:
    """Return all positions of at most ``checkers`` checkers."""
    return _side(checkers, np.arange(len(all_positions(checkers))))


def side_below(start: Position) -> Side:
    """Return the positions that can be met from ``start``, itself the last."""
    checkers = sum(start)
    moves = successors(checkers)
    met = np.zeros(len(all_positions(checkers)), dtype=bool)
    met[[0, index(start)]] = True
    # Successors have smaller numbers: one pass from above meets them all.
    for i in range(index(start), 0, -1):
        if met[i]:
            met[moves.to[moves.starts[21 * i] : moves.starts[21 * i + 21]]] = True
    return _side(checkers, np.flatnonzero(met))


def values(first: Side, second: Side) -> int:
    """Return how many values two sides have: one for each pair and player on roll, once where both sides are one."""
    return len(first) * len(second) * (1 if first is second else 2)


def _side(checkers: int, numbers: NDArray[np.int64]) -> Side:
    counts, moves = all_positions(checkers)[numbers], successors(checkers)
    pips = counts @ np.arange(1, 7)
    order = np.lexsort((numbers, pips))
    numbers = numbers[order]
    place = np.full(len(all_positions(checkers)), -1, dtype=np.int32)
    place[numbers] = np.arange(len(numbers))
    lengths = np.diff(moves.starts).reshape(-1, 21)[numbers].ravel()
    # The kernel takes successors four at a time: the last one is repeated where they do not come out even.
    starts = np.concatenate([[0], np.cumsum(-(-lengths // 4) * 4)])
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    first, last = (
        np.repeat(x.reshape(-1, 21)[numbers].ravel(), np.diff(starts)) for x in (moves.starts[:-1], moves.starts[1:])
    )
    take = np.minimum(first + within, last - 1)
    levels = np.searchsorted(pips[order], np.arange(pips.max() + 2))
    return Side(numbers, levels, starts, place[moves.to[take]])


def schedule(first: Side, second: Side, levels: range | None = None) -> Iterator[tuple[bool, slice, slice]]:
    """Yield the steps of the induction: (whether the first side is on roll, its positions, the opponent's).

    Where both sides are one there is one table, and the first side only is on roll. ``levels`` are levels of pips, all
    by default.
    """
    turns = [(True, first, second), (False, second, first)][: 1 if first is second else 2]
    for p in levels or range(1, max(len(first.levels), len(second.levels)) - 1):
        for is_first, own, other in turns:
            yield is_first, _at(own, p), slice(1, _at(other, p).start)
        for is_first, own, other in turns:
            yield is_first, slice(1, _at(own, p).stop), _at(other, p)


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

    def planes(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the four arrays: cubeless, owned, centred, opponent."""
        return self.cubeless, self.owned, self.centred, self.opponent

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the equities with a centred cube."""
        rows, columns = "position of the other, by pips", "position on roll, by pips"
        return plotting.heat_map(self.centred, ax, rows=rows, columns=columns, meaning="centred", signed=True)

    def _repr_html_(self) -> str:
        names = ("cubeless", "owned", "centred", "opponent")
        # Where one side is off the game is over.
        playing = [plane[1:, 1:] for plane in self.planes()]
        rows = [
            (name, f"{plane.min():.6f}", f"{plane.mean():.6f}", f"{plane.max():.6f}")
            for name, plane in zip(names, playing, strict=True)
        ]
        title = f"Equities of {playing[0].size:,} pairs of positions"
        return notebook.table(title, ("cube", "least", "mean", "greatest"), rows)


def solve(first: Side, second: Side) -> tuple[Equities, Equities]:
    """Solve every pair of two sides with the cube.

    Returns
    -------
    first, second : Equities
        When the first side is on roll, arrays of shape (len(second), len(first)); when the second is, the other way
        round. One object twice where both sides are one.
    """
    on_roll = _lost(len(second), len(first))
    other = on_roll if first is second else _lost(len(first), len(second))
    induce(first, second, on_roll, other)
    return _equities(*on_roll), _equities(*other)


def enclose(first: Side, second: Side) -> tuple[Equities, Equities]:
    """Return proven lower and upper bounds on the equities of `solve` with the first side on roll.

    Doubling also doubles errors, so that a bound from the number of turns alone would be useless. Instead two tables
    are filled: lower bounds from the opponent's upper bounds less `_SLACK`, upper bounds from lower ones plus it.
    """
    lower, upper = _lost(len(second), len(first)), _lost(len(second), len(first))
    if first is second:
        other_lower, other_upper = lower, upper
    else:
        other_lower, other_upper = _lost(len(first), len(second)), _lost(len(first), len(second))
    induce(first, second, lower, other_lower, upper=(upper, other_upper))
    return _equities(*lower), _equities(*upper)


def solve_cubeless(first: Side, second: Side) -> tuple[Floats, Floats]:
    """Return the win probability of the player on roll for all pairs of two sides, as arrays like those of `solve`."""
    on_roll = np.zeros((len(second), len(first), 1)), NO_DOUBLING
    other = on_roll if first is second else (np.zeros((len(first), len(second), 1)), NO_DOUBLING)
    induce(first, second, on_roll, other)
    return on_roll[0][..., 0], other[0][..., 0]


#: Values to the player about to roll, ``[position of the one who moved, position of the one to roll, kind]``, of one
#: kind (win probability) or four (cubeless, P, C', O'), and in the latter case O and C.
Tables = tuple[NDArray, NDArray]

NO_DOUBLING = np.zeros((0, 0, 2))


def induce(
    first: Side,
    second: Side,
    on_roll: Tables,
    other: Tables,
    *,
    upper: tuple[Tables, Tables] | None = None,
    levels: range | None = None,
) -> None:
    """Fill the tables for the first side on roll and for the second (which may be one), level by level.

    With ``upper``, further tables of the same shapes, these become upper bounds, ``on_roll`` and ``other`` lower ones.
    """
    threads = numba.get_num_threads()
    # Small tables are done before a second thread has woken up.
    numba.set_num_threads(threads if len(first) * len(second) > _WORTH_THREADS else 1)
    lower = (on_roll, other)
    fills = ((lower, lower, 0.0),) if upper is None else ((lower, upper, -_SLACK), (upper, lower, _SLACK))
    try:
        for is_first, own, against in schedule(first, second, levels):
            side, turn = (first, 0) if is_first else (second, 1)
            for targets, sources, slack in fills:
                cells = (own.start, own.stop, against.start, against.stop)
                backup(side.starts, side.to, *cells, sources[1 - turn][0], *targets[turn], slack)
    finally:
        numba.set_num_threads(threads)


def _lost(rows: int, columns: int) -> Tables:
    """Return tables of equities in which a player whose opponent (row 0) is off has lost."""
    values, undoubled = np.zeros((rows, columns, 4)), np.zeros((rows, columns, 2))
    values[0] = undoubled[0] = -1.0
    return values, undoubled


def _equities(values: Floats, undoubled: Floats) -> Equities:
    return Equities(values[..., 0], undoubled[..., 0], undoubled[..., 1], values[..., 1])


@njit(cache=True, fastmath={"nnan"})
def _average_of_least(starts, to, i, left, right, rows, average):  # type: ignore[no-untyped-def]
    """Set ``average[x]`` to the sum over rolls of ``w / 36`` times the least ``rows[s, left + x]`` over plays ``s``.

    Four rows are taken at a time, which is why successors come in fours; `numpy.minimum` becomes vector instructions
    where the built-in ``min`` does not.
    """
    width = right - left
    least = np.empty(width, dtype=rows.dtype)
    average[:] = 0.0
    row = i * 21
    for high in range(6):
        for low in range(high + 1):
            for k in range(starts[row], starts[row + 1], 4):
                a, b = rows[to[k], left:right], rows[to[k + 1], left:right]
                c, d = rows[to[k + 2], left:right], rows[to[k + 3], left:right]
                if k == starts[row]:
                    for x in range(width):
                        least[x] = np.minimum(np.minimum(a[x], b[x]), np.minimum(c[x], d[x]))
                else:
                    for x in range(width):
                        four = np.minimum(np.minimum(a[x], b[x]), np.minimum(c[x], d[x]))
                        least[x] = np.minimum(least[x], four)
            weight = 1.0 if high == low else 2.0
            for x in range(width):
                average[x] += weight * least[x]
            row += 1
    for x in range(width):
        average[x] /= 36.0


@njit(parallel=True, cache=True)
def backup(starts, to, i0, i1, j0, j1, source, target, undoubled, slack):  # type: ignore[no-untyped-def]
    """Set the values of movers i0:i1 on roll against opponents j0:j1, from what the opponents have after the plays.

    Of one kind, ``target[j, i] = 1 - sum w / 36 * min source[s, j]``. Of four, the averages of (cubeless, P, C', O')
    are the negatives of (cubeless, O, C, P). ``slack`` is added to each.
    """
    kinds = source.shape[2]
    lines = source.reshape(source.shape[0], source.shape[1] * kinds)
    lanes = _LANES // kinds
    rows, columns = (i1 - i0 + _TILE - 1) // _TILE, (j1 - j0 + lanes - 1) // lanes
    for task in prange(rows * columns):
        # Neighbours in the list of tasks share opponents: the rows they read are still in the cache.
        top, left = i0 + task % rows * _TILE, j0 + task // rows * lanes
        bottom, right = min(top + _TILE, i1), min(left + lanes, j1)
        tile = np.empty((bottom - top, (right - left) * kinds))
        for i in range(top, bottom):
            _average_of_least(starts, to, i, left * kinds, right * kinds, lines, tile[i - top])
        for j in range(left, right):
            for i in range(top, bottom):
                x = (j - left) * kinds
                average = tile[i - top, x : x + kinds]
                if kinds == 1:
                    target[j, i, 0] = 1.0 - average[0] + slack
                else:
                    owned, centred, opponent = slack - average[1], slack - average[2], slack - average[3]
                    doubled = min(2.0 * opponent, 1.0)
                    undoubled[j, i, 0] = owned
                    undoubled[j, i, 1] = centred
                    target[j, i, 0] = slack - average[0]
                    target[j, i, 1] = opponent
                    target[j, i, 2] = max(centred, doubled)
                    target[j, i, 3] = max(owned, doubled)
