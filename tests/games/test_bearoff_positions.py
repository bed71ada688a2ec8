"""Numbering of positions, and the rules against the compiled successors."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games.errors import UsageError
from pymc_games.games.bearoff import moves, positions
from pymc_games.games.bearoff.successors import successors


@st.composite
def bearoff_positions(draw: st.DrawFn, most: int = 15) -> positions.Position:
    points = draw(st.lists(st.integers(1, 6), min_size=1, max_size=most))
    return tuple(points.count(p) for p in range(1, 7))


def test_there_are_54264_positions() -> None:
    assert len(positions.all_positions(15)) == positions.count_positions(15) == comb(21, 6) == 54264


def test_positions_of_fewer_checkers_come_first() -> None:
    table = positions.all_positions(15)
    assert (table[: positions.count_positions(6)] == positions.all_positions(6)).all()
    assert (np.diff(table.sum(axis=1)) >= 0).all()


@given(bearoff_positions())
def test_numbers_and_positions_are_inverse(counts: positions.Position) -> None:
    number = positions.index(counts)
    assert positions.position(number) == counts
    assert tuple(positions.all_positions(15)[number]) == counts


@given(bearoff_positions(), st.sampled_from(moves.ROLLS))
def test_every_play_leads_to_a_smaller_number(counts: positions.Position, roll: tuple[int, int]) -> None:
    reached = moves.after_roll(counts, *roll)
    assert reached
    assert all(positions.index(after) < positions.index(counts) for after in reached)
    assert all(positions.pips(after) < positions.pips(counts) for after in reached)


def test_successors_are_those_of_the_rules() -> None:
    compiled = successors(4)
    for number, row in enumerate(positions.all_positions(4)[1:], 1):
        counts = tuple(map(int, row))
        for roll, dice in enumerate(moves.ROLLS):
            expected = {positions.index(after) for after in moves.after_roll(counts, *dice)}
            found = compiled.of(number, roll).tolist()
            assert sorted(found) == sorted(expected)


@settings(deadline=None)
@given(bearoff_positions(), st.sampled_from(moves.ROLLS))
def test_successors_of_large_positions(counts: positions.Position, roll: tuple[int, int]) -> None:
    found = successors(15).of(positions.index(counts), moves.roll_number(*roll))
    assert set(found.tolist()) == {positions.index(after) for after in moves.after_roll(counts, *roll)}


@pytest.mark.parametrize(
    ("counts", "die", "reached"),
    [
        ((0, 0, 0, 0, 1, 0), 6, {(0, 0, 0, 0, 0, 0)}),  # larger than the highest checker: off
        ((0, 0, 0, 0, 1, 1), 5, {(0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 1, 0)}),  # exact, or from above
        ((0, 1, 0, 0, 0, 1), 4, {(0, 2, 0, 0, 0, 0)}),  # not off from the two point: a checker stands above it
    ],
)
def test_one_die(counts: positions.Position, die: int, reached: set[positions.Position]) -> None:
    assert {after for _, after in moves.play_die(counts, die)} == reached


def test_doubles_are_played_four_times() -> None:
    assert moves.after_roll((0, 0, 0, 0, 0, 4), 6, 6) == {(0,) * 6}
    assert moves.after_roll((0, 0, 0, 0, 0, 5), 6, 6) == {(0, 0, 0, 0, 0, 1)}


@given(bearoff_positions(8), st.sampled_from(moves.ROLLS))
def test_a_described_play_is_legal(counts: positions.Position, roll: tuple[int, int]) -> None:
    for after in moves.after_roll(counts, *roll):
        now = list(counts)
        for step in moves.describe(counts, *roll, after).split():
            source, target = step.split("/")
            now[int(source) - 1] -= 1
            if target != "off":
                now[int(target) - 1] += 1
            assert min(now) >= 0
        assert tuple(now) == after


def test_a_play_that_no_roll_makes_is_refused() -> None:
    with pytest.raises(ValueError, match="does not lead"):
        moves.describe((0, 0, 0, 0, 0, 2), 2, 1, (0,) * 6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0,0,0,0,2,-1", "negative"),
        ("0,0,0,0,0,16", "at most 15"),
        ("1,1,1,1,1,1,1", "7 counts"),
        ("0,0,0,0,0,0", "empty"),
        ("1,2,x,0,0,0", "whole numbers"),
    ],
)
def test_bad_positions(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        positions.parse(text)


def test_more_than_15_checkers_have_no_table() -> None:
    with pytest.raises(UsageError, match="between 1 and 15"):
        positions.all_positions(16)
