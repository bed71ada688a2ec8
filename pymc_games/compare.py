"""Checking a property twice and comparing the answers in every state.

Two comparisons tell two kinds of mistake apart. *Storm against the engine on Storm's own matrix*: where they differ a
solver is wrong. *The engine on that matrix against the engine on the Python rules*, joined on state valuations: where
they differ the template and the rules do not describe one game.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from pymc_games import exporting, loading, notebook, plotting, storm
from pymc_games.engine import Solution, solve
from pymc_games.errors import FileFormatError, ModelError, PropertyError, UnsupportedError, UsageError
from pymc_games.explicit import Bools, ExplicitModel, Floats, Ints
from pymc_games.expressions import TRUE, Meaning, states_where
from pymc_games.games.base import as_text
from pymc_games.joining import Join, describe_moves, differing_moves, join
from pymc_games.loading import Target
from pymc_games.properties import Globally, Property, choose_reward
from pymc_games.published import Published
from pymc_games.queries import question
from pymc_games.result import Result, digits, json_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Engine = Literal["storm", "native", "both"]


class Answers(Protocol):
    """What both solvers give: a value between bounds for every state, and exact values where they were asked for."""

    @property
    def value(self) -> Floats: ...  # noqa: D102

    @property
    def lower(self) -> Floats: ...  # noqa: D102

    @property
    def upper(self) -> Floats: ...  # noqa: D102

    @property
    def exact(self) -> Sequence[Fraction | float | None] | None: ...  # noqa: D102


@dataclass(frozen=True)
class Options:
    """How to check: by which engine, exactly or not, how precisely, and whether deadlocks may loop."""

    engine: Engine = "both"
    exact: bool = False
    precision: float | None = None
    fix_deadlocks: bool = False


@dataclass(frozen=True)
class Checked:
    """One property, checked.

    Attributes
    ----------
    storm, native : Result or None
        In the initial state; ``None`` where that side was not asked, or Storm cannot answer, as for games.
    agree : bool
        Whether the answers' intervals overlap in every state compared, and no state is missing on either side.
    states_compared : int
    max_difference : float
        Largest difference of the two sides' values.
    satisfied : bool or None
        Whether a bound such as ``>=1/2`` holds; ``None`` without a bound or where the interval does not tell.
    remarks : tuple of str
        What disagrees, where, and on which side to look; or what could not be given.
    """

    property: Property
    storm: Result | None
    native: Result | None
    agree: bool = True
    states_compared: int = 0
    max_difference: float = 0.0
    satisfied: bool | None = None
    remarks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the object of the JSON interface."""
        return {
            "property": self.property.text,
            "storm": None if self.storm is None else self.storm.to_json(),
            "native": None if self.native is None else self.native.to_json(),
            "agree": self.agree,
            "states_compared": self.states_compared,
            "max_difference": json_number(self.max_difference),
            "satisfied": self.satisfied,
            "remarks": list(self.remarks),
        }

    def sides(self) -> dict[str, Result | None]:
        """Return both answers by the solver's name."""
        return {"Storm": self.storm, "engine": self.native}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of both answers in the initial state."""
        ax = plotting.intervals(self.sides(), ax)
        ax.set_title(self.property.text)
        return ax

    def _repr_html_(self) -> str:
        known = [(name, side) for name, side in self.sides().items() if side is not None]
        rows = [(name, digits(side), side.lower, side.upper, side.method) for name, side in known]
        verdict = (
            f"{self.property.text}: {'agree' if self.agree else 'DISAGREE'}, {self.states_compared:,} states compared"
        )
        return notebook.table(verdict, ("by", "value", "at least", "at most", "method"), rows)


class Session:
    """A target with its models, built once for all properties."""

    def __init__(self, target: Target, properties: Sequence[Property], options: Options) -> None:
        if not properties:
            raise UsageError(f"{target.name} comes without properties; give --prop or --props")
        self.target = target
        self.options = options
        self.properties = list(properties)
        self.built = self._build()
        self.matrix = self._matrix()
        if self.matrix is not None and not options.fix_deadlocks:
            loading.refuse_deadlocks(self.matrix)
        self.native_model = target.rules or self.matrix
        self.joined: Join | None = None

    def _build(self) -> storm.StormModel | None:
        if self.target.program is None or self._by_rules_alone():
            return None
        try:
            return storm.build(self.target.program, self.properties, exact=self.options.exact)
        except PropertyError:
            # Storm says that it cannot read on; the questions say which name is unknown.
            model = loading.explicit_model(self.target.program.again())
            for prop in self.properties:
                question(prop, model, self.target.values)
            raise

    def _by_rules_alone(self) -> bool:
        return self.options.engine == "native" and self.target.rules is not None

    def _matrix(self) -> ExplicitModel | None:
        if self.target.program is None or self._by_rules_alone():
            return self.target.model
        return loading.explicit_model(self.target.program, exact=self.options.exact, built=self.built)

    @property
    def model(self) -> ExplicitModel:
        """The model that is described to people: the matrix, or else the rules' model."""
        model = self.matrix if self.matrix is not None else self.native_model
        if model is None:
            raise ModelError(f"{self.target.name} has no model")
        return model

    def by_storm(self, prop: Property) -> storm.Answer | None:
        """Return Storm's answer; ``None`` for a game, unless Storm alone was asked."""
        model = self.model
        question(prop, model, self.target.values)  # our own refusals come first: they name what is wrong
        if model.type == "smg" and self.options.engine == "both":
            return None
        precision = self.options.precision or storm.PRECISION
        unnamed = prop.operator == "R" and choose_reward(prop, tuple(model.rewards)) == "" and len(model.rewards) > 1
        if self.built is not None and not unnamed:
            return storm.check(self.built, prop, precision=precision)
        labelled, spoken = by_labels(model, prop, self.target.values)
        built = storm.from_explicit(labelled, exact=self.options.exact)
        return storm.check(built, spoken, precision=precision)

    def by_engine(self, prop: Property, model: ExplicitModel) -> Solution:
        """Return the engine's answer on a model."""
        asked = question(prop, model, self.target.values)
        options = self.options
        solution = solve(model, asked.query, precision=options.precision, exact=options.exact, scheduler=False)
        return asked.answer(solution)

    def export_scheduler(self, prop: Property, path: str | os.PathLike[str]) -> None:
        """Write the engine's optimal scheduler for a property; see `exporting.write_scheduler`.

        Raises
        ------
        UnsupportedError
            If nothing is to be chosen, or the best choice depends on the number of steps left.
        """
        model = self.native_model or self.model
        query = question(prop, model, self.target.values).query
        if model.type == "dtmc" or query.steps is not None:
            why = "a dtmc has no choices" if model.type == "dtmc" else "the best choice depends on the steps left"
            raise UnsupportedError(f"{prop.text} has no scheduler to write: {why}")
        choice = solve(model, query, precision=self.options.precision).choice
        if choice is None:
            raise UnsupportedError(f"the engine gives no scheduler for {prop.text}")
        exporting.write_scheduler(model, choice, path)

    def check(self, prop: Property) -> Checked:
        """Check a property with the engines asked for, and compare them in the initial state."""
        by_storm = self.by_storm(prop) if self.options.engine != "native" else None
        model = self.native_model
        by_engine = self.by_engine(prop, model) if self.options.engine != "storm" and model is not None else None
        left = None if by_storm is None else by_storm.at(self.model.initial_state)
        right = None if by_engine is None or model is None else by_engine.at(model.initial_state)
        checked = Checked(prop, left, right, satisfied=_satisfied(prop, right or left), remarks=_notes(by_engine))
        if left is None or right is None:
            return checked
        agree = left.overlaps(right)
        remark = f"Storm says [{left.lower}, {left.upper}], the engine [{right.lower}, {right.upper}]; run compare"
        return replace(
            checked, agree=agree, states_compared=1, max_difference=_gap(left.value, right.value),
            remarks=checked.remarks if agree else (*checked.remarks, remark),
        )  # fmt: skip

    def compare(self, prop: Property) -> Checked:
        """Check a property on both sides and compare them in every state."""
        matrix, rules = self.model, self.target.rules
        by_storm = self.by_storm(prop)
        on_matrix = self.by_engine(prop, matrix)
        on_rules = None if rules is None else self.by_engine(prop, rules)
        everywhere = np.arange(matrix.states)
        remarks = list(_notes(on_rules or on_matrix))
        agree = True
        if by_storm is not None:
            wrong = _disagreeing(by_storm, everywhere, on_matrix, everywhere)
            agree = not wrong.any()
            remarks += _solver_remarks(matrix, by_storm, on_matrix, wrong)
        joined = None if rules is None else self._join(matrix, rules)
        if joined is not None and rules is not None and on_rules is not None:
            wrong = _disagreeing(on_matrix, joined.left, on_rules, joined.right)
            missing = len(joined.only_left) + len(joined.only_right) > 0
            agree = agree and not wrong.any() and not missing
            remarks += _missing_remarks(matrix, rules, joined)
            remarks += _model_remarks(matrix, rules, joined, on_matrix, on_rules, wrong)
            remarks += _witness(prop, on_matrix.at(matrix.initial_state), on_rules.at(rules.initial_state))
        native, other = on_rules or on_matrix, by_storm or on_matrix
        left, right = (everywhere, everywhere) if joined is None else (joined.left, joined.right)
        difference = _gaps(np.asarray(other.value)[left], np.asarray(native.value)[right])
        result = native.at(rules.initial_state if rules is not None else matrix.initial_state)
        return Checked(
            prop, None if by_storm is None else by_storm.at(matrix.initial_state), result, agree, len(left),
            float(difference.max(initial=0.0)), _satisfied(prop, result), tuple(remarks),
        )  # fmt: skip

    def _join(self, matrix: ExplicitModel, rules: ExplicitModel) -> Join:
        if self.joined is None:
            self.joined = join(matrix, rules)
        return self.joined

    def describe(self) -> dict[str, Any]:
        """Return the ``model`` object of the JSON interface."""
        model = self.model
        given, known = self.target.constants, self.target.values
        values = {name: known.get(name, value) for name, value in given.items()}
        constants = {k: v if isinstance(v, bool | int | float) else as_text(v) for k, v in values.items()}
        return {
            "name": self.target.name, "type": model.type, "constants": constants, "states": model.states,
            "choices": model.choices, "branches": model.branches,
        }  # fmt: skip


