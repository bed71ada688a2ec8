"""Building an explicit model from rules: the states that can be met from given ones, in the order they are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np

from pymc_games.explicit import ExactNumbers, ExplicitModel, ModelType
from pymc_games.memory import Growth

#: The memory that is left is compared with what has been met whenever so many more states are explored.
_LOOK = 10_000

S = TypeVar("S", bound=tuple[int, ...])
#: From a state to its choices: the action of each, and its branches.
Moves = Callable[[S], Iterable[tuple[str, Mapping[S, Fraction]]]]


def explore(kind: ModelType, starts: Sequence[S], variables: Sequence[str], moves: Moves[S]) -> ExplicitModel:
    """Return the model of all states that can be met.

    Parameters
    ----------
    kind : {'dtmc', 'mdp', 'smg'}
    starts : sequence of tuples
        Where to begin; the first one is the initial state, number 0.
    variables : sequence of str
        Names of the entries of a state.
    moves : callable

    Returns
    -------
    ExplicitModel
        With valuations and actions; labels, rewards and owners are for the caller to add.

    Raises
    ------
    MemoryEstimateError
        If there are more states than by their size fit in memory; not within `memory.unlimited`.
    """
    growth = Growth("the model by the Python rules", one_by_one=True)
    number = {state: place for place, state in enumerate(dict.fromkeys(starts))}
    states = list(number)
    actions: list[str] = []
    targets: list[int] = []
    probabilities: list[Fraction] = []
    state_to_choices, choice_to_branches = [0], [0]
    for explored, state in enumerate(states):  # grows as new states are met
        if explored % _LOOK == _LOOK - 1:
            growth.refuse_if_too_large(len(states), explored, len(actions), len(targets))
        for action, branches in moves(state):
            actions.append(action)
            for target, probability in branches.items():
                if target not in number:
                    number[target] = len(states)
                    states.append(target)
                targets.append(number[target])
                probabilities.append(probability)
            choice_to_branches.append(len(targets))
        state_to_choices.append(len(actions))
    values = np.array(states, dtype=np.int64)
    return ExplicitModel(
        type=kind,
        state_to_choices=np.array(state_to_choices, dtype=np.int64),
        choice_to_branches=np.array(choice_to_branches, dtype=np.int64),
        branch_to_target=np.array(targets, dtype=np.int64),
        probabilities=ExactNumbers.of(probabilities),
        variables={name: values[:, column] for column, name in enumerate(variables)},
        choice_to_action=tuple(actions),
    )
