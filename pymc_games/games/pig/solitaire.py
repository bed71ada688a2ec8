r"""Pig alone: turns to the goal, exactly.

Let :math:`T(s)` be the expected number of turns from score :math:`s`, and :math:`T(s, k)` that from turn total
:math:`k`, not counting turns begun. Then

.. math::

    T(s) = 1 + \tfrac1d [T(s) + \sum_f T(s, f)], \qquad
    T(s, k) = \min\bigl(T(s + k),\; \tfrac1d [T(s) + \sum_f T(s, k + f)]\bigr),

and :math:`T(s, k) = 0` where :math:`s + k` reaches the goal. Scores only grow, so :math:`T(s)` is found from the goal
downwards: with the decisions of score :math:`s` fixed, each :math:`T(s, k)` is an affine function of :math:`T(s)`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import fmpq

from pymc_games.games.pig.rules import Rules

# Whether to hold at a score and turn total.
SolitairePolicy = Callable[[int, int], bool]


def hold_at(least: int) -> SolitairePolicy:
    """Return the policy that holds from a turn total on."""
    return lambda score, total: total >= least


def turns(rules: Rules, policy: SolitairePolicy) -> Fraction:
    """Return the expected number of turns from 0 under a policy."""
    after: list[fmpq] = [fmpq(0)] * (rules.goal + 1)
    for score in range(rules.goal - 1, -1, -1):
        held = [total > 0 and policy(score, total) for total in range(rules.goal - score)]
        after[score] = _turns_from(rules, score, after, held)
    return _fraction(after[0])


@lru_cache(maxsize=8)
def fewest_turns(rules: Rules) -> Fraction:
    """Return the least expected number of turns from 0, by policy iteration at each score.

    A policy is improved until no single decision can be: then it satisfies the optimality equations, as fractions.
    """
    after: list[fmpq] = [fmpq(0)] * (rules.goal + 1)
    for score in range(rules.goal - 1, -1, -1):
        held = [False] * (rules.goal - score)
        while True:
            after[score] = _turns_from(rules, score, after, held)
            improved = _improve(rules, score, after)
            if improved == held:
                break
            held = improved
    return _fraction(after[0])


def _turns_from(rules: Rules, score: int, after: list[fmpq], held: list[bool]) -> fmpq:
    """Solve for T(score), with every T(score, k) as a constant and a multiple of it."""
    chance = fmpq(1, rules.die)
    left = rules.goal - score
    constant, multiple = [fmpq(0)] * (left + rules.die), [fmpq(0)] * (left + rules.die)
    for total in range(left - 1, -1, -1):
        if held[total]:
            constant[total] = after[score + total]
        else:
            constant[total] = chance * sum((constant[total + int(f)] for f in rules.scoring), fmpq(0))
            multiple[total] = chance * sum((multiple[total + int(f)] for f in rules.scoring), fmpq(1))
    return (1 + constant[0]) / (1 - multiple[0])


def _improve(rules: Rules, score: int, after: list[fmpq]) -> list[bool]:
    """Return where holding is better than rolling on when T(score) is as given."""
    left = rules.goal - score
    best = [fmpq(0)] * (left + rules.die)
    held = [False] * left
    for total in range(left - 1, 0, -1):
        best[total] = sum((best[total + int(f)] for f in rules.scoring), after[score]) / rules.die
        if after[score + total] < best[total]:
            best[total], held[total] = after[score + total], True
    return held


def turn_distribution(rules: Rules, least: int) -> dict[int, Fraction]:
    """Return the distribution of the points of one turn of hold-at-``least``, far from the goal."""
    reached = {0: Fraction(1)}
    points: dict[int, Fraction] = {0: Fraction(0)}
    for total in range(least):
        chance = reached.get(total, Fraction(0)) / rules.die
        points[0] += chance
        for face in rules.scoring:
            into = points if total + face >= least else reached
            into[total + int(face)] = into.get(total + int(face), Fraction(0)) + chance
    return dict(sorted(points.items()))


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
