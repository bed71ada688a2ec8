"""Skeleton: both descriptions are one game, Storm and the engine agree, and the published figures come out."""

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


@pytest.mark.parametrize("goal", [1, 2, 7])
def test_storm_and_the_engine_agree_in_every_state(goal):
    comparisons = list(compare_models("skeleton", [f"goal={goal}"]))
    assert comparisons
    assert all(comparison.sound for comparison in comparisons)


def test_published_figures_come_out_as_expected():
    outcomes = list(campaign.run(campaign.load(game="skeleton")))
    assert outcomes
    assert [outcome.figure.id for outcome in outcomes if not outcome.as_expected] == []


def test_play_takes_as_many_turns_as_computed():
    game = games.get("skeleton")
    turns = game.simulate(game.bind(["goal=3"]), 10_000, 1)
    mean = Fraction(sum(turns), len(turns))
    assert abs(mean - Fraction(5, 2)) < Fraction(1, 20)  # more than five standard errors
