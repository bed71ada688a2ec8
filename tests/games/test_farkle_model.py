"""Farkle for two as explicit models: against the optimality equations of one player's view, and Storm."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from pymc_games.games.farkle import model
from pymc_games.games.farkle.constants import rules_of
from pymc_games.games.farkle.reference import Reference, TurnStart, reference
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import options

TINY = {"goal": 100, "dice": 1, "minimum": 100, "bound": -50, "farkles": 3, "penalty": 50}


def turn_value(rules: Rules, values: dict[TurnStart, Fraction], begin: TurnStart) -> Fraction:
    """Back up one turn from the chances at the start of the opponent's turns, roll by roll."""
    own, other, count, others_count = begin
    farkle = (own, count + 1)
    if count + 1 == rules.farkles:
        farkle = (max(own - rules.penalty, rules.bound), 0)

    def after(score: int, farkles: int) -> Fraction:
        return 1 - values[other, score, others_count, farkles]

    @cache
    def chance(points: int, dice: int) -> Fraction:
        banked = Fraction(0)
        if points >= max(rules.minimum, 50):
            banked = Fraction(1) if own + points >= rules.goal else after(own + points, 0)
            if banked == 1:
                return banked
        rolled = Fraction(0)
        for roll in product(range(1, 7), repeat=dice):
            kept = [chance(points + gain, dice - used or rules.dice) for used, gain in options(rules, roll)]
            rolled += (max(kept) if kept else after(*farkle)) / 6**dice
        return max(banked, rolled)

    return chance(0, rules.dice)


def exact_values(found: Reference) -> dict[TurnStart, Fraction]:
    assert not found.note
    return {key: result.exact for key, result in found.starts.items() if result.exact is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"minimum": 0},
        {"minimum": 50, "bound": -100, "farkles": 1},
        {"dice": 2, "bound": 0, "farkles": 2, "penalty": 50},
        {"goal": 200, "dice": 2, "bound": 0, "farkles": 1, "penalty": 0},
        {"goal": 150, "dice": 3, "bound": 0, "farkles": 1, "penalty": 0},
    ],
)
def test_the_fractions_satisfy_the_optimality_equations(changes: dict[str, int]) -> None:
    """The equations determine the value: every play ends, since a turn may win at once whatever the players want."""
    rules = rules_of(TINY | changes)
    found = reference(rules, exact=True)
    values = exact_values(found)
    assert len(values) == rules.scores**2 * rules.farkles**2
    assert found.first.exact == values[0, 0, 0, 0]
    for begin, value in values.items():
        assert turn_value(rules, values, begin) == value


def test_a_game_worked_out_by_hand() -> None:
    """One die, 100 points, 50 may be banked: at 50 to 50 a 1 or a 5 wins, and anything else passes the turn on."""
    found = reference(rules_of(TINY | {"bound": 0, "farkles": 1, "penalty": 0, "minimum": 50}), exact=True)
    values = exact_values(found)
    level = values[50, 50, 0, 0]
    assert level == Fraction(3, 5) == Fraction(1, 3) + Fraction(2, 3) * (1 - level)


def test_without_fractions_there_are_bounds() -> None:
    rules = rules_of(TINY | {"dice": 2, "goal": 200, "bound": -100, "penalty": 100})
    found = reference(rules)
    assert found.first.residual == 0
    assert len(found.starts) == 6 * 6 * 9
    assert all(0 <= result.lower <= result.upper <= 1 and result.width < 1e-12 for result in found.starts.values())


def test_three_farkles_in_a_row_cost_the_penalty_down_to_the_bound() -> None:
    rules = rules_of(TINY)
    state = model.start(rules)._replace(score2=-50, score1=50)
    (_, rolled), *_ = model.moves(rules, state)
    assert rolled[model.State(2, 50, -50, 1, 0, 0, 1, 0)] == Fraction(2, 3)
    (_, rolled), *_ = model.moves(rules, state._replace(farkles1=2))
    assert rolled[model.State(2, 0, -50, 0, 0, 0, 1, 0)] == Fraction(2, 3)
    (_, rolled), *_ = model.moves(rules, state._replace(score1=-50, farkles1=2))
    assert rolled[model.State(2, -50, -50, 0, 0, 0, 1, 0)] == Fraction(2, 3)
