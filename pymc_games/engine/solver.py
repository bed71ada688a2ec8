"""From a prepared problem to bounds for every state: components in topological order, each by the method it needs."""

from __future__ import annotations

import numpy as np

from pymc_games.engine import iteration, sweeps
from pymc_games.engine.bounds import Bounds
from pymc_games.engine.local import Folder
from pymc_games.engine.problem import Problem
from pymc_games.engine.traps import close_game_component
from pymc_games.explicit import Bools, Ints

_SWEEP_LIMIT = 400
# Compiled code cannot be interrupted, so it comes back after about so many states.
_STATES_A_CALL = 50_000
# Where nothing better is proven, iteration goes on for about this many branch visits.
_PATIENCE = 2_000_000_000


def close(problem: Problem, precision: float | None) -> Bounds:
    """Return proven bounds on every state of a problem.

    Parameters
    ----------
    problem : Problem
        In a one-player problem, end components must have been collapsed.
    precision : float or None
        Wanted ``upper - lower``, relative to ``max(1, value)``; None asks for a lower vector that is a fixpoint bit
        for bit, and the upper one as tight as rounding allows.
    """
    bounds = Bounds(problem)
    order, starts = problem.graph.components(problem.maybe)
    trapped = _trapped_components(problem, order, starts)
    scratch = np.full(problem.graph.states, -1, dtype=np.int32)
    folder = Folder(problem)
    component, target = 0, precision or 0.0
    while component < len(starts) - 1:
        last = max(component + 1, int(np.searchsorted(starts, starts[component] + _STATES_A_CALL)) - 1)
        component, count = iteration.solve_from(
            problem.rows, order, starts[: last + 1], trapped, component, bounds.lower, bounds.upper, target,
            problem.cap, _SWEEP_LIMIT, scratch,
        )  # fmt: skip
        bounds.iterations += count
        if component == last:
            continue
        members = order[starts[component] : starts[component + 1]]
        if trapped[component]:
            bounds.methods.add("deflation")
            bounds.iterations += close_game_component(problem, members, bounds.lower, bounds.upper, target)
        elif folder.close(members, bounds):
            bounds.methods.add("strategy iteration with an inductive bound")
        else:
            _persist(problem, members, bounds, target)
        component += 1
    return bounds


def _trapped_components(problem: Problem, order: Ints, starts: Ints) -> Bools:
    """Return which components hold end components that have to be dealt with while iterating."""
    if not problem.is_game:
        return np.zeros(len(starts) - 1, dtype=np.bool_)
    member, _ = problem.lingering()
    count = np.concatenate(([0], np.cumsum(member[order] >= 0)))
    return np.diff(count[starts]) > 0


def _persist(problem: Problem, members: Ints, bounds: Bounds, target: float) -> None:
    """Go on iterating a component that nothing closed, within reason; the bounds hold, wide as they may stay."""
    rows = problem.rows
    size = int((rows.choice_to_branches[rows.state_to_choices[members + 1]]
                - rows.choice_to_branches[rows.state_to_choices[members]]).sum())  # fmt: skip
    limit = max(_SWEEP_LIMIT, _PATIENCE // max(size, 1) // 8)
    proven = bounds.upper[members].copy()
    count, closed = iteration.solve_component(rows, members, bounds.lower, bounds.upper, target, problem.cap, limit)
    bounds.upper[members] = np.minimum(bounds.upper[members], proven)
    bounds.iterations += count
    if not closed and problem.cap == 1.0:
        for _ in range(limit):
            if sweeps.fall(rows, members, bounds.upper) == 0.0:
                break
