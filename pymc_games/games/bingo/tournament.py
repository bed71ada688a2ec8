"""Every board against every other, and the cycles in who beats whom."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pymc_games import executors, jobs, notebook, plotting
from pymc_games.games.bingo import solo
from pymc_games.games.bingo.board import MASKS, WAYS, WINNING, Board, show_board

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Every probability is within this of the exact one: at most 13 levels of 11 products, 11 sums and a division each,
#: all of non-negative numbers below 1, err by less than 13 * 25 units of 2^-53.
ERROR = 13 * 25 * 2.0**-53
#: Pairs from which on a shard is large enough to be worth sending.
_PAIRS_A_SHARD = 20_000
#: Boards that a picture or a table names.
_MOST_NAMES = 30
_WAYS = np.array([WAYS.get(value, 0) for value in range(13)], dtype=np.float64)
_WON = np.array(WINNING)
_MARKS = np.array([mask.bit_count() for mask in range(MASKS)], dtype=np.int64)


@dataclass(frozen=True)
class Triple:
    """Three boards, by number, of which each beats the next and the last beats the first, and the three margins."""

    boards: tuple[int, int, int]
    margins: tuple[float, float, float]

    @property
    def smallest(self) -> float:
        """The smallest of the margins."""
        return min(self.margins)

    @property
    def _named(self) -> list[tuple[str, float]]:
        a, b, c = self.boards
        return list(zip((f"{a} beats {b}", f"{b} beats {c}", f"{c} beats {a}"), self.margins, strict=True))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw by how much each board beats the next."""
        return plotting.bars(self._named, ax, meaning="wins minus losses")

    def _repr_html_(self) -> str:
        return notebook.table("Three boards in a circle, by number", ("", "wins minus losses"), self._named)


@dataclass(frozen=True)
class Tournament:
    """Every board against every other.

    Attributes
    ----------
    boards : list of tuple of int
    wins : float array, shape (boards, boards)
        The probability that board i beats board j, each within `ERROR`.
    """

    boards: list[Board]
    wins: NDArray[np.float64]

    def table(self) -> Iterator[dict[str, object]]:
        """Yield a row for each pair of boards: the chances of the first one to win and to lose."""
        names = [show_board(board) for board in self.boards]
        for a, board in enumerate(names):
            for b in range(a + 1, len(names)):
                wins, losses = float(self.wins[a, b]), float(self.wins[b, a])
                yield {"board": board, "against": names[b], "wins": wins, "losses": losses}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw by how much each board (row) beats each other one (column)."""
        names = [show_board(board) for board in self.boards] if len(self.boards) <= _MOST_NAMES else None
        return plotting.heat_map(
            self.wins - self.wins.T, ax, rows="board", columns="against", meaning="wins minus losses of the row",
            names=names, signed=True,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        names = [show_board(board) for board in self.boards[:_MOST_NAMES]]
        rows = [(name, *(f"{x:.6f}" for x in row[:_MOST_NAMES])) for name, row in zip(names, self.wins, strict=False)]
        return notebook.table(f"Tournament of {len(self.boards)} boards", ("wins against", *names), rows)


def tournament(
    boards: Sequence[Board],
    tie_break: solo.TieBreak = "smallest",
    place: executors.Place | str = "local",
    keeping: jobs.Keeping | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Play all pairs of boards, each marked by its solo-optimal strategy.

    Parameters
    ----------
    place : Place or str
        Where to play, see `executors.Place`.
    keeping : Keeping, optional
        Where finished shards are kept, for a tournament that is stopped to go on.
    progress : callable, optional
        Called with finished and all shards.

    Raises
    ------
    UsageError
        If the folder cannot be used, see `jobs.run`.
    WorkError
        If a process, a worker or the scheduler died.
    """
    chosen = tuple(tuple(board) for board in boards)
    inputs = {"tie break": tie_break, "boards": [show_board(board) for board in chosen]}
    shards = _shards(len(chosen))
    results = jobs.run(
        jobs.Job("a Dice Bingo tournament", inputs, _Play(chosen, tie_break), shards), place, keeping, progress
    )
    wins = np.zeros((len(chosen),) * 2)
    for (first, last), rows in zip(shards, results, strict=True):
        for a, (ahead, behind) in zip(range(first, last), rows, strict=True):
            wins[a, a + 1 :] = np.frombuffer(base64.b64decode(ahead), dtype="<f8")
            wins[a + 1 :, a] = np.frombuffer(base64.b64decode(behind), dtype="<f8")
    return Tournament(list(chosen), wins)


def _shards(count: int) -> list[tuple[int, int]]:
    """Cut the boards into ranges that have about equally many pairs with later boards."""
    shards, first, pairs = [], 0, 0
    for a in range(count):
        pairs += count - 1 - a
        if pairs >= _PAIRS_A_SHARD or a == count - 1:
            shards.append((first, a + 1))
            first, pairs = a + 1, 0
    return shards