def by_labels(model: ExplicitModel, prop: Property, constants: Mapping[str, Meaning]) -> tuple[ExplicitModel, Property]:
    """Return the model with a label for each state formula of a property, and the property over these labels.

    Of an explicit file Storm knows labels by name, and no variables. Of several reward models one is kept: Storm has no
    words for the unnamed one among others.
    """
    path, known = prop.path, {**constants, **prop.constants}
    steps = "" if path.steps is None else f"<={question(prop, model, constants).query.steps}"
    labels = dict(model.labels)
    if isinstance(path, Globally):
        labels["formula"] = states_where(path.operand, model, known)
        text = f'G{steps} "formula"'
    else:
        labels["target"] = states_where(path.right, model, known)
        text = f'F{steps} "target"'
        if path.left != TRUE:
            labels["through"] = states_where(path.left, model, known)
            text = f'"through" U{steps} "target"'
    if prop.operator == "R":
        name = choose_reward(prop, tuple(model.rewards))
        model = replace(model, rewards={name: model.rewards[name]})
    return replace(model, labels=labels), replace(prop, path_text=text)


def _disagreeing(left: Answers, left_states: Ints, right: Answers, right_states: Ints) -> Bools:
    """Return where two answers cannot be one number: unequal where both are exact, disjoint intervals elsewhere."""
    if left.exact is not None and right.exact is not None:
        pairs = zip(left_states.tolist(), right_states.tolist(), strict=True)
        return np.array([_number(left.exact[a]) != _number(right.exact[b]) for a, b in pairs], dtype=bool)
    low = np.maximum(left.lower[left_states], right.lower[right_states])
    high = np.minimum(left.upper[left_states], right.upper[right_states])
    return ~(low <= high)


