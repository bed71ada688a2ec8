"""Playing Pig with random numbers, by the rules alone: a cross-check of what is computed."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pymc_games.games.base import Constants
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.games.pig.values import Policy


def simulate(constants: Constants, games: int, seed: int) -> NDArray[np.float64]:
    """Return whether the first player won, 1 or 0, for each of ``games`` games of optimal play."""
    rules = Rules.of(constants)
    policy = values.optimal_policy(rules)
    return play(rules, policy, policy, games, seed)


def play(rules: Rules, first: Policy, second: Policy, games: int, seed: int) -> NDArray[np.float64]:
    """Return whether the first player won, 1 or 0, for each of ``games`` games of two policies."""
    won = np.empty(games)
    _play(rules.goal, rules.die, rules.bust, np.stack([first, second]), seed, won)
    return won


@njit(cache=True)
def _play(goal: int, die: int, bust: int, policies: np.ndarray, seed: int, won: np.ndarray) -> None:
    np.random.seed(seed)  # noqa: NPY002 - numba's own generator
    for game in range(len(won)):
        scores = [0, 0]
        player = 0
        while True:
            total = 0
            while total == 0 or not policies[player, scores[player], scores[1 - player], total]:
                face = np.random.randint(1, die + 1)  # noqa: NPY002
                if face == bust:
                    total = 0
                    break
                total += face
                if scores[player] + total >= goal:
                    break
            scores[player] += total
            if scores[player] >= goal:
                won[game] = 1.0 - player
                break
            player = 1 - player
