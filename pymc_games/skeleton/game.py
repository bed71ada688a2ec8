"""Skeleton, a game of one player: roll a die for two points or nothing, or take one point for sure.

The rules stand here, in Python, and in ``model.prism.j2``, as PRISM text; neither is made from the other, so that an
error in one of them shows. Replace both by your own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from pymc_games.explicit import ExactNumbers, ExplicitModel, RewardModel
from pymc_games.games.base import Constants, Game, Variant, integer
from pymc_games.games.exploring import explore

State = tuple[int]

HIT = Fraction(2, 3)  # a die shows 3 or more


def context(constants: Constants) -> dict[str, Any]:
    """Return what the templates see, the answer for the property file too."""
    return {"goal": constants["goal"], "hit": HIT, "fewest_turns": fewest_turns(constants["goal"])}


def explicit(constants: Constants) -> ExplicitModel:
    """Return the model by the rules: every state that can be met, with the names of the template's variables."""
    goal = constants["goal"]

    def moves(state: State) -> list[tuple[str, Mapping[State, Fraction]]]:
        (score,) = state
        if score == goal:
            return [("end", {state: Fraction(1)})]
        roll = {(min(score + 2, goal),): HIT, (score,): 1 - HIT}
        return [("roll", roll), ("take", {(score + 1,): Fraction(1)})]

    model = explore("mdp", [(0,)], ("score",), moves)
    turns = ExactNumbers.of([Fraction(action != "end") for action in model.choice_to_action or ()])
    return replace(
        model, labels={"goal": model.variables["score"] == goal}, rewards={"turns": RewardModel(choice=turns)}
    )


def fewest_turns(goal: int) -> Fraction:
    """Return the least expected number of turns to the goal."""
    return turns_left(goal)[goal]


def turns_left(goal: int) -> list[Fraction]:
    """Return the least expected number of turns by how many points are missing."""
    left = [Fraction(0)]
    for missing in range(1, goal + 1):
        left.append(min(1 / HIT + left[max(missing - 2, 0)], 1 + left[missing - 1]))
    return left


def simulate(constants: Constants, games: int, seed: int) -> Any:
    """Return the number of turns of each of ``games`` games of optimal play."""
    random = np.random.default_rng(seed)
    left = turns_left(constants["goal"])
    takes = [before + 1 == after for before, after in pairwise(left)]  # by points missing, less one
    return [_play(takes, random) for _ in range(games)]


def _play(takes: Sequence[bool], random: np.random.Generator) -> int:
    missing, turns = len(takes), 0
    while missing > 0:
        if takes[missing - 1]:
            missing -= 1
        elif random.integers(1, 7) >= 3:
            missing -= 2
        turns += 1
    return turns


GAME = Game(
    name="skeleton",
    title="Skeleton",
    description="Roll a die for two points or nothing, or take one point for sure. Reach the goal in few turns.",
    constants=(integer("goal", 3, "points to reach", 1, 1000),),
    variants=(
        Variant(
            name="alone",
            type="mdp",
            description="one player, who wants to reach the goal in few turns",
            template="model.prism.j2",
            properties="model.props.j2",
            context=context,
            explicit=explicit,
        ),
    ),
    simulate=simulate,
)
