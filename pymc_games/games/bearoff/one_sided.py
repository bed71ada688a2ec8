"""One player alone: expected rolls, variance, distribution and best moves of every position.

With ``E[0] = 0`` for the empty position, ``E[i] = 1 + sum over rolls r of w[r] / 36 * min E[s]``, the minimum over the
positions ``s`` that roll ``r`` can lead to. The cost of enumerating two-dice moves is avoided by playing a die at a
time: with ``M[d][s]`` the least value after playing die ``d`` from ``s``, a roll ``a, b`` is worth the least of
``M[b][s']`` over the plays ``s'`` of ``a`` and of ``M[a][s']`` over the plays of ``b``; doubles take four such steps.
Every ``M`` is computed once.

Arithmetic. Values are doubles. A value is ``1 + (sum of at most 36 terms) / 36``, evaluated with at most 60 roundings
of relative size ``2**-53``, so an entry adds at most ``60 * 2**-53 * E`` to the errors of its successors. Taking the
minimum and averaging never increases an error, every path has at most 46 rolls (90 pips, two a roll at least, the last
roll at least one), and no expectation exceeds 13: the error is below ``46 * 60 * 2**-53 * 13 < 4e-12``, the bound
`MEAN_ERROR`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.bearoff.moves import ROLLS
from pymc_games.games.bearoff.positions import Position, all_positions, index
from pymc_games.games.bearoff.successors import COUNTS, drops

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bound on the error of every expected number of rolls, proven in the module's docstring.
MEAN_ERROR = 4e-12

#: Bound on the error of every probability of a distribution: at most 46 rolls of at most 60 roundings of a value <= 1.
PMF_ERROR = 4e-13

#: No position needs more rolls than this under best play, so tables of chances within k rolls are kept for k up to it.
_LONGEST = 32

Floats = NDArray[np.float64]

_BEST = types.Array(types.int32, 2, "C", readonly=True)


@dataclass(frozen=True)
class OneSidedTable:
    """The solution for one side of at most ``checkers`` checkers; row ``i`` is position number ``i``.

    Attributes
    ----------
    checkers : int
    mean, variance : float64 arrays, shape (positions,)
        Of the number of rolls to bear off.
    pmf : float64 array, shape (positions, longest + 1)
        ``pmf[i, k]`` is the probability of exactly ``k`` rolls.
    best : int32 array, shape (positions, 21)
        The number of the position that the best play of each roll leads to.
    """

    checkers: int
    mean: Floats
    variance: Floats
    pmf: Floats
    best: NDArray[np.int32]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw expected rolls against pips: how much positions of one pip count differ."""
        return plot_means(self.checkers, self.mean, ax)

    def _repr_html_(self) -> str:
        rows = [("positions", f"{len(self.mean):,}"), ("most expected rolls", f"{self.mean.max():.12g}")]
        return notebook.facts(f"Bearoff of up to {self.checkers} checkers", rows)


def plot_means(checkers: int, mean: Floats, ax: Axes | None = None) -> Axes:
    """Draw expected rolls of all positions, in the order of their numbers, against their pips."""
    ax = plotting.axes(ax)
    pips = all_positions(checkers) @ np.arange(1, 7)
    ax.plot(pips, mean, ".", markersize=2, alpha=0.3, color="tab:blue", rasterized=True)
    ax.set(xlabel="pips", ylabel="expected rolls", title=f"all positions of up to {checkers} checkers")
    return ax


@lru_cache(maxsize=4)
def solve(checkers: int = 15) -> OneSidedTable:
    """Solve for the fewest expected rolls; tables are kept and shared, so their arrays are read-only.

    Raises
    ------
    UsageError
        If ``checkers`` is not between 1 and 15.
    """
    counts = all_positions(checkers)
    mean = np.zeros(len(counts))
    best = np.zeros((len(counts), len(ROLLS)), dtype=np.int32)
    _sweep(counts, mean, mean, 1.0, best)
    pmf = distribution(best)
    variance = _variance(best, mean)
    for array in (mean, variance, pmf, best):
        array.setflags(write=False)
    return OneSidedTable(checkers, mean, variance, pmf, best)


def distribution(best: NDArray[np.int32]) -> Floats:
    """Return the distribution of the rolls under a policy: ``P[i, k] = sum w[r] / 36 * P[best[i, r], k - 1]``.

    Parameters
    ----------
    best : int32 array, shape (positions, 21)

    Returns
    -------
    float64 array, shape (positions, longest + 1)
    """
    longest = _longest(best)
    pmf = np.zeros((len(best), int(longest.max()) + 1))
    _fill_distribution(best, longest, pmf)
    return pmf


def most_likely_off(checkers: int, rolls: int) -> tuple[Floats, NDArray[np.int32]]:
    """Maximise the probability to be off within a number of rolls: ``Q[k, i] = sum w[r] / 36 * max Q[k - 1, s]``.

    Returns
    -------
    probability : float64 array, shape (rolls + 1, positions)
        ``probability[k, i]``: the best chance to bear off position ``i`` within ``k`` rolls.
    best : int32 array, shape (positions, 21)
        Where to move now, with ``rolls`` rolls left, the one just thrown included.
    """
    counts = all_positions(checkers)
    cost = np.zeros((rolls + 1, len(counts)))
    cost[:, 0] = -1.0
    best = np.zeros((len(counts), len(ROLLS)), dtype=np.int32)
    for k in range(1, rolls + 1):
        _sweep(counts, cost[k - 1], cost[k], 0.0, best)
    return -cost + 0.0, best


