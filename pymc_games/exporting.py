"""Writing explicit models (DRN, UMB, dot) and schedulers (Storm's JSON, CSV)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pymc_games import files, umb
from pymc_games.errors import UnsupportedError, UsageError
from pymc_games.explicit import ExactNumbers, ExplicitModel, Ints

#: States beyond which nobody can read a drawing, and Graphviz needs minutes for the layout.
DOT_LIMIT = 1000
FORMATS = ("drn", "umb", "dot")


def write_model(model: ExplicitModel, path: str | os.PathLike[str], kind: str) -> None:
    """Write a model in one of the `FORMATS`, whole or not at all.

    Raises
    ------
    UnsupportedError
        If the format cannot hold the model, or the model is too large for a drawing.
    """
    if kind == "umb":
        umb.write(model, path)
        return
    lines = _dot(model) if kind == "dot" else _drn(model)
    with files.replacing(path) as beside, beside.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_scheduler(model: ExplicitModel, choice: Ints, path: str | os.PathLike[str]) -> None:
    """Write a scheduler as Storm's JSON or as CSV, as the file's name says.

    Parameters
    ----------
    choice : int64 array, shape (states,)
        The choice of each state, counted from its first; where it is -1 any will do, and the first is written.

    Raises
    ------
    UsageError
        If the name ends neither in ``.json`` nor in ``.csv``.
    """
    kind = Path(path).suffix.lower()
    if kind not in (".json", ".csv"):
        raise UsageError(f"{path}: a scheduler is written as .json, as Storm does, or as .csv")
    taken = model.state_to_choices[:-1] + np.maximum(choice, 0)
    rows = ((state, int(taken[state])) for state in range(model.states))
    if kind == ".csv":
        files.write_csv(path, ({**_valuation(model, s), "choice": c, "action": _action(model, c)} for s, c in rows))
        return
    document = [
        {
            "c": [{"index": c, "labels": [name] if (name := _action(model, c)) else [], "prob": 1.0}],
            "s": _valuation(model, s) if model.variables else s,
        }
        for s, c in rows
    ]
    files.write_text(path, json.dumps(document, indent=4, ensure_ascii=False) + "\n")


def _valuation(model: ExplicitModel, state: int) -> dict[str, Any]:
    values: dict[str, Any] = {name: column[state].item() for name, column in model.variables.items()}
    return values or {"state": state}


def _action(model: ExplicitModel, choice: int) -> str:
    name = "" if model.choice_to_action is None else model.choice_to_action[choice]
    return "" if name == "__NOLABEL__" else name


def _drn(model: ExplicitModel) -> Iterator[str]:
    """Yield the lines of a DRN file, with rationals, as Storm writes and reads it."""
    if model.type == "smg":
        raise UnsupportedError("DRN does not say who owns a state of a game; write .umb")
    if any(rewards.branch is not None for rewards in model.rewards.values()):
        raise UnsupportedError("DRN has no place for rewards of single branches; write .umb")
    yield from (f"@type: {model.type.upper()}", "@value_type: rational", "@parameters", "", "@reward_models")
    # A space ends each name, so that the place of the unnamed reward model shows.
    names = "".join(f"{name} " for name in model.rewards)
    yield from (names, "@nr_states", str(model.states), "@nr_choices", str(model.choices), "@model")
    labels = {name: states for name, states in model.labels.items() if name != "init"}
    labels["init"] = np.arange(model.states) == model.initial_state
    for state in range(model.states):
        names = "".join(f' "{name}"' if " " in name else f" {name}" for name, has in labels.items() if has[state])
        yield f"state {state}{_rewards([one.state for one in model.rewards.values()], state)}{names}"
        if model.variables:
            yield "//[" + "\t& ".join(_drn_value(name, column[state]) for name, column in model.variables.items()) + "]"
        for choice in range(*map(int, model.state_to_choices[state : state + 2])):
            rewards = _rewards([one.choice for one in model.rewards.values()], choice)
            yield f"\taction {_action(model, choice) or '__NOLABEL__'}{rewards}"
            for branch in range(*map(int, model.choice_to_branches[choice : choice + 2])):
                yield f"\t\t{model.branch_to_target[branch]} : {model.probabilities[branch]}"


def _rewards(columns: list[ExactNumbers | None], place: int) -> str:
    return f" [{', '.join('0' if one is None else str(one[place]) for one in columns)}]" if columns else ""


def _drn_value(name: str, value: Any) -> str:
    return f"{'' if value else '!'}{name}" if isinstance(value, np.bool_) else f"{name}={value}"


def _dot(model: ExplicitModel) -> Iterator[str]:
    """Yield the lines of a dot file: states as boxes, choices as points."""
    if model.states > DOT_LIMIT:
        raise UnsupportedError(
            f"the model has {model.states:,} states, and dot is for at most {DOT_LIMIT:,}: larger drawings take very "
            "long to lay out and cannot be read; take smaller constants, or write .drn or .umb"
        )
    yield "digraph model {"
    yield "  node [shape=box];"
    for state in range(model.states):
        names = [name for name, has in model.labels.items() if has[state]]
        text = _quoted("\n".join([model.describe_state(state), *names]))
        yield f"  s{state} [label={text}{', style=bold' if state == model.initial_state else ''}];"
        for choice in range(*map(int, model.state_to_choices[state : state + 2])):
            yield f"  c{choice} [shape=point];"
            yield f"  s{state} -> c{choice} [label={_quoted(_action(model, choice))}, arrowhead=none];"
            for branch in range(*map(int, model.choice_to_branches[choice : choice + 2])):
                yield f'  c{choice} -> s{model.branch_to_target[branch]} [label="{model.probabilities[branch]}"];'
    yield "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
