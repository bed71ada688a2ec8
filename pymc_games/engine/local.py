"""One component cut out of a problem, with everything outside folded into constants, and closed by a proof."""

from __future__ import annotations

import numpy as np
from numba import njit

from pymc_games.engine import twofloat
from pymc_games.engine.bounds import Bounds
from pymc_games.engine.component import MAXIMAL_STATES, Component, NotProven, inductive_bound
from pymc_games.engine.problem import Problem
from pymc_games.explicit import Floats, Ints

Table = tuple[Floats, Floats]


def fold(problem: Problem, members: Ints, bounds: Bounds, tables: tuple[Table | None, Table | None]) -> bool:
    """Close a component by policy iteration and inductive bounds; return whether that succeeded.

    Parameters
    ----------
    tables : pair of tables
        The distinct probabilities and rewards as ``high + low``.
    """
    if len(members) > MAXIMAL_STATES:
        return False
    try:
        outside_below, outside_above = bounds.pair(False), bounds.pair(True)
        below = _component(problem, members, outside_below, tables)
        policy = below.proper_policy()
        lower_high, lower_low, policy = inductive_bound(below, False, policy)
        above = _component(problem, members, outside_above, tables)
        upper_high, upper_low, policy = inductive_bound(above, True, policy)
    except NotProven:
        return False
    bounds.refine(members, (lower_high, lower_low), (upper_high, upper_low))
    return True


def _component(problem: Problem, members: Ints, outside: Table, tables: tuple[Table | None, Table | None]) -> Component:
    rows = problem.rows
    local = np.full(problem.graph.states, -1, dtype=np.int64)
    local[members] = np.arange(len(members))
    probability, reward = tables
    if probability is None:
        raise NotProven
    reward_index = np.zeros(0, dtype=np.int32)
    if problem.reward is not None and reward is not None:
        reward_index = problem.reward.index
    else:
        reward = (np.zeros(1), np.zeros(1))
    first, owners, starts, targets, p_high, p_low, c_high, c_low, terms, leaves = _cut(
        rows, problem.probabilities.index, reward_index, members, local, outside, probability, reward
    )
    return Component(
        first, owners, starts, targets, (p_high, p_low), (c_high, c_low), terms, leaves, rows.maximise[members]
    )  # fmt: skip


@njit(cache=True)
def _cut(rows, p_index, r_index, members, local, outside, p_table, r_table):  # type: ignore[no-untyped-def]
    """Collect the choices of ``members``, branches that stay as rows, branches that leave as constants."""
    choices = branches = 0
    for state in members:
        for choice in range(rows.state_to_choices[state], rows.state_to_choices[state + 1]):
            choices += 1
            branches += rows.choice_to_branches[choice + 1] - rows.choice_to_branches[choice]
    first = np.zeros(len(members) + 1, dtype=np.int64)
    owners = np.empty(choices, dtype=np.int64)
    starts = np.zeros(choices + 1, dtype=np.int64)
    targets = np.empty(branches, dtype=np.int64)
    p_high, p_low = np.empty(branches), np.empty(branches)
    c_high, c_low = np.zeros(choices), np.zeros(choices)
    leaves = np.zeros(choices, dtype=np.bool_)
    terms = np.zeros(choices, dtype=np.int64)
    row = place = 0
    for s in range(len(members)):
        for choice in range(rows.state_to_choices[members[s]], rows.state_to_choices[members[s] + 1]):
            owners[row] = s
            terms[row] = rows.choice_to_branches[choice + 1] - rows.choice_to_branches[choice]
            ch, cl = 0.0, 0.0
            if len(r_index) > 0:
                ch, cl = r_table[0][r_index[choice]], r_table[1][r_index[choice]]
            for branch in range(rows.choice_to_branches[choice], rows.choice_to_branches[choice + 1]):
                target = rows.branch_to_target[branch]
                ph, pl = p_table[0][p_index[branch]], p_table[1][p_index[branch]]
                if local[target] >= 0:
                    targets[place], p_high[place], p_low[place] = local[target], ph, pl
                    place += 1
                    continue
                leaves[row] = True
                if np.isinf(outside[0][target]) or np.isinf(ch):
                    ch, cl = np.inf, 0.0
                else:
                    th, tl = twofloat.multiply(ph, pl, outside[0][target], outside[1][target])
                    ch, cl = twofloat.add(ch, cl, th, tl)
            c_high[row], c_low[row] = ch, cl
            row += 1
            starts[row] = place
        first[s + 1] = row
    return first, owners, starts, targets[:place], p_high[:place], p_low[:place], c_high, c_low, terms, leaves
