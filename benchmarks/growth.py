"""Time and memory of the generic engine against states: two families of games, fitted exponents, a picture.

A point is one model, built and then solved to the last bit. Its memory is the peak of all arrays while doing both, the
model's own included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.checker import random_game
from benchmarks.engine import peak_bytes
from benchmarks.pig import rules_model, winning
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExplicitModel

Build = Callable[[], tuple[ExplicitModel, Query]]


@dataclass(frozen=True)
class Point:
    """One model of a family: states, branches, seconds to build and to solve (each least of several), peak bytes."""

    states: int
    branches: int
    build: float
    solve: float
    bytes: int

    @property
    def seconds(self) -> float:
        """Building and solving."""
        return self.build + self.solve


def pig(goal: int) -> tuple[ExplicitModel, Query]:
    """Return Pig's game model and the query for the first player's chance."""
    model = rules_model(goal)
    return model, winning(model)


#: A family's name, what builds a member, and the sizes; states from about 100 to a million.
FAMILIES: tuple[tuple[str, Callable[[int], tuple[ExplicitModel, Query]], tuple[int, ...]], ...] = (
    ("Pig, goals 6 to 130", pig, (6, 12, 25, 50, 100, 130)),
    ("random games", random_game, (100, 1_000, 10_000, 100_000, 1_000_000)),
)
TINY = 2


def measure(build: Build, patience: float = 2.0) -> Point:
    """Return the measurements of one model; small ones are repeated for about ``patience`` seconds."""
    best = [np.inf, np.inf]
    ends = time.perf_counter() + patience
    while True:
        started = time.perf_counter()
        model, query = build()
        built = time.perf_counter()
        solve(model, query, scheduler=False)
        done = time.perf_counter()
        best = [min(best[0], built - started), min(best[1], done - built)]
        if done > ends:
            break
    states, branches = model.states, model.branches
    del model, query

    def work() -> None:
        solve(*build(), scheduler=False)

    return Point(states, branches, best[0], best[1], peak_bytes(work))


def curves(tiny: bool = False) -> dict[str, list[Point]]:
    """Return the points of every family; the first few of each with ``tiny``."""
    found = {}
    for name, family, sizes in FAMILIES:
        family(sizes[0])  # compiles
        found[name] = [
            measure(lambda: family(size), 0.0 if tiny else 2.0)  # noqa: B023 - run at once
            for size in sizes[: TINY if tiny else None]
        ]
    return found


def exponent(states: Sequence[float], cost: Sequence[float]) -> tuple[float, float]:
    r"""Fit :math:`c\, n^e` by least squares of the logarithms.

    Returns
    -------
    e, c : float
    """
    slope, intercept = np.polyfit(np.log(states), np.log(cost), 1)
    return float(slope), float(np.exp(intercept))


def table(found: dict[str, list[Point]]) -> str:
    """Return the points as a Markdown table."""
    lines = ["| family | states | branches | build, s | solve, s | peak, MB |", "|---|---:|---:|---:|---:|---:|"]
    for name, points in found.items():
        lines += [
            f"| {name} | {p.states:,} | {p.branches:,} | {p.build:.4f} | {p.solve:.4f} | {p.bytes / 1e6:,.2f} |"
            for p in points
        ]
    return "\n".join(lines)


def fits(found: dict[str, list[Point]]) -> str:
    """Return the fitted exponents as a Markdown table."""
    lines = ["| family | time grows as states to the | memory as states to the |", "|---|---:|---:|"]
    for name, points in found.items():
        states = [p.states for p in points]
        time_, memory = exponent(states, [p.seconds for p in points]), exponent(states, [p.bytes for p in points])
        lines.append(f"| {name} | {time_[0]:.2f} | {memory[0]:.2f} |")
    return "\n".join(lines)


def draw(found: dict[str, list[Point]], path: Path) -> None:
    """Write both curves with their fitted lines as SVG; the same points give the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 4), layout="constrained")
        for axes, label in zip(
            figure.subplots(1, 2), ("seconds to build and solve", "peak memory, bytes"), strict=True
        ):
            for name, points in found.items():
                states = np.array([p.states for p in points], dtype=float)
                cost = [p.seconds if label.startswith("seconds") else float(p.bytes) for p in points]
                e, c = exponent(states.tolist(), cost)
                (line,) = axes.loglog(states, c * states**e, linewidth=1)
                axes.loglog(states, cost, "o", color=line.get_color(), label=f"{name}: states^{e:.2f}")
            axes.set(xlabel="states", ylabel=label)
            axes.grid(alpha=0.3)
            axes.legend()
        figure.savefig(path, format="svg", metadata={"Date": None})
