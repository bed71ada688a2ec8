"""What a PRISM file contains, and the usual mistakes in it: what ``explain`` tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pymc_games import loading, notebook, plotting, sourcetext, storm
from pymc_games.engine.graph import Graph
from pymc_games.errors import GamesError, ModelError
from pymc_games.explicit import Bools, ExplicitModel, exact_row_sums
from pymc_games.expressions import Reader, states_where
from pymc_games.games.base import as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: States and commands that are named one by one; of more only the number is told.
_SHOWN = 3
#: Sizes of end components that are told.
_SIZES = 8
#: Labels that are drawn, or shown in a notebook.
_NAMED = 50


@dataclass(frozen=True)
class Finding:
    """One thing that may be a mistake, ``warning``, or is only worth knowing, ``information``."""

    kind: str
    level: Literal["warning", "information"]
    where: str
    message: str
    advice: str


@dataclass(frozen=True)
class Explanation:
    """What a model contains, as the fields of the JSON document, and what was found in it."""

    contents: dict[str, Any]
    findings: Sequence[Finding] = field(default_factory=tuple)

    @property
    def warnings(self) -> list[Finding]:
        """The findings that may be mistakes."""
        return [one for one in self.findings if one.level == "warning"]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many states there are, how many are deadlocks, and how many carry each label."""
        labels = [(f'"{one["name"]}"', one["states"]) for one in self.contents["labels"][:_NAMED]]
        rows = [("all states", self.contents["states"]), ("deadlocks", self.contents["deadlocks"]), *labels]
        ax = plotting.bars(rows, ax, meaning="states", logarithmic=True)
        ax.set_title(f"{self.contents['name']}: {len(self.warnings)} warnings")
        return ax

    def _repr_html_(self) -> str:
        told = self.contents
        rows = [(what, f"{told[what]:,}") for what in ("states", "choices", "branches", "deadlocks")]
        rows += [(f'label "{one["name"]}"', f"{one['states']:,} states") for one in told["labels"][:_NAMED]]
        found = [(one.level, one.where, one.message, one.advice) for one in self.findings]
        contents = notebook.facts(f"{told['name']} ({told['type']})", rows)
        return contents + notebook.table("Findings", ("level", "where", "what", "what to do"), found)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON document."""
        return {**self.contents, "findings": [asdict(one) for one in self.findings]}


def explain(program: storm.Program, properties: str = "") -> Explanation:
    """Look into a program and the model that it describes.

    Parameters
    ----------
    program : storm.Program
    properties : str
        Text of its properties: what they name is used.

    Raises
    ------
    GamesError
        If the model cannot be built at all.
    """
    outline = storm.outline(program)
    code = sourcetext.without_comments(program.text)
    try:
        model = loading.explicit_model(program.again())
    except ModelError:
        model = storm.faulty(program)
    lost = model.labels.get("out_of_bounds", np.zeros(model.states, dtype=np.bool_))
    deadlocks = model.labels.get("deadlock", np.zeros(model.states, dtype=np.bool_)) & ~lost
    member, open_ended = _end_components(model)
    findings = [
        *_decimals(code),
        *_unused(code, properties),
        *_never_written(outline),
        *_row_sums(model),
        *_out_of_range(model, lost),
        *_deadlocks(model, deadlocks),
        *_commands(outline, program, model, sourcetext.command_lines(code)),
        *_labels(outline, model, properties),
        *_waiting(model, member, open_ended),
    ]
    sizes = np.sort(np.unique(member[member >= 0], return_counts=True)[1])[::-1]
    contents = _contents(program, outline, model)
    contents["deadlocks"] = int(deadlocks.sum())
    contents["end_components"] = {"number": len(sizes), "largest": sizes[:_SIZES].tolist()}
    return Explanation(contents, findings)


def _contents(program: storm.Program, outline: storm.Outline, model: ExplicitModel) -> dict[str, Any]:
    return {
        "name": program.source,
        "type": program.type,
        "modules": [{"name": one.name, "commands": len(one.commands)} for one in outline.modules],
        "variables": [asdict(one) for one in outline.variables],
        "constants": [
            {"name": name, "value": value if isinstance(value, bool | int) else as_text(value),
             "defined": name not in program.given}
            for name, value in program.as_written().constants.items()
        ],
        "labels": [{"name": name, "states": int(model.label(name).sum())} for name in outline.labels],
        "rewards": list(outline.rewards),
        "states": model.states,
        "choices": model.choices,
        "branches": model.branches,
        "distinct_probabilities": len(np.unique(model.probabilities.index)),
    }  # fmt: skip


def _end_components(model: ExplicitModel) -> tuple[np.ndarray, Bools]:
    """Return the number of the end component of each state, and the states of one whose owner could also leave."""
    graph = Graph.of(model)
    member, internal = graph.end_components(np.ones(model.states, dtype=np.bool_))
    return member, (member >= 0) & graph.owners_of(~internal)


def _decimals(code: str) -> Iterator[Finding]:
    for decimal, meant, line in sourcetext.rounded_fractions(code):
        yield Finding(
            "decimal", "warning", f"line {line}", f"{decimal} looks like {meant}, rounded",
            f"write {meant}, which is exact",
        )  # fmt: skip


def _unused(code: str, properties: str) -> Iterator[Finding]:
    words = {"const": "constant", "formula": "formula"}
    for kind, name, line in sourcetext.unused(code, properties):
        yield Finding(
            f"unused-{words[kind]}", "warning", f"line {line}", f"the {words[kind]} {name} is used nowhere",
            "use it or remove it; perhaps a number or name stands where it was meant",
        )  # fmt: skip


def _never_written(outline: storm.Outline) -> Iterator[Finding]:
    written = {name for module in outline.modules for command in module.commands for name in command.writes}
    for variable in outline.variables:
        if variable.name not in written:
            where = f"module {variable.module}" if variable.module else "global variables"
            yield Finding(
                "never-written", "warning", where, f"no command writes the variable {variable.name}",
                f"assign ({variable.name}'=...) somewhere, or make it a constant",
            )  # fmt: skip


def _row_sums(model: ExplicitModel) -> Iterator[Finding]:
    sums, scale = exact_row_sums(model.probabilities, model.choice_to_branches)
    wrong = np.flatnonzero(sums != scale)
    if wrong.size:
        choice = int(wrong[0])
        state = int(np.searchsorted(model.state_to_choices, choice, side="right")) - 1
        total = sum(
            model.probabilities[k] for k in range(*map(int, model.choice_to_branches[choice : choice + 2]))
        )  # fmt: skip
        action = model.choice_to_action[choice] if model.choice_to_action is not None else ""
        yield Finding(
            "row-sum", "warning", f"state ({model.describe_state(state)})" + (f", action {action}" if action else ""),
            f"the probabilities of a choice sum to {total}, not 1"
            + (f"; so do or do otherwise {len(wrong) - 1} other choices" if len(wrong) > 1 else ""),
            "check the command that is enabled there; write probabilities as fractions",
        )  # fmt: skip


def _out_of_range(model: ExplicitModel, lost: Bools) -> Iterator[Finding]:
    if lost.any():
        branch = int(np.flatnonzero(lost[model.branch_to_target])[0])
        choice = int(np.searchsorted(model.choice_to_branches, branch, side="right")) - 1
        state = int(np.searchsorted(model.state_to_choices, choice, side="right")) - 1
        yield Finding(
            "out-of-range", "warning", f"state ({model.describe_state(state)})",
            "an update leads out of a variable's range", "widen the range, or stop the update with a guard, min or max",
        )  # fmt: skip


def _deadlocks(model: ExplicitModel, deadlocks: Bools) -> Iterator[Finding]:
    if deadlocks.any():
        yield Finding(
            "deadlock", "warning", _states(model, deadlocks), "no command is enabled",
            "add a command such as [end] ... -> true, or accept a loop with --fix-deadlocks",
        )  # fmt: skip


def _labels(outline: storm.Outline, model: ExplicitModel, properties: str) -> Iterator[Finding]:
    for name in outline.labels:
        if not model.label(name).any():
            yield Finding(
                "empty-label", "information", f'label "{name}"', "no reachable state carries it",
                "check its condition if you expect such a state",
            )  # fmt: skip
        # Without properties nothing can be said: labels are there for them.
        if properties and f'"{name}"' not in properties:
            yield Finding(
                "unused-label", "information", f'label "{name}"', "no property names it",
                "perhaps a property should name it, or names another label in its place",
            )  # fmt: skip


def _waiting(model: ExplicitModel, member: np.ndarray, open_ended: Bools) -> Iterator[Finding]:
    if model.type != "dtmc" and open_ended.any():
        count = len(np.unique(member[open_ended]))
        yield Finding(
            "end-component", "warning", _states(model, open_ended),
            f"in {count} end component{'s' * (count > 1)} a player can stay for ever, though other choices leave",
            "if that is not meant, remove the choice that only waits; otherwise trust no solver without proven bounds",
        )  # fmt: skip


def _commands(
    outline: storm.Outline, program: storm.Program, model: ExplicitModel, lines: dict[str, list[int]]
) -> Iterator[Finding]:
    """Report commands that are never enabled, and commands of one module that are enabled together."""
    for module in outline.modules:
        known = lines.get(module.name, [])
        places = [
            f"line {known[k]}" if len(known) == len(module.commands) else f"module {module.name}, command {k + 1}"
            for k in range(len(module.commands))
        ]
        # The first command that is enabled in each state; in a decision process commands of other actions do not clash.
        first: dict[str, np.ndarray] = {}
        clashes: list[tuple[int, int, int]] = []
        for number, command in enumerate(module.commands):
            enabled = _enabled(command.guard, program, model)
            if enabled is None:
                yield Finding("not-read", "information", places[number], "this guard could not be looked at", "")
                continue
            if not enabled.any():
                yield Finding(
                    "unreachable-command", "warning", places[number], "its guard holds in no reachable state",
                    "check the guard, and the updates that should lead there; otherwise remove the command",
                )  # fmt: skip
            owner = first.setdefault("" if model.type == "dtmc" else command.action, np.full(model.states, -1))
            shared = np.flatnonzero(enabled & (owner >= 0))
            if shared.size:
                clashes.append((int(owner[shared[0]]), number, int(shared[0])))
            owner[enabled & (owner < 0)] = number
        yield from _overlaps(model, places, clashes)


def _overlaps(
    model: ExplicitModel, places: Sequence[str], clashes: Sequence[tuple[int, int, int]]
) -> Iterator[Finding]:
    chain = model.type == "dtmc"
    # In a decision process that is how choices are written, so one example a module is enough.
    for one, other, state in clashes if chain else clashes[:1]:
        others = f"; so are {len(clashes) - 1} other pairs" if len(clashes) > 1 else ""
        told = "; in a dtmc one is taken at random, each equally likely" if chain else others
        yield Finding(
            "overlapping-guards", "warning" if chain else "information",
            f"{places[one]} and {places[other]}, state ({model.describe_state(state)})",
            f"both commands are enabled here{told}",
            "make the guards exclude each other, or declare an mdp" if chain else "it is a choice of the player's",
        )  # fmt: skip


def _enabled(guard: str, program: storm.Program, model: ExplicitModel) -> Bools | None:
    """Return where a guard holds; ``None`` where it uses what only Storm can read."""
    try:
        reader = Reader(guard)
        expression = reader.expression()
        return None if reader.token.kind != "end" else states_where(expression, model, program.constants)
    except (GamesError, RecursionError):
        return None


def _states(model: ExplicitModel, chosen: Bools) -> str:
    numbers = np.flatnonzero(chosen)
    shown = "; ".join(f"({model.describe_state(int(state))})" for state in numbers[:_SHOWN])
    more = f" and {len(numbers) - _SHOWN:,} more" if len(numbers) > _SHOWN else ""
    return f"state{'s' * (len(numbers) > 1)} {shown}{more}"
