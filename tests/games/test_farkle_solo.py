"""Farkle alone: most points a turn and fewest turns, against published figures, Storm, the engine and brute force."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq

from pymc_games import prism, storm
from pymc_games.compare import Options, Session
from pymc_games.games.farkle import GAME, templates
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle.average import best_turn, points_per_turn, stopping_totals, surplus
from pymc_games.games.farkle.constants import rules_of
from pymc_games.games.farkle.fewest_turns import fewest_turns
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import options
from pymc_games.loading import load_target

TWO_DICE = {"goal": 300, "dice": 2, "minimum": 100, "bound": -100, "farkles": 3, "penalty": 100}
EVEN = 'R{"points"}max=? [ F "over" ]'


def texts(constants: dict[str, int]) -> list[str]:
    return [f"{name}={value}" for name, value in constants.items()]


def by_rolls(rules: Rules, farkle: float, most: int) -> float:
    """Return the worth of one turn, from every roll of the dice, banking at ``most`` points at the latest."""
    worth: dict[tuple[int, int], float] = {}
    for total in range(most, -1, -rules.step):
        for dice in range(1, rules.dice + 1):
            rolled = 0.0
            for roll in itertools.product(range(1, 7), repeat=dice):
                kept = [
                    worth.get((total + gain, dice - used or rules.dice), total + gain)
                    for used, gain in options(rules, roll)
                ]
                rolled += max(kept, default=farkle) / 6**dice
            stay = total if total >= max(rules.minimum, rules.step) else -math.inf
            worth[total, dice] = max(stay, rolled) if total < most else total
    return worth[0, rules.dice]


@pytest.mark.parametrize("farkle", [0, -250, 130])
@pytest.mark.parametrize("dice", [1, 2, 3])
def test_one_turn_is_worth_what_its_rolls_give(dice: int, farkle: int) -> None:
    rules = rules_of(TWO_DICE | {"dice": dice})
    turn = best_turn(rules, fmpq(farkle))
    assert float(turn.value) == pytest.approx(by_rolls(rules, farkle, 2_000), abs=1e-9)
    assert 0 < turn.farkle < 1


def test_banking_is_best_from_the_stopping_totals_on() -> None:
    """Of all totals up to far beyond, rolling must gain at none from there on; a hundred points before, it does."""
    rules = rules_of(TWO_DICE | {"dice": 3})
    stops = stopping_totals(rules, fmpq(-100))
    assert set(stops) == {1, 2, 3}
    assert float(best_turn(rules, fmpq(-100)).value) == pytest.approx(by_rolls(rules, -100, 4 * max(stops.values())))
    # Six dice that always score are rolled at any total.
    assert set(stopping_totals(house.load("zilch"), fmpq(0))) == {1, 2, 3, 4, 5}


def test_the_average_of_one_die_by_hand() -> None:
    """A 1 or a 5 in six is 100 or 50 points. With a bank of at least 50, banking at once: 150/6 points a turn.

    To roll on from 50 wins 25 on average and loses 50 with 2/3. Three farkles in a row, 8/27 of the time, cost 100.
    """
    rules = rules_of(TWO_DICE | {"dice": 1, "minimum": 50})
    # The count is a chain: from each count 1/3 back to none, 2/3 on; the stationary chance of two before is 4/19.
    assert points_per_turn(rules) == Fraction(150, 6) - Fraction(4, 19) * Fraction(2, 3) * 100


@pytest.mark.parametrize("changes", [{}, {"dice": 1}, {"dice": 3}, {"farkles": 1}, {"penalty": 0}, {"minimum": 0}])
def test_storm_finds_that_a_cycle_comes_out_even(changes: dict[str, int]) -> None:
    target = load_target("farkle", texts(TWO_DICE | changes), "average")
    (prop,) = target.properties
    checked = Session(target, target.properties, Options(exact=True)).compare(prop)
    assert checked.agree
    assert checked.storm is not None
    assert checked.storm.exact == Fraction(prop.expected or "")


def test_another_average_does_not_come_out_even() -> None:
    rules = rules_of(TWO_DICE)
    best = points_per_turn(rules)
    template = GAME.variant("average").template
    for change in (Fraction(1, 10), Fraction(-1, 10)):
        context = templates.charged(rules, best + change)
        (result,) = storm.check_text(prism.render(template, context), [EVEN], exact=True)
        assert result.exact == context["shift"] + surplus(rules, best + change)
        assert (result.exact > context["shift"]) == (change < 0)


@pytest.mark.parametrize(
    ("name", "published", "closer"),
    [
        ("zilch", 620.855, 620.854672277),
        ("facebook", 545.902, 545.902143357),
        ("facebook-1500", 576.696, 576.695669969),
    ],
)
@pytest.mark.full
def test_points_a_turn_of_published_rules(name: str, published: float, closer: float) -> None:
    rules = house.load(name)
    average = points_per_turn(rules)
    assert round(float(average), 3) == published
    assert round(float(average), 9) == closer
    assert surplus(rules, average) == 0
    near = Fraction(round(average * 10**9), 10**9)
    context = templates.charged(rules, near)
    (result,) = storm.check_text(prism.render(GAME.variant("average").template, context), [EVEN], precision=1e-12)
    assert result.lower <= context["shift"] + surplus(rules, near) <= result.upper
    assert abs(result.value - context["shift"]) < 1e-8


@pytest.mark.parametrize("changes", [{}, {"dice": 1, "goal": 150}, {"dice": 3, "goal": 200}, {"farkles": 1}])
def test_fewest_turns_are_storms_and_the_engines(changes: dict[str, int]) -> None:
    constants = TWO_DICE | changes
    target = load_target("farkle", texts(constants), "solo")
    session = Session(target, target.properties, Options(precision=1e-10))
    found = fewest_turns(rules_of(constants))
    assert found.residual == 0
    prop = target.properties[0]
    checked = session.compare(prop)
    assert checked.agree
    assert checked.storm is not None
    assert checked.storm.overlaps(found.at(0))
    # Every turn start that can be met, not only the first one.
    matrix = session.model
    solution = session.by_engine(prop, matrix)
    variables = matrix.variables
    starts = (variables["points"] == 0) & (variables["roll"] == 0)
    met = 0
    for state in starts.nonzero()[0].tolist():
        count = int(variables["farkles"][state]) if "farkles" in variables else 0
        assert solution.at(state).overlaps(found.at(int(variables["score"][state]), count))
        met += 1
    assert met == found.rules.scores * found.rules.farkles


def test_fewest_turns_of_one_die_exactly() -> None:
    constants = TWO_DICE | {"dice": 1, "goal": 150}
    target = load_target("farkle", texts(constants), "solo")
    checked = Session(target, target.properties, Options(exact=True)).check(target.properties[0])
    assert checked.storm is not None
    assert checked.storm.exact is not None
    result = fewest_turns(rules_of(constants)).at(0)
    assert result.lower <= checked.storm.exact <= result.upper
    assert result.width < 1e-11 * result.value


def test_other_rules_take_another_number_of_turns() -> None:
    rules = rules_of(TWO_DICE)
    best = fewest_turns(rules).at(0)
    assert fewest_turns(replace(rules, penalty=0)).at(0).upper < best.lower
    assert fewest_turns(replace(rules, minimum=0)).at(0).upper < best.lower
    assert fewest_turns(replace(rules, goal=350)).at(0).lower > best.upper


@pytest.mark.full
def test_turns_to_ten_thousand() -> None:
    """At the greatest average the goal takes longer than this many turns; the bound forgives next to nothing."""
    rules = house.load()
    result = fewest_turns(rules).at(0)
    assert result.residual == 0
    assert result.width < 1e-10
    assert result.lower > rules.goal / float(points_per_turn(rules))
