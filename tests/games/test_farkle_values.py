"""Farkle for two, solved by total score: against fractions from the explicit model, and published figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pymc_games.errors import UsageError
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle import values
from pymc_games.games.farkle.constants import rules_of
from pymc_games.games.farkle.reference import reference
from pymc_games.games.farkle.rules import Rules

TINY = {"goal": 100, "dice": 1, "minimum": 100, "bound": -50, "farkles": 3, "penalty": 50}

#: Small enough for fractions, and with every rule in play.
SMALL = [
    TINY,
    TINY | {"minimum": 0},
    TINY | {"minimum": 50, "bound": -100, "farkles": 1},
    TINY | {"dice": 2, "bound": 0, "farkles": 2},
    TINY | {"goal": 200, "dice": 2, "bound": 0, "farkles": 1, "penalty": 0},
    TINY | {"goal": 150, "dice": 3, "bound": 0, "farkles": 1, "penalty": 0},
]


@pytest.mark.parametrize("constants", SMALL)
def test_every_turn_start_encloses_the_fraction(constants: dict[str, int]) -> None:
    rules = rules_of(constants)
    found = values.solve(rules)
    assert found.changed == 0
    assert found.gap < 1e-13
    for start, expected in reference(rules, exact=True).starts.items():
        result = found.at(*start)
        assert expected.exact is not None
        assert result.lower <= expected.exact <= result.upper
        assert result.residual == 0


@pytest.mark.parametrize(
    "rules",
    [
        rules_of(TINY | {"dice": 2, "goal": 200, "bound": -100, "penalty": 100}),
        Rules(goal=250, minimum=200, bound=-100, penalty=100, farkles=2),
        replace(house.load("zilch"), goal=300, bound=0, farkles=1, penalty=0),
    ],
)
def test_every_turn_start_agrees_with_the_engine(rules: Rules) -> None:
    found = values.solve(rules)
    for start, expected in reference(rules).starts.items():
        assert found.at(*start).overlaps(expected)
        assert found.at(*start).width < 1e-12


def test_other_rules_give_another_value() -> None:
    """The comparison would notice a minimum that is not kept, or a penalty left out."""
    rules = rules_of(TINY | {"dice": 2, "goal": 200, "bound": -100, "penalty": 100})
    expected = reference(rules).first
    for changes in ({"minimum": 50}, {"penalty": 50}, {"farkles": 2}, {"bound": -50}):
        assert not values.solve(replace(rules, **changes)).at(0, 0).overlaps(expected)


@pytest.mark.parametrize(
    ("name", "published"),
    [("facebook", "0.554602"), pytest.param("facebook-1500", "0.552302", marks=pytest.mark.full)],
)
def test_first_players_chance_at_a_goal_of_4000(name: str, published: str) -> None:
    """Values of another program for the goal 4000 and the bound -500: 19,974,600 states."""
    rules = house.load(name, goal=4000, bound=-500)
    assert rules.states() == 19_974_600
    result = values.solve(rules, gap=1e-6).at(0, 0)
    assert f"{result.lower:.6f}" == f"{result.upper:.6f}" == published


def test_sweeps_move_the_bounds_towards_each_other_only() -> None:
    found = values.start(rules_of(TINY | {"dice": 2, "goal": 200, "bound": -100, "penalty": 100}))
    while found.changed:
        lower, upper = found.lower.copy(), found.upper.copy()
        found = values.sweep(found)
        assert (found.lower >= lower).all()
        assert (found.upper <= upper).all()
        assert (found.lower <= found.upper).all()
        moved = int(np.count_nonzero(found.lower != lower) + np.count_nonzero(found.upper != upper))
        assert found.changed == moved


def test_a_gap_ends_early() -> None:
    rules = Rules(goal=1000, bound=-500)
    found = values.solve(rules, gap=1e-4)
    assert found.gap <= 1e-4
    assert found.changed > 0
    assert found.at(0, 0).residual is None
    whole = values.solve(rules)
    assert (found.lower <= whole.lower).all()
    assert (whole.upper <= found.upper).all()


def test_going_on_is_the_same_as_not_stopping() -> None:
    rules = Rules(goal=500, bound=-200)
    whole = values.solve(rules)
    resumed = values.solve(rules, resume=values.solve(rules, gap=1e-2))
    assert (resumed.lower == whole.lower).all()
    assert (resumed.upper == whole.upper).all()
    assert resumed.sweeps == whole.sweeps


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        ((25, 0), "score 25: scores are multiples of 50"),
        ((500, 0), "to below 500"),
        ((0, -250), "score -250"),
        ((0, 0, 3), "3 farkles in a row: 0 to 2"),
    ],
)
def test_positions_that_there_are_not(start: tuple[int, ...], complaint: str) -> None:
    found = values.start(Rules(goal=500, bound=-200))
    with pytest.raises(UsageError, match=complaint):
        found.at(*start)