def _number(exact: Fraction | float | None) -> Fraction | float:
    return float("inf") if exact is None else exact


def _gaps(left: Floats, right: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        gaps = np.abs(left - right)
    return np.where(left == right, 0.0, gaps)


def _gap(left: float, right: float) -> float:
    return 0.0 if left == right else abs(left - right)


def _satisfied(prop: Property, result: Result | None) -> bool | None:
    if result is None:
        return None
    if result.exact is not None:
        return prop.satisfied(result.exact, result.exact)
    return prop.satisfied(result.lower, result.upper)


def _notes(solution: Solution | None) -> tuple[str, ...]:
    return (solution.note,) if solution is not None and solution.note else ()


def _solver_remarks(matrix: ExplicitModel, left: Answers, right: Answers, wrong: Bools) -> list[str]:
    if not wrong.any():
        return []
    gaps = np.where(wrong, _gaps(np.asarray(left.value), np.asarray(right.value)), -1.0)
    state = int(gaps.argmax())
    return [
        f"a solver is wrong: on Storm's own matrix Storm and the engine differ in {wrong.sum()} of {matrix.states} "
        f"states, most in ({matrix.describe_state(state)}): Storm says {_interval(left, state)}, "
        f"the engine {_interval(right, state)}"
    ]


def _missing_remarks(matrix: ExplicitModel, rules: ExplicitModel, joined: Join) -> list[str]:
    sides = (
        ("the template", "the rules", matrix, joined.only_left),
        ("the rules", "the template", rules, joined.only_right),
    )
    return [
        f"the models differ: {len(states)} states are reached by {having} and not by {lacking}, "
        f"such as ({model.describe_state(int(states[0]))})"
        for having, lacking, model, states in sides
        if len(states)
    ]


def _model_remarks(
    matrix: ExplicitModel, rules: ExplicitModel, joined: Join, left: Answers, right: Answers, wrong: Bools
) -> list[str]:
    """Say in which state template and rules differ, and where their moves do, which is the cause."""
    remarks = []
    if wrong.any():
        gaps = np.where(wrong, _gaps(left.value[joined.left], right.value[joined.right]), -1.0)
        place = int(gaps.argmax())
        a, b = int(joined.left[place]), int(joined.right[place])
        remarks.append(
            f"the models differ: the engine's values on the template's matrix and on the rules differ in {wrong.sum()} "
            f"of {len(wrong)} states, most in ({matrix.describe_state(a)}): "
            f"template {_interval(left, a)}, rules {_interval(right, b)}"
        )
    if wrong.any() or len(joined.only_left) or len(joined.only_right):
        moves = differing_moves(matrix, rules, joined)
        if moves.size:
            a, b = int(joined.left[moves[0]]), int(joined.right[moves[0]])
            remarks.append(
                f"the moves differ in {len(moves)} states, such as ({matrix.describe_state(a)}): "
                f"template {describe_moves(matrix, a)}; rules {describe_moves(rules, b)}"
            )
    return remarks


def _witness(prop: Property, by_template: Result, by_rules: Result) -> list[str]:
    """Say which of two answers that differ is the one that the property file expects: the mistake is on the other side.

    The ``// RESULT:`` lines of a game come from its own solver, which uses neither the template nor the rules' model.
    """
    if prop.expected is None or by_template.overlaps(by_rules):
        return []
    try:
        lowest, highest, _ = Published.parse(prop.expected).interval()
    except FileFormatError:
        return []
    fits = [result.lower <= highest and lowest <= result.upper for result in (by_template, by_rules)]
    if fits[0] == fits[1]:
        return []
    wrong = "rules" if fits[0] else "template"
    return [f"the property file expects {prop.expected}, so the {wrong} must be wrong"]


def _interval(answers: Answers, state: int) -> str:
    number = None if answers.exact is None else answers.exact[state]
    return str(number) if number is not None else f"[{answers.lower[state]:.17g}, {answers.upper[state]:.17g}]"
