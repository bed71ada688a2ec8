"""One turn of Farkle alone: the greatest chance of collecting a number of points, exactly."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from pymc_games.errors import UsageError
from pymc_games.games.base import Constants
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import option_sets


def turn_rules(dice: int) -> Rules:
    """Return the default rules, played with fewer dice."""
    if dice == 6:
        return Rules()
    triples = (1000, 200, 300, 400, 500, 600) if dice >= 3 else (0,) * 6
    return Rules(dice=dice, triples=triples, straight=0, three_pairs=0)


def check(constants: Constants) -> None:
    """Refuse a goal between the steps of scores."""
    if constants["goal"] % 50:
        raise UsageError(f"goal={constants['goal']}: scores are multiples of 50")


def collect(rules: Rules, goal: int) -> Fraction:
    """Return the greatest chance of at least ``goal`` points in one turn, rolling on until then."""

    @cache
    def chance(points: int, left: int) -> Fraction:
        if points >= goal:
            return Fraction(1)
        value = Fraction(0)
        for ways, probability in option_sets(rules, left).items():
            if ways:
                value += probability * max(chance(points + gain, left - used or rules.dice) for used, gain in ways)
        return value

    return chance(0, rules.dice)


def context(constants: Constants) -> dict[str, Any]:
    """Return what the templates of the turn see."""
    dice, goal = constants["dice"], constants["goal"]
    rules = turn_rules(dice)
    sets = {count: option_sets(rules, count) for count in range(1, dice + 1)}
    return {
        "dice": dice, "goal": goal, "most": max(map(len, sets.values())), "chance": collect(rules, goal),
        "rolls": [(count, [(chance, ways) for ways, chance in found.items()]) for count, found in sets.items()],
        "outer": {count: {ways: place for place, ways in enumerate(found, 1)} for count, found in sets.items()},
    }  # fmt: skip
