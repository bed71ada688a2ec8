"""Directed rounding: every backup against the same sum in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games.engine import sweeps, twofloat
from pymc_games.engine.graph import Graph
from pymc_games.engine.problem import backup_rows
from pymc_games.explicit import ExactNumbers
from tests.engine.oracle import model_of, small_models

values_between_0_and_1 = st.floats(0.0, 1.0, allow_subnormal=True)
three_values = st.lists(values_between_0_and_1, min_size=3, max_size=3)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 50), values_between_0_and_1), min_size=1, max_size=8),
    st.fractions(0, 1000, max_denominator=97),
)
def test_backups_enclose_the_exact_sum(weighted, reward):
    total = sum(w for w, _ in weighted)
    branches = [(Fraction(w, total), k + 1) for k, (w, _) in enumerate(weighted)]
    states = [[(reward, branches)]] + [[(Fraction(0), [(Fraction(1), k + 1)])] for k in range(len(weighted))]
    model, rewards = model_of(states)
    rows = backup_rows(Graph.of(model), model.probabilities, rewards, np.ones(model.states, dtype=bool))
    values = np.array([0.0, *(v for _, v in weighted)])
    truth = reward + sum(p * Fraction(values[t]) for p, t in branches)
    lower, upper = sweeps.lower_backup(rows, 0, values), sweeps.upper_backup(rows, 0, values)
    assert Fraction(lower) <= truth <= Fraction(upper)
    assert upper - lower <= (len(weighted) + 8) * 2.0**-51 * max(upper, 2.0**-900)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(values_between_0_and_1, min_size=3, max_size=3), st.lists(values_between_0_and_1, min_size=3, max_size=3)
)
def test_backups_are_monotone(a, b):
    third = Fraction(1, 3)
    states = [[(Fraction(1, 7), [(third, 1), (third, 2), (third, 3)])]]
    states += [[(Fraction(0), [(Fraction(1), k)])] for k in (1, 2, 3)]
    model, rewards = model_of(states)
    rows = backup_rows(Graph.of(model), model.probabilities, rewards, np.ones(4, dtype=bool))
    small = np.array([0.0, *np.minimum(a, b)])
    large = np.array([0.0, *np.maximum(a, b)])
    for backup in (sweeps.lower_backup, sweeps.upper_backup):
        assert backup(rows, 0, small) <= backup(rows, 0, large)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.fractions(0, 1, max_denominator=10**6), st.fractions(0, 10**6)), min_size=1, max_size=6))
def test_double_words_keep_the_promised_error(terms):
    def pair(numbers):
        high = np.array([float(x) for x in numbers])
        return high, np.array([float(x - Fraction(h)) for x, h in zip(numbers, high.tolist(), strict=True)])

    probabilities, values = pair([p for p, _ in terms]), pair([v for _, v in terms])
    starts, targets = np.array([0, len(terms)]), np.arange(len(terms))
    zero = np.zeros(1)
    high, low = twofloat.backup_choices(starts, targets, *probabilities, zero, zero, *values)
    truth = sum(
        (Fraction(ph) + Fraction(pl)) * (Fraction(vh) + Fraction(vl))
        for ph, pl, vh, vl in zip(*(x.tolist() for x in (*probabilities, *values)), strict=True)
    )
    error = abs(Fraction(float(high[0])) + Fraction(float(low[0])) - truth)
    assert error <= truth * (8 + 3 * len(terms)) * Fraction(1, 2**105) + Fraction(1, 2**900)


def test_excess_proves_only_what_holds():
    ones, zeros = np.ones(1), np.zeros(1)
    terms, owners = np.array([1]), np.array([0])
    assert twofloat.excess(terms, owners, ones, zeros + 2.0**-90, ones, zeros, 1.0)[0] > 0.0
    assert twofloat.excess(terms, owners, ones, zeros, ones, zeros, 1.0)[0] < 0.0
    assert twofloat.excess(terms, owners, ones, zeros - 2.0**-90, ones, zeros, 1.0)[0] < 0.0


def test_enclosed_rewards_are_tight():
    from pymc_games.engine.problem import enclose_all

    lower, upper = enclose_all(ExactNumbers.of([Fraction(1, 3), Fraction(1, 4)]))
    assert Fraction(lower[0]) < Fraction(1, 3) < Fraction(upper[0])
    assert lower[1] == upper[1] == 0.25


@settings(max_examples=200, deadline=None)
@given(small_models(players=True), st.lists(values_between_0_and_1, min_size=6, max_size=6), st.booleans())
def test_the_loop_nests_equal_the_plain_backups(drawn, values, reward):
    """The fast sweeps against one backup after another, bit for bit."""
    states, maximise = drawn
    model, rewards = model_of(states)
    rows = backup_rows(Graph.of(model), model.probabilities, rewards if reward else None, maximise)
    members = np.arange(model.states)
    start = np.array(values[: model.states])
    plain, fast = start.copy(), start.copy()
    for state in members:
        plain[state] = max(plain[state], sweeps.lower_backup(rows, state, plain))
    sweeps.rise(rows, members, fast)
    assert (fast == plain).all()
    plain, fast = start.copy(), start.copy()
    for state in members:
        plain[state] = min(plain[state], sweeps.upper_backup(rows, state, plain))
    sweeps.fall(rows, members, fast)
    assert (fast == plain).all()
    below, above = sweeps.attaining(rows, members, start, start)
    owners = np.repeat(members, np.diff(model.state_to_choices))
    for choice, state in enumerate(owners):
        assert below[choice] == (sweeps.lower_choice(rows, choice, start) >= start[state])
        assert above[choice] == (sweeps.upper_choice(rows, choice, start) <= start[state])