def off_within(position: Position, rolls: int) -> Floats:
    """Return the greatest chance to bear off a position within 0, 1, ..., ``rolls`` rolls; shape (rolls + 1,)."""
    checkers = sum(position)
    return _most_likely(checkers, max(rolls, _LONGEST))[: rolls + 1, index(position)]


@lru_cache(maxsize=4)
def _most_likely(checkers: int, rolls: int) -> Floats:
    return most_likely_off(checkers, rolls)[0]


def expected_rolls(checkers: int, *, charge_last: bool = True) -> Floats:
    """Return the expected rolls of every position; shape (positions,).

    With ``charge_last=False`` the roll that bears off the last checker costs nothing. That is the error of published
    pseudo-code and is here to show its effect; a position that can go off in one roll is then worth less than a roll.
    """
    if charge_last:
        return solve(checkers).mean
    counts = all_positions(checkers)
    cost = np.zeros(len(counts))
    # Charging a roll for each move except into the empty position: the empty position pays the roll back.
    cost[0] = -1.0
    _sweep(counts, cost, cost, 1.0, np.zeros((len(counts), len(ROLLS)), dtype=np.int32))
    cost[0] = 0.0
    return cost


@njit(types.float64(types.float64[:, ::1], types.int32[:, ::1], types.int32[::1]), cache=True)
def _choose(value, where, best):  # type: ignore[no-untyped-def]
    """Return the average over rolls, of two dice in the better order, and set where each roll is to be played.

    ``value[d, e]`` is the least value when die ``d`` is played first and ``e`` next, or ``d`` four times where they are
    equal; ``where`` is the position that attains it.
    """
    total = 0.0
    r = 0
    for a in range(6):
        for b in range(a + 1):
            x, y = (a, b) if value[a, b] <= value[b, a] else (b, a)
            total += value[x, y] if a == b else 2.0 * value[x, y]
            best[r] = where[x, y]
            r += 1
    return total / 36.0


@njit(types.void(COUNTS, types.float64[::1], types.float64[::1], types.float64, types.int32[:, ::1]), cache=True)
def _sweep(counts, source, target, charge, best):  # type: ignore[no-untyped-def]
    """Set ``target[i] = charge + sum w / 36 * min source`` and the positions that attain it, in order of number.

    ``source`` and ``target`` may be one array: a move always leads to a smaller number.
    """
    positions = len(counts)
    # least[i, n, d]: the least source after playing die d + 1 from i, n + 1 times; place: where it is attained.
    least = np.full((positions, 3, 6), source[0])
    place = np.zeros((positions, 3, 6), dtype=np.int32)
    value = np.empty((6, 6))
    where = np.empty((6, 6), dtype=np.int32)
    drop = np.zeros(7, dtype=np.int32)
    target[0] = source[0]
    for i in range(1, positions):
        highest = drops(counts[i], drop)
        value[:, :] = np.inf
        for d in range(6):
            for n in range(3):
                least[i, n, d] = np.inf
            for p in range(1, highest + 1):
                if counts[i, p - 1] == 0 or (d >= p and p < highest):
                    continue
                s = i - drop[p] + drop[max(p - d - 1, 0)]
                if source[s] < least[i, 0, d]:
                    least[i, 0, d] = source[s]
                    place[i, 0, d] = s
                for n in range(1, 3):
                    if least[s, n - 1, d] < least[i, n, d]:
                        least[i, n, d] = least[s, n - 1, d]
                        place[i, n, d] = place[s, n - 1, d]
                for e in range(6):
                    n = 2 if e == d else 0
                    if least[s, n, e] < value[d, e]:
                        value[d, e] = least[s, n, e]
                        where[d, e] = place[s, n, e]
        target[i] = charge + _choose(value, where, best[i])


@njit(types.int64[::1](_BEST), cache=True)
def _longest(best):  # type: ignore[no-untyped-def]
    """Return the largest number of rolls that a policy can need from each position."""
    longest = np.zeros(len(best), dtype=np.int64)
    for i in range(1, len(best)):
        for s in best[i]:
            longest[i] = max(longest[i], longest[s] + 1)
    return longest


@njit(types.void(_BEST, types.int64[::1], types.float64[:, ::1]), cache=True)
def _fill_distribution(best, longest, pmf):  # type: ignore[no-untyped-def]
    """Fill ``pmf`` row by row from the rows of the positions that the policy moves to."""
    pmf[0, 0] = 1.0
    for i in range(1, len(best)):
        row = pmf[i, 1:]
        r = 0
        for a in range(6):
            for b in range(a + 1):
                weight = 1.0 / 36.0 if a == b else 2.0 / 36.0
                s = best[i, r]
                after = pmf[s, : longest[s] + 1]
                for k in range(len(after)):
                    row[k] += weight * after[k]
                r += 1


@njit(types.float64[::1](_BEST, types.Array(types.float64, 1, "C", readonly=True)), cache=True)
def _variance(best, mean):  # type: ignore[no-untyped-def]
    """Return the variance of the number of rolls: of the next mean, plus the mean of the next variance."""
    variance = np.zeros(len(best))
    for i in range(1, len(best)):
        total = 0.0
        r = 0
        for a in range(6):
            for b in range(a + 1):
                s = best[i, r]
                total += (1.0 if a == b else 2.0) * (variance[s] + (mean[s] - (mean[i] - 1.0)) ** 2)
                r += 1
        variance[i] = total / 36.0
    return variance
