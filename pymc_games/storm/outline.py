"""What a PRISM program is made of, as plain data, and its model as it is, faults and all."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import stormpy

from pymc_games import drn
from pymc_games.errors import ModelError
from pymc_games.explicit import ExplicitModel
from pymc_games.storm.calls import translating
from pymc_games.storm.models import explore_unchecked, export_drn, with_structure
from pymc_games.storm.programs import Program


@dataclass(frozen=True)
class Command:
    """One command: its action, ``''`` without one, its guard as text over variables, and the variables it writes."""

    action: str
    guard: str
    writes: frozenset[str]


@dataclass(frozen=True)
class Module:
    """One module with its commands in the order of the text."""

    name: str
    commands: Sequence[Command]


@dataclass(frozen=True)
class Variable:
    """A state variable; ``low`` and ``high`` are texts, ``None`` for a truth value; ``module`` is ``''`` if global."""

    name: str
    module: str
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True)
class Outline:
    """Modules, variables, names of labels and reward models of a program; formulas and constants are put in."""

    modules: Sequence[Module]
    variables: Sequence[Variable]
    labels: Sequence[str]
    rewards: Sequence[str]


def outline(program: Program) -> Outline:
    """Return the outline of a program.

    Raises
    ------
    ModelError
        If Storm cannot put the formulas and constants in.
    """
    with translating(program.source, ModelError):
        handle = program.as_written().handle.substitute_formulas().substitute_constants()
        modules = [Module(module.name, [_command(one) for one in module.commands]) for module in handle.modules]
        variables = _variables("", handle.global_boolean_variables, handle.global_integer_variables)
        for module in handle.modules:
            variables += _variables(module.name, module.boolean_variables, module.integer_variables)
        labels = [label.name for label in handle.labels]
        rewards = [reward.name for reward in handle.reward_models]
    return Outline(modules, variables, labels, rewards)


def faulty(program: Program) -> ExplicitModel:
    """Return the model of a program in rationals, without checking it.

    Probabilities of a choice may sum to anything; an update out of range leads to a state labelled ``out_of_bounds``;
    a state without choices has a loop and the label ``deadlock``.

    Raises
    ------
    ModelError
        If Storm cannot build it at all.
    """
    built = explore_unchecked(program.again(), exact=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "model.drn")
        export_drn(built, path)
        numbers = drn.read(path, validate=False)
    return replace(with_structure(built), probabilities=numbers.probabilities, rewards=numbers.rewards)


def _command(command: Any) -> Command:
    writes = {assigned.variable.name for update in command.updates for assigned in update.assignments}
    action = command.action_name if command.is_labeled else ""
    return Command(action, str(command.guard_expression), frozenset(writes))


def _variables(module: str, truths: Sequence[Any], numbers: Sequence[Any]) -> list[Variable]:
    found = [Variable(one.name, module) for one in truths]
    for one in numbers:
        with translating(one.name, ModelError):
            low, high = (str(_evaluated(x)) for x in (one.lower_bound_expression, one.upper_bound_expression))
        found.append(Variable(one.name, module, low, high))
    return found


def _evaluated(expression: stormpy.Expression) -> int | stormpy.Expression:
    return expression if expression.contains_variables() else int(expression.evaluate_as_int())
