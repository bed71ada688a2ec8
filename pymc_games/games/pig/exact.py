r"""Pig solved in fractions, for small goals.

Score pairs are solved in the order of falling sums, as in ``values``. Within a pair, once it is decided where the
players hold, the chance of the player on move at the start of a turn is an affine function of that at the start of the
opponent's turn, and the other way round: two linear equations. The decisions are improved until none can be; then the
chances satisfy the optimality equations, as fractions. Their length grows with every pair, so this is for small goals.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from pymc_games.games.pig.rules import Rules

# By own and other score: the chance of the player on move at the start of a turn.
Starts = dict[tuple[int, int], fmpq]


def first_player(rules: Rules) -> Fraction:
    """Return the first player's chance, both playing optimally."""
    return turn_starts(rules)[0, 0]


def turn_starts(rules: Rules) -> dict[tuple[int, int], Fraction]:
    """Return the chance of the player on move at the start of a turn, by own and other score."""
    starts: Starts = {}
    for pair in range(2 * rules.goal - 2, -1, -1):
        for own in range(max(0, pair - rules.goal + 1), pair // 2 + 1):
            _solve_pair(rules, starts, own, pair - own)
    return {scores: Fraction(int(x.p), int(x.q)) for scores, x in starts.items()}


def _solve_pair(rules: Rules, starts: Starts, own: int, other: int) -> None:
    """Find the chances at ``(own, other)`` and ``(other, own)``.

    The players in turn find their best reply by policy iteration; where neither has a better one, that is optimal play.
    """
    seats = ((own, other), (other, own))
    held = [[False] * (rules.goal - score) for score, _ in seats]
    _evaluate(rules, starts, seats, held)
    changed = True
    while changed:
        changed = False
        for seat in (0, 1):
            better = _improve(rules, starts, *seats[seat])
            while better != held[seat]:
                changed, held[seat] = True, better
                _evaluate(rules, starts, seats, held)
                better = _improve(rules, starts, *seats[seat])


def _evaluate(
    rules: Rules, starts: Starts, seats: tuple[tuple[int, int], tuple[int, int]], held: list[list[bool]]
) -> None:
    (a, b), (c, d) = (_affine(rules, starts, *seats[seat], held[seat]) for seat in (0, 1))
    starts[seats[0]] = (a + b * c) / (1 - b * d)
    starts[seats[1]] = c + d * starts[seats[0]]


def _affine(rules: Rules, starts: Starts, own: int, other: int, held: list[bool]) -> tuple[fmpq, fmpq]:
    """Return ``(a, b)`` such that a turn's start is worth ``a + b x``, ``x`` the opponent's chance after a bust.

    After a bust the player's chance is ``1 - x``.
    """
    left = rules.goal - own
    constant = [fmpq(0)] * left + [fmpq(1)] * rules.die
    multiple = [fmpq(0)] * (left + rules.die)
    for total in range(left - 1, -1, -1):
        if held[total]:
            constant[total] = 1 - starts[other, own + total]
        else:
            constant[total] = sum((constant[total + int(f)] for f in rules.scoring), fmpq(1)) / rules.die
            multiple[total] = sum((multiple[total + int(f)] for f in rules.scoring), fmpq(-1)) / rules.die
    return constant[0], multiple[0]


def _improve(rules: Rules, starts: Starts, own: int, other: int) -> list[bool]:
    """Return where holding is better than rolling on, given the chances at the start of the opponent's turns."""
    left = rules.goal - own
    best = [fmpq(0)] * left + [fmpq(1)] * rules.die
    held = [False] * left
    for total in range(left - 1, 0, -1):
        best[total] = sum((best[total + int(f)] for f in rules.scoring), 1 - starts[other, own]) / rules.die
        after_hold = 1 - starts[other, own + total]
        if after_hold > best[total]:
            best[total], held[total] = after_hold, True
    return held
