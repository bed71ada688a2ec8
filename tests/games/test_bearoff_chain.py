"""The textbook solution of the absorbing chain against the tables, a dense inverse and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pymc_games.games.bearoff import chain, exact, one_sided
from pymc_games.games.bearoff.positions import index


def test_canonical_form_of_all_54263_transient_states() -> None:
    found = chain.bearoff_chain(15)
    assert found.q.shape == (54263, 54263)
    rows, columns = found.q.nonzero()
    assert (columns < rows).all()
    assert np.abs(found.q.sum(axis=1) + found.r - 1).max() < 1e-14


def test_expected_time_and_variance_are_those_of_the_distribution() -> None:
    found, table = chain.bearoff_chain(15), one_sided.solve(15)
    assert np.abs(found.expected_steps() - table.mean[1:]).max() < 1e-12
    rolls = np.arange(table.pmf.shape[1])
    from_distribution = table.pmf @ rolls**2 - (table.pmf @ rolls) ** 2
    assert np.abs(found.variance() - from_distribution[1:]).max() < 1e-10


def test_fundamental_matrix_is_the_inverse() -> None:
    found = chain.bearoff_chain(4)
    inverse = np.linalg.inv(np.eye(found.q.shape[0]) - found.q.toarray())
    for start in (0, 50, 209 - 1):
        assert np.abs(found.expected_visits(start) - inverse[start]).max() < 1e-12
    steps = found.expected_steps()
    assert np.abs((2 * inverse - np.eye(len(steps))) @ steps - steps**2 - found.variance()).max() < 1e-12


def test_expected_visits_exactly() -> None:
    start = (0, 0, 0, 1, 1, 1)
    visits = chain.exact_visits(3, index(start))
    assert sum(visits.values()) == exact.expected_rolls(start) == Fraction(1044059, 419904)
    floats = chain.bearoff_chain(3).expected_visits(index(start) - 1)
    assert all(abs(floats[i - 1] - value) < 1e-14 for i, value in visits.items())


def test_absorption_within_k_steps_is_the_distribution() -> None:
    found, table = chain.bearoff_chain(6), one_sided.solve(6)
    start = index((0, 0, 0, 2, 2, 2))
    longest = table.pmf.shape[1] - 1
    assert np.abs(found.absorbed_within(start - 1, longest) - table.pmf[start].cumsum()).max() < 1e-13
