"""Pig: the native solution, the game's model by the rules, and the generic path, beside Storm and a dictionary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from benchmarks import peers
from benchmarks.records import OURS
from pymc_games import storm
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExplicitModel
from pymc_games.games.pig import GAME, model, values
from pymc_games.games.pig.rules import Rules
from pymc_games.properties import parse_property
from pymc_games.queries import question

BUILDS, CHECKS = "Storm, building the model of a best response", "Storm, checking that to 1e-6"
DICTIONARY = "value iteration over a dictionary, as OpenSpiel's"


@lru_cache(maxsize=2)
def program(goal: int, name: str) -> storm.Program:
    variant = GAME.variant(name)
    return storm.parse_text(variant.render(GAME.bind([f"goal={goal}"]))[0])


@lru_cache(maxsize=1)
def built(goal: int, name: str) -> storm.StormModel:
    return storm.build(program(goal, name))


def rules_model(goal: int) -> ExplicitModel:
    return model.build(Rules(goal), "smg", None, None)


def winning(of: ExplicitModel) -> Query:
    """Return the query for the first player's chance in the game."""
    return question(parse_property('<<p1>> Pmax=? [ F "win1" ]'), of).query


@pytest.mark.parametrize("by", [OURS, BUILDS, CHECKS])
def test_the_native_solution(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    goal = 10 if tiny else 100
    task = f"Pig to {goal}: both players' optimal play, to the last bit"
    if by == OURS:
        measure(task, by, lambda: values.solve(Rules(goal)), prepare=values.solve.cache_clear)
    elif by == BUILDS:
        measure(task, by, lambda: storm.build(program(goal, "mdp")), rounds=2, warmup=False)
    else:
        mdp = built(goal, "mdp")
        measure(task, by, lambda: storm.check(mdp, 'Pmax=? [ F "win1" ]'), rounds=3)


@pytest.mark.parametrize("by", [OURS, "Storm"])
def test_building_the_game(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    goal = 10 if tiny else 100
    task = f"Pig to {goal}: the game's model, from the rules or from the PRISM text"
    if by == OURS:
        measure(task, by, lambda: rules_model(goal), rounds=3)
    else:
        measure(task, by, lambda: storm.build(program(goal, "smg")), rounds=2, warmup=False)


@pytest.mark.parametrize("by", [OURS, "ours, to the last bit", "Storm, building it"])
def test_storms_game(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    goal = 10 if tiny else 100
    task = f"Pig to {goal}: reading Storm's game and solving it, to 1e-6"
    if by == "Storm, building it":
        measure(task, by, lambda: storm.build(program(goal, "smg")), rounds=2, warmup=False)
        return
    game = built(goal, "smg")
    precision = 1e-6 if by == OURS else None

    def read_and_solve() -> None:
        matrix = storm.to_explicit(replace(game, matrix=None))
        solve(matrix, winning(matrix), precision=precision, scheduler=False)

    measure(task, by, read_and_solve, rounds=3)


@pytest.mark.parametrize("by", [OURS, DICTIONARY])
def test_a_small_game(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    goal = 6 if tiny else 20
    game = rules_model(goal)
    task = f"Pig to {goal}: the game's model of {game.states:,} states, solving only, to 1e-6"
    if by == OURS:
        measure(task, by, lambda: solve(game, winning(game), precision=1e-6, scheduler=False))
    else:
        measure(task, by, lambda: peers.dictionary_value_iteration(game, winning(game)), rounds=2, warmup=False)
