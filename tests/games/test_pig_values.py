"""Pig solved: bounds, residual and policies, against exact fractions, optimality equations and published figures."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games.engine import Query
from pymc_games.engine import solve as engine_solve
from pymc_games.errors import UsageError
from pymc_games.games.pig import exact, model, policies, values
from pymc_games.games.pig.rules import Rules


@st.composite
def small_rules(draw: st.DrawFn) -> Rules:
    die = draw(st.integers(2, 6))
    return Rules(draw(st.integers(1, 9)), die, draw(st.integers(1, die)))


def recompute(
    rules: Rules, starts: dict[tuple[int, int], Fraction], faces: list[int]
) -> dict[tuple[int, int], Fraction]:
    """Return the start of each turn as the optimality equations give it from the starts of all turns."""
    again = {}
    for own, other in starts:
        chance: dict[int, Fraction] = {}
        for total in range(rules.goal - own - 1, -1, -1):
            outcomes = [1 - starts[other, own]]
            outcomes += [Fraction(1) if own + total + f >= rules.goal else chance[total + f] for f in faces]
            roll = sum(outcomes) / len(outcomes)
            chance[total] = max(roll, 1 - starts[other, own + total]) if total else roll
        again[own, other] = chance[0]
    return again


def scoring(rules: Rules) -> list[int]:
    return [face for face in range(1, rules.die + 1) if face != rules.bust]


@given(small_rules())
@settings(max_examples=40)
def test_exact_values_satisfy_the_optimality_equations(rules: Rules) -> None:
    starts = exact.turn_starts(rules)
    assert len(starts) == rules.goal**2
    assert recompute(rules, starts, scoring(rules)) == starts


def test_a_missing_face_breaks_the_equations() -> None:
    rules = Rules(7, 4, 1)
    starts = exact.turn_starts(rules)
    assert recompute(rules, starts, [2, 3]) != starts


@given(small_rules())
@settings(max_examples=40)
def test_bounds_enclose_the_exact_values_everywhere(rules: Rules) -> None:
    duel = values.solve(rules)
    for (own, other), chance in exact.turn_starts(rules).items():
        result = duel.start(own, other)
        assert Fraction(result.lower) <= chance <= Fraction(result.upper)
        assert result.width < 1e-13
        assert result.lower <= result.value <= result.upper
    assert duel.residual == 0


@given(small_rules(), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=15)
def test_bounds_of_a_match_enclose_the_chain_solved_exactly(rules: Rules, a: int, b: int) -> None:
    first, second = policies.parse(f"hold-at-{a}", rules), policies.parse(f"hold-at-{b}", rules)
    chain = model.build(rules, "dtmc", first, second)
    query = Query("probability", chain.label("win1"), np.ones(chain.states, dtype=bool))
    chance = engine_solve(chain, query, exact=True).at(0).exact
    result = values.play(rules, first, second).start()
    assert chance is not None
    assert Fraction(result.lower) <= chance <= Fraction(result.upper)


def test_one_hundred_points() -> None:
    duel = values.solve(Rules())
    start = duel.start()
    assert start.lower <= 0.5305927252737 + 5e-14
    assert start.upper >= 0.5305927252737 - 5e-14
    assert start.width <= 1e-12
    assert start.residual == 0


def test_the_residual_notices_a_changed_bit() -> None:
    rules = Rules(20)
    duel = values.play(rules, None, None)
    free = np.full((20,) * 3, 2, dtype=np.int8)
    duel.value.moving[5, 7, 3] = np.nextafter(duel.value.moving[5, 7, 3], 1)
    assert duel.value.residual(free, free) > 0


def test_holding_is_no_threshold() -> None:
    policy = values.optimal_policy(Rules())
    held = policy[41, 49]
    assert held[22:27].all()
    assert not held[21]
    assert not held[27]
    assert held[28:51].all()
    reversals = sum(
        bool((np.diff(policy[i, j, : 100 - i].astype(int)) < 0).any()) for i in range(100) for j in range(100)
    )
    assert reversals == 2503


def test_no_reply_to_optimal_play_is_better() -> None:
    rules = Rules()
    policy = values.optimal_policy(rules)
    value = values.solve(rules).start().value
    assert values.play(rules, None, policy).start().value == pytest.approx(value, abs=1e-12)
    assert values.play(rules, policy, None).start().value == pytest.approx(value, abs=1e-12)


def test_holding_at_the_first_chance_is_measurably_worse() -> None:
    """A policy cut down to thresholds lets the opponent win more, so that the whole policy has to be rendered."""
    rules = Rules()
    policy = values.optimal_policy(rules)
    threshold = np.maximum.accumulate(policy, axis=2)
    assert values.play(rules, None, threshold).start().lower > values.solve(rules).start().upper + 1e-6


@pytest.mark.parametrize("numbers", [(0, 6, 1), (201, 6, 1), (100, 0, 1), (100, 1, 1), (100, 6, 7), (100, 6, 0)])
def test_impossible_rules_are_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError):
        Rules(*numbers)


def test_scores_outside_the_game_are_refused() -> None:
    with pytest.raises(UsageError, match="between 0 and 9"):
        values.first_hold(values.optimal_policy(Rules(10)), 10, 0)
