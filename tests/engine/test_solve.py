"""The engine against exhaustive enumeration, published chains, and traps that catch naive iteration."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games.engine import Query, solve
from pymc_games.errors import ModelError, UnsupportedError, UsageError
from tests.engine.oracle import (
    INFINITY,
    brute_force,
    chain_values,
    haddad_monmege,
    model_of,
    query_of,
    small_models,
)

HALF = Fraction(1, 2)


def assert_encloses(solution, truth):
    for state, value in enumerate(truth):
        if value is INFINITY:
            assert solution.lower[state] == np.inf
            assert solution.upper[state] == np.inf
        else:
            assert Fraction(float(solution.lower[state])) <= value <= Fraction(float(solution.upper[state]))


def policy_values(states, choice, maximise, side, target, reward):
    """Return the value when one side follows ``choice`` and the other side is free."""
    fixed = [[choices[max(int(choice[s]), 0)]] if maximise[s] == side else choices for s, choices in enumerate(states)]
    return brute_force(fixed, maximise, target, reward)


@settings(max_examples=150, deadline=None)
@given(small_models(players=False), st.booleans())
def test_one_player_agrees_with_enumeration(drawn, reward):
    states, maximise = drawn
    model, rewards = model_of(states)
    truth = brute_force(states, maximise, {0}, reward)
    solution = solve(model, query_of(model, rewards, maximise, reward, {0}), exact=True)
    assert solution.note == ""
    assert solution.exact == truth
    floats = solve(model, query_of(model, rewards, maximise, reward, {0}))
    assert_encloses(floats, truth)
    finite = np.isfinite(floats.upper)
    assert (floats.upper[finite] - floats.lower[finite]).max() <= 1e-12
    assert floats.residual == 0.0
    achieved = policy_values(states, floats.choice, maximise, maximise[0], {0}, reward)
    assert achieved == truth


@settings(max_examples=150, deadline=None)
@given(small_models(players=True), st.booleans())
def test_two_players_agree_with_enumeration(drawn, reward):
    states, maximise = drawn
    model, rewards = model_of(states)
    truth = brute_force(states, maximise, {0}, reward)
    query = query_of(model, rewards, maximise, reward, {0})
    floats = solve(model, query)
    assert_encloses(floats, truth)
    finite = np.isfinite(floats.lower)
    assert (floats.upper[finite] - floats.lower[finite]).max() <= 1e-9
    exact = solve(model, query, exact=True)
    if exact.exact is not None:
        assert exact.exact == truth
    for side in (True, False):
        assert policy_values(states, floats.choice, maximise, side, {0}, reward) == truth


@settings(max_examples=60, deadline=None)
@given(small_models(players=True), st.integers(0, 5))
def test_bounded_reachability_agrees_with_fractions(drawn, steps):
    states, maximise = drawn
    model, _ = model_of(states)
    values = [Fraction(int(s == 0)) for s in range(len(states))]
    for _ in range(steps):
        backups = [[sum(p * values[t] for p, t in branches) for _, branches in choices] for choices in states]
        values = [max(b) if maximise[s] else min(b) for s, b in enumerate(backups)]
        values[0] = Fraction(1)
    target = np.arange(len(states)) == 0
    solution = solve(model, Query("probability", target, maximise, steps=steps))
    assert_encloses(solution, values)
    exact = solve(model, Query("probability", target, maximise, steps=steps), exact=True)
    assert exact.exact == values


@pytest.mark.parametrize("n", [10, 15, 20, 25])
def test_haddad_monmege_chain_closes(n):
    model, rewards, centre = haddad_monmege(n)
    everyone = np.ones(model.states, dtype=bool)
    probability = solve(model, query_of(model, rewards, everyone, False, {2 * n}))
    assert Fraction(float(probability.lower[centre])) <= HALF <= Fraction(float(probability.upper[centre]))
    assert probability.upper[centre] - probability.lower[centre] <= 1e-9
    steps = solve(model, query_of(model, rewards, everyone, True, {0, 2 * n}))
    expected = 3 * 2 ** (n - 1) - 2
    assert steps.lower[centre] <= expected <= steps.upper[centre]
    assert steps.upper[centre] - steps.lower[centre] <= 1e-9 * expected
    exact = solve(model, query_of(model, rewards, everyone, True, {0, 2 * n}), exact=True)
    assert exact.exact[centre] == expected


def test_haddad_monmege_as_a_decision_process():
    n = 25
    half = Fraction(1, 2)
    states = []
    for i in range(2 * n + 1):
        if i in (0, 2 * n):
            states.append([(0, [(1, i)])])
        else:
            outward, inward = (i + 1 if i >= n else i - 1), (n if i != n else n - 1)
            go = (1, [(half, outward), (half, inward)])
            states.append([go, (1, [(1, i)])] if i % 2 else [(1, [(1, i)]), go])
    model, rewards = model_of(states)
    solution = solve(model, query_of(model, rewards, np.ones(model.states, dtype=bool), False, {2 * n}))
    assert solution.lower[n] <= 0.5 <= solution.upper[n]
    assert solution.upper[n] - solution.lower[n] <= 1e-9
    chain = [choices[max(int(c), 0)] for choices, c in zip(states, solution.choice, strict=True)]
    assert chain_values(chain, {2 * n}, reward=False)[n] == HALF


def test_every_value_above_one_half_is_a_fixpoint_of_this_end_component():
    states = [
        [(0, [(1, 0)])],
        [(0, [(1, 1)])],
        [(0, [(1, 3)])],
        [(0, [(1, 2)]), (0, [(HALF, 0), (HALF, 1)])],
    ]
    model, rewards = model_of(states)
    solution = solve(model, query_of(model, rewards, np.ones(4, dtype=bool), False, {0}))
    assert solution.lower[2] <= 0.5 <= solution.upper[2]
    assert solution.upper[2] - solution.lower[2] < 1e-15
    assert solution.choice[3] == 1


def test_zero_is_a_fixpoint_of_this_costless_cycle():
    states = [[(0, [(1, 0)])], [(0, [(1, 1)]), (1, [(1, 0)])]]
    model, rewards = model_of(states)
    cheapest = solve(model, query_of(model, rewards, np.zeros(2, dtype=bool), True, {0}))
    assert cheapest.lower[1] == cheapest.upper[1] == 1.0
    assert cheapest.choice[1] == 1
    dearest = solve(model, query_of(model, rewards, np.ones(2, dtype=bool), True, {0}))
    assert dearest.lower[1] == dearest.upper[1] == np.inf


def test_a_loop_with_the_same_backup_is_not_chosen():
    states = [[(0, [(1, 0)])], [(0, [(1, 1)])], [(0, [(1, 2)]), (0, [(HALF, 0), (HALF, 1)]), (0, [(1, 2)])]]
    model, rewards = model_of(states)
    solution = solve(model, query_of(model, rewards, np.ones(3, dtype=bool), False, {0}))
    assert solution.choice[2] == 1


def test_a_wide_slow_component_closes():
    n = 400
    third = Fraction(1, 3)
    states = [[(0, [(1, 0)])]]
    states += [[(1, [(third, i - 1), (third, i), (third, i + 1)])] for i in range(1, n)]
    states += [[(0, [(1, n)])]]
    model, rewards = model_of(states, "dtmc")
    solution = solve(model, query_of(model, rewards, np.ones(n + 1, dtype=bool), False, {n}))
    for i in range(n + 1):
        assert Fraction(float(solution.lower[i])) <= Fraction(i, n) <= Fraction(float(solution.upper[i]))
    assert (solution.upper - solution.lower).max() < 1e-15
    steps = solve(model, query_of(model, rewards, np.ones(n + 1, dtype=bool), True, {0, n}))
    for i in range(n + 1):
        truth = Fraction(3, 2) * i * (n - i)
        assert Fraction(float(steps.lower[i])) <= truth <= Fraction(float(steps.upper[i]))


def test_precision_is_met():
    model, rewards, _ = haddad_monmege(6)
    solution = solve(model, query_of(model, rewards, np.ones(13, dtype=bool), False, {12}), precision=1e-3)
    assert (solution.upper - solution.lower).max() <= 1e-3


def test_refusals():
    model, rewards = model_of([[(-10, [(HALF, 0), (HALF, 1)])], [(0, [(1, 1)])]], "dtmc")
    everyone = np.ones(2, dtype=bool)
    with pytest.raises(UnsupportedError, match="negative rewards"):
        solve(model, query_of(model, rewards, everyone, True, {1}))
    with pytest.raises(UsageError, match="precision"):
        solve(model, query_of(model, rewards, everyone, False, {1}), precision=0.0)
    with pytest.raises(ModelError, match="3 states"):
        solve(model, Query("probability", np.ones(3, dtype=bool), np.ones(3, dtype=bool)))
