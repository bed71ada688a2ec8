"""Two models of one thing: which states are the same, by valuation, and where their moves differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.errors import ModelError
from pymc_games.explicit import ExactNumbers, ExplicitModel, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 2**62


@dataclass(frozen=True)
class Join:
    """States of a left and a right model with the same valuation.

    Attributes
    ----------
    left, right : int64 arrays of equal length
        ``left[i]`` and ``right[i]`` are the same state.
    only_left, only_right : int64 arrays
        States that the other model does not have.
    """

    left: Ints
    right: Ints
    only_left: Ints
    only_right: Ints

    @property
    def sizes(self) -> list[tuple[str, int]]:
        """How many states both models have, and how many either has alone."""
        return [("both", len(self.left)), ("left only", len(self.only_left)), ("right only", len(self.only_right))]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many states both models have, and how many either has alone."""
        return plotting.bars(self.sizes, ax, meaning="states")

    def _repr_html_(self) -> str:
        return notebook.facts("States of two models", ((name, f"{size:,}") for name, size in self.sizes))


def join(left: ExplicitModel, right: ExplicitModel) -> Join:
    """Join the states of two models on the values of their variables, which must have the same names.

    A variable that never changes may be missing on one side: Storm leaves such variables out.

    Raises
    ------
    ModelError
        If the variables differ, or two states of one model have the same valuation.
    """
    names = set(left.variables) & set(right.variables)
    alone = [(model, name) for model in (left, right) for name in set(model.variables) - names]
    if not names or any((model.variables[name] != model.variables[name][0]).any() for model, name in alone):
        raise ModelError(
            f"the states cannot be joined: {left.name or 'one model'} has the variables {_names(left)}, "
            f"{right.name or 'the other'} has {_names(right)}"
        )
    keys_left, keys_right = _keys(
        {name: left.variables[name] for name in names}, {name: right.variables[name] for name in names}
    )
    for model, keys in ((left, keys_left), (right, keys_right)):
        _refuse_twins(model, keys)
    order = np.argsort(keys_right, kind="stable")
    places = np.minimum(np.searchsorted(keys_right[order], keys_left), len(order) - 1)
    partners = order[places]
    found = keys_right[partners] == keys_left
    only_right = np.ones(right.states, dtype=bool)
    only_right[partners[found]] = False
    return Join(np.flatnonzero(found), partners[found], np.flatnonzero(~found), np.flatnonzero(only_right))


def differing_moves(left: ExplicitModel, right: ExplicitModel, joined: Join) -> Ints:
    """Return the positions in ``joined`` of states whose choices, as sets of distributions, are not the same.

    Each distribution is hashed as the sum of its probabilities, scaled to integers, times a random number for each
    target, modulo 2^64; so branches to one target may be split, and equal states are never reported.
    """
    random = np.random.default_rng(20250101)
    codes = random.integers(0, 2**63, size=len(joined.left) + 1, dtype=np.uint64)
    scale = _common_denominator(left.probabilities, right.probabilities)
    hashes = []
    for model, states in ((left, joined.left), (right, joined.right)):
        # States that the other model lacks share the last code: to lead there is a difference of its own.
        code = np.full(model.states, codes[-1], dtype=np.uint64)
        code[states] = codes[: len(states)]
        hashes.append(_state_hashes(model, code, scale)[states])
    return np.flatnonzero(hashes[0] != hashes[1])


def describe_moves(model: ExplicitModel, state: int, most: int = 3) -> str:
    """Return the choices of a state as text: ``1/2: x=3 + 1/2: x=4 | 1: x=0``."""
    choices = []
    for choice in range(int(model.state_to_choices[state]), int(model.state_to_choices[state + 1])):
        first, end = (int(place) for place in model.choice_to_branches[choice : choice + 2])
        shown = [
            f"{model.probabilities[branch]}: ({model.describe_state(int(model.branch_to_target[branch]))})"
            for branch in range(first, min(end, first + most))
        ]
        choices.append(" + ".join(shown) + (f" + {end - first - most} more" if end - first > most else ""))
    return " | ".join(choices)


def _names(model: ExplicitModel) -> str:
    return ", ".join(sorted(model.variables)) or "none"


def _keys(left: Mapping[str, NDArray], right: Mapping[str, NDArray]) -> tuple[Ints, Ints]:
    """Give the valuations of both models numbers alike: mixed radix, renumbered densely when the room runs out."""
    states = len(next(iter(left.values())))
    keys = np.zeros(states + len(next(iter(right.values()))), dtype=np.int64)
    size = 1
    for name in sorted(left):
        values = np.concatenate([left[name].astype(np.int64), right[name].astype(np.int64)])
        low, span = int(values.min()), int(values.max()) - int(values.min()) + 1
        if size * span >= _ROOM:
            values, low, span = (place := np.unique(values, return_inverse=True)[1]), 0, int(place.max()) + 1
            keys = np.unique(keys, return_inverse=True)[1]
            size = int(keys.max()) + 1
        keys = keys * span + (values - low)
        size *= span
    return keys[:states], keys[states:]


def _refuse_twins(model: ExplicitModel, keys: Ints) -> None:
    order = np.argsort(keys, kind="stable")
    twins = np.flatnonzero(np.diff(keys[order]) == 0)
    if twins.size:
        state = int(order[twins[0]])
        raise ModelError(f"{model.name} has two states with the valuation {model.describe_state(state)}")


def _common_denominator(*numbers: ExactNumbers) -> int:
    return math.lcm(*(value.denominator for vector in numbers for value in vector.table))


def _state_hashes(model: ExplicitModel, code: NDArray[np.uint64], scale: int) -> NDArray[np.uint64]:
    scaled = np.array([int(value * scale) % 2**64 for value in model.probabilities.table], dtype=np.uint64)
    terms = scaled[model.probabilities.index] * code[model.branch_to_target]
    choices = _mixed(np.add.reduceat(terms, model.choice_to_branches[:-1]))
    return np.add.reduceat(choices, model.state_to_choices[:-1])


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit numbers (the finaliser of splitmix64), so that sums of them tell multisets apart."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
