"""One decision of both players at once: the bimatrix of win probabilities, and its equilibria."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flint import fmpq

from pymc_games import notebook, plotting
from pymc_games.engine.bimatrix import Equilibrium, mixed_equilibria, pure_equilibria
from pymc_games.errors import UsageError
from pymc_games.games.bingo.board import VALUES, Joint, cells_of, usable
from pymc_games.games.bingo.match import Match

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Decision:
    """A joint position with a roll.

    Attributes
    ----------
    rows, columns : list of int
        The cells that players a and b may mark; -1 alone where a player cannot use the roll.
    a, b : list of list of fmpq
        Each player's probability of winning, both going on with solo-optimal play.
    """

    rows: list[int]
    columns: list[int]
    a: list[list[fmpq]]
    b: list[list[fmpq]]

    def pure(self) -> list[tuple[int, int]]:
        """Return the pure equilibria as pairs of cells."""
        return [(self.rows[i], self.columns[j]) for i, j in pure_equilibria(self.a, self.b)]

    def mixed(self) -> list[Equilibrium]:
        """Return the equilibria by support enumeration."""
        return mixed_equilibria(self.a, self.b)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw by how much a is more likely to win than b, for each pair of cells."""
        margin = [[float(a - b) for a, b in zip(*rows, strict=True)] for rows in zip(self.a, self.b, strict=True)]
        ax = plotting.heat_map(
            margin, ax, rows="a marks cell", columns="b marks cell", meaning="a wins minus b wins", signed=True
        )
        ax.set_xticks(range(len(self.columns)), [str(cell) for cell in self.columns])
        ax.set_yticks(range(len(self.rows)), [str(cell) for cell in self.rows])
        return ax

    def _repr_html_(self) -> str:
        rows = [
            (row, *(f"{float(a):.6f}, {float(b):.6f}" for a, b in zip(*pair, strict=True)))
            for row, pair in zip(self.rows, zip(self.a, self.b, strict=True), strict=True)
        ]
        return notebook.table("Chances of a, b: a marks the row, b the column", ("", *self.columns), rows)


def decide(match: Match, marked: Joint, value: int) -> Decision:
    """Return the bimatrix of a joint position and a roll.

    Raises
    ------
    UsageError
        If the roll is not from 2 to 12, nobody can use it, or neither player has a choice.
    """
    if value not in VALUES:
        raise UsageError(f"two dice do not give {value}; a roll is from 2 to 12")
    rows = usable(match.a.board, marked[0], value) or [-1]
    columns = usable(match.b.board, marked[1], value) or [-1]
    if rows == [-1] and columns == [-1]:
        raise UsageError(f"nobody can use a {value} with the cells {_show(marked)} marked")
    if len(rows) == len(columns) == 1:
        raise UsageError(f"with a {value} and the cells {_show(marked)} marked neither player has a choice")
    a, b = [], []
    for row in rows:
        outcomes = [match.outcome((_mark(marked[0], row), _mark(marked[1], column))) for column in columns]
        a.append([fmpq(o.a_wins.numerator, o.a_wins.denominator) for o in outcomes])
        b.append([fmpq(o.b_wins.numerator, o.b_wins.denominator) for o in outcomes])
    return Decision(rows, columns, a, b)


def _mark(mask: int, cell: int) -> int:
    return mask if cell < 0 else mask | 1 << cell


def _show(marked: Joint) -> str:
    sets = (",".join(map(str, cells_of(mask))) or "none" for mask in marked)
    return " and ".join(sets)
