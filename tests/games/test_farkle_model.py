"""Farkle for two as explicit models: against the optimality equations of one player's view, and Storm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games import prism, storm
from pymc_games.compare import Options, Session
from pymc_games.errors import UsageError
from pymc_games.games.farkle import GAME, model
from pymc_games.games.farkle.constants import rules_of
from pymc_games.games.farkle.reference import Reference, TurnStart, reference
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import options
from pymc_games.joining import join
from pymc_games.loading import load_target

TINY = {"goal": 100, "dice": 1, "minimum": 100, "bound": -50, "farkles": 3, "penalty": 50}


def texts(constants: Mapping[str, int]) -> list[str]:
    return [f"{name}={value}" for name, value in constants.items()]


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


@pytest.mark.parametrize("name", ["mdp", "mdp2", "smg"])
@pytest.mark.parametrize("changes", [{}, {"minimum": 0, "dice": 2, "bound": 0, "penalty": 0, "farkles": 1}])
def test_template_and_rules_agree_exactly(name: str, changes: dict[str, int]) -> None:
    target = load_target("farkle", texts(TINY | changes), name)
    session = Session(target, target.properties, Options(exact=True))
    for prop in target.properties:
        checked = session.compare(prop)
        assert checked.agree, checked.remarks
        assert checked.max_difference == 0
        assert checked.native is not None
        assert checked.native.exact is not None


@given(st.integers(1, 3), st.integers(0, 2), st.integers(-2, 0), st.integers(1, 3), st.integers(0, 3))
@settings(max_examples=6, deadline=None)
def test_template_and_rules_agree(dice: int, minimum: int, bound: int, farkles: int, penalty: int) -> None:
    steps = {"minimum": minimum, "bound": bound, "penalty": penalty}
    constants = {"goal": 150, "dice": dice, "farkles": farkles, **{name: 50 * step for name, step in steps.items()}}
    target = load_target("farkle", texts(constants), "smg")
    session = Session(target, target.properties, Options())
    checked = session.compare(target.properties[0])
    assert checked.agree, checked.remarks
    assert len(checked.remarks) == 0


@pytest.mark.parametrize("name", ["mdp", "mdp2"])
def test_storm_finds_no_better_reply_in_any_state(name: str) -> None:
    """Against either optimal policy the best reply gets the value of the game, wherever that policy may lead."""
    constants = TINY | {"goal": 200, "dice": 2, "bound": -100, "penalty": 100}
    target = load_target("farkle", texts(constants), name)
    session = Session(target, target.properties, Options(engine="storm", precision=1e-10))
    answer = session.by_storm(target.properties[0])
    assert answer is not None
    game, solution = model.solved(rules_of(constants))
    joined = join(session.model, game)
    assert len(joined.only_left) == 0
    assert len(joined.left) == session.model.states > 10_000
    low = np.maximum(answer.lower[joined.left], solution.lower[joined.right])
    high = np.minimum(answer.upper[joined.left], solution.upper[joined.right])
    assert (low <= high).all()
    assert (answer.upper - answer.lower).max() < 1e-9


def test_a_known_wrong_policy_is_found_out() -> None:
    """Against an opponent who banks whatever may be banked the best reply wins more than the value of the game."""
    constants = TINY | {"goal": 200, "dice": 2, "bound": -100, "penalty": 100}
    variant = GAME.variant("mdp")
    context = variant.context(constants)
    context["policies"][2]["banks"] = "true"
    (result,) = storm.check_text(prism.render(variant.template, context), ['Pmax=? [ F "win1" ]'])
    assert result.lower > model.solved(rules_of(constants))[1].upper[0] + 1e-3


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("min(points+100, missing1)", "min(points+150, missing1)"),
        ("max(score1-penalty, bound)", "score1-0*penalty"),
        ("farkles1=row-1 ? 0 :", "farkles1=row-1 ? farkles1 :"),
    ],
)
def test_a_template_with_a_mistake_is_found_out(right: str, wrong: str) -> None:
    target = load_target("farkle", texts(TINY), "smg")
    variant = GAME.variant("smg")
    text = prism.render(variant.template, variant.context(TINY))
    assert right in text
    broken = replace(target, program=storm.parse_text(text.replace(right, wrong), source="broken"))
    checked = Session(broken, target.properties, Options()).compare(target.properties[0])
    assert not checked.agree
    assert "the moves differ" in " ".join(checked.remarks)


def test_large_games_and_bad_constants_are_refused() -> None:
    for build in (GAME.variant("smg").context, model.game):
        with pytest.raises(UsageError, match="too many for an explicit model"):
            build(GAME.bind(["goal=10000,dice=6,bound=-2500"]))
    for given_text, reason in [
        ("goal=50", "must be at least the minimum bank of 100"),
        ("penalty=30", "not a multiple of the step"),
        ("bound=50", "must lie between -10000 and 0"),
        ("dice=7", "must lie between 1 and 6"),
    ]:
        with pytest.raises(UsageError, match=reason):
            GAME.bind([given_text])
