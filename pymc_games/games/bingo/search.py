"""The best of all 11^9 boards, proven: every class in floats with an error bound, the leaders in fractions."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pymc_games import executors, files, notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.bingo import board as board_module
from pymc_games.games.bingo import kernels, patterns, solo
from pymc_games.games.bingo.board import VALUES, Board, show_board

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: All boards: 11 numbers in each of nine cells.
BOARDS = len(VALUES) ** 9
_PATTERNS_A_SHARD = 32
#: A leader among floats is a leader in fractions up to the errors of both.
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
        ax = plotting.axes(ax)
        behind = [float(leader.expected - self.leaders[0].expected) for leader in self.leaders]
        ax.barh([show_board(leader.board) for leader in self.leaders], behind, color="tab:blue")
        ax.invert_yaxis()
        ax.set(xlabel=f"expected rolls beyond {float(self.leaders[0].expected):.12g}", title="the best boards")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            (show_board(leader.board), leader.boards, f"{float(leader.expected):.12g}", leader.expected)
            for leader in self.leaders
        ]
        title = f"The best of {self.boards:,} boards, in {self.classes:,} classes"
        return notebook.table(title, ("board", "boards in its class", "expected rolls", "exactly"), rows)


def search(
    top: int = 10,
    executor: str = "local",
    folder: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Search:
    """Search all boards.

    Parameters
    ----------
    top : int
        How many classes to return.
    executor : {'local', 'serial'}
    folder : Path, optional
        Where finished shards are kept; a search that was stopped goes on from there.
    progress : callable, optional
        Called with finished and all shards.

    Raises
    ------
    UsageError
        If ``top`` is not from 1 to 100,000, or the folder holds a different search.
    """
    if not 1 <= top <= 100_000:
        raise UsageError(f"--top {top}: must lie between 1 and 100000")
    started = time.perf_counter()
    every = patterns.patterns()
    shards = [tuple(every[k : k + _PATTERNS_A_SHARD]) for k in range(0, len(every), _PATTERNS_A_SHARD)]
    number = {shard: k for k, shard in enumerate(shards)}
    kept = max(top, 2)
    store = _Store(folder, kept) if folder is not None else None
    results = {} if store is None else store.finished(len(shards))
    missing = [shard for shard in shards if number[shard] not in results]
    for shard, result in executors.completed(_Evaluate(kept), missing, executor):
        results[number[shard]] = result
        if store is not None:
            store.save(number[shard], result)
        if progress is not None:
            progress(len(results), len(shards))
    return _conclude([results[k] for k in range(len(shards))], top, time.perf_counter() - started)


@dataclass(frozen=True)
class ShardResult:
    """Classes evaluated in a shard, and its best boards with their values in floats."""

    classes: int
    best: list[tuple[float, Board]]


@dataclass(frozen=True)
class _Evaluate:
    """Evaluate one shard and keep the best; a class, because processes need something that can be sent."""

    kept: int

    def __call__(self, shard: Sequence[patterns.Pattern]) -> ShardResult:
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
        return ShardResult(classes, best)


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


class _Store:
    """Finished shards in a folder, each a file that appears whole, with a digest of what they depend on."""

    def __init__(self, folder: Path, kept: int) -> None:
        self._folder = files.make_folder(folder)
        source = "".join(Path(str(module.__file__)).read_text("utf-8") for module in (board_module, kernels, patterns))
        self._digest = hashlib.sha256(f"{kept} {_PATTERNS_A_SHARD} {source}".encode()).hexdigest()

    def finished(self, shards: int) -> dict[int, ShardResult]:
        """Return the shards that are there already.

        Raises
        ------
        UsageError
            If a file is damaged, or belongs to a search with other inputs or code.
        """
        results = {}
        for number in range(shards):
            path = self._path(number)
            if not path.exists():
                continue
            try:
                document = json.loads(path.read_text("utf-8"))
                digest = document["digest"]
                best = [(float.fromhex(value), tuple(board)) for value, board in document["best"]]
                results[number] = ShardResult(int(document["classes"]), best)
            except (ValueError, KeyError, TypeError) as error:
                raise UsageError(f"{path} is damaged; delete it and go on with --resume") from error
            if digest != self._digest:
                raise UsageError(f"{path} belongs to a search with other inputs or code; choose another folder")
        return results

    def save(self, number: int, result: ShardResult) -> None:
        """Keep a finished shard."""
        best = [(value.hex(), board) for value, board in result.best]
        document = {"digest": self._digest, "classes": result.classes, "best": best}
        files.write_text(self._path(number), json.dumps(document))

    def _path(self, number: int) -> Path:
        return self._folder / f"shard-{number:04d}.json"
