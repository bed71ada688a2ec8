"""Ways to play Pig, by name.

===========================  =========================================================================
``optimal``                  the optimal policy
``hold-at-N``                hold from turn total N on
``roll-to-win``              never hold
``keep-pace``                'keep pace and end race' (Neller and Presser, UMAP Journal 31(1), 2010):
                             roll on once either player is 29 points from the goal or nearer; otherwise
                             hold from 21 plus an eighth of the opponent's lead on, rounded
``best-response:POLICY``     the best reply to another policy
===========================  =========================================================================
"""

from __future__ import annotations

import re

import numpy as np

from pymc_games.errors import UsageError
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.games.pig.values import Policy

KNOWN = "optimal, hold-at-N, roll-to-win, keep-pace, best-response:POLICY"


def parse(name: str, rules: Rules) -> Policy:
    """Return where the policy of that name holds: a bool array by own score, other score and turn total.

    Raises
    ------
    UsageError
        If there is no such policy.
    """
    replied_to = name.removeprefix("best-response:")
    if replied_to != name:
        return values.best_reply(rules, parse(replied_to, rules))
    if name == "optimal":
        return values.optimal_policy(rules)
    own, other, total = np.ogrid[: rules.goal, : rules.goal, : rules.goal]
    if name == "roll-to-win":
        return np.zeros((rules.goal,) * 3, dtype=np.bool_)
    if name == "keep-pace":
        racing = np.maximum(own, other) >= rules.goal - 29
        least = 21 + np.floor((other - own) / 8 + 1 / 2)
        return ~racing & (total >= least) & (total > 0)
    match = re.fullmatch(r"hold-at-([0-9]{1,4})", name)
    if match is None or int(match[1]) < 1:
        raise UsageError(f"there is no policy '{name}'; there are {KNOWN}, N being at least 1")
    return np.broadcast_to(total >= int(match[1]), (rules.goal,) * 3).copy()
