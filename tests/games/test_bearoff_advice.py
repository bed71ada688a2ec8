"""Advice on the plays of a roll, against plays enumerated in the plainest way and the game solved in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from pymc_games.games.bearoff import advice

#: Points of the checkers that are left, in ascending order.
Checkers = tuple[int, ...]


def spread(counts: tuple[int, ...]) -> Checkers:
    return tuple(point for point, count in enumerate(counts, 1) for _ in range(count))


def moved(checkers: Checkers, dice: tuple[int, ...]) -> set[Checkers]:
    """Return what can be left after the dice in this order; a die that finds no checker is not played."""
    if not dice or not checkers:
        return {checkers}
    left: set[Checkers] = set()
    for place, point in enumerate(checkers):
        others = checkers[:place] + checkers[place + 1 :]
        if point > dice[0]:
            left |= moved(tuple(sorted((*others, point - dice[0]))), dice[1:])
        elif point == dice[0] or point == max(checkers):
            left |= moved(others, dice[1:])
    return left


def played(checkers: Checkers, first: int, second: int) -> set[Checkers]:
    if first == second:
        return moved(checkers, (first,) * 4)
    return moved(checkers, (first, second)) | moved(checkers, (second, first))


@cache
def chance(own: Checkers, other: Checkers) -> Fraction:
    """Return the chance of the player on roll, averaged over all 36 pairs of dice."""
    pairs = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    return sum((max(after(left, other) for left in played(own, *pair)) for pair in pairs), Fraction(0)) / 36


def after(left: Checkers, other: Checkers) -> Fraction:
    return 1 - chance(other, left) if left else Fraction(1)


@pytest.mark.parametrize(
    ("own", "other", "roll"),
    [
        ((0, 0, 1, 0, 1, 1), (0, 1, 1, 0, 0, 1), (4, 1)),
        ((0, 0, 0, 0, 0, 3), (2, 0, 0, 0, 1, 0), (1, 1)),
        ((0, 0, 0, 1, 1, 0), (0, 0, 0, 0, 0, 2), (2, 1)),
        ((1, 0, 1, 0, 1, 0), (0, 1, 0, 1, 0, 0), (2, 2)),
        ((0, 1, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0), (6, 5)),
        ((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0), (6, 1)),
    ],
)
def test_every_play_is_worth_what_brute_force_says(
    own: tuple[int, ...], other: tuple[int, ...], roll: tuple[int, int]
) -> None:
    found = advice.advise(own, other, roll)
    truth = {left: after(left, spread(other)) for left in played(spread(own), *roll)}
    assert {spread(option.after) for option in found.options} == set(truth)
    for option in found.options:
        exact = truth[spread(option.after)]
        assert Fraction(option.win.lower) <= exact <= Fraction(option.win.upper)
        assert option.win.width < 1e-11
    ranked = sorted(truth.values(), reverse=True)
    assert truth[spread(found.options[0].after)] == ranked[0]
    assert found.action == found.options[0].text
    if found.margin is None:
        assert len(ranked) == 1
    else:
        assert Fraction(found.margin.lower) <= ranked[0] - ranked[1] <= Fraction(found.margin.upper)


def test_best_plays_average_to_gnu_backgammon_s_example() -> None:
    """The GNU Backgammon manual: five and two on roll against three and two win 67.1 %."""
    own, other = (0, 1, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0)
    rolls = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    mean = sum(advice.advise(own, other, roll).options[0].win.value for roll in rolls) / 36
    assert f"{100 * mean:.1f}" == "67.1"


def test_the_play_of_fewest_expected_rolls_may_not_be_the_best() -> None:
    """Three on the six point with 1-1 against one on the five and two on the ace point: keep two checkers together."""
    found = advice.advise((0, 0, 0, 0, 0, 3), (2, 0, 0, 0, 1, 0), (1, 1))
    assert found.options[0].after == (0, 0, 0, 2, 0, 1)
    assert found.margin is not None
    assert found.margin.lower > 0


def test_what_cannot_be_solved_is_bounded_and_says_so() -> None:
    own, other = (0, 0, 0, 0, 1, 2), (0, 0, 0, 1, 1, 1)
    solved = {option.after: option.win for option in advice.advise(own, other, (5, 2)).options}
    bounded = advice.advise(own, other, (5, 2), most=1)
    for option in bounded.options:
        assert "bounds" in option.win.method
        assert option.win.overlaps(solved[option.after])
    assert bounded.margin is not None
    assert bounded.margin.width > 1e-4


def test_json_names_are_those_of_farkle_s_advice() -> None:
    document = advice.advise((2, 0, 0, 1, 0, 0), (2, 0, 0, 0, 1, 0), (2, 1)).to_json()
    assert set(document) == {"action", "options", "margin"}
    first = document["options"][0]
    assert list(first) == ["play", "after", "win_probability", "lower", "upper"]
    assert (first["play"], first["after"]) == ("4/2 1/off", "1,1,0,0,0,0")
    assert first["lower"] <= 8 / 9 <= first["upper"]
