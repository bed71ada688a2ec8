"""A discounted decision process: the engine and QuantEcon's ``DiscreteDP`` on the same arrays.

QuantEcon needs a discount factor below 1; to the engine discounting is a chance to stop in every step.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks.records import OURS
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExactNumbers, ExplicitModel, Floats

DISCOUNT = Fraction(19, 20)
CHOICES, BRANCHES = 4, 5
METHODS = {
    "QuantEcon, value iteration": "value_iteration",
    "QuantEcon, modified policy iteration": "modified_policy_iteration",
}


def targets_and_rewards(states: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return random targets, shape (states, 4, 5), each with probability 1/5, and rewards 0 to 9, shape (states, 4)."""
    generator = np.random.default_rng(seed)
    return generator.integers(0, states, (states, CHOICES, BRANCHES)), generator.integers(0, 10, (states, CHOICES))


def as_model(targets: np.ndarray, rewards: np.ndarray) -> tuple[ExplicitModel, Query]:
    """Return the process with a last state in which it has stopped, and the query for its greatest reward."""
    states = len(targets)
    stopping = np.full((states, CHOICES, 1), states)
    branch_to_target = np.append(np.concatenate([targets, stopping], axis=2).ravel(), states)
    kind = np.append(np.tile(np.array([0] * BRANCHES + [1]), states * CHOICES), 2).astype(np.int32)
    numbers = ExactNumbers((DISCOUNT / BRANCHES, 1 - DISCOUNT, Fraction(1)), kind)
    choices = states * CHOICES
    model = ExplicitModel(
        "mdp",
        np.append(np.arange(0, choices + 1, CHOICES), choices + 1),
        np.append(np.arange(choices + 1) * (BRANCHES + 1), len(branch_to_target)),
        branch_to_target,
        numbers,
    )
    reward = ExactNumbers(tuple(map(Fraction, range(10))), np.append(rewards.ravel(), 0).astype(np.int32))
    stopped = np.arange(states + 1) == states
    return model, Query("reward", stopped, np.ones(states + 1, dtype=np.bool_), reward=reward)


def by_quantecon(targets: np.ndarray, rewards: np.ndarray, method: str) -> Callable[[], Floats] | None:
    """Return what solves the process with QuantEcon, or None where it is not installed."""
    if importlib.util.find_spec("quantecon") is None:
        return None
    from quantecon.markov import DiscreteDP

    states = len(targets)
    rows = np.arange(0, targets.size + 1, BRANCHES)
    matrix = csr_array(
        (np.full(targets.size, 1 / BRANCHES), targets.ravel(), rows), (states * CHOICES, states), copy=True
    )
    matrix.sum_duplicates()
    state, action = (index.ravel() for index in np.indices((states, CHOICES)))
    process = DiscreteDP(rewards.ravel().astype(float), matrix, float(DISCOUNT), state, action)

    def run() -> Floats:
        return np.asarray(process.solve(method=method, epsilon=1e-6, max_iter=10_000).v)

    return run


@pytest.mark.parametrize("by", [OURS, *METHODS])
def test_a_discounted_process(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    states = 200 if tiny else 20_000
    targets, rewards = targets_and_rewards(states)
    task = f"random process of {states:,} states and {states * CHOICES:,} choices, discount {float(DISCOUNT)}, to 1e-6"
    if by == OURS:
        model, query = as_model(targets, rewards)
        measure(task, by, lambda: solve(model, query, precision=1e-6, scheduler=False))
    else:
        measure(task, by, by_quantecon(targets, rewards, METHODS[by]))
