"""The independent checker on the certificate of a million branches."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.records import OURS
from pymc_games import certificate
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExactNumbers, ExplicitModel


def random_game(states: int, seed: int = 1) -> tuple[ExplicitModel, Query]:
    """Return a game with two choices of four branches in each state, mostly forward, some back, and a query."""
    generator = np.random.default_rng(seed)
    targets = np.arange(states)[:, None] + generator.integers(-3, 20, (states, 8))
    targets = np.clip(targets, 0, states - 1).ravel()
    model = ExplicitModel(
        "smg", np.arange(0, 2 * states + 1, 2), np.arange(0, 8 * states + 1, 4), targets,
        ExactNumbers((Fraction(1, 6), Fraction(1, 3)), np.tile(np.array([0, 0, 1, 1], dtype=np.int32), 2 * states)),
        state_to_player=generator.integers(0, 2, states), players=("p1", "p2"), name="random game",
    )  # fmt: skip
    target = np.zeros(states, dtype=np.bool_)
    target[-max(states // 125, 4) :: 2] = True
    return model, Query("probability", target, model.state_to_player == 0)


def test_checking(measure: Callable[..., Any], tiny: bool, tmp_path: Path) -> None:
    model, query = random_game(1_000 if tiny else 125_000)
    path = tmp_path / "certificate"
    certificate.write(path, model, query, solve(model, query))
    checker = certificate.load_checker()
    task = f"checking a certificate of {model.branches:,} branches in fractions"
    measure(task, OURS, lambda: checker.check(path), rounds=3)
