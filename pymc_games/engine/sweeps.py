r"""Bellman backups with directed rounding, and sweeps of them.

A choice with :math:`k` branches is evaluated by nearest rounding as :math:`s = \mathrm{fl}(\sum_i p_i v_i)`. All terms
are non-negative, so with the unit roundoff :math:`u = 2^{-53}` (one error for each rounded :math:`p_i`, one for each
product, :math:`k - 1` for the sums)

.. math:: s\,(1 + u)^{-(k+1)} \le \sum_i p_i v_i \le s\,(1 - u)^{-(k+1)},

and one multiplication by :math:`1 - (k+2)u`, or by at least :math:`1 + (k+3)u`, turns :math:`s` into a proven bound
(Higham, *Accuracy and Stability of Numerical Algorithms*, section 3.1). A convex combination also lies between its
smallest and largest value, which keeps flat regions exact. Both operators are monotone, so the lower iterates rise
through a finite set and stop at a vector that no further backup changes by a bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pymc_games.explicit import Bools, Floats, Ints

_UNIT = 2.0**-53
# Below this, products may be denormal and lose their relative accuracy: the lower bound falls back to the least value.
_TINY = 1e-290


class Rows(NamedTuple):
    """The arrays that a backup reads; ``reward_lower`` and ``reward_upper`` enclose the exact rewards."""

    state_to_choices: Ints
    choice_to_branches: Ints
    branch_to_target: Ints
    probability: Floats
    reward_lower: Floats
    reward_upper: Floats
    maximise: Bools


@njit(cache=True)
def lower_choice(rows, choice, values):  # type: ignore[no-untyped-def]
    """Return a float at most the exact backup of ``values`` through ``choice``."""
    begin, end = rows.choice_to_branches[choice], rows.choice_to_branches[choice + 1]
    least = values[rows.branch_to_target[begin]]
    if end - begin > 1:
        total = 0.0
        for branch in range(begin, end):
            value = values[rows.branch_to_target[branch]]
            total += rows.probability[branch] * value
            least = min(least, value)
        total *= 1.0 - (end - begin + 2) * _UNIT
        if total > _TINY and total > least:
            least = total
    return add_down(rows.reward_lower[choice], least)


@njit(cache=True)
def upper_choice(rows, choice, values):  # type: ignore[no-untyped-def]
    """Return a float at least the exact backup of ``values`` through ``choice``."""
    begin, end = rows.choice_to_branches[choice], rows.choice_to_branches[choice + 1]
    most = values[rows.branch_to_target[begin]]
    if end - begin > 1:
        total = 1e-300
        for branch in range(begin, end):
            value = values[rows.branch_to_target[branch]]
            total += rows.probability[branch] * value
            most = max(most, value)
        most = min(most, total * (1.0 + (end - begin + 5) * _UNIT))
    return add_up(rows.reward_upper[choice], most)


@njit(cache=True)
def add_down(a, b):  # type: ignore[no-untyped-def]
    """Return the largest float at most ``a + b``: an exact directed rounding, because anything less is not monotone."""
    if a == 0.0 or math.isinf(b):
        return b
    total = a + b
    shadow = total - a
    error = (a - (total - shadow)) + (b - shadow)
    return np.nextafter(total, 0.0) if error < 0.0 else total


@njit(cache=True)
def add_up(a, b):  # type: ignore[no-untyped-def]
    """Return the smallest float at least ``a + b``."""
    if a == 0.0 or math.isinf(b):
        return b
    total = a + b
    shadow = total - a
    error = (a - (total - shadow)) + (b - shadow)
    return np.nextafter(total, np.inf) if error > 0.0 else total


@njit(cache=True)
def lower_backup(rows, state, values):  # type: ignore[no-untyped-def]
    """Return the lower backup of one state: the best choice for its owner."""
    first, last = rows.state_to_choices[state], rows.state_to_choices[state + 1]
    best = lower_choice(rows, first, values)
    for choice in range(first + 1, last):
        value = lower_choice(rows, choice, values)
        if (value > best) == rows.maximise[state]:
            best = value
    return best


@njit(cache=True)
def upper_backup(rows, state, values):  # type: ignore[no-untyped-def]
    """Return the upper backup of one state."""
    first, last = rows.state_to_choices[state], rows.state_to_choices[state + 1]
    best = upper_choice(rows, first, values)
    for choice in range(first + 1, last):
        value = upper_choice(rows, choice, values)
        if (value > best) == rows.maximise[state]:
            best = value
    return best


@njit(cache=True)
def rise(rows, members, lower):  # type: ignore[no-untyped-def]
    """Raise ``lower`` once over ``members`` in place; return the largest change relative to ``max(1, value)``.

    The same as `lower_backup` state by state, in one loop nest: calls would take most of the time.
    """
    first, starts, targets, probability, reward, _, maximise = rows
    change = 0.0
    for state in members:
        best = -1.0
        for choice in range(first[state], first[state + 1]):
            begin, end = starts[choice], starts[choice + 1]
            least = lower[targets[begin]]
            if end - begin > 1:
                total = 0.0
                for branch in range(begin, end):
                    value = lower[targets[branch]]
                    total += probability[branch] * value
                    if value < least:  # noqa: PLR1730 - min() would also look for NaN
                        least = value
                total *= 1.0 - (end - begin + 2) * _UNIT
                if total > _TINY and total > least:
                    least = total
            if reward[choice] != 0.0:
                least = add_down(reward[choice], least)
            if best < 0.0 or (least > best) == maximise[state]:
                best = least
        if best > lower[state]:
            change = max(change, (best - lower[state]) / max(1.0, best))
            lower[state] = best
    return change


@njit(cache=True)
def settle(rows, members, upper, cap, free):  # type: ignore[no-untyped-def]
    """Back ``upper`` up once over ``members`` in place: only downwards, or where ``free`` to wherever it goes.

    The same as `upper_backup` state by state, in one loop nest.

    Returns
    -------
    rose : bool
        Whether some state went up.
    change : float
        Largest fall relative to ``max(1, value)``.
    """
    first, starts, targets, probability, _, reward, maximise = rows
    change, rose = 0.0, False
    for state in members:
        best = -1.0
        for choice in range(first[state], first[state + 1]):
            begin, end = starts[choice], starts[choice + 1]
            most = upper[targets[begin]]
            if end - begin > 1:
                total = 1e-300
                for branch in range(begin, end):
                    value = upper[targets[branch]]
                    total += probability[branch] * value
                    if value > most:  # noqa: PLR1730
                        most = value
                total *= 1.0 + (end - begin + 5) * _UNIT
                if total < most:  # noqa: PLR1730
                    most = total
            if reward[choice] != 0.0:
                most = add_up(reward[choice], most)
            if best < 0.0 or (most > best) == maximise[state]:
                best = most
        best = min(best, cap)
        if best < upper[state]:
            change = max(change, (upper[state] - best) / max(1.0, best))
            upper[state] = best
        elif free and best > upper[state]:
            rose = True
            upper[state] = best
    return rose, change


@njit(cache=True)
def fall(rows, members, upper):  # type: ignore[no-untyped-def]
    """Lower ``upper`` once over ``members`` in place; return the largest change relative to ``max(1, value)``."""
    return settle(rows, members, upper, np.inf, False)[1]


@njit(cache=True)
def residual(rows, states, lower):  # type: ignore[no-untyped-def]
    """Return the largest change, relative to ``max(1, value)``, of one more sweep over ``states``."""
    return rise(rows, states, lower.copy())


@njit(cache=True)
def attaining(rows, states, lower, upper):  # type: ignore[no-untyped-def]
    """Return which choices attain the bounds.

    Returns
    -------
    attains_lower, attains_upper : bool arrays, shape (choices,)
        The choices with ``lower_choice >= lower`` and ``upper_choice <= upper`` at their state.
    """
    count = len(rows.choice_to_branches) - 1
    attains_lower = np.zeros(count, dtype=np.bool_)
    attains_upper = np.zeros(count, dtype=np.bool_)
    first, starts, targets, probability, reward_lower, reward_upper, _ = rows
    for state in states:
        for choice in range(first[state], first[state + 1]):
            begin, end = starts[choice], starts[choice + 1]
            below, above = 0.0, 1e-300
            least = lower[targets[begin]]
            most = upper[targets[begin]]
            if end - begin > 1:
                for branch in range(begin, end):
                    low, high = lower[targets[branch]], upper[targets[branch]]
                    below += probability[branch] * low
                    above += probability[branch] * high
                    if low < least:  # noqa: PLR1730
                        least = low
                    if high > most:  # noqa: PLR1730
                        most = high
                below *= 1.0 - (end - begin + 2) * _UNIT
                above *= 1.0 + (end - begin + 5) * _UNIT
                if below > _TINY and below > least:
                    least = below
                if above < most:  # noqa: PLR1730
                    most = above
            attains_lower[choice] = add_down(reward_lower[choice], least) >= lower[state]
            attains_upper[choice] = add_up(reward_upper[choice], most) <= upper[state]
    return attains_lower, attains_upper


@njit(cache=True)
def synchronous(rows, states, values, lower, steps):  # type: ignore[no-untyped-def]
    """Apply ``steps`` synchronous backups to ``states``, downwards if ``lower``, upwards otherwise."""
    current = values.copy()
    for _ in range(steps):
        changed = False
        for state in states:
            value = lower_backup(rows, state, values) if lower else min(1.0, upper_backup(rows, state, values))
            changed = changed or value != values[state]
            current[state] = value
        values, current = current, values
        if not changed:
            break
    return values


@njit(cache=True)
def best_choices(rows, states, values):  # type: ignore[no-untyped-def]
    """Return the choice of each of ``states`` that is best by ``values``, counted from the first of its state."""
    result = np.zeros(len(states), dtype=np.int64)
    for k in range(len(states)):
        first = rows.state_to_choices[states[k]]
        best = lower_choice(rows, first, values)
        for choice in range(first + 1, rows.state_to_choices[states[k] + 1]):
            value = lower_choice(rows, choice, values)
            if value != best and (value > best) == rows.maximise[states[k]]:
                best = value
                result[k] = choice - first
    return result
