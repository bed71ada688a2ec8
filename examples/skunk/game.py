"""Skunk: Pig with two dice, for two players, where two 1s cost the whole score.

In a turn the player rolls two dice as often as they dare. Without a 1 their sum adds to the turn total; one 1 forfeits
it; two 1s cost the score as well; either passes the turn. Holding, allowed after the first roll, adds the turn total to
the score. First to the goal wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from numba import njit

from pymc_games.explicit import ExplicitModel
from pymc_games.games.base import Constants, Game, Variant, integer
from pymc_games.games.exploring import explore
from pymc_games.result import Result

State = tuple[int, int, int, int]  # turn, score1, score2, total

SUMS = Counter(a + b for a, b in product(range(2, 7), repeat=2))
ROLLS = {points: Fraction(ways, 36) for points, ways in sorted(SUMS.items())}
ONE, TWO = Fraction(10, 36), Fraction(1, 36)

#: More than what rounding can change in one backup: a sum of twelve products of numbers up to 1.
ROUNDING = 1e-14


def moves(goal: int, state: State) -> list[tuple[str, Mapping[State, Fraction]]]:
    """Return a state's actions with the chances of the next states."""
    turn, score1, score2, total = state
    own = score1 if turn == 1 else score2
    if own + total == goal:
        return [("end", {state: Fraction(1)})]
    roll = Counter({(3 - turn, score1, score2, 0): ONE})
    roll[(2, 0, score2, 0) if turn == 1 else (1, score1, 0, 0)] += TWO
    for points, chance in ROLLS.items():
        roll[turn, score1, score2, min(total + points, goal - own)] += chance
    after = (score1 + total, score2) if turn == 1 else (score1, score2 + total)
    hold = [(f"hold{turn}", {(3 - turn, *after, 0): Fraction(1)})] if total else []
    return [(f"roll{turn}", roll), *hold]


def explicit(constants: Constants) -> ExplicitModel:
    """Return the game of two free players by the rules."""
    goal = constants["goal"]
    names = ("turn", "score1", "score2", "total")
    model = explore("smg", [(1, 0, 0, 0)], names, partial(moves, goal))
    turn, score1, score2, total = (model.variables[name] for name in names)
    labels = {"win1": (turn == 1) & (score1 + total == goal), "win2": (turn == 2) & (score2 + total == goal)}
    return replace(model, labels=labels, state_to_player=turn - 1, players=("p1", "p2"))


def chance(own: int, other: int, goal: int = 100) -> Result:
    """Return the chance of the player on move, both playing optimally, with bounds.

    Each sweep takes a lower bound from the opponent's upper one, and the other way round, so both hold from the start.
    """
    lower, upper = np.zeros((goal, goal)), np.ones((goal, goal))
    weights = np.array([float(ROLLS.get(points, 0)) for points in range(13)])
    sweeps = 0
    while (upper - lower).max() > 1e-10:
        lower, upper = _sweep(upper, weights) - ROUNDING, _sweep(lower, weights) + ROUNDING
        sweeps += 1
    low, high = float(lower[own, other]), float(upper[own, other])
    return Result((low + high) / 2, low, high, iterations=sweeps, method="iteration between bounds")


def a_lead_outweighs_the_move(lead: int) -> bool:
    """Return whether the player with that many points to 0 is the favourite though the other one is on move."""
    return chance(0, lead).upper < 1 / 2


@njit(cache=True)
def _sweep(opponent: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the chances on move by own and other score, given the opponent's."""
    goal = len(opponent)
    found = np.empty((goal, goal))
    best = np.ones(goal + 13)
    for own in range(goal):
        left = goal - own
        best[left:] = 1.0
        for other in range(goal):
            bust = 10 / 36 * (1 - opponent[other, own]) + 1 / 36 * (1 - opponent[other, 0])
            for total in range(left - 1, -1, -1):
                value = bust
                for points in range(4, 13):
                    value += weights[points] * best[total + points]
                if total > 0:
                    value = max(value, 1 - opponent[other, own + total])
                best[total] = value
            found[own, other] = best[0]
    return found


def context(constants: Constants) -> dict[str, object]:
    """Return what the templates see."""
    return {"goal": constants["goal"], "rolls": ROLLS, "one": ONE, "two": TWO}


GAME = Game(
    name="skunk",
    title="Skunk",
    description="Roll two dice as often as you dare; a 1 forfeits the turn, two of them the score. Race to the goal.",
    constants=(integer("goal", 20, "points that win", 1, 100),),
    variants=(
        Variant(
            name="smg", type="smg", description="both players are free", template="model.prism.j2",
            properties="model.props.j2", context=context, explicit=explicit,
        ),
    ),
)  # fmt: skip
