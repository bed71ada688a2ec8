"""One-sided tables against published fractions, brute force and their own distributions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pymc_games.games.bearoff import exact, moves, one_sided, positions
from pymc_games.games.bearoff.positions import Position, index

PUBLISHED = [
    ((7, 0, 0, 0, 0, 0), Fraction(767, 216)),
    ((15, 0, 0, 0, 0, 0), Fraction(1953839, 279936)),
    ((6, 0, 0, 0, 0, 0), Fraction(97, 36)),
    ((0, 0, 0, 0, 1, 1), Fraction(11431, 5832)),
    ((0, 0, 0, 0, 0, 2), Fraction(49213, 23328)),
]


@pytest.mark.parametrize(("position", "rolls"), PUBLISHED)
def test_published_expected_rolls(position: Position, rolls: Fraction) -> None:
    assert exact.expected_rolls(position) == rolls
    assert abs(one_sided.solve(15).mean[index(position)] - rolls) < one_sided.MEAN_ERROR


def test_15_on_the_six_point_takes_longest() -> None:
    mean = one_sided.solve(15).mean
    assert mean.argmax() == index((0, 0, 0, 0, 0, 15))
    assert round(float(mean.max()), 9) == 12.266187172


def brute_force(checkers: int) -> dict[Position, Fraction]:
    """Compute expected rolls by the readable rules, as fractions."""
    values = {(0,) * 6: Fraction(0)}
    for row in positions.all_positions(checkers)[1:]:
        counts = tuple(map(int, row))
        least = [min(values[after] for after in moves.after_roll(counts, *dice)) for dice in moves.ROLLS]
        values[counts] = 1 + sum(moves.probability(r) * value for r, value in enumerate(least))
    return values


def test_all_positions_of_three_checkers_by_brute_force() -> None:
    table = one_sided.solve(3)
    for counts, value in brute_force(3).items():
        assert abs(table.mean[index(counts)] - value) < one_sided.MEAN_ERROR
        if any(counts):
            assert exact.expected_rolls(counts) == value


def test_mean_and_variance_are_those_of_the_distribution() -> None:
    table = one_sided.solve(15)
    rolls = np.arange(table.pmf.shape[1])
    assert np.abs(table.pmf.sum(axis=1) - 1).max() < 1e-12
    assert np.abs(table.pmf @ rolls - table.mean).max() < 1e-12
    assert np.abs(table.pmf @ rolls**2 - table.mean**2 - table.variance).max() < 1e-10


def test_exact_distribution_is_that_of_the_table() -> None:
    position = (0, 0, 1, 2, 2, 3)
    counts = exact.distribution(position)
    pmf = [Fraction(count, 36**k) for k, count in enumerate(counts)]
    assert sum(pmf) == 1
    assert sum(k * p for k, p in enumerate(pmf)) == exact.expected_rolls(position)
    table = one_sided.solve(8).pmf[index(position)]
    assert max(abs(table[k] - p) for k, p in enumerate(pmf)) < one_sided.PMF_ERROR


def test_15_checkers_need_four_rolls() -> None:
    pmf = one_sided.solve(15).pmf
    fifteen = positions.all_positions(15).sum(axis=1) == 15
    assert (pmf[fifteen, :4] == 0).all()
    assert exact.distribution((15, 0, 0, 0, 0, 0))[4] > 0


def test_most_likely_off_is_no_worse_than_fastest_play_and_sometimes_better() -> None:
    table = one_sided.solve(6)
    within = table.pmf.cumsum(axis=1)
    longest = table.pmf.shape[1] - 1
    chance, _ = one_sided.most_likely_off(6, longest)
    gain = chance.T - within
    assert gain.min() > -1e-12
    assert gain.max() > 1e-3


def test_most_likely_off_by_brute_force() -> None:
    chance, _ = one_sided.most_likely_off(3, 2)
    previous = {(0,) * 6: Fraction(1)}
    rows = [tuple(map(int, row)) for row in positions.all_positions(3)]
    for k in (1, 2):
        now = {(0,) * 6: Fraction(1)}
        for counts in rows[1:]:
            best = [max(previous.get(s, Fraction(0)) for s in moves.after_roll(counts, *dice)) for dice in moves.ROLLS]
            now[counts] = sum((moves.probability(r) * value for r, value in enumerate(best)), Fraction(0))
        assert all(abs(chance[k, index(counts)] - value) < 1e-14 for counts, value in now.items())
        previous = now


def test_a_free_last_roll_is_one_roll_too_cheap_where_one_roll_is_left() -> None:
    wrong = one_sided.expected_rolls(15, charge_last=False)
    right = one_sided.expected_rolls(15)
    assert wrong[index((1, 0, 0, 0, 0, 0))] == 0
    assert right[index((1, 0, 0, 0, 0, 0))] == 1
    assert np.allclose(right[1:] - wrong[1:], 1, atol=1e-11)
