"""Boards and sets of marked cells.

A board is nine numbers from 2 to 12 in reading order; a set of cells is a bit mask, cell ``i`` being bit ``1 << i``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pymc_games.errors import UsageError

Board = tuple[int, ...]
#: The marked cells of both players.
Joint = tuple[int, int]

CELLS = 9
VALUES = range(2, 13)
#: Of the 36 rolls of two dice, how many give each sum.
WAYS = {value: 6 - abs(7 - value) for value in VALUES}
#: The rows, columns and diagonals.
LINES = tuple(
    sum(1 << cell for cell in line)
    for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
)
MASKS = 1 << CELLS
WINNING = tuple(any(mask & line == line for line in LINES) for mask in range(MASKS))
#: The mask sets without a complete line, larger sets first; there are 230.
TRANSIENT = tuple(sorted((m for m in range(MASKS) if not WINNING[m]), key=lambda m: (-m.bit_count(), m)))


def parse_board(text: str) -> Board:
    """Return the board written as ``8,8,9/7,6,10/7,4,5``.

    Raises
    ------
    UsageError
        If there are not nine numbers from 2 to 12.
    """
    pieces = [piece for row in text.split("/") for piece in row.split(",")]
    try:
        board = tuple(int(piece) for piece in pieces)
    except ValueError:
        raise UsageError(f"the board '{text}' is not made of whole numbers; write 8,8,9/7,6,10/7,4,5") from None
    if len(board) != CELLS:
        raise UsageError(f"the board '{text}' has {len(board)} cells; it needs {CELLS}, as in 8,8,9/7,6,10/7,4,5")
    for value in board:
        if value not in VALUES:
            raise UsageError(f"the board '{text}' has a {value}; two dice give 2 to 12")
    return board


def show_board(board: Sequence[int]) -> str:
    """Return a board as text, ``8,8,9/7,6,10/7,4,5``."""
    return "/".join(",".join(str(value) for value in board[row : row + 3]) for row in (0, 3, 6))


def parse_cells(text: str) -> int:
    """Return the mask of a set of cells, ``1,5,6`` or ``none``.

    Raises
    ------
    UsageError
        If a cell is not one of 0 to 8, or the set completes a line.
    """
    if text.strip() == "none":
        return 0
    mask = 0
    for piece in text.split(","):
        if not piece.strip().isdigit() or int(piece) >= CELLS:
            raise UsageError(f"'{piece}' is no cell; cells are 0 to 8 in reading order, and no cells are 'none'")
        mask |= 1 << int(piece)
    if WINNING[mask]:
        raise UsageError(f"the cells {text} complete a line; that game is over")
    return mask


def cells_of(mask: int) -> list[int]:
    """Return the cells of a mask, in order."""
    return [cell for cell in range(CELLS) if mask >> cell & 1]


def usable(board: Board, mask: int, value: int) -> list[int]:
    """Return the unmarked cells that a roll may mark, in order."""
    return [cell for cell in range(CELLS) if board[cell] == value and not mask >> cell & 1]


def chance(value: int) -> Fraction:
    """Return the probability of a sum."""
    return Fraction(WAYS[value], 36)
