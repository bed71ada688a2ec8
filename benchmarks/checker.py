"""Time the independent checker on a million branches: ``python -m benchmarks.checker``."""

from __future__ import annotations

import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from pymc_games import certificate
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExactNumbers, ExplicitModel


def random_game(states: int, seed: int) -> ExplicitModel:
    """Return a game with two choices of four branches in each state, mostly forward, some back."""
    generator = np.random.default_rng(seed)
    targets = np.arange(states)[:, None] + generator.integers(-3, 20, (states, 8))
    targets = np.clip(targets, 0, states - 1).ravel()
    return ExplicitModel(
        "smg", np.arange(0, 2 * states + 1, 2), np.arange(0, 8 * states + 1, 4), targets,
        ExactNumbers((Fraction(1, 6), Fraction(1, 3)), np.tile(np.array([0, 0, 1, 1], dtype=np.int32), 2 * states)),
        state_to_player=generator.integers(0, 2, states), players=("p1", "p2"), name="random game",
    )  # fmt: skip


def main() -> None:
    """Certify a random game of a million branches, check the certificate, and print the times."""
    model = random_game(125_000, seed=1)
    target = np.zeros(model.states, dtype=np.bool_)
    target[-1000::2] = True
    query = Query("probability", target, model.state_to_player == 0)
    solution = solve(model, query)
    checker = certificate.load_checker()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c")
        certificate.write(path, model, query, solution)
        times = []
        for _ in range(3):
            started = time.perf_counter()
            checker.check(path)
            times.append(time.perf_counter() - started)
        print(f"{model.branches:,} branches, {path.stat().st_size:,} bytes: solved in {solution.seconds:.2f} s, "
              f"checked in {min(times):.2f} s")  # fmt: skip


if __name__ == "__main__":
    main()
