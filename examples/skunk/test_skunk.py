"""Skunk: both descriptions agree in every state, and the solver's bounds hold what is known exactly."""

from fractions import Fraction
from pathlib import Path

import pytest

from pymc_games import campaign, games
from pymc_games.pipeline import compare_models

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def found():
    games.use([HERE.parent])
    yield
    games.use([])


@pytest.mark.parametrize("goal", [4, 9])
def test_the_template_and_the_rules_agree_in_every_state(goal):
    (comparison,) = compare_models("skunk", [f"goal={goal}"])
    assert comparison.sound


def test_to_four_points_any_roll_without_a_1_wins():
    win = Fraction(25, 36)
    result = games.figure("skunk", "chance")(0, 0, 4)
    assert result.lower <= 1 / (2 - win) <= result.upper


@pytest.mark.parametrize("goal", [9, 14])
def test_the_solver_of_its_own_and_the_engine_agree(goal):
    (comparison,) = compare_models("skunk", [f"goal={goal}"])
    assert games.figure("skunk", "chance")(0, 0, goal).overlaps(comparison.checked[0].native)


def test_published_figures_come_out_as_expected():
    outcomes = list(campaign.run(campaign.load(game="skunk")))
    assert [(outcome.verdict, outcome.as_expected) for outcome in outcomes] == [("differs", True), ("reproduced", True)]
