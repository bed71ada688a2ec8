"""Storm's exploration, stopped before what it finds outgrows the memory that is left."""

from __future__ import annotations

from typing import Any

import stormpy
from stormpy import developer

from pymc_games.errors import ModelError
from pymc_games.memory import Growth
from pymc_games.storm.calls import interruptible, translating
from pymc_games.storm.programs import Program

#: How many states are explored at first. That tells the branches of a state, and so how many fit; where these are many
#: more, exploration stops once more on the way, at a third of them, and tells again.
_FIRST, _WAY = 50_000, 3
#: Storm's label for states that it has met and not explored.
_UNEXPLORED = "unexplored"


def explore(program: Program, options: stormpy.BuilderOptions, *, exact: bool) -> Any:
    """Return Storm's sparse model of a program, of all states.

    Raises
    ------
    ModelError
        If Storm finds a fault in the program.
    MemoryEstimateError
        If there are more states than by their size fit in memory; not within `memory.unlimited`.
    """
    growth = Growth(program.source, exact=exact)
    # Storm would be at a loss with two labels of one name.
    if not growth.bounded or _UNEXPLORED in (label.name for label in program.handle.labels):
        return _explored(program, options, None, exact=exact)
    most = _FIRST
    while True:
        model = _explored(program, options, most, exact=exact)
        if model.nr_states < most:
            return model
        states, left = model.nr_states, model.labeling.get_states(_UNEXPLORED).get_number_of_set_bits()
        # Each of those left has a loop in place of what it would have.
        done, choices, branches = (number - left for number in (states, model.nr_choices, model.nr_transitions))
        del model
        fit = growth.refuse_if_too_large(states, done, choices, branches)
        most = fit // _WAY if 2 * states < fit // _WAY else fit
        program = program.again()


def _explored(program: Program, options: stormpy.BuilderOptions, most: int | None, *, exact: bool) -> Any:
    value_type = stormpy.Rational if exact else float
    limits = developer.ExplicitModelBuilderOptions[value_type]()
    limits.exploration_state_limit = most
    build = developer.build_sparse_model[value_type]
    with translating(program.source, ModelError):
        return interruptible(lambda: build(program.handle, options, limits))
