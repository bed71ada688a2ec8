"""Ways to play Pig, the game alone, and random play."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from pymc_games import campaign
from pymc_games.errors import UsageError
from pymc_games.games.pig import policies, simulation, solitaire, values
from pymc_games.games.pig.rules import Rules


def test_named_policies() -> None:
    rules = Rules()
    hold = policies.parse("hold-at-20", rules)
    assert not hold[3, 4, 19]
    assert hold[3, 4, 20]
    assert not policies.parse("roll-to-win", rules).any()
    pace = policies.parse("keep-pace", rules)
    assert values.first_hold(pace, 0, 0) == 21
    assert values.first_hold(pace, 0, 40) == 26
    assert values.first_hold(pace, 71, 0) == 29
    assert values.first_hold(pace, 0, 71) == 100


def test_the_best_reply_beats_every_other_policy() -> None:
    rules = Rules(30)
    against = policies.parse("hold-at-12", rules)
    best = values.play(rules, policies.parse("best-response:hold-at-12", rules), against).start()
    for name in ("optimal", "hold-at-20", "roll-to-win", "keep-pace", "best-response:optimal"):
        assert values.play(rules, policies.parse(name, rules), against).start().lower <= best.upper


@pytest.mark.parametrize(
    "name", ["hold", "hold-at-", "hold-at-0", "hold-at-x", "best-response:", "Optimal", "hold-at--1"]
)
def test_unknown_policies_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="there is no policy"):
        policies.parse(name, Rules(10))


def test_random_play_agrees_with_the_solution() -> None:
    rules = Rules(40)
    first, second = policies.parse("optimal", rules), policies.parse("hold-at-8", rules)
    chance = values.play(rules, first, second).start().value
    games = 100_000
    mean = float(simulation.play(rules, first, second, games, 7).mean())
    error = math.sqrt(chance * (1 - chance) / games)
    assert abs(mean - chance) < 4 * error
    assert abs(mean - 0.5) > 4 * error
    assert np.array_equal(simulation.play(rules, first, second, 50, 3), simulation.play(rules, first, second, 50, 3))


def test_a_turn_of_hold_at_20() -> None:
    turn = solitaire.turn_distribution(Rules(), 20)
    assert sum(turn.values()) == 1
    assert float(turn[0]) == pytest.approx(0.624540834201, abs=5e-13)
    assert set(turn) == {0, *range(20, 26)}


def test_turns_alone() -> None:
    rules = Rules()
    assert float(solitaire.turns(rules, solitaire.hold_at(20))) == pytest.approx(12.636769490454, abs=5e-13)
    assert float(solitaire.fewest_turns(rules)) == pytest.approx(12.545232351955, abs=5e-13)
    # A coin, the head scoring 1: a turn that rolls on to 2 takes 4 turns on average, two banked heads 2 + 2.
    assert solitaire.fewest_turns(Rules(2, 2, 2)) == Fraction(4)


def test_published_figures_come_out_as_noted() -> None:
    figures = [figure for figure in campaign.load(game="pig") if not figure.long and figure.storm is None]
    assert len(figures) > 20
    for outcome in campaign.run(figures):
        assert outcome.as_expected, outcome
