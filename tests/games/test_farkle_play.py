"""One turn of Farkle in full: against fractions, roll by roll, and against the solution it comes from."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from pymc_games.errors import UsageError
from pymc_games.games.farkle import play, scoring, values
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle.play import Position, Turn
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.values import Values

RULES = Rules(goal=600, bound=-100, penalty=200)
POSITION = Position(150, 300, 1, 2)


@pytest.fixture(scope="module")
def solved() -> Values:
    return values.solve(RULES)


@pytest.fixture(scope="module")
def turn(solved: Values) -> Turn:
    return play.turn(solved, POSITION)


def test_the_turn_starts_at_the_solved_value(solved: Values, turn: Turn) -> None:
    start = solved.at(*POSITION)
    assert tuple(turn.roll[0, -1]) == (start.lower, start.upper)
    everywhere = np.maximum(turn.roll, turn.bank[:, np.newaxis])
    assert (np.abs(everywhere - turn.best[: len(turn.bank)]) < 1e-15).all()


def test_every_decision_encloses_a_backup_over_all_rolls_in_fractions(solved: Values, turn: Turn) -> None:
    """From the midpoints of the bounds at the turn's ends, roll by roll, with two dice left and fewer."""

    def lost(own: int, count: int) -> Fraction:
        return 1 - Fraction(solved.at(POSITION.other, own, POSITION.other_farkles, count).value)

    @cache
    def chance(points: int, dice: int) -> Fraction:
        if points + POSITION.own >= RULES.goal:
            return Fraction(1)
        total = Fraction(0)
        for roll in itertools.product(range(1, 7), repeat=dice):
            kept = [best(points + gain, dice - used or 6) for used, gain in scoring.options(RULES, roll)]
            total += max(kept) if kept else lost(POSITION.own, POSITION.own_farkles + 1)
        return total / 6**dice

    @cache
    def best(points: int, dice: int) -> Fraction:
        banked = lost(POSITION.own + points, 0) if points >= 300 and points + POSITION.own < RULES.goal else Fraction(0)
        return max(banked, chance(points, dice))

    for points, dice in [(400, 1), (400, 2), (350, 2), (300, 3), (400, 6)]:
        lower, upper = turn.roll[points // 50, dice - 1]
        assert lower - 1e-14 <= chance(points, dice) <= upper + 1e-14


def test_options_after_a_roll(turn: Turn) -> None:
    found = turn.options(300, 3, (1, 1, 5))
    said = {(option.faces, option.points, option.dice, option.action) for option in found}
    assert said == {
        ((1,), 400, 2, "bank"), ((1,), 400, 2, "roll"), ((1, 1), 500, 1, "bank"), ((1, 1, 5), 550, 6, "bank")
    }  # fmt: skip
    assert found[0].win.value == 1
    assert [option.win.value for option in found] == sorted((option.win.value for option in found), reverse=True)
    assert turn.options(300, 2, (3, 4)) == []


def test_what_cannot_be_banked_is_no_option(turn: Turn) -> None:
    assert [option.action for option in turn.options(250, 3)] == ["roll"]
    assert {option.action for option in turn.options(300, 3)} == {"bank", "roll"}
    assert [option.action for option in turn.options(0, 6)] == ["roll"]


@pytest.mark.parametrize(
    ("points", "dice", "roll", "complaint"),
    [
        (25, 3, None, "turn total 25: it is a multiple of 50"),
        (-50, 3, None, "turn total -50"),
        (450, 3, None, "turn total 450: banking it wins"),
        (300, 7, None, "7 dice: 1 to 6"),
        (0, 5, None, "a turn begins with 6"),
        (300, 3, (1, 1), "the roll 1,1 has 2 dice, not 3"),
    ],
)
def test_turns_that_cannot_be(turn: Turn, points: int, dice: int, roll: tuple[int, ...] | None, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        turn.options(points, dice, roll)


@pytest.mark.parametrize("name", house.shipped())
def test_faces_that_are_set_aside_score_what_the_option_says(name: str) -> None:
    rules = house.load(name)
    for dice in range(1, rules.dice + 1):
        for roll in itertools.combinations_with_replacement(range(1, 7), dice):
            ways = scoring.ways(rules, roll)
            assert tuple((len(faces), points) for faces, points in ways) == scoring.options(rules, roll)
            for faces, _ in ways:
                assert not set(faces) - set(roll)


def test_the_strategy_says_what_the_options_say(turn: Turn) -> None:
    rows = list(play.strategy(turn))
    assert len(rows) == 9 * (6 + 21 + 56 + 126 + 252 + 462 + 6) - 5 * (1 + 0) - (6 + 21 + 56 + 126 + 252)
    for row in rows[::97]:
        roll = tuple(map(int, str(row["roll"]))) or None
        options = turn.options(int(str(row["turn"])), int(str(row["dice"])), roll)
        if row["action"] == "farkle":
            assert options == []
        else:
            assert row["win_probability"] == options[0].win.value
            assert ("".join(map(str, options[0].faces)), options[0].action) in {
                (row["set_aside"], row["action"]),
                *((("".join(map(str, option.faces)), option.action)) for option in options
                  if option.win.value == options[0].win.value),
            }  # fmt: skip


def test_bank_totals_are_where_banking_is_the_best_option(turn: Turn) -> None:
    for dice in range(1, 7):
        ranges = play.bank_totals(turn, dice)
        banked = {points for first, last in ranges for points in range(first, last + 50, 50)}
        for points in range(50, 450, 50):
            actions = {option.action: option.win.value for option in turn.options(points, dice)}
            assert (points in banked) == (actions.get("bank", -1) >= actions["roll"])
