"""From what the command line calls a TARGET, a game or a file, to models."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pymc_games import drn, games, sourcetext, storm, umb
from pymc_games.errors import GamesError, ModelError, UnsupportedError, UsageError
from pymc_games.explicit import ExplicitModel
from pymc_games.expressions import Expression, Meaning, parse
from pymc_games.games.base import split_definitions
from pymc_games.properties import Property
from pymc_games.propertyfiles import parse_properties

_PRISM = (".prism", ".nm", ".pm", ".sm")
_EXPLICIT = (".umb", ".drn")


@dataclass(frozen=True)
class Target:
    """What is to be checked.

    Attributes
    ----------
    name : str
        The game and its variant, or the file's name.
    constants : mapping
        The constants as given, or all of them for a game.
    program : storm.Program or None
        The PRISM text, parsed; ``None`` for explicit files.
    model : ExplicitModel or None
        The model of an explicit file.
    rules : ExplicitModel or None
        The model by the Python rules, for a game whose variant has them.
    properties : sequence of Property
        Those that come with a game.
    """

    name: str
    constants: Mapping[str, Any]
    program: storm.Program | None = None
    model: ExplicitModel | None = None
    rules: ExplicitModel | None = None
    properties: Sequence[Property] = field(default_factory=tuple)

    @property
    def values(self) -> Mapping[str, Meaning]:
        """The constants and formulas of the PRISM text, which properties may name."""
        return {} if self.program is None else {**_formulas(self.program.text), **self.program.constants}


def load_target(
    target: str, definitions: Sequence[str] = (), variant: str | None = None, *, with_rules: bool = True,
    exact: bool = False,
) -> Target:  # fmt: skip
    """Return what a TARGET stands for: a game's name, or the path of a model file.

    Parameters
    ----------
    exact : bool
        Whether the model is to be built in rational numbers, which take more memory.

    Raises
    ------
    UsageError
        If it is neither, or a constant or variant does not exist.
    MemoryEstimateError
        If a game's model would not fit in memory; not within `memory.unlimited`.
    GamesError
        If the model is malformed or outside the scope.
    """
    suffix = Path(target).suffix
    if suffix in _PRISM + _EXPLICIT:
        if variant is not None:
            raise UsageError(f"--type is for games; {target} is a file and has one model")
        return _load_file(target, dict(split_definitions(definitions)))
    # A game comes before a folder of its name, which is where generate writes by default.
    if target not in games.names() and (os.sep in target or Path(target).exists() or suffix):
        raise UsageError(f"'{target}' is neither a game nor a model file ({', '.join(_PRISM + _EXPLICIT)})")
    return _load_game(target, definitions, variant, with_rules, exact=exact)


def load_model(
    path: str | os.PathLike[str], constants: Mapping[str, Any] | None = None, *, exact: bool = False
) -> ExplicitModel:
    """Return the explicit model of a file: ``.prism .nm .pm .sm .umb .drn``.

    Parameters
    ----------
    constants : mapping, optional
        Values for the undefined constants of a PRISM file.
    exact : bool
        Whether a PRISM file's probabilities are taken from Storm's rationals. Otherwise they are read from its floats,
        which is faster; where the result does not sum to 1 the rationals are used all the same.

    Raises
    ------
    GamesError
        If the file is malformed or outside the scope.
    """
    target = _load_file(str(path), constants or {})
    if target.model is not None:
        return target.model
    if target.program is None:
        raise ModelError(f"{path} has no model")
    return explicit_model(target.program, exact=exact)


def explicit_model(
    program: storm.Program, *, exact: bool = False, built: storm.StormModel | None = None
) -> ExplicitModel:
    """Return the matrix that Storm builds for a program; see `load_model`. ``built`` is it, where it exists already."""
    if not exact:
        try:
            return storm.to_explicit(built or storm.build(program))
        except ModelError:
            pass  # a reading of rounded numbers that does not add up says nothing about the model
    return storm.to_exact(built if built is not None and built.exact else storm.build(program, exact=True))


def refuse_deadlocks(model: ExplicitModel) -> None:
    """Refuse a model in which Storm had to add a loop to a state without choices.

    Raises
    ------
    ModelError
        With the valuation of the first such state.
    """
    deadlocks = model.labels.get("deadlock")
    if deadlocks is not None and deadlocks.any():
        raise ModelError(
            f"{model.name}: deadlock in {model.describe_state(int(deadlocks.argmax()))}; "
            "add a command for it, or let it loop with --fix-deadlocks"
        )


def _formulas(text: str) -> dict[str, Expression]:
    """Return the formulas of a PRISM text, without those that use what only Storm can read."""
    found: dict[str, Expression] = {}
    for name, body in sourcetext.formulas(sourcetext.without_comments(text)):
        with suppress(GamesError):
            found[name] = parse(body)
    return found


def _load_file(path: str, constants: Mapping[str, Any]) -> Target:
    name = Path(path).name
    if Path(path).suffix in _PRISM:
        return Target(name, constants, program=storm.parse(path, constants))
    if constants:
        raise UsageError(f"{path} is an explicit model and has no constants; leave out -c")
    model = umb.read(path) if Path(path).suffix == ".umb" else drn.read(path)
    return Target(name, {}, model=replace(model, name=name))


def _load_game(
    name: str, definitions: Sequence[str], variant_name: str | None, with_rules: bool, *, exact: bool
) -> Target:
    game = games.get(name)
    constants = game.bind(definitions)
    variant = game.variant(variant_name)
    if variant.type == "csg":
        raise UnsupportedError(
            f"{name} {variant.name} is a concurrent game (csg), which is not supported; it can be generated"
        )
    full_name = f"{name}/{variant.name}"
    if variant.estimate is not None:
        variant.estimate(constants).refuse_if_too_large(full_name, exact=exact)
    text, property_text = variant.render(constants)
    program = storm.parse_text(text, source=full_name)
    properties = parse_properties(property_text)
    rules = variant.explicit(constants) if with_rules and variant.explicit is not None else None
    return Target(full_name, constants, program, None, rules, properties)