@dataclass(frozen=True)
class _Play:
    """Play a range of boards against all later ones: for each, its chances and theirs as bytes in base 64."""

    boards: tuple[Board, ...]
    tie_break: solo.TieBreak

    def __call__(self, shard: tuple[int, int]) -> list[tuple[str, str]]:
        after = _strategies(self.boards, self.tie_break)
        rows = []
        for a in range(*shard):
            both = np.zeros((2, len(after) - a - 1))
            _row(after, a, _WAYS, _WON, _MARKS, both)
            rows.append(tuple(base64.b64encode(side.astype("<f8").tobytes()).decode() for side in both))
        return rows  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _strategies(boards: tuple[Board, ...], tie_break: solo.TieBreak) -> NDArray[np.int16]:
    """Return the set of marked cells after each set and sum, for each board."""
    masks = np.arange(MASKS)[:, None]
    after = np.empty((len(boards), MASKS, 13), dtype=np.int16)
    for k, board in enumerate(boards):
        cells = solo.solve(board, tie_break).choice
        after[k] = np.where(cells < 0, masks, masks | (1 << np.maximum(cells, 0)))
    return after


def nontransitive(wins: NDArray[np.float64], limit: int | None = None) -> tuple[int, list[Triple]]:
    """Return how many triples A > B > C > A there are, and the ones with the largest smallest margin, best first.

    A margin is the probability of winning minus that of losing; margins within the errors of both count as none.
    """
    margin = wins - wins.T
    beats = margin > 2 * ERROR
    count, best = 0, []
    for a in range(len(wins)):
        # a is the smallest number of the triple, so that each cycle is met once.
        bs = np.flatnonzero(beats[a]) if a + 1 < len(wins) else np.empty(0, dtype=np.int64)
        bs = bs[bs > a]
        cs = np.flatnonzero(beats[:, a])
        cs = cs[cs > a]
        if not len(bs) or not len(cs):
            continue
        closed = beats[np.ix_(bs, cs)]
        count += int(closed.sum())
        smallest = np.minimum(np.minimum(margin[a, bs][:, None], margin[np.ix_(bs, cs)]), margin[cs, a][None, :])
        smallest = np.where(closed, smallest, -1.0)
        kept = min(limit or smallest.size, smallest.size)
        for flat in np.argpartition(-smallest, kept - 1, axis=None)[:kept]:
            i, j = divmod(int(flat), len(cs))
            if closed[i, j]:
                b, c = int(bs[i]), int(cs[j])
                best.append(Triple((a, b, c), (float(margin[a, b]), float(margin[b, c]), float(margin[c, a]))))
        if limit is not None and len(best) > 4 * limit:
            best = sorted(best, key=lambda t: -t.smallest)[:limit]
    best.sort(key=lambda t: -t.smallest)
    return count, best if limit is None else best[:limit]


@njit(cache=True)
def _row(after, a, ways, won, marks, both):  # type: ignore[no-untyped-def]
    """Play board ``a`` against all later ones: joint states met, fewest marks left first, solved by substitution."""
    place = np.full((512, 512), -1, dtype=np.int64)
    states = np.empty((512 * 512, 2), dtype=np.int64)
    first = np.empty(512 * 512)
    second = np.empty(512 * 512)
    for b in range(a + 1, len(after)):
        states[0, 0] = states[0, 1] = 0
        place[0, 0] = 0
        count, head = 1, 0
        while head < count:
            s, t = states[head, 0], states[head, 1]
            head += 1
            for value in range(2, 13):
                u, v = after[a, s, value], after[b, t, value]
                if not won[u] and not won[v] and place[u, v] < 0:
                    place[u, v] = count
                    states[count, 0], states[count, 1] = u, v
                    count += 1
        total = marks[states[:count, 0]] + marks[states[:count, 1]]
        for k in np.argsort(-total, kind="mergesort"):
            s, t = states[k, 0], states[k, 1]
            x = y = moving = 0.0
            for value in range(2, 13):
                u, v = after[a, s, value], after[b, t, value]
                if u == s and v == t:
                    continue
                moving += ways[value]
                if won[u] or won[v]:
                    x += ways[value] * (won[u] and not won[v])
                    y += ways[value] * (won[v] and not won[u])
                else:
                    x += ways[value] * first[place[u, v]]
                    y += ways[value] * second[place[u, v]]
            first[k], second[k] = x / moving, y / moving
        both[0, b - a - 1], both[1, b - a - 1] = first[0], second[0]
        for k in range(count):
            place[states[k, 0], states[k, 1]] = -1
