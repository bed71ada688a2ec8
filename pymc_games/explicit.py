"""Explicit models: the arrays of a Markov chain, a decision process or a turn-based game.

The names are those of the UMB format. A state owns a row of *choices*, a choice a row of *branches*; a branch has a
target and a probability. Rows are in compressed form: choices of state ``s`` are
``state_to_choices[s] : state_to_choices[s + 1]``, branches of choice ``c`` are
``choice_to_branches[c] : choice_to_branches[c + 1]``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.errors import ModelError, PropertyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ModelType = Literal["dtmc", "mdp", "smg"]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Rows and columns of the picture of a model, and variables, labels and reward models that a notebook names.
_MOST_BLOCKS, _MOST_NAMES = 200, 30


@dataclass(frozen=True)
class ExactNumbers:
    """A long vector of rationals with few distinct values: ``table[index[i]]`` is the i-th number."""

    table: tuple[Fraction, ...]
    index: NDArray[np.int32]

    @classmethod
    def of(cls, numbers: Sequence[Fraction]) -> ExactNumbers:
        """Collect the distinct values of ``numbers``."""
        place: dict[Fraction, int] = {}
        index = np.fromiter((place.setdefault(x, len(place)) for x in numbers), np.int32, len(numbers))
        return cls(tuple(place), index)

    def floats(self) -> Floats:
        """Return the nearest floats."""
        return np.array([float(x) for x in self.table], dtype=np.float64)[self.index]

    def __getitem__(self, position: int) -> Fraction:
        return self.table[self.index[position]]

    def __len__(self) -> int:
        return len(self.index)


@dataclass(frozen=True)
class RewardModel:
    """Rewards for being in a state, taking a choice, passing a branch; ``None`` where there are none."""

    state: ExactNumbers | None = None
    choice: ExactNumbers | None = None
    branch: ExactNumbers | None = None


@dataclass(frozen=True)
class ExplicitModel:
    """A Markov chain (``dtmc``), decision process (``mdp``) or turn-based game (``smg``) as arrays.

    Attributes
    ----------
    type : {'dtmc', 'mdp', 'smg'}
    state_to_choices : int64 array, shape (states + 1,)
    choice_to_branches : int64 array, shape (choices + 1,)
    branch_to_target : int64 array, shape (branches,)
    probabilities : ExactNumbers, length branches
        Exact; ``branch_to_probability`` is their nearest floats. A model whose file gives floats has the rationals
        that those floats are.
    initial_state : int
    labels : mapping from name to bool array, shape (states,)
    rewards : mapping from name to RewardModel; the unnamed reward model is ``''``
    variables : mapping from name to array, shape (states,)
        State valuations, in the order of declaration.
    state_to_player : int64 array, shape (states,), or None
        Owner of each state, an index into ``players``; only for ``smg``. -1 where nobody has a choice to make.
    players : tuple of str
    choice_to_action : tuple of str or None, one per choice
    """

    type: ModelType
    state_to_choices: Ints
    choice_to_branches: Ints
    branch_to_target: Ints
    probabilities: ExactNumbers
    initial_state: int = 0
    labels: Mapping[str, Bools] = field(default_factory=dict)
    rewards: Mapping[str, RewardModel] = field(default_factory=dict)
    variables: Mapping[str, NDArray] = field(default_factory=dict)
    state_to_player: Ints | None = None
    players: tuple[str, ...] = ()
    choice_to_action: Sequence[str] | None = None
    name: str = ""

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.state_to_choices) - 1

    @property
    def choices(self) -> int:
        """Number of choices over all states."""
        return len(self.choice_to_branches) - 1

    @property
    def branches(self) -> int:
        """Number of branches over all choices."""
        return len(self.branch_to_target)

    @property
    def branch_to_probability(self) -> Floats:
        """The nearest floats to the probabilities; shape (branches,)."""
        return self.probabilities.floats()

    def label(self, name: str) -> Bools:
        """Return the states that carry a label.

        Raises
        ------
        PropertyError
            If the model has no such label.
        """
        if name in self.labels:
            return self.labels[name]
        known = ", ".join(f'"{label}"' for label in self.labels) or "none"
        raise PropertyError(f'the model has no label "{name}"; its labels: {known}')

    def describe_state(self, state: int) -> str:
        """Return a state's valuation as text, for messages: ``turn=1, own=40``."""
        if not self.variables:
            return f"state {state}"
        return ", ".join(f"{name}={_plain(values[state])}" for name, values in self.variables.items())

    def validate(self) -> None:
        """Check every array; a model that passes is safe to index without further checks.

        Raises
        ------
        ModelError
            If an array has the wrong length, an offset runs backwards or past the end, a target is no state, an owner
            no player, a state has no choice, a choice no branch, a probability is not in (0, 1], or the probabilities
            of a choice do not sum to exactly 1.
        """
        _check_rows("state_to_choices", self.state_to_choices, self.choices)
        _check_rows("choice_to_branches", self.choice_to_branches, self.branches)
        self._check_lengths()
        if self.branches and not _within(self.branch_to_target, self.states):
            raise ModelError(f"a branch leads outside the {self.states} states")
        if not 0 <= self.initial_state < self.states:
            raise ModelError(f"the initial state {self.initial_state} is not one of the {self.states} states")
        deadlocks = np.flatnonzero(np.diff(self.state_to_choices) == 0)
        if deadlocks.size:
            raise ModelError(f"deadlock: no choice in {self.describe_state(int(deadlocks[0]))}")
        if self.type == "dtmc" and self.choices != self.states:
            raise ModelError("a dtmc has exactly one choice in each state")
        owners = self.state_to_player
        if self.type == "smg" and (owners is None or owners.min() < -1 or owners.max() >= len(self.players)):
            raise ModelError(f"an smg needs one of its {len(self.players)} players, or -1, as owner of each state")
        self._check_sums()

    def _check_lengths(self) -> None:
        """Check that there is one entry a state, choice or branch wherever the field says so."""
        sizes = {"state": self.states, "choice": self.choices, "branch": self.branches}
        found: list[tuple[str, str, Sequence | NDArray | ExactNumbers | None]]
        found = [("probability", "branch", self.probabilities), ("owner", "state", self.state_to_player)]
        found += [(f'value of label "{name}"', "state", values) for name, values in self.labels.items()]
        found += [(f"value of variable {name}", "state", values) for name, values in self.variables.items()]
        found += [("action", "choice", self.choice_to_action)]
        for name, reward in self.rewards.items():
            found += [(f'{what} reward of "{name}"', what, getattr(reward, what)) for what in sizes]
        for entry, per, values in found:
            if values is not None and len(values) != sizes[per]:
                raise ModelError(f"there must be one {entry} per {per}: {len(values)} for {sizes[per]}")
            if isinstance(values, ExactNumbers) and len(values) and not _within(values.index, len(values.table)):
                raise ModelError(f"a {entry} refers to none of the {len(values.table)} distinct numbers")

    def _check_sums(self) -> None:
        """Check that every row of probabilities sums to 1, exactly, with one integer sum per choice."""
        for value in self.probabilities.table:
            if not 0 < value <= 1:
                raise ModelError(f"a probability is {value}; it must lie in (0, 1]")
        sums, scale = exact_row_sums(self.probabilities, self.choice_to_branches)
        wrong = np.flatnonzero(sums != scale)
        if wrong.size:
            choice = int(wrong[0])
            state = int(np.searchsorted(self.state_to_choices, choice, side="right")) - 1
            total = Fraction(int(sums[choice]), scale)
            raise ModelError(
                f"the probabilities of choice {choice - int(self.state_to_choices[state])} in "
                f"{self.describe_state(state)} sum to {total} (about {float(total):.12g}), not 1"
            )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many branches lead from which states (rows) to which (columns); a large model's in blocks."""
        block = -(-self.states // _MOST_BLOCKS)
        size = -(-self.states // block)
        lengths = np.diff(self.choice_to_branches[self.state_to_choices])
        origin = np.repeat(np.arange(self.states) // block, lengths)
        counts = np.bincount(origin * size + self.branch_to_target // block, minlength=size**2).reshape(size, size)
        per = "" if block == 1 else f" / {block:,}"
        ax = plotting.heat_map(
            np.where(counts > 0, counts, np.nan), ax, rows=f"from state{per}", columns=f"to state{per}",
            meaning="branches",
        )  # fmt: skip
        ax.set_title(self.name or f"{self.type}, {self.states:,} states")
        return ax

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("type", self.type), ("states", f"{self.states:,}"), ("choices", f"{self.choices:,}"),
            ("branches", f"{self.branches:,}"),
            ("most choices of a state", int(np.diff(self.state_to_choices).max())),
            ("most branches of a choice", int(np.diff(self.choice_to_branches).max())),
            ("distinct probabilities", len(np.unique(self.probabilities.index))),
            ("initial state", self.describe_state(self.initial_state)),
        ]  # fmt: skip
        rows += [
            (f"variable {name}", f"{_plain(values.min())} to {_plain(values.max())}")
            for name, values in list(self.variables.items())[:_MOST_NAMES]
        ]
        rows += [
            (f'label "{name}"', f"{int(where.sum()):,} states")
            for name, where in list(self.labels.items())[:_MOST_NAMES]
        ]
        if self.rewards:
            rows.append(("rewards", ", ".join(f'"{name}"' for name in list(self.rewards)[:_MOST_NAMES])))
        owners = self.state_to_player
        if owners is not None:
            rows += [(f"states of {name}", f"{int((owners == k).sum()):,}") for k, name in enumerate(self.players)]
        return notebook.facts(self.name or "Explicit model", rows)

    def digest(self) -> str:
        """Return a SHA-256 digest of type, structure, exact probabilities, owners and initial state."""
        sha = hashlib.sha256(f"{self.type} {self.initial_state} {','.join(self.players)}".encode())
        for array in (self.state_to_choices, self.choice_to_branches, self.branch_to_target, self.state_to_player):
            sha.update(b"-" if array is None else np.ascontiguousarray(array, dtype="<i8").tobytes())
        # The numbering of distinct values must not matter, so they are numbered by size.
        order = sorted(range(len(self.probabilities.table)), key=self.probabilities.table.__getitem__)
        rank = np.empty(len(order), dtype="<i4")
        rank[order] = np.arange(len(order))
        sha.update(" ".join(str(self.probabilities.table[i]) for i in order).encode())
        sha.update(rank[self.probabilities.index].tobytes())
        return sha.hexdigest()


def exact_row_sums(numbers: ExactNumbers, row_starts: Ints) -> tuple[NDArray, int]:
    """Return the sum of each row as an integer over one common denominator, and that denominator.

    Integers of 64 bits serve where no sum can outgrow them; otherwise Python's own.
    """
    scale = math.lcm(*(value.denominator for value in numbers.table))
    scaled = [int(value * scale) for value in numbers.table]
    longest = int(np.diff(row_starts).max(initial=1))
    small = max((abs(x) for x in scaled), default=0) * longest < 2**62 and scale < 2**62
    terms = np.array(scaled, dtype=np.int64 if small else object)[numbers.index]
    if len(terms) == 0:
        return np.zeros(len(row_starts) - 1, dtype=np.int64), scale
    sums = np.add.reduceat(np.append(terms, 0), row_starts[:-1])
    sums[np.diff(row_starts) == 0] = 0
    return sums, scale


def _within(indices: NDArray, size: int) -> bool:
    return bool(indices.min() >= 0 and indices.max() < size)


def _check_rows(name: str, starts: Ints, end: int) -> None:
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
        raise ModelError(f"{name} must rise from 0 to {end}; the model's rows are broken")


def _plain(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value)
