"""The engine's front door: a model and a query in, proven bounds for every state out."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from pymc_games.engine import sweeps
from pymc_games.engine.bounds import Bounds
from pymc_games.engine.exact import attach_bounded_exact, attach_exact
from pymc_games.engine.graph import Graph
from pymc_games.engine.policy import attaining_choices, extract, finite_upper
from pymc_games.engine.problem import Problem, backup_rows, prepare
from pymc_games.engine.query import Query, Solution
from pymc_games.engine.solver import close
from pymc_games.errors import UsageError
from pymc_games.explicit import ExplicitModel


def solve(
    model: ExplicitModel,
    query: Query,
    *,
    precision: float | None = None,
    exact: bool = False,
    scheduler: bool = True,
) -> Solution:
    """Solve a query for every state of a model.

    Parameters
    ----------
    model : ExplicitModel
        A valid one (``model.validate()``).
    query : Query
    precision : float, optional
        Stop when ``upper - lower`` is at most this, relative to ``max(1, value)``. By default go on until the lower
        vector is a fixpoint bit for bit and the upper one falls no further.
    exact : bool
        Also find the rational values, by policy iteration in fractions; where that would take too long the solution's
        ``note`` says so and ``exact`` stays None.
    scheduler : bool
        Also extract a scheduler that achieves the bounds; ``choice`` is None otherwise. Exact values need one.

    Returns
    -------
    Solution

    Raises
    ------
    UsageError
        If the precision is not positive.
    UnsupportedError
        If rewards are negative.
    """
    started = time.perf_counter()
    if precision is not None and not precision > 0.0:
        raise UsageError(f"the precision is {precision}; it must be greater than 0")
    query.validate(model)
    if query.steps is not None:
        solution = _bounded(model, query)
        if exact:
            solution = attach_bounded_exact(model, query, solution)
    else:
        solution = _unbounded(model, query, precision, scheduler or exact)
        if exact:
            solution = attach_exact(model, query, solution)
    return replace(solution, seconds=time.perf_counter() - started)


def _unbounded(model: ExplicitModel, query: Query, precision: float | None, scheduler: bool) -> Solution:
    problem = prepare(model, query)
    bounds = _close(problem, precision)
    choice = None
    reward_game = problem.kind == "reward" and problem.is_game
    if scheduler or reward_game:
        below, above = attaining_choices(problem, bounds)
        if reward_game:
            finite_upper(problem, bounds, above)
        choice = extract(problem, bounds, below, above)
    residual = sweeps.residual(problem.rows, np.flatnonzero(problem.maybe), bounds.lower)
    lower_pair = bounds.pair(False) if bounds.refined.any() else None
    upper_pair = bounds.pair(True) if bounds.refined.any() else None
    return Solution(
        bounds.lower, bounds.upper, choice, residual, bounds.iterations,
        ", ".join(sorted(bounds.methods, reverse=True)), 0.0, lower_pair=lower_pair, upper_pair=upper_pair,
    )  # fmt: skip


def _close(problem: Problem, precision: float | None) -> Bounds:
    """Close a problem; a one-player one with its end components collapsed."""
    if problem.is_game:
        return close(problem, precision)
    member, internal = problem.lingering()
    if not (member >= 0).any():
        return close(problem, precision)
    quotient, block = problem.collapsed(member, internal)
    bounds = close(quotient, precision).lifted(block)
    bounds.methods.add("end components collapsed")
    return bounds


def _bounded(model: ExplicitModel, query: Query) -> Solution:
    """Apply exactly ``steps`` backups from the target's indicator, rounded down and rounded up."""
    graph = Graph.of(model)
    rows = backup_rows(graph, model.probabilities, None, np.require(query.maximise, np.bool_, ["C", "W"]))
    through = np.ones(model.states, dtype=np.bool_) if query.through is None else query.through
    states = np.flatnonzero(through & ~query.target)
    steps = query.steps or 0
    start = query.target.astype(np.float64)
    before = sweeps.synchronous(rows, states, start.copy(), True, max(steps - 1, 0))
    lower = sweeps.synchronous(rows, states, start.copy(), True, steps)
    upper = sweeps.synchronous(rows, states, start.copy(), False, steps)
    choice = np.full(model.states, -1, dtype=np.int64)
    if steps:
        choice[states] = sweeps.best_choices(rows, states, before)
    return Solution(lower, upper, choice, 0.0, steps, "bounded value iteration", 0.0)
