"""Sparse models in Storm's memory: built, read and exported."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import stormpy

from pymc_games import drn, umb
from pymc_games.errors import ModelError, PropertyError, StormError, UnsupportedError
from pymc_games.explicit import ExactNumbers, ExplicitModel
from pymc_games.properties import Globally, Property
from pymc_games.rationals import is_doubtful
from pymc_games.storm.calls import interruptible, translating
from pymc_games.storm.exploration import explore
from pymc_games.storm.programs import Program

# The variable that Storm adds for updates out of range.
_OUT_OF_BOUNDS = "_OutOfBoundsBit"


@dataclass(frozen=True)
class StormModel:
    """A sparse model in Storm's memory.

    ``program`` is ``None`` where it comes from an explicit file, ``matrix`` where it has not been taken out yet.
    """

    handle: Any
    source: str
    exact: bool
    program: Program | None = None
    matrix: ExplicitModel | None = None

    @property
    def type(self) -> str:
        """The model type, ``dtmc``, ``mdp`` or ``smg``."""
        return str(self.handle.model_type.name).lower()

    @property
    def initial_state(self) -> int:
        """The one initial state.

        Raises
        ------
        UnsupportedError
            If there are several, or none.
        """
        states = list(self.handle.initial_states)
        if len(states) != 1:
            raise UnsupportedError(f"{self.source} has {len(states)} initial states; exactly one is supported")
        return int(states[0])


def build(program: Program, properties: Sequence[Property] = (), *, exact: bool = False) -> StormModel:
    """Build the sparse model of a program, with all labels, reward models, valuations and the properties' formulas.

    Raises
    ------
    ModelError
        If Storm's exploration finds a fault: a sum that is not 1, an update out of range, a state of two players.
    PropertyError
        If a property names what the model does not have.
    """
    try:
        return _explore(program, properties, exact=exact)
    except ModelError as error:
        # Storm adds floats and wants 1 to the last bit: a die, six times 1/6, is refused.
        if exact or not re.search("do not (sum|some) to one", str(error)):
            raise
    # The state for updates out of range needs a variable, which a program can be given once.
    unchecked = _explore(program.again(), properties, exact=False, checks=False)
    with suppress(ModelError):
        return replace(unchecked, matrix=to_explicit(unchecked))
    # In rationals the checks mean what they say; it takes several times as long.
    return _rounded(_explore(program, properties, exact=True))


def _explore(program: Program, properties: Sequence[Property], *, exact: bool, checks: bool = True) -> StormModel:
    """Build a model. Without Storm's checks an update out of range leads to a state of its own, and is found there."""
    formulas = [formula_of(program, prop) for prop in properties if program.type != "smg"]
    # Storm stops exploring at the target when it is given exactly one formula; every state is wanted.
    options = stormpy.BuilderOptions([*formulas, *formulas]) if formulas else stormpy.BuilderOptions()
    options.set_exploration_checks(checks)
    options.set_add_out_of_bounds_state(not checks)
    options.set_build_all_labels()
    options.set_build_all_reward_models()
    options.set_build_state_valuations()
    options.set_build_choice_labels()
    model = StormModel(explore(program, options, exact=exact), program.source, exact, program)
    _ = model.initial_state  # several are refused before anything is exported
    return model


def explore_unchecked(program: Program, *, exact: bool) -> StormModel:
    """Build a model without any check of its probabilities; for looking at what is wrong with it, never for answers."""
    return _explore(program, (), exact=exact, checks=False)


def load(path: str | os.PathLike[str], *, exact: bool = False) -> StormModel:
    """Let Storm read an explicit model from a UMB archive, with its rationals where ``exact``.

    Raises
    ------
    ModelError
        If Storm cannot read it.
    """
    options = stormpy.io.UmbImportOptions()
    kinds = stormpy.io.UmbImportValueType
    options.value_type = kinds.RATIONAL if exact else kinds.DOUBLE
    with translating(str(path), ModelError):
        handle = interruptible(lambda: stormpy.build_model_from_umb(path, options=options))
    return StormModel(handle, str(path), exact)


