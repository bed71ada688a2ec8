"""Farkle: a small game beside Storm and the plain reference, and how the time grows with the goal and the bound.

``--full`` adds the published game, which takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.records import OURS
from pymc_games import games, storm
from pymc_games.games.base import Constants
from pymc_games.games.farkle import constants, reference, values
from pymc_games.games.farkle.rules import Rules, load

BUILDS, CHECKS = "Storm, building the model of a best response", "Storm, checking that to 1e-6"
PLAIN = "the plain reference: an explicit model and the engine"
GOALS, BOUNDS = (1_000, 2_000, 4_000), (0, -1_000)


@lru_cache(maxsize=1)
def small(goal: int) -> tuple[Constants, Rules]:
    """Return a game of two dice as the constants of its models, and as rules."""
    bound = games.get("farkle").bind([f"goal={goal}"])
    return bound, constants.small_rules(bound)


@lru_cache(maxsize=1)
def program(goal: int) -> storm.Program:
    """Return the decision process of player 1 against optimal play."""
    variant = games.get("farkle").variant("mdp")
    return storm.parse_text(variant.render(small(goal)[0])[0])


@lru_cache(maxsize=1)
def built(goal: int) -> storm.StormModel:
    return storm.build(program(goal))


@pytest.mark.parametrize("by", [OURS, PLAIN, BUILDS, CHECKS])
def test_a_small_game(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    goal = 100 if tiny else 300
    rules = small(goal)[1]
    task = f"Farkle with two dice to {goal}: both players' optimal play, to the last bit"
    if by == OURS:
        measure(task, by, lambda: values.solve(rules))
    elif by == PLAIN:
        measure(task, by, lambda: reference.reference(rules), rounds=2, warmup=False)
    elif by == BUILDS:
        of = program(goal)
        measure(task, by, lambda: storm.build(of), rounds=3, warmup=False)
    else:
        mdp = built(goal)
        measure(task, by, lambda: storm.check(mdp, 'Pmax=? [ F "win1" ]'), rounds=3)


def solve_from_nothing(measure: Callable[..., Any], benchmark: Any, rules: Rules) -> None:
    """Measure a game from the bounds 0 and 1 to the fixpoints."""
    values.sweep(values.start(rules))  # compiles
    task = f"Farkle to {rules.goal:,}, scores from {rules.bound:,}"
    solved = measure(task, OURS, lambda: values.solve(rules), rounds=1, warmup=False, states=rules.states())
    benchmark.extra_info["sweeps"] = solved.sweeps


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("goal", GOALS)
def test_growth(measure: Callable[..., Any], benchmark: Any, tiny: bool, goal: int, bound: int) -> None:
    rules = load(goal=300 + goal // 10, bound=bound // 10) if tiny else load(goal=goal, bound=bound)
    solve_from_nothing(measure, benchmark, rules)


def test_the_published_game(measure: Callable[..., Any], benchmark: Any, full: bool) -> None:
    if not full:
        pytest.skip("takes minutes; --full")
    solve_from_nothing(measure, benchmark, load())
