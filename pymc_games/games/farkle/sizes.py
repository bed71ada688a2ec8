"""How large Farkle's models for two are, before they are built."""

from __future__ import annotations

from pymc_games.games.base import Constants
from pymc_games.games.farkle.constants import small_rules
from pymc_games.games.farkle.model import outcomes
from pymc_games.memory import Estimate

#: A position between rolls is one state and, for each option set that a roll may leave, one more; by count, the models
#: for 200 to 500 points have 1.0 to 1.4 times as many, and so many choices and branches a state.
_STATES, _CHOICES, _BRANCHES = 1.2, 1.4, 2.1


def duel(constants: Constants) -> Estimate:
    """Return the size of the game for two."""
    rules = small_rules(constants)
    sets = sum(len(outcomes(rules, dice)) for dice in range(1, rules.dice + 1)) / rules.dice
    states = int(rules.states() * (1 + sets) * _STATES)
    return Estimate(states, int(states * _CHOICES), int(states * _BRANCHES), one_by_one=True)
