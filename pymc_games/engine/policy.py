"""Schedulers that achieve the bounds."""

from __future__ import annotations

import numpy as np
from numba import njit

from pymc_games.engine import sweeps, twofloat
from pymc_games.engine.bounds import Bounds, double_words
from pymc_games.engine.problem import Problem
from pymc_games.explicit import Bools, Floats, Ints


def attaining_choices(problem: Problem, bounds: Bounds) -> tuple[Bools, Bools]:
    """Return the choices worth at least the lower, and those worth at most the upper bound of their state.

    Judged with rounded backups, in double words where the bounds are.
    """
    states = np.flatnonzero(problem.maybe)
    below, above = sweeps.attaining(problem.rows, states, bounds.lower, bounds.upper)
    if bounds.refined.any():
        _attaining_pairs(problem, bounds, below, above)
    return below, above


def extract(problem: Problem, bounds: Bounds, below: Bools, above: Bools) -> Ints:
    """Return a scheduler that achieves the lower bounds of maximisers and the upper bounds of minimisers.

    A choice that merely attains a bound may loop for ever. Where that matters (a maximiser who must reach, a minimiser
    who must arrive) the choice taken also has a branch to a smaller rank. Choices count from the first of their state;
    -1 where any will do.
    """
    graph, rows, maybe = problem.graph, problem.rows, problem.maybe
    reacher = rows.maximise == (problem.kind == "probability")
    attains = np.where(rows.maximise[graph.choice_to_state], below, above)
    seed, rank, good = _decided(problem, reacher)
    good = np.where(maybe[graph.choice_to_state], attains, good)
    answered = ~reacher[graph.choice_to_state]
    distance = graph.attractor(seed, reacher, maybe, attains | answered)
    rank = np.where(maybe, np.where(distance < 0, -1, distance + rank.max()), rank)
    choice = np.full(graph.states, -1, dtype=np.int64)
    _choose(rows, good, rank, reacher, maybe, bounds.lower, bounds.upper, choice)
    return choice


def _decided(problem: Problem, reacher: Bools) -> tuple[Bools, Ints, Bools]:
    """Return where reaching is sure, the ranks there, and the choices that keep what the graph decided."""
    graph = problem.graph
    if problem.kind == "probability":
        sure = problem.lower == 1.0
        zero = ~problem.maybe & ~sure
        good = np.where(
            problem.rows.maximise[graph.choice_to_state], graph.choices_inside(sure), graph.choices_inside(zero)
        )
    else:
        sure = problem.target
        rounds = graph.losing_rounds(problem.target, reacher)
        to, own = rounds[graph.branch_to_target], rounds[graph.choice_to_state]
        each = np.repeat(own, np.diff(graph.choice_to_branches))
        lower = np.logical_or.reduceat((to > 0) & (to < each), graph.choice_to_branches[:-1])
        level = np.logical_and.reduceat(to == each, graph.choice_to_branches[:-1])
        good = (own > 0) & (lower | (level & ~graph.owners_of(lower)[graph.choice_to_state]))
    rank = graph.attractor(problem.target, reacher, sure, graph.choices_inside(sure))
    return sure, rank, good


def finite_upper(problem: Problem, bounds: Bounds, attains_upper: Bools) -> None:
    """Withdraw upper bounds on rewards where no arrival is guaranteed under the choices that attain them."""
    minimiser = ~problem.rows.maximise
    allowed = attains_upper | ~problem.maybe[problem.graph.choice_to_state]
    allowed |= ~minimiser[problem.graph.choice_to_state]
    arrives = problem.graph.almost_sure(problem.target, minimiser, problem.maybe, allowed)
    bounds.upper[problem.maybe & ~arrives] = np.inf


@njit(cache=True)
def _choose(rows, good, rank, reacher, maybe, lower, upper, result):  # type: ignore[no-untyped-def]
    """Take the first good choice (for a reacher: that gets closer); failing that, in undecided states, the best one."""
    for state in range(len(maybe)):
        first, last = rows.state_to_choices[state], rows.state_to_choices[state + 1]
        best, best_value = -1, np.nan
        for choice in range(first, last):
            if good[choice] and (
                not reacher[state] or rank[state] < 0 or _gets_closer(rows, choice, rank, rank[state])
            ):
                result[state] = choice - first
                break
            if maybe[state]:
                if rows.maximise[state]:
                    value = sweeps.lower_choice(rows, choice, lower)
                else:
                    value = -sweeps.upper_choice(rows, choice, upper)
                if not value <= best_value:
                    best, best_value = choice - first, value
        if result[state] < 0:
            result[state] = best


@njit(cache=True)
def _gets_closer(rows, choice, rank, own):  # type: ignore[no-untyped-def]
    for branch in range(rows.choice_to_branches[choice], rows.choice_to_branches[choice + 1]):
        to = rank[rows.branch_to_target[branch]]
        if 0 <= to < own:
            return True
    return False


def _attaining_pairs(problem: Problem, bounds: Bounds, below: Bools, above: Bools) -> None:
    """Judge the choices of refined states in double words, in place."""
    p_high, p_low = double_words(problem.probabilities)
    index = problem.probabilities.index
    r_high = r_low = np.zeros(problem.graph.choices)
    if problem.reward is not None:
        r_high, r_low = (table[problem.reward.index] for table in double_words(problem.reward))
    owners = problem.graph.choice_to_state
    terms = np.diff(problem.rows.choice_to_branches)
    mine = bounds.refined[owners]
    for result, upper, sign in ((below, False, 1.0), (above, True, -1.0)):
        high, low = bounds.pair(upper)
        finite_high = np.where(np.isfinite(high), high, 0.0)
        b_high, b_low = twofloat.backup_choices(
            problem.rows.choice_to_branches, problem.rows.branch_to_target, p_high[index], p_low[index],
            r_high, r_low, finite_high, low,
        )  # fmt: skip
        margin = twofloat.excess(terms, owners, b_high, b_low, finite_high, low, sign)
        flat = _flat(problem, high, low) & (r_high == 0.0)
        infinite = np.logical_or.reduceat(
            np.isinf(high)[problem.rows.branch_to_target], problem.rows.choice_to_branches[:-1]
        )
        verdict = np.where(infinite, sign > 0, (margin >= 0.0) | flat)
        result[mine] = verdict[mine]


def _flat(problem: Problem, high: Floats, low: Floats) -> Bools:
    """Return the choices whose every target has the very bound of their owner."""
    owner = problem.graph.choice_to_state
    each = np.repeat(owner, np.diff(problem.rows.choice_to_branches))
    target = problem.rows.branch_to_target
    same = (high[target] == high[each]) & (low[target] == low[each])
    return np.logical_and.reduceat(same, problem.rows.choice_to_branches[:-1])
