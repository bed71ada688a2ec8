"""Races: the closed form, the optimum and its bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pymc_games.games.bearoff import moves, race
from pymc_games.games.bearoff.positions import Position, pips

TWO_ON_SIX, SIX_ON_ACE = (0, 0, 0, 0, 0, 2), (6, 0, 0, 0, 0, 0)


def test_twice_the_pips_and_the_favourite() -> None:
    assert pips(TWO_ON_SIX) == 2 * pips(SIX_ON_ACE)
    assert round(race.independent(TWO_ON_SIX, SIX_ON_ACE).value, 6) == 0.931340
    assert round(race.independent(SIX_ON_ACE, TWO_ON_SIX).value, 6) == 0.422711


def test_one_of_the_two_wins() -> None:
    ours, theirs = (1, 0, 2, 1, 0, 1), (0, 3, 0, 1, 1, 0)
    win = race.independent(ours, theirs).exact
    lose = race.independent(theirs, ours, on_roll=False).exact
    assert win is not None
    assert lose is not None
    assert win + lose == 1


def brute_force(own: Position, other: Position, known: dict[tuple[Position, Position], Fraction]) -> Fraction:
    """Compute the optimum by the readable rules, as a fraction."""
    if not any(other):
        return Fraction(0)
    if (own, other) not in known:
        total = Fraction(0)
        for roll, dice in enumerate(moves.ROLLS):
            best = max(
                1 - brute_force(other, s, known) if any(s) else Fraction(1) for s in moves.after_roll(own, *dice)
            )
            total += moves.probability(roll) * best
        known[own, other] = total
    return known[own, other]


@pytest.mark.parametrize(
    ("own", "other"), [((0, 1, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0)), ((0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 1, 0))]
)
def test_the_optimum_by_brute_force(own: Position, other: Position) -> None:
    truth = brute_force(own, other, {})
    found = race.optimal(own, other)
    assert Fraction(found.lower) <= truth <= Fraction(found.upper)
    assert found.width < 1e-11


@pytest.mark.parametrize(
    ("own", "other"),
    [(TWO_ON_SIX, SIX_ON_ACE), ((0, 0, 0, 0, 2, 3), (1, 1, 1, 1, 1, 0)), ((2, 1, 0, 1, 2, 0), (0, 2, 1, 1, 0, 2))],
)
def test_bounds_hold_the_optimum(own: Position, other: Position) -> None:
    bounds, optimum = race.bounds(own, other), race.optimal(own, other)
    assert bounds.lower <= optimum.lower
    assert optimum.upper <= bounds.upper
    assert bounds.width < 0.02


def test_solo_optimal_play_can_lose_to_the_optimum() -> None:
    own, other = (0, 0, 0, 0, 2, 3), (1, 1, 1, 1, 1, 0)
    assert race.optimal(own, other).lower > race.independent(own, other).value + 0.006


def test_large_races_are_bounded_and_not_solved() -> None:
    result = race.optimal(TWO_ON_SIX, SIX_ON_ACE, most=1)
    assert "bounds" in result.method


@pytest.mark.parametrize(("own", "other"), [((0, 1, 1, 0, 0, 1), (1, 0, 0, 0, 1, 0)), ((1, 1, 0, 1, 0, 0),) * 2])
def test_the_best_plays_average_to_the_optimum_and_bounds_of_plays_hold(own: Position, other: Position) -> None:
    found = {roll: race.plays(own, other, roll) for roll in moves.ROLLS}
    for roll, plays in found.items():
        assert {play.after for play in plays} == moves.after_roll(own, *roll)
        exact = {play.after: play.win for play in plays}
        for bounded in race.plays(own, other, roll, most=1):
            assert bounded.win.overlaps(exact[bounded.after])
    mean = sum(float(moves.probability(k)) * found[roll][0].win.value for k, roll in enumerate(moves.ROLLS))
    assert mean == pytest.approx(race.optimal(own, other).value, abs=1e-12)
