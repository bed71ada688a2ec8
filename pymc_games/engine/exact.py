"""Rational values: policy iteration in fractions, one strongly connected component after another.

The float solution proposes a scheduler; its linear systems are solved exactly (python-flint); then every choice is
compared in fractions. Where a choice is strictly better it is taken and the component solved again, so that the
result satisfies the optimality equations exactly. That a fixpoint is *the* value is shown by ranks: the attaining
choices also make progress towards the target.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from pymc_games.engine.graph import Graph
from pymc_games.engine.problem import Problem, prepare
from pymc_games.engine.query import Query, Solution
from pymc_games.explicit import Bools, ExplicitModel, Ints
from pymc_games.result import enclose

# Refused beyond this much work, in operations on 64-bit words (about ten minutes).
_FEASIBLE = 2.0e10
_LARGEST_SYSTEM = 2_000
_ROUNDS = 1_000


def attach_exact(model: ExplicitModel, query: Query, solution: Solution) -> Solution:
    """Return the solution with the rational value of every state, or with a note on why there is none."""
    problem = prepare(model, query)
    largest = largest_component(problem)
    if largest > _LARGEST_SYSTEM:
        return replace(
            solution,
            note=f"exact values would need a rational linear system of {largest:,} states, beyond the limit of "
            f"{_LARGEST_SYSTEM:,}; the enclosure stands",
        )
    estimate = estimate_work(problem)
    if estimate > _FEASIBLE:
        return replace(solution, note=_too_long(estimate))
    start = np.full(model.states, -1, dtype=np.int64) if solution.choice is None else solution.choice
    values = _Exact(problem, start).solve()
    if values is None:
        return replace(solution, note="no exact fixpoint was proven to be the value; the enclosure stands")
    choice = values.choice
    exact = [_fraction(x) for x in values.values]
    bounds = [(math.inf, math.inf) if x is None else enclose(x) for x in exact]
    lower, upper = (np.array(side) for side in zip(*bounds, strict=True))
    return replace(
        solution, exact=exact, lower=lower, upper=upper, lower_pair=None, upper_pair=None, choice=choice, residual=0.0,
        method="policy iteration in fractions",
    )  # fmt: skip


def attach_bounded_exact(model: ExplicitModel, query: Query, solution: Solution) -> Solution:
    """Return the solution of a step-bounded query with rational values, or with a note on why there is none."""
    steps = query.steps or 0
    denominator = math.lcm(*(x.denominator for x in model.probabilities.table))
    words = 1.0 + steps * math.log2(max(denominator, 2)) / 64.0
    work = float(steps) * model.branches * (50.0 + words)
    if work > _FEASIBLE:
        return replace(solution, note=_too_long(work))
    free = np.ones(model.states, dtype=np.bool_) if query.through is None else query.through
    problem = replace(prepare(model, query), maybe=free & ~query.target)
    exact = _Exact(problem, np.full(model.states, -1, dtype=np.int64))
    exact.values = [fmpq(int(x)) for x in query.target.tolist()]
    for _ in range(steps):
        exact.step()
    values: list[Fraction | None] = [_fraction(x) for x in exact.values]
    bounds = [enclose(x) for x in values if x is not None]
    lower, upper = (np.array(side) for side in zip(*bounds, strict=True))
    return replace(solution, exact=values, lower=lower, upper=upper, method="value iteration in fractions")


def _too_long(work: float) -> str:
    minutes = work / _FEASIBLE * 10
    return (
        f"exact values would take about {minutes:.3g} minutes, because fractions grow with every step; "
        "the enclosure stands"
    )


def _fraction(value: fmpq | None) -> Fraction | None:
    return None if value is None else Fraction(int(value.p), int(value.q))


def largest_component(problem: Problem) -> int:
    """Return the number of states of the largest component among the undecided states."""
    _, starts = problem.graph.components(problem.maybe)
    return int(np.diff(starts).max(initial=0))


def estimate_work(problem: Problem) -> float:
    """Return a rough count of word operations: branches times the expected length of their fractions.

    A fraction grows by the bits of one common denominator per step of the longest path, and a component of ``n`` states
    can multiply ``n`` of them; solving its system takes about ``n ** 3`` operations.
    """
    order, starts = problem.graph.components(problem.maybe)
    if not len(order):
        return 0.0
    denominator = math.lcm(*(x.denominator for x in problem.probabilities.table))
    bits = max(1.0, math.log2(denominator))
    sizes = np.diff(starts)
    depth = _component_depth(problem.graph, order, starts)
    words = 1.0 + bits * depth / 64.0
    branches = np.diff(problem.rows.choice_to_branches)[_choices_of(problem, order)]
    per_component = np.maximum(sizes.astype(float), 0.0) ** 3 * (sizes > 1)
    mean_words = float((words * sizes).sum() / sizes.sum())
    return float(branches.sum()) * 50.0 * mean_words + float((per_component * words).sum())


def _choices_of(problem: Problem, states: Ints) -> Ints:
    mask = np.zeros(problem.graph.states, dtype=np.bool_)
    mask[states] = True
    return np.flatnonzero(mask[problem.graph.choice_to_state])


def _component_depth(graph: Graph, order: Ints, starts: Ints) -> np.ndarray:
    """Return, for each component, the number of states on the longest chain of components below it, itself included."""
    component = np.full(graph.states, -1, dtype=np.int64)
    component[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    source = component[np.repeat(graph.choice_to_state, np.diff(graph.choice_to_branches))]
    target = component[graph.branch_to_target]
    real = (source >= 0) & (target >= 0) & (source != target)
    return _longest(source[real], target[real], np.diff(starts).astype(np.float64))


def _longest(source: Ints, target: Ints, weight: np.ndarray) -> np.ndarray:
    by_source = np.argsort(source, kind="stable")
    depth = weight.copy()
    bounds = np.searchsorted(source[by_source], np.arange(len(weight) + 1))
    sorted_target = target[by_source]
    for node in np.flatnonzero(np.diff(bounds)):
        depth[node] = weight[node] + depth[sorted_target[bounds[node] : bounds[node + 1]]].max()
    return depth


class _Exact:
    """Policy iteration in fractions over one problem."""

    def __init__(self, problem: Problem, choice: Ints) -> None:
        self.problem = problem
        self.choice = choice.copy()
        self.values: list[fmpq | None] = [
            None if math.isinf(x) else fmpq(int(x)) for x in np.where(problem.maybe, 0.0, problem.lower).tolist()
        ]
        self._probabilities = [fmpq(x.numerator, x.denominator) for x in problem.probabilities.table]
        self._index = problem.probabilities.index.tolist()
        self._targets = problem.rows.branch_to_target.tolist()
        self._rows = problem.rows.choice_to_branches.tolist()
        self._first = problem.rows.state_to_choices.tolist()
        self._maximise = problem.rows.maximise.tolist()
        self._reward: list[fmpq] | None = None
        if problem.reward is not None:
            table = [fmpq(x.numerator, x.denominator) for x in problem.reward.table]
            self._reward = [table[i] for i in problem.reward.index.tolist()]
        self._attains = np.zeros(problem.graph.choices, dtype=np.bool_)

    def solve(self) -> _Exact | None:
        """Solve all components; None where no proof was found."""
        order, starts = self.problem.graph.components(self.problem.maybe)
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            if not self._solve_component(order[begin:end].tolist()):
                return None
        return self if self._is_value() else None

    def backup(self, choice: int) -> fmpq | None:
        """Return the exact backup of a choice; None for infinity."""
        total = fmpq(0) if self._reward is None else self._reward[choice]
        for branch in range(self._rows[choice], self._rows[choice + 1]):
            value = self.values[self._targets[branch]]
            if value is None:
                return None
            total += self._probabilities[self._index[branch]] * value
        return total

    def step(self) -> None:
        """Back up every undecided state once, all at the same time."""
        new = list(self.values)
        for state in np.flatnonzero(self.problem.maybe).tolist():
            backups = [
                x for c in range(self._first[state], self._first[state + 1]) if (x := self.backup(c)) is not None
            ]
            new[state] = max(backups) if self._maximise[state] else min(backups)
        self.values = new

    def _solve_component(self, members: list[int]) -> bool:
        for _ in range(_ROUNDS):
            if not self._evaluate(members):
                return False
            # Minimisers answer first, maximisers improve when they have (Hoffman and Karp).
            if not (self._improve(members, False) or self._improve(members, True)):
                return True
        return False

    def _evaluate(self, members: list[int]) -> bool:
        """Solve the chain of the current choices on ``members``."""
        local = {state: k for k, state in enumerate(members)}
        chosen = [self._first[s] + max(int(self.choice[s]), 0) for s in members]
        size = len(members)
        right, matrix = fmpq_mat(size, 1), fmpq_mat(size, size)
        coupled = False
        for k, choice in enumerate(chosen):
            constant = fmpq(0) if self._reward is None else self._reward[choice]
            matrix[k, k] = fmpq(1)
            for branch in range(self._rows[choice], self._rows[choice + 1]):
                target, probability = self._targets[branch], self._probabilities[self._index[branch]]
                if target in local:
                    matrix[k, local[target]] -= probability
                    coupled = True
                elif self.values[target] is None:
                    return False
                else:
                    constant += probability * self.values[target]
            right[k, 0] = constant
        try:
            solution = matrix.solve(right) if coupled else right
        except ZeroDivisionError:
            return False
        for k, state in enumerate(members):
            self.values[state] = solution[k, 0]
        return True

    def _improve(self, members: list[int], maximiser: bool) -> bool:
        """Take strictly better choices of one kind of player; return whether there were any."""
        changes = {}
        for state in members:
            if self._maximise[state] != maximiser or self._first[state + 1] - self._first[state] == 1:
                continue
            best, found = self.values[state], None
            for choice in range(self._first[state], self._first[state + 1]):
                value = self.backup(choice)
                if value is None or best is None:
                    continue
                if value > best if maximiser else value < best:
                    best, found = value, choice - self._first[state]
            if found is not None:
                changes[state] = found
        for state, choice in changes.items():
            self.choice[state] = choice
        return bool(changes)

    def _is_value(self) -> bool:
        """Show that the fixpoint is the value: by ranks over the choices that attain it."""
        problem, graph = self.problem, self.problem.graph
        for state in np.flatnonzero(problem.maybe).tolist():
            for choice in range(self._first[state], self._first[state + 1]):
                self._attains[choice] = self.backup(choice) == self.values[state]
        reacher = problem.rows.maximise == (problem.kind == "probability")
        allowed: Bools = self._attains | ~problem.maybe[graph.choice_to_state] | ~reacher[graph.choice_to_state]
        if problem.kind == "reward":
            return bool(graph.almost_sure(problem.target, reacher, problem.maybe, allowed)[problem.maybe].all())
        positive = np.array([x is not None and x > 0 for x in self.values], dtype=np.bool_)
        rank = graph.attractor(problem.lower == 1.0, reacher, problem.maybe, allowed)
        return bool((rank[positive] >= 0).all())
