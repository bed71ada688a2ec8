"""Rolls and legal moves, one position at a time; the readable rules that the kernels are tested against.

A checker on point ``p`` moves by a die ``d < p`` to point ``p - d``. It is borne off by ``d = p``, or by ``d > p`` if
no checker stands above ``p``. A player uses as many dice as possible, and the larger one if only either can be used.

While a checker is left, every die can be played (bear off with it, move a checker down, or bear off the highest), so
these two duties bind only when the first die would bear off the last checker. They then forbid an order of play, but no
result: with one checker left that a die bears off, every order ends with all checkers off. That is why tables may take
the union of both orders, and why the step-by-step model still has to state the duties.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from pymc_games.errors import UsageError
from pymc_games.games.bearoff.positions import POINTS, Position

#: The 21 rolls, larger die first, in the order of ``roll_number``.
ROLLS: tuple[tuple[int, int], ...] = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))

#: How many of the 36 pairs of dice show each roll.
WEIGHTS: tuple[int, ...] = tuple(1 if high == low else 2 for high, low in ROLLS)


def roll_number(high: int, low: int) -> int:
    """Return a roll's place in ``ROLLS``."""
    return high * (high - 1) // 2 + low - 1


def parse_roll(text: str) -> tuple[int, int]:
    """Return the roll written as two dice, such as ``6-5``, the larger die first.

    Raises
    ------
    UsageError
        If the text is not two dice.
    """
    found = re.fullmatch(r"\s*([1-6])[-, ]?([1-6])\s*", text)
    if found is None:
        raise UsageError(f"roll '{text}': write two dice with faces 1 to 6, as in 6-5")
    return max(int(found[1]), int(found[2])), min(int(found[1]), int(found[2]))


def probability(roll: int) -> Fraction:
    """Return the probability of ``ROLLS[roll]``."""
    return Fraction(WEIGHTS[roll], 36)


def play_die(counts: Position, die: int) -> Iterator[tuple[int, Position]]:
    """Yield every (point, position after) for playing one die from that point."""
    highest = max((p for p in range(1, POINTS + 1) if counts[p - 1]), default=0)
    for point in range(1, highest + 1):
        if counts[point - 1] and (die <= point or point == highest):
            after = list(counts)
            after[point - 1] -= 1
            if point > die:
                after[point - die - 1] += 1
            yield point, tuple(after)


def after_roll(counts: Position, high: int, low: int) -> set[Position]:
    """Return every position that a legal play of a roll can lead to."""
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    results: set[Position] = set()
    for dice in orders:
        reached = {counts}
        for die in dice:
            # A position without checkers has nothing left to play and stays.
            reached = {after for now in reached for _, after in play_die(now, die)} | {p for p in reached if not any(p)}
        results |= reached
    return results


def describe(counts: Position, high: int, low: int, after: Position) -> str:
    """Return a legal play from one position to another in the usual notation, ``6/off 5/1``.

    Raises
    ------
    ValueError
        If no play of the roll leads there.
    """
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    for dice in orders:
        steps = _steps(counts, dice, after)
        if steps is not None:
            return " ".join(steps)
    raise ValueError(f"roll {high}-{low} does not lead from {counts} to {after}")


def _steps(counts: Position, dice: tuple[int, ...], after: Position) -> list[str] | None:
    """Return steps that play ``dice`` in this order to reach ``after``, the highest points first, or None."""
    if not dice or not any(counts):
        return [] if counts == after else None
    for point, reached in reversed(list(play_die(counts, dice[0]))):
        rest = _steps(reached, dice[1:], after)
        if rest is not None:
            return [f"{point}/{point - dice[0] if point > dice[0] else 'off'}", *rest]
    return None
