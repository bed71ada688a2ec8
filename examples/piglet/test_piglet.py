"""Piglet: both descriptions agree in every state, and the published values come out exactly."""

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


@pytest.mark.parametrize("goal", [1, 4])
def test_storm_and_the_engine_agree_in_every_state(goal):
    comparisons = list(compare_models("piglet", [f"goal={goal}"]))
    assert len(comparisons) == 2
    assert all(comparison.sound for comparison in comparisons)


def test_published_figures_come_out():
    outcomes = list(campaign.run(campaign.load(game="piglet")))
    assert len(outcomes) == 9
    assert [outcome.figure.id for outcome in outcomes if outcome.verdict != "reproduced"] == []


def test_another_table_is_noticed():
    holds_at = games.figure("piglet", "holds_at")
    assert holds_at(3, [[1, 3, 3], [2, 2, 2], [1, 1, 1]])
    assert not holds_at(3, [[2, 3, 3], [2, 2, 2], [1, 1, 1]])


def test_to_one_point_the_players_flip_in_turn():
    assert games.figure("piglet", "chance_of")(1, 0, 0, 0) == Fraction(2, 3)  # 1/2 + 1/8 + 1/32 + …