def from_explicit(model: ExplicitModel, *, exact: bool = False) -> StormModel:
    """Give Storm an explicit model of ours, by way of a UMB archive; properties can then name its labels only.

    Raises
    ------
    ModelError
        If Storm cannot read it.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "model.umb")
        umb.write(model, path)
        return replace(load(path, exact=exact), source=model.name or "the model")


def to_explicit(model: StormModel) -> ExplicitModel:
    """Return Storm's own matrix, with its probabilities read from floats as rationals (see `pymc_games.umb`).

    Raises
    ------
    ModelError
        If the probabilities of a choice do not sum to exactly 1, an update was out of range, or a number lost digits.
    """
    if model.matrix is not None:
        return model.matrix
    matrix = with_structure(model)
    if "out_of_bounds" in matrix.labels:
        raise ModelError(f"{model.source}: an update leads out of a variable's range")
    matrix.validate()
    if any(is_doubtful(value) for numbers in _numbers(matrix) for value in numbers.table):
        raise ModelError(f"{model.source}: a number has lost digits in a float; build the model in rationals")
    return matrix


def _numbers(model: ExplicitModel) -> Iterator[ExactNumbers]:
    """Yield the probabilities and all rewards of a model."""
    yield model.probabilities
    for rewards in model.rewards.values():
        yield from (part for part in (rewards.state, rewards.choice, rewards.branch) if part is not None)


def to_exact(model: StormModel) -> ExplicitModel:
    """Return Storm's own matrix of an exact model, with its rationals, which only its DRN export carries.

    Raises
    ------
    ModelError
        If the probabilities of a choice do not sum to exactly 1.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "model.drn")
        export_drn(model, path)
        numbers = drn.read(path, validate=False)
    matrix = with_structure(model)
    for name in ("state_to_choices", "choice_to_branches", "branch_to_target"):
        if not np.array_equal(getattr(matrix, name), getattr(numbers, name)):
            raise StormError(f"{model.source}: Storm's two exports do not describe one model ({name} differs)")
    matrix = replace(matrix, probabilities=numbers.probabilities, rewards=numbers.rewards)
    matrix.validate()
    return matrix


def _rounded(model: StormModel) -> StormModel:
    """Return an exact model in floats, with the same states."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "model.umb")
        export_umb(model, path)
        return replace(load(path), source=model.source, program=model.program)


def with_structure(model: StormModel) -> ExplicitModel:
    """Return Storm's matrix as it is, with probabilities read from floats and nothing checked."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "model.umb")
        export_umb(model, path)
        matrix = umb.read(path, validate=False)
    variables = {name: values for name, values in matrix.variables.items() if name != _OUT_OF_BOUNDS}
    return replace(matrix, variables=variables, name=model.source)


def export_umb(model: StormModel, path: str | os.PathLike[str]) -> None:
    """Write a model as an uncompressed UMB archive, with floats: Storm does not write rationals there.

    Raises
    ------
    StormError
        If Storm cannot.
    """
    options = stormpy.io.UmbExportOptions()
    options.compression = stormpy.io.CompressionMode.NO_COMPRESSION
    options.value_type = stormpy.io.UmbExportValueType.DOUBLE
    with translating(model.source, StormError):
        interruptible(lambda: stormpy.io.export_to_umb(model.handle, path, options=options))


def export_drn(model: StormModel, path: str | os.PathLike[str]) -> None:
    """Write a model as DRN text, which carries the rationals of an exact one.

    Raises
    ------
    StormError
        If Storm cannot.
    """
    options = stormpy.io.DirectEncodingExporterOptions()
    options.allow_placeholders = False
    with translating(model.source, StormError):
        interruptible(lambda: stormpy.io.export_to_drn(model.handle, path, options=options))


def formula_of(program: Program | None, prop: Property, *, deterministic: bool | None = None) -> Any:
    """Return Storm's formula for the number behind a property."""
    if deterministic is None:
        deterministic = program is not None and program.type == "dtmc"
    text = spoken(prop).quantitative(deterministic=deterministic)
    with translating(prop.text, PropertyError):
        return stormpy.parse_property(text, None if program is None else program.handle)


def spoken(prop: Property) -> Property:
    """Return the property as Storm can read it: G with a step bound is not in its language, but its complement is."""
    return prop.complement() if isinstance(prop.path, Globally) and prop.path.steps is not None else prop
