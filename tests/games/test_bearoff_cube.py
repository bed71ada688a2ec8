"""Money equities and cube actions against published tables and an exact recursion over the readable rules."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from pymc_games.errors import UsageError
from pymc_games.games.bearoff import cube, moves, two_sided
from pymc_games.games.bearoff.positions import Position

ONE_ROLL = {  # chances in 36ths to bear off two checkers in one roll: higher point, then lower
    (2, 2): 26, (3, 1): 34, (3, 2): 25, (3, 3): 17, (4, 1): 29, (4, 2): 23, (4, 3): 17, (4, 4): 11,
    (5, 1): 23, (5, 2): 19, (5, 3): 14, (5, 4): 10, (5, 5): 6,
    (6, 1): 15, (6, 2): 13, (6, 3): 10, (6, 4): 8, (6, 5): 6, (6, 6): 4,
}  # fmt: skip


@cache
def exact_equity(own: Position, other: Position, owner: str) -> Fraction:
    """Compute the equity without an immediate double; the owner of the cube is 'own', 'none' or 'other'."""
    if not any(other):
        return Fraction(-1)
    after = {"own": "other", "none": "none", "other": "own"}[owner]
    total = Fraction(0)
    for roll, dice in enumerate(moves.ROLLS):
        total += moves.probability(roll) * max(
            -with_double(other, s, after) if any(s) else Fraction(1) for s in moves.after_roll(own, *dice)
        )
    return total


def with_double(own: Position, other: Position, owner: str) -> Fraction:
    """Compute the equity with the best cube action of the player on roll."""
    equity = exact_equity(own, other, owner)
    if owner == "other" or not any(other):
        return equity
    return max(equity, min(2 * exact_equity(own, other, "other"), Fraction(1)))


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ((0, 1, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0)),
        ((1, 1, 1, 0, 0, 0), (0, 0, 1, 1, 0, 0)),
        ((2, 0, 0, 0, 1, 0), (3, 0, 0, 0, 0, 0)),
        ((0, 0, 0, 0, 0, 2), (4, 0, 0, 0, 0, 0)),
    ],
)
def test_equities_by_exact_recursion(own: Position, other: Position) -> None:
    found = cube.solve(own, other)
    for result, owner in ((found.owned, "own"), (found.centred, "none"), (found.opponent, "other")):
        truth = exact_equity(own, other, owner)
        assert Fraction(result.lower) <= truth <= Fraction(result.upper)
        assert result.width < 1e-12


def test_gnu_backgammons_example() -> None:
    found = cube.solve((0, 1, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0))
    assert round((1 + found.cubeless.value) / 2, 12) == 0.671124828532
    assert round(found.owned.value, 12) == 0.344135802469
    assert round(found.opponent.value, 12) == 0.160493827160
    assert round(found.optimal_centred, 12) == 0.320987654321  # doubled; without a double it is 0.160493827160
    assert (found.action, found.redouble_action) == ("double/take", "no redouble")


@pytest.mark.parametrize(
    ("n", "action"),
    [
        (1, "double/pass"),
        (2, "double/pass"),
        (3, "double/pass"),
        (4, "double/take"),
        (5, "double/take"),
        (6, "double/take"),
    ],
)
def test_n_roll_positions(n: int, action: str) -> None:
    position = (2 * n, 0, 0, 0, 0, 0)
    found = cube.solve(position, position)
    assert found.action == action
    assert found.redouble == (n <= 4)


@pytest.mark.parametrize(
    ("n", "chance"), [(2, Fraction(31, 36)), (3, Fraction(1021, 1296)), (4, Fraction(34771, 46656))]
)
def test_n_roll_win_probabilities(n: int, chance: Fraction) -> None:
    position = (2 * n, 0, 0, 0, 0, 0)
    cubeless = cube.solve(position, position).cubeless
    assert Fraction(cubeless.lower) <= 2 * chance - 1 <= Fraction(cubeless.upper)


def test_last_roll_table() -> None:
    table = cube.last_rolls()
    assert len(table) == 27
    for (high, low), chances in ONE_ROLL.items():
        position = [0] * 6
        position[high - 1] += 1
        position[low - 1] += 1
        found = table[tuple(position)]
        assert found.cubeless.lower <= chances / 18 - 1 <= found.cubeless.upper
        # On the last roll: double from 18 of 36, take up to 27 of 36.
        expected = "no double" if chances < 18 else "double/take" if chances <= 27 else "double/pass"
        assert found.action == expected


def test_three_quarters_exactly_is_a_take() -> None:
    assert cube.last_rolls()[0, 0, 0, 0, 0, 1].action == "double/take"


def test_take_points_lie_below_a_dead_cube_and_at_most_at_it() -> None:
    least_take, greatest_pass = cube.take_points(4)
    assert 0.2 < least_take < greatest_pass <= 0.25


def test_bounds_of_the_whole_table_hold_its_values() -> None:
    side = two_sided.whole_side(4)
    values, _ = two_sided.solve(side, side)
    lower, upper = two_sided.enclose(side, side)
    for value, low, high in zip(values.planes(), lower.planes(), upper.planes(), strict=True):
        assert (low <= value).all()
        assert (value <= high).all()
        assert np.max(high - low) < 1e-12


def test_too_large_a_pair_is_refused() -> None:
    with pytest.raises(UsageError, match="fewer checkers"):
        cube.solve((0, 0, 0, 0, 0, 15), (0, 0, 0, 0, 0, 15))
