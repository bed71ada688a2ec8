"""The engine and Storm's sound method on one built model, solving only, to 1e-6.

The models are those of at least 10,000 states among the examples that ship with stormpy, for constants that make them
so, and Pig.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import stormpy.examples.files

from benchmarks.records import OURS
from pymc_games import games, storm
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExplicitModel
from pymc_games.properties import parse_property
from pymc_games.queries import question

PRECISION = 1e-6
STORM = "Storm, sound, to 1e-6"
# A file or a game, its constants, those of the tiny run, a property.
CASES = (
    ("mdp/firewire.nm", "delay=36,fast=1/2", "delay=3,fast=1/2", 'Pmin=? [ F "elected" ]'),
    ("mdp/firewire.nm", "delay=36,fast=1/2", "delay=3,fast=1/2", 'R{"time"}max=? [ F "elected" ]'),
    ("mdp/firewire.nm", "delay=36,fast=1/2", "delay=3,fast=1/2", 'R{"time"}min=? [ F "elected" ]'),
    ("mdp/coin2.nm", "K=100", "K=2", 'Pmax=? [ F "finished" & "all_coins_equal_1" ]'),
    ("mdp/coin2.nm", "K=80", "K=2", 'R{"steps"}min=? [ F "finished" ]'),
    ("mdp/coin2.nm", "K=80", "K=2", 'R{"steps"}max=? [ F "finished" ]'),
    ("dtmc/brp.pm", "N=512,MAX=5", "N=16,MAX=2", 'P=? [ F "target" ]'),
    ("dtmc/brp.pm", "N=512,MAX=5", "N=16,MAX=2", 'R=? [ F "target" | "deadlock" ]'),
    ("pig", "goal=60", "goal=5", 'Pmax=? [ F "win1" ]'),
    ("pig", "goal=100", "goal=6", 'Pmax=? [ F "win1" ]'),
)


@lru_cache(maxsize=1)  # the cases of one model stand together
def built(name: str, constants: str) -> tuple[storm.StormModel, ExplicitModel]:
    """Return a game's default variant, or one of stormpy's examples, built by Storm, and its matrix."""
    pairs = constants.split(",")
    if name in games.names():
        game = games.get(name)
        variant = game.variant(None)
        program = storm.parse_text(variant.render(game.bind(pairs))[0])
    else:
        path = Path(stormpy.examples.files.testfile_dir) / name
        program = storm.parse(path, dict(pair.split("=") for pair in pairs))
    model = storm.build(program)
    return model, storm.to_explicit(model)


def array_bytes(model: ExplicitModel) -> int:
    """Return the bytes of a model's arrays, with one reward a choice."""
    arrays = (model.state_to_choices, model.choice_to_branches, model.branch_to_target, model.branch_to_probability)
    return sum(array.nbytes for array in arrays) + 8 * model.choices


def peak_bytes(work: Callable[[], object]) -> int:
    """Return the greatest memory in use during some work, beyond what was there; compiled code's arrays count."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def query_of(model: ExplicitModel, text: str) -> Query:
    return question(parse_property(text), model).query


@pytest.mark.parametrize("by", [OURS, "ours, to the last bit", STORM])
@pytest.mark.parametrize(("name", "constants", "small", "text"), CASES)
def test_solving(
    measure: Callable[..., Any], tiny: bool, by: str, name: str, constants: str, small: str, text: str
) -> None:
    constants = small if tiny else constants
    theirs, model = built(name, constants)
    query = query_of(model, text)
    task = f"{Path(name).stem} {constants}, {model.states:,} states: `{text}`"
    if by == STORM:
        measure(task, by, lambda: storm.check(theirs, parse_property(text), precision=PRECISION))
        return
    precision = PRECISION if by == OURS else None

    def ours() -> None:
        solve(model, query, precision=precision, scheduler=False)

    ours()  # loads what is compiled, which takes memory too
    measure(task, by, ours, memory=peak_bytes(ours) / array_bytes(model))
