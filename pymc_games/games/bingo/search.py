"""The best of all 11^9 boards, proven: every class in floats with an error bound, the leaders in fractions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from pymc_games import executors, jobs, notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.bingo import kernels, patterns, solo
from pymc_games.games.bingo.board import VALUES, Board, show_board

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: All boards: 11 numbers in each of nine cells.
BOARDS = len(VALUES) ** 9
_PATTERNS_A_SHARD = 32
#: A leader among floats is a leader in fractions up to the errors of both.
#: Leaders that are drawn or shown in a notebook.
_MOST_DRAWN = 50
_SLACK = 1 + 3 * kernels.RELATIVE_ERROR


@dataclass(frozen=True)
class Leader:
    """A class of equal boards near the top: one of them, how many there are, and their expected rolls."""

    board: Board
    boards: int
    expected: Fraction


@dataclass(frozen=True)
class Search:
    """What a complete search proves.

    Attributes
    ----------
    boards : int
        Boards covered, 11^9.
    classes : int
        Classes evaluated; equal to the number that orbit counting gives.
    leaders : list of Leader
        The best classes, best first; a class with the same value as another is counted on its own.
    gap : Fraction
        Second best minus best.
    seconds : float
    """

    boards: int
    classes: int
    leaders: list[Leader]
    gap: Fraction
    seconds: float

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw by how much each of the leaders is behind the best."""
        best = self.leaders[0].expected
        behind = [(show_board(one.board), float(one.expected - best)) for one in self.leaders[:_MOST_DRAWN]]
        ax = plotting.bars(behind, ax, meaning=f"expected rolls beyond {float(best):.12g}")
        ax.set_title("the best boards")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            (show_board(leader.board), leader.boards, f"{float(leader.expected):.12g}", leader.expected)
            for leader in self.leaders[:_MOST_DRAWN]
        ]
        title = f"The best of {self.boards:,} boards, in {self.classes:,} classes"
        return notebook.table(title, ("board", "boards in its class", "expected rolls", "exactly"), rows)


def search(
    top: int = 10,
    place: executors.Place | str = "local",
    keeping: jobs.Keeping | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Search:
    """Search all boards.

    Parameters
    ----------
    top : int
        How many classes to return.
    place : Place or str
        Where to search, see `executors.Place`.
    keeping : Keeping, optional
        Where finished shards are kept, for a search that is stopped to go on.
    progress : callable, optional
        Called with finished and all shards.

    Raises
    ------
    UsageError
        If ``top`` is not from 1 to 100,000, or the folder cannot be used, see `jobs.run`.
    WorkError
        If a process, a worker or the scheduler died.
    """
    if not 1 <= top <= 100_000:
        raise UsageError(f"--top {top}: must lie between 1 and 100000")
    started = time.perf_counter()
    every = patterns.patterns()
    shards = [tuple(every[k : k + _PATTERNS_A_SHARD]) for k in range(0, len(every), _PATTERNS_A_SHARD)]
    kept = max(top, 2)
    job = jobs.Job("the search of all Dice Bingo boards", {"classes kept": kept}, _Evaluate(kept), shards)
    results = [
        ShardResult(found["classes"], [(value, tuple(board)) for value, board in found["best"]])
        for found in jobs.run(job, place, keeping, progress)
    ]
    return _conclude(results, top, time.perf_counter() - started)


@dataclass(frozen=True)
class ShardResult:
    """Classes evaluated in a shard, and its best boards with their values in floats."""

    classes: int
    best: list[tuple[float, Board]]


@dataclass(frozen=True)
class _Evaluate:
    """Evaluate one shard and keep the best; a class, because processes need something that can be sent."""

    kept: int

    def __call__(self, shard: Sequence[patterns.Pattern]) -> dict[str, Any]:
        classes = 0
        best: list[tuple[float, Board]] = []
        for pattern in shard:
            block_weights = patterns.weights(pattern)
            values = kernels.evaluate(pattern, block_weights)
            classes += len(values)
            enough = min(self.kept, len(values))
            threshold = np.partition(values, enough - 1)[enough - 1] * _SLACK
            near = np.flatnonzero(values <= threshold)
            best += [(float(values[k]), patterns.board_of(pattern, block_weights[k])) for k in near]
            best.sort()
            best = _within(best, self.kept)
        return {"classes": classes, "best": best}


def _within(best: list[tuple[float, Board]], kept: int) -> list[tuple[float, Board]]:
    """Return the first ``kept`` of a sorted list, and whatever the errors might move among them."""
    if len(best) <= kept:
        return best
    threshold = best[kept - 1][0] * _SLACK
    return [entry for entry in best if entry[0] <= threshold]


def _conclude(results: Sequence[ShardResult], top: int, seconds: float) -> Search:
    classes = sum(result.classes for result in results)
    near = _within(sorted(entry for result in results for entry in result.best), max(top, 2))
    exact = sorted((solo.solve(board).expected_rolls, board) for _, board in near)
    leaders = [Leader(board, patterns.class_size(board), expected) for expected, board in exact[:top]]
    return Search(BOARDS, classes, leaders, exact[1][0] - exact[0][0], seconds)
