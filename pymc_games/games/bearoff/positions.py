"""Bearoff positions: six counts of checkers, the ace point first, and their numbering.

Let ``t[k]`` be the number of checkers on point ``k`` or higher, so that ``t[1] >= t[2] >= ... >= t[6]``. Positions are
numbered in the lexicographic order of these *tails* (the combinatorial number system)::

    index = C(t[1] + 5, 6) + C(t[2] + 4, 5) + ... + C(t[6], 1)

Two properties make this the right order. Positions of at most ``n`` checkers are exactly the first ``C(n + 6, 6)``, for
every ``n``. And a move lowers some tails by one and raises none, so that it always leads to a smaller index: taking
positions in order meets every successor first.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import UsageError

POINTS = 6
MAX_CHECKERS = 15

#: Counts of checkers, the ace point first.
Position = tuple[int, ...]


def count_positions(checkers: int) -> int:
    """Return how many positions have at most ``checkers`` checkers, the empty one included: ``C(n + 6, 6)``."""
    return comb(checkers + POINTS, POINTS)


def parse(text: str) -> Position:
    """Return the position written as six counts, the ace point first: ``0,0,0,0,2,3``.

    Raises
    ------
    UsageError
        If the text is not six whole numbers, or not a position to roll from.
    """
    try:
        counts = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(
            f"position '{text}': write six whole numbers, the ace point first, as in 0,0,0,0,2,3"
        ) from None
    return on_roll(counts)


def check(counts: tuple[int, ...]) -> Position:
    """Return ``counts`` if they are a bearoff position.

    Raises
    ------
    UsageError
        If there are not six counts, one is negative, or they sum to more than 15.
    """
    text = show(counts)
    if len(counts) != POINTS:
        raise UsageError(f"position '{text}' has {len(counts)} counts; a bearoff position has six, the ace point first")
    if min(counts) < 0:
        raise UsageError(f"position '{text}' has a negative count; write how many checkers stand on each point")
    if sum(counts) > MAX_CHECKERS:
        raise UsageError(f"position '{text}' has {sum(counts)} checkers; a side has at most {MAX_CHECKERS}")
    return tuple(counts)


def on_roll(counts: tuple[int, ...]) -> Position:
    """Return ``counts`` if they are a position of a player who is still to roll.

    Raises
    ------
    UsageError
        If they are no position, or no checker is left.
    """
    position = check(counts)
    if sum(position) == 0:
        raise UsageError(f"position '{show(position)}' is empty: this player has won; give at least one checker")
    return position


def show(counts: tuple[int, ...]) -> str:
    """Return a position as text, ``0,0,0,0,2,3``."""
    return ",".join(str(count) for count in counts)


def index(counts: Position) -> int:
    """Return a position's number, ``sum of C(t[k] + 6 - k, 7 - k)``."""
    tails = [sum(counts[k:]) for k in range(POINTS)]
    return sum(comb(tail + POINTS - 1 - k, POINTS - k) for k, tail in enumerate(tails))


@lru_cache(maxsize=MAX_CHECKERS)
def all_positions(checkers: int) -> NDArray[np.int8]:
    """Return all positions of at most ``checkers`` checkers in the order of their numbers; shape (positions, 6).

    Raises
    ------
    UsageError
        If ``checkers`` is not between 1 and 15.
    """
    if not 1 <= checkers <= MAX_CHECKERS:
        raise UsageError(f"{checkers} checkers: a bearoff has between 1 and {MAX_CHECKERS}")
    tails = np.zeros((1, 0), dtype=np.int8)
    bound = np.array([checkers])
    for _ in range(POINTS):
        # Behind each row so far, every value of the next tail from 0 to the last one.
        rows = np.repeat(np.arange(len(tails)), bound + 1)
        starts = np.cumsum(bound + 1) - (bound + 1)
        bound = np.arange(len(rows)) - starts[rows]
        tails = np.column_stack([tails[rows], bound.astype(np.int8)])
    counts = tails.copy()
    counts[:, :-1] -= tails[:, 1:]
    counts.setflags(write=False)
    return counts


def position(number: int) -> Position:
    """Return the position with this number."""
    counts: list[int] = []
    rest, above = number, 0
    for k in range(POINTS):
        tail = 0
        while comb(tail + POINTS - k, POINTS - k) <= rest:
            tail += 1
        rest -= comb(tail + POINTS - 1 - k, POINTS - k)
        counts.append(above - tail)
        above = tail
    return (*counts[1:], above)


def pips(counts: Position) -> int:
    """Return the pip count: the sum of ``k`` over the checkers on point ``k``."""
    return sum(point * count for point, count in enumerate(counts, 1))
