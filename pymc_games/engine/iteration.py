"""Iterating strongly connected components from both sides, in topological order, until their bounds close."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from pymc_games.engine import sweeps

# Iteration to the last bit counts as done only where it also left no wider gap than rounding explains.
_TIGHT = 1e-10


@njit(cache=True)
def prove_guess(rows, members, lower, upper, slack, cap, tries):  # type: ignore[no-untyped-def]
    """Guess ``upper`` just above ``lower`` and iterate until it is inductive; return the sweeps, or -1.

    One sweep that raises no state proves ``B(upper) <= upper``, because states already swept only fell
    (optimistic value iteration: Hartmanns and Kaminski, CAV 2020).
    """
    for state in members:
        upper[state] = min(cap, lower[state] * (1.0 + slack) + slack * 1e-3)
    for sweep in range(tries):
        rose, _ = sweeps.settle(rows, members, upper, cap, True)
        if not rose:
            return sweep + 1
    for state in members:
        upper[state] = cap
    return -1


@njit(cache=True)
def _width(members, lower, upper):  # type: ignore[no-untyped-def]
    width = 0.0
    for state in members:
        if upper[state] > lower[state]:
            width = max(width, (upper[state] - lower[state]) / max(1.0, lower[state]))
    return width


@njit(cache=True)
def solve_component(rows, members, lower, upper, precision, cap, limit):  # type: ignore[no-untyped-def]
    """Close one component from both sides; return the sweeps and whether it closed.

    ``precision`` 0 asks for a lower vector that is a fixpoint bit for bit, and an upper one that falls no further.
    It gives up after ``limit`` sweeps, or as soon as the rate of convergence shows that they would not do.
    """
    slack = 0.9 * precision if precision > 0.0 else 1e-12
    count, wait = 0, 0.01 * slack
    previous, change = math.inf, math.inf
    proven = False
    while not proven:
        if change > 0.0:
            previous, change = change, sweeps.rise(rows, members, lower)
            count += 1
        rate = min(change / previous, 1.0)
        left = change * rate / (1.0 - rate) if rate < 1.0 else math.inf
        if left <= wait:
            tries = 4 + count // 4
            used = prove_guess(rows, members, lower, upper, slack, cap, tries)
            proven = used > 0
            count += used if proven else tries
            wait *= 0.1
            if not proven and change == 0.0:
                # Rounding alone may outweigh a narrow guess.
                slack *= 100.0
                if precision > 0.0 or slack > 1e-3:
                    return count, False
        if not proven and (count >= limit or (count % 32 == 0 and _sweeps_left(rate, left, wait) > 8 * limit)):
            return count, False
    dropped = 1.0
    while (change > 0.0 or dropped > 0.0) and count < 4 * limit and _width(members, lower, upper) > precision:
        if change > 0.0:
            change = sweeps.rise(rows, members, lower)
        if dropped > 0.0:
            dropped = sweeps.fall(rows, members, upper)
        count += 1
    width = _width(members, lower, upper)
    return count, width <= precision or (precision == 0.0 and change == 0.0 and width <= _TIGHT)


@njit(cache=True)
def _sweeps_left(rate, left, wanted):  # type: ignore[no-untyped-def]
    """Return how many sweeps a geometric rate needs until what is left to gain falls to ``wanted``."""
    if rate >= 1.0:
        return math.inf
    return math.log(wanted / left) / math.log(rate)


@njit(cache=True)
def gather(rows, members, scratch):  # type: ignore[no-untyped-def]
    """Return the rows of ``members``, copied in their order, and the states they speak of: members, then others.

    Targets count positions in those states. Sweeps over rows scattered in memory would mostly wait for it.
    ``scratch`` holds -1 for each state, before and after.
    """
    first, starts, targets, probability, reward_lower, reward_upper, maximise = rows
    choices = branches = 0
    for k in range(len(members)):
        scratch[members[k]] = k
        choices += first[members[k] + 1] - first[members[k]]
        branches += starts[first[members[k] + 1]] - starts[first[members[k]]]
    new_first = np.zeros(len(members) + 1, dtype=np.int64)
    new_starts = np.zeros(choices + 1, dtype=np.int64)
    new_targets, new_probability = np.empty(branches, dtype=np.int64), np.empty(branches)
    new_lower, new_upper = np.empty(choices), np.empty(choices)
    states = np.empty(len(members) + branches, dtype=np.int64)
    states[: len(members)] = members
    known, row, place = len(members), 0, 0
    for k in range(len(members)):
        for choice in range(first[members[k]], first[members[k] + 1]):
            new_lower[row], new_upper[row] = reward_lower[choice], reward_upper[choice]
            for branch in range(starts[choice], starts[choice + 1]):
                target = targets[branch]
                if scratch[target] < 0:
                    scratch[target] = known
                    states[known] = target
                    known += 1
                new_targets[place], new_probability[place] = scratch[target], probability[branch]
                place += 1
            row += 1
            new_starts[row] = place
        new_first[k + 1] = row
    scratch[states[:known]] = -1
    part = sweeps.Rows(new_first, new_starts, new_targets, new_probability, new_lower, new_upper, maximise[members])
    return part, states[:known]


@njit(cache=True)
def _is_acyclic(rows, state):  # type: ignore[no-untyped-def]
    for choice in range(rows.state_to_choices[state], rows.state_to_choices[state + 1]):
        for branch in range(rows.choice_to_branches[choice], rows.choice_to_branches[choice + 1]):
            if rows.branch_to_target[branch] == state:
                return False
    return True


@njit(cache=True)
def solve_from(rows, order, starts, trapped, first, lower, upper, precision, cap, limit, scratch):  # type: ignore[no-untyped-def]
    """Solve components in topological order from number ``first``; stop at one that is ``trapped`` or does not close.

    Returns
    -------
    component, count : int
        The number of the component it stopped at (the count of components if none), and the sweeps so far.
    """
    total = 0
    for component in range(first, len(starts) - 1):
        members = order[starts[component] : starts[component + 1]]
        if len(members) == 1 and _is_acyclic(rows, members[0]):
            lower[members[0]] = sweeps.lower_backup(rows, members[0], lower)
            upper[members[0]] = min(cap, sweeps.upper_backup(rows, members[0], upper))
            continue
        if trapped[component]:
            return component, total
        part, states = gather(rows, members, scratch)
        below, above = lower[states], upper[states]
        inside = np.arange(len(members))
        count, closed = solve_component(part, inside, below, above, precision, cap, limit)
        lower[members], upper[members] = below[: len(members)], above[: len(members)]
        total += count
        if not closed:
            return component, total
    return len(starts) - 1, total
