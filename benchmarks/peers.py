"""What others do, where no library does it for us: the procedures timed beside ours.

A peer that is a program or a library of its own is used as it is; `makebearoff` finds the one that is a program.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable

import numpy as np
from numba import njit

from pymc_games.engine import Query
from pymc_games.explicit import ExplicitModel
from pymc_games.games.bingo.board import TRANSIENT, WAYS

#: A state's name to its choices, each a list of the names that it leads to with their probabilities.
Transitions = dict[str, list[list[tuple[str, float]]]]

_WAYS = np.array([WAYS.get(value, 0) for value in range(13)], dtype=np.float64)
_ORDER = np.array(sorted(TRANSIENT), dtype=np.int64)


def transitions(model: ExplicitModel) -> Transitions:
    """Return a model as a dictionary; states are named by their valuations."""
    names = [model.describe_state(state) for state in range(model.states)]
    probabilities = model.branch_to_probability.tolist()
    targets = [names[target] for target in model.branch_to_target.tolist()]
    first, ends = model.state_to_choices.tolist(), model.choice_to_branches.tolist()
    return {
        name: [
            list(zip(targets[ends[c] : ends[c + 1]], probabilities[ends[c] : ends[c + 1]], strict=True))
            for c in range(first[state], first[state + 1])
        ]
        for state, name in enumerate(names)
    }


def dictionary_value_iteration(model: ExplicitModel, query: Query, threshold: float = 1e-6) -> dict[str, float]:
    """Return the probability of the target in each state by value iteration over a dictionary.

    The way of OpenSpiel's ``value_iteration``: states are strings, a sweep goes through all of them in place, and the
    sweeps end when none has changed a value by more than the threshold. That bounds no error.
    """
    rows = transitions(model)
    names = list(rows)
    values = dict(zip(names, query.target.astype(float).tolist(), strict=True))
    best = {name: max if maximise else min for name, maximise in zip(names, query.maximise.tolist(), strict=True)}
    undecided = [name for name, reached in zip(names, query.target.tolist(), strict=True) if not reached]
    change = 1.0
    while change > threshold:
        change = 0.0
        for name in undecided:
            value = best[name](sum(p * values[target] for target, p in choice) for choice in rows[name])
            change = max(change, abs(value - values[name]))
            values[name] = value
    return values


def bingo_procedure(board: np.ndarray) -> float:
    """Return a Dice Bingo board's expected rolls by the published procedure, compiled.

    Value iteration over all mark sets and all 11 sums from 20.0, until no value changes by more than 1e-12.
    """
    return float(_bingo_procedure(board, _ORDER, _WAYS))


@njit(cache=True)
def _bingo_procedure(board, transient, ways):  # type: ignore[no-untyped-def]
    values = np.zeros(512)
    for mask in transient:
        values[mask] = 20.0
    change = 1.0
    while change > 1e-12:
        old = values.copy()
        change = 0.0
        for mask in transient:
            total = 1.0
            for value in range(2, 13):
                best = old[mask]
                for cell in range(9):
                    if board[cell] == value and not (mask >> cell) & 1:
                        best = min(best, old[mask | (1 << cell)])
                total += ways[value] / 36.0 * best
            values[mask] = total
            change = max(change, abs(total - old[mask]))
    return values[0]


def makebearoff(*arguments: str) -> Callable[[], None] | None:
    """Return what runs GNU Backgammon's ``makebearoff``, or None where it is not installed."""
    program = shutil.which("makebearoff") or shutil.which("makebearoff", path="/usr/games")
    if program is None:
        return None

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, *arguments, "-f", f"{folder}/x.bd"], check=True, capture_output=True)

    return run
