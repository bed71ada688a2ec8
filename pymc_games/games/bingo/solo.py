r"""One board alone: the fewest expected rolls to a complete line, exactly, and when they come.

Backward induction over mask sets, larger ones first. With the chance :math:`p_v` of each sum that marks a cell of the
set :math:`S`, the expected number of rolls is

.. math:: E(S) = \frac{1 + \sum_v p_v \min_{i} E(S \cup \{i\})}{\sum_v p_v},

because a roll that marks nothing changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.bingo.board import CELLS, MASKS, TRANSIENT, VALUES, WAYS, WINNING, Board, show_board, usable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TieBreak = Literal["smallest", "largest"]


@dataclass(frozen=True)
class Solo:
    """A board's optimal strategy and what it takes.

    Attributes
    ----------
    board : tuple of int
    expected : list of fmpq, one a mask
        Fewest expected further rolls; 0 for complete sets.
    second_moment : list of fmpq, one a mask
        Expected square of the number of rolls under the strategy.
    choice : int array, shape (512, 13)
        The cell that a sum marks, -1 where it marks none.
    """

    board: Board
    expected: list[fmpq]
    second_moment: list[fmpq]
    choice: NDArray[np.int64]

    @property
    def expected_rolls(self) -> Fraction:
        """Expected rolls from the empty board."""
        return to_fraction(self.expected[0])

    @property
    def variance(self) -> Fraction:
        """Variance of the number of rolls from the empty board."""
        return to_fraction(self.second_moment[0] - self.expected[0] ** 2)

    def after(self, mask: int, value: int) -> int:
        """Return the mask after a roll; unchanged where the roll marks nothing."""
        cell = int(self.choice[mask, value])
        return mask if cell < 0 else mask | 1 << cell

    def pmf(self, rolls: int, start: int = 0) -> NDArray[np.float64]:
        """Return the probabilities that the line is complete at exactly 0, 1, ..., ``rolls`` rolls."""
        step = np.zeros((MASKS, MASKS))
        for mask in TRANSIENT:
            for value in VALUES:
                step[mask, self.after(mask, value)] += WAYS[value] / 36
        done = np.array(WINNING)
        state = np.zeros(MASKS)
        state[start] = 1.0
        result = [float(state[done].sum())]
        for _ in range(rolls):
            state[done] = 0.0
            state = state @ step
            result.append(float(state[done].sum()))
        return np.array(result)

    @property
    def first_cells(self) -> set[int]:
        """The cells that are marked on the empty board when their number comes."""
        return {int(self.choice[0, value]) for value in VALUES if self.choice[0, value] >= 0}

    def plot(self, ax: Axes | None = None, *, rolls: int = 40) -> Axes:
        """Draw when the line is complete, up to ``rolls`` rolls."""
        ax = plotting.distribution(self.pmf(rolls), ax, mean=float(self.expected_rolls))
        ax.set_title(show_board(self.board))
        return ax

    def plot_board(self, ax: Axes | None = None) -> Axes:
        """Draw the board, with the cells in green that are marked first for their number."""
        ax = plotting.axes(ax)
        for cell, value in enumerate(self.board):
            row, column = divmod(cell, 3)
            shade = "#cde6c7" if cell in self.first_cells else "white"
            ax.fill([column, column + 1, column + 1, column], [row, row, row + 1, row + 1], shade, edgecolor="black")
            ax.text(column + 0.5, row + 0.5, str(value), ha="center", va="center", fontsize=20, color="black")
        ax.set(xlim=(0, 3), ylim=(3, 0), xticks=[], yticks=[], aspect="equal")
        ax.set_title("marked first for its number: green")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("expected rolls", f"{float(self.expected_rolls):.12g}"), ("exactly", self.expected_rolls),
            ("standard deviation", f"{float(self.variance) ** 0.5:.6g}"),
            ("marked first", ", ".join(str(self.board[cell]) for cell in sorted(self.first_cells))),
        ]  # fmt: skip
        return notebook.facts(show_board(self.board), rows)


def solve(board: Board, tie_break: TieBreak = "smallest") -> Solo:
    """Return the optimal strategy of a board, in exact arithmetic.

    Parameters
    ----------
    board : tuple of 9 int
    tie_break : {'smallest', 'largest'}
        Which of several equally good cells is marked.
    """
    expected = [fmpq(0)] * MASKS
    second = [fmpq(0)] * MASKS
    choice = np.full((MASKS, 13), -1, dtype=np.int64)
    for mask in TRANSIENT:
        useful, first, square = 0, fmpq(0), fmpq(0)
        for value in sorted(set(board)):
            cells = usable(board, mask, value)
            if not cells:
                continue
            if tie_break == "largest":
                cells.reverse()
            cell = min(cells, key=lambda c: expected[mask | 1 << c])
            choice[mask, value] = cell
            useful += WAYS[value]
            first += WAYS[value] * expected[mask | 1 << cell]
            square += WAYS[value] * second[mask | 1 << cell]
        expected[mask] = (36 + first) / useful
        # E T^2 = E (1 + T')^2, where T' is what remains; a wasted roll leaves T' distributed like T.
        remaining = (first + (36 - useful) * expected[mask]) / 36
        second[mask] = (36 + 72 * remaining + square) / useful
    return Solo(board, expected, second, choice)


def to_fraction(value: fmpq) -> Fraction:
    """Return a FLINT rational as a Python fraction."""
    return Fraction(int(value.p), int(value.q))


def reachable_masks(solo: Solo) -> list[int]:
    """Return the transient masks that optimal play can meet, smaller ones first."""
    seen = {0}
    for mask in sorted(range(MASKS), key=lambda m: m.bit_count()):
        if mask in seen and not WINNING[mask]:
            seen |= {solo.after(mask, value) for value in VALUES}
    return sorted((m for m in seen if not WINNING[m]), key=lambda m: (m.bit_count(), m))


def unmarked(mask: int) -> int:
    """Return the number of unmarked cells."""
    return CELLS - mask.bit_count()
