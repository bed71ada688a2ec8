"""How large Pig's models are, before they are built."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pymc_games.games.base import Constants
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.memory import Estimate


def duel(constants: Constants, fixed: Sequence[int]) -> Estimate:
    """Return the size of the game for two in which the players ``fixed``, 1 or 2, follow the optimal policy.

    The states are counted, as a set; each has one choice, and nearly all states of a free player have two.
    """
    rules = Rules.of(constants)
    policies = [values.optimal_policy(rules) if player in fixed else None for player in (1, 2)]
    reached = values.reachable(rules, *policies)
    free = sum(int(reached[seat].sum()) for seat, policy in enumerate(policies) if policy is None)
    return _estimate(rules, int(reached.sum()), free)


def alone(constants: Constants) -> Estimate:
    """Return the size of the game alone: every score with every turn total up to the goal."""
    rules = Rules.of(constants)
    goal = -(-rules.goal // int(np.gcd.reduce(rules.scoring)))
    states = goal * (goal + 3) // 2
    return _estimate(rules, states, states)


def _estimate(rules: Rules, states: int, holds: int) -> Estimate:
    # A roll has a branch for the bust and one for each turn total that it may lead to.
    missing = np.arange(1, rules.goal + 1)
    branches = np.average(1 + np.minimum(len(rules.scoring), missing), weights=rules.goal + 1 - missing)
    return Estimate(states, states + holds, int(states * branches) + holds)
