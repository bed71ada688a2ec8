r"""Both players adapt: at every roll each chooses knowing both boards and all marks. Solved exactly.

The game is zero-sum in (a wins) minus (b wins). A roll is a matrix game over the cells that each may mark, and every
move marks something, so joint states are solved by backward induction. A roll that nobody can use is divided out. With
the value :math:`w` and the matrices :math:`M_v` of the rolls that somebody can use,

.. math:: w(S, T) = \frac{\sum_v p_v \, \mathrm{val}(M_v)}{\sum_v p_v} .
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from flint import fmpq

from pymc_games import notebook, plotting
from pymc_games.engine.bimatrix import Equilibrium, zero_sum
from pymc_games.games.bingo.board import VALUES, WAYS, Joint, show_board, usable
from pymc_games.games.bingo.match import end_index, is_over
from pymc_games.games.bingo.solo import Solo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Adapts = Literal["both", "a", "b"]


@dataclass(frozen=True)
class Play:
    """Optimal play at a joint state and roll: the cells (-1: none), both mixed strategies, and the value."""

    rows: list[int]
    columns: list[int]
    equilibrium: Equilibrium

    @property
    def _named(self) -> list[tuple[str, fmpq]]:
        names = [f"a {_cell(cell)}" for cell in self.rows] + [f"b {_cell(cell)}" for cell in self.columns]
        return list(zip(names, (*self.equilibrium.rows, *self.equilibrium.columns), strict=True))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with what probability each player marks each cell."""
        ax = plotting.bars([(name, float(p)) for name, p in self._named], ax, meaning="probability")
        ax.set_title(f"a wins minus b wins: {float(self.equilibrium.payoffs[0]):.6g}")
        return ax

    def _repr_html_(self) -> str:
        rows = [(name, f"{float(p):.12g}", p) for name, p in self._named]
        value = self.equilibrium.payoffs[0]
        rows.append(("value", f"{float(value):.12g}", value))
        return notebook.table("Optimal play of both", ("", "number", "exactly"), rows)


class StrategicGame:
    """The values of all joint states, in fractions.

    Parameters
    ----------
    a, b : Solo
        The boards; their solo-optimal strategies matter for a player who does not adapt.
    adapts : {'both', 'a', 'b'}
        Who chooses freely. With one of them the other keeps to solo-optimal play, and the value is that of the best
        response.
    """

    def __init__(self, a: Solo, b: Solo, adapts: Adapts = "both") -> None:
        self.a, self.b = a, b
        self._adapts = adapts
        self.values: dict[Joint, fmpq] = {}

    def value(self, start: Joint = (0, 0), progress: Callable[[int, int], None] | None = None) -> fmpq:
        """Return the value of a joint state, solving all that it can lead to; ``progress`` gets done and total."""
        states = self._reachable(start)
        for count, joint in enumerate(reversed(states)):
            if joint not in self.values:
                self.values[joint] = self._solve(joint)
            if progress is not None and count % 256 == 0:
                progress(count, len(states))
        return self.values[start]

    def play(self, joint: Joint, value: int) -> Play | None:
        """Return optimal play after a roll, or None where nobody can use it."""
        rows = self._cells(self.a, joint[0], value, self._adapts != "b")
        columns = self._cells(self.b, joint[1], value, self._adapts != "a")
        if rows == columns == [-1]:
            return None
        matrix = [[self._worth((_mark(joint[0], r), _mark(joint[1], c))) for c in columns] for r in rows]
        return Play(rows, columns, zero_sum(matrix))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the values of the joint states that have been solved."""
        found = [float(value) for value in self.values.values()]
        ax = plotting.ranked(found, found, found, ax, unit="joint states")
        ax.set_title(f"{len(found):,} joint states solved")
        return ax

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("a", show_board(self.a.board)), ("b", show_board(self.b.board)), ("adapts", self._adapts),
            ("joint states solved", f"{len(self.values):,}"),
        ]  # fmt: skip
        if (0, 0) in self.values:
            rows += [("a wins minus b wins", f"{float(self.values[0, 0]):.12g}"), ("exactly", self.values[0, 0])]
        return notebook.facts("Both players choose at every roll", rows)

    def _solve(self, joint: Joint) -> fmpq:
        total, ways = fmpq(0), 0
        for value in VALUES:
            play = self.play(joint, value)
            if play is not None:
                total += WAYS[value] * play.equilibrium.payoffs[0]
                ways += WAYS[value]
        return total / ways

    def _worth(self, joint: Joint) -> fmpq:
        if is_over(joint):
            return fmpq((1, -1, 0)[end_index(joint)])
        return self.values[joint]

    def _cells(self, solo: Solo, mask: int, value: int, free: bool) -> list[int]:
        if free:
            return usable(solo.board, mask, value) or [-1]
        return [int(solo.choice[mask, value])]

    def _reachable(self, start: Joint) -> list[Joint]:
        """Return all joint states that can follow, fewer marks first."""
        found, queue = {start}, [start]
        for joint in queue:
            for value in sorted({*self.a.board, *self.b.board}):
                for row in self._cells(self.a, joint[0], value, self._adapts != "b"):
                    for column in self._cells(self.b, joint[1], value, self._adapts != "a"):
                        new = (_mark(joint[0], row), _mark(joint[1], column))
                        if new not in found and not is_over(new):
                            found.add(new)
                            queue.append(new)
        return sorted(queue, key=lambda s: s[0].bit_count() + s[1].bit_count())


def _cell(cell: int) -> str:
    return "marks nothing" if cell < 0 else f"marks cell {cell}"


def _mark(mask: int, cell: int) -> int:
    return mask if cell < 0 else mask | 1 << cell
