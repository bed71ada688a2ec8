"""End components in turn-based games: deflating upper bounds on probabilities, inflating lower bounds on rewards.

Inside a trap one player can hold the play for ever. For probabilities the minimiser gains by holding, so no state of
the trap is worth more than the maximiser's best way out; for rewards the maximiser gains, so none is worth less than
the minimiser's best way out. Both hold for *any* set in which the holding player has a choice that stays; which sets
are worth looking at is guided by the current bounds (Eisentraut, Kelmendi, Kretinsky, Weininger: *Value iteration for
simple stochastic games*, Information and Computation 285, 2022).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pymc_games.engine import iteration, sweeps
from pymc_games.engine.problem import Problem
from pymc_games.explicit import Floats, Ints

_SWEEPS_A_ROUND = 16
_ROUNDS = 20_000


def close_game_component(problem: Problem, members: Ints, lower: Floats, upper: Floats, precision: float) -> int:
    """Tighten both bounds on a component with end components, in place; return the number of sweeps."""
    if problem.kind == "reward":
        return _close_rewards(problem, members, lower, upper, precision)
    count = 0
    while count < _ROUNDS * _SWEEPS_A_ROUND:
        before = lower[members].copy(), upper[members].copy()
        for _ in range(_SWEEPS_A_ROUND):
            sweeps.rise(problem.rows, members, lower)
            sweeps.fall(problem.rows, members, upper)
        trap, internal = _traps(problem, members, lower)
        _deflate(problem.rows, members, trap, internal, upper)
        count += _SWEEPS_A_ROUND
        width = float((upper[members] - lower[members]).max())
        still = bool((lower[members] == before[0]).all() and (upper[members] == before[1]).all())
        if still or (precision > 0.0 and width <= precision):
            break
    return count


def _close_rewards(problem: Problem, members: Ints, lower: Floats, upper: Floats, precision: float) -> int:
    slack = precision or 1e-6
    count = 0
    for _ in range(_ROUNDS):
        change = 0.0
        for _ in range(_SWEEPS_A_ROUND):
            change = sweeps.rise(problem.rows, members, lower)
        trap, internal = _traps(problem, members, lower)
        change = max(change, _inflate(problem.rows, members, trap, internal, lower))
        count += _SWEEPS_A_ROUND
        if change == 0.0:
            break
    iteration.prove_guess(problem.rows, members, lower, upper, slack, np.inf, 10_000)
    while sweeps.fall(problem.rows, members, upper) > 0.0:
        count += 1
    return count


def _traps(problem: Problem, members: Ints, lower: Floats) -> tuple[Ints, np.ndarray]:
    """Return end components of the choices that the holding player would take, judged by the lower bound."""
    within = np.zeros(problem.graph.states, dtype=np.bool_)
    within[members] = True
    allowed = _holding(problem.rows, members, lower, problem.kind == "reward")
    return problem.graph.end_components(within, allowed)


@njit(cache=True)
def _holding(rows, members, lower, holder):  # type: ignore[no-untyped-def]
    """Return all choices of the other player, and those of the holder that are best by ``lower``."""
    allowed = np.zeros(len(rows.choice_to_branches) - 1, dtype=np.bool_)
    for state in members:
        best = sweeps.lower_backup(rows, state, lower)
        for choice in range(rows.state_to_choices[state], rows.state_to_choices[state + 1]):
            value = sweeps.lower_choice(rows, choice, lower)
            allowed[choice] = rows.maximise[state] != holder or (value >= best if holder else value <= best)
    return allowed


@njit(cache=True)
def _deflate(rows, members, trap, internal, upper):  # type: ignore[no-untyped-def]
    """Lower ``upper`` in each trap to the maximiser's best way out."""
    best = np.zeros(trap.max() + 1)
    for state in members:
        if trap[state] >= 0 and rows.maximise[state]:
            for choice in range(rows.state_to_choices[state], rows.state_to_choices[state + 1]):
                if not internal[choice]:
                    best[trap[state]] = max(best[trap[state]], sweeps.upper_choice(rows, choice, upper))
    for state in members:
        if trap[state] >= 0:
            upper[state] = min(upper[state], best[trap[state]])


@njit(cache=True)
def _inflate(rows, members, trap, internal, lower):  # type: ignore[no-untyped-def]
    """Raise ``lower`` in each trap to the minimiser's best way out; return the largest change."""
    best = np.full(trap.max() + 1, np.inf)
    change = 0.0
    for state in members:
        if trap[state] >= 0 and not rows.maximise[state]:
            for choice in range(rows.state_to_choices[state], rows.state_to_choices[state + 1]):
                if not internal[choice]:
                    best[trap[state]] = min(best[trap[state]], sweeps.lower_choice(rows, choice, lower))
    for state in members:
        if trap[state] >= 0 and best[trap[state]] > lower[state] and best[trap[state]] < np.inf:
            change = max(change, best[trap[state]] - lower[state])
            lower[state] = best[trap[state]]
    return change
