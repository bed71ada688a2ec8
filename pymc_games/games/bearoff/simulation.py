"""Monte Carlo play of one side, by the readable rules: an estimate that shares no recursion with the tables."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pymc_games.games.base import Constants
from pymc_games.games.bearoff import one_sided
from pymc_games.games.bearoff.moves import after_roll
from pymc_games.games.bearoff.positions import Position, index


def simulate(constants: Constants, games: int, seed: int) -> NDArray[np.float64]:
    """Return how many rolls each game took, when every roll is played for the fewest expected rolls.

    Parameters
    ----------
    constants : mapping
        With the starting ``position``.
    games : int
    seed : int

    Returns
    -------
    float64 array, shape (games,)
    """
    dice = np.random.default_rng(seed)
    start: Position = constants["position"]
    rolls = np.zeros(games)
    for game in range(games):
        counts = start
        while any(counts):
            one, two = map(int, dice.integers(1, 7, 2))
            counts = _best_play(counts, max(one, two), min(one, two))
            rolls[game] += 1
    return rolls


@lru_cache(maxsize=1 << 16)
def _best_play(counts: Position, high: int, low: int) -> Position:
    mean = one_sided.solve(sum(counts)).mean
    return min(after_roll(counts, high, low), key=lambda after: mean[index(after)])
