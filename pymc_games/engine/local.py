"""One component cut out of a problem for a proof, with everything outside folded into constants."""

from __future__ import annotations

import numpy as np
from numba import njit

from pymc_games.engine import twofloat
from pymc_games.engine.bounds import Bounds, double_words
from pymc_games.engine.component import MAXIMAL_STATES, Component, NotProven, inductive_bound
from pymc_games.engine.problem import Problem
from pymc_games.explicit import Ints


class Folder:
    """Closes components of one problem by policy iteration and inductive bounds."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._local = np.full(problem.graph.states, -1, dtype=np.int64)
        self._probabilities = double_words(problem.probabilities)
        self._probability_index = np.require(problem.probabilities.index, np.int32, ["C", "W"])
        if problem.reward is None:
            self._rewards, self._reward_index = (np.zeros(1), np.zeros(1)), np.zeros(0, dtype=np.int32)
        else:
            self._rewards = double_words(problem.reward)
            self._reward_index = np.require(problem.reward.index, np.int32, ["C", "W"])

    def close(self, members: Ints, bounds: Bounds) -> bool:
        """Refine the bounds of a component to double words; return whether that succeeded."""
        if len(members) > MAXIMAL_STATES:
            return False
        try:
            below = self._component(members, bounds, False)
            lower_high, lower_low, policy = inductive_bound(below, False, below.proper_policy())
            above = self._component(members, bounds, True)
            upper_high, upper_low, policy = inductive_bound(above, True, policy)
        except NotProven:
            return False
        # No value exceeds the cap, and neither must what the bounds of other states are compared with.
        beyond = (upper_high > self._problem.cap) | ((upper_high == self._problem.cap) & (upper_low > 0.0))
        upper_high, upper_low = np.where(beyond, self._problem.cap, upper_high), np.where(beyond, 0.0, upper_low)
        bounds.refine(members, (lower_high, lower_low), (upper_high, upper_low))
        return True

    def _component(self, members: Ints, bounds: Bounds, upper: bool) -> Component:
        rows = self._problem.rows
        self._local[members] = np.arange(len(members))
        first, owners, starts, targets, p_high, p_low, c_high, c_low, terms, leaves = _cut(
            rows, self._probability_index, self._reward_index, members, self._local,
            bounds.outside(upper), self._probabilities, self._rewards,
        )  # fmt: skip
        self._local[members] = -1
        maximise = rows.maximise[members]
        return Component(first, owners, starts, targets, (p_high, p_low), (c_high, c_low), terms, leaves, maximise)


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
                vh, vl = outside[0][target], 0.0
                if outside[3][target]:
                    vh, vl = outside[1][target], outside[2][target]
                if np.isinf(vh) or np.isinf(ch):
                    ch, cl = np.inf, 0.0
                else:
                    th, tl = twofloat.multiply(ph, pl, vh, vl)
                    ch, cl = twofloat.add(ch, cl, th, tl)
            c_high[row], c_low[row] = ch, cl
            row += 1
            starts[row] = place
        first[s + 1] = row
    return first, owners, starts, targets[:place], p_high[:place], p_low[:place], c_high, c_low, terms, leaves
