"""The engine against Storm's sound method on the same models, solving only: ``python -m benchmarks.engine``.

Models are those of at least 10,000 states among the examples that ship with stormpy, for constants that make them so,
and Pig. Both sides get the built model and a precision of 1e-6; the best of several runs counts.
"""

from __future__ import annotations

import argparse
import math
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import stormpy.examples.files
from rich.console import Console
from rich.table import Table

from pymc_games import games, prism, storm
from pymc_games.engine import Query, solve
from pymc_games.explicit import ExplicitModel
from pymc_games.properties import parse_property
from pymc_games.queries import question

CASES = (
    ("mdp/firewire.nm", {"delay": "36", "fast": "1/2"}, ('Pmin=? [ F "elected" ]', 'Rmax{"time"}=? [ F "elected" ]')),
    ("mdp/firewire.nm", {"delay": "36", "fast": "1/2"}, ('Rmin{"time"}=? [ F "elected" ]',)),
    ("mdp/coin2.nm", {"K": "100"}, ('Pmax=? [ F "finished" & "all_coins_equal_1" ]',)),
    ("mdp/coin2.nm", {"K": "80"}, ('Rmin{"steps"}=? [ F "finished" ]', 'Rmax{"steps"}=? [ F "finished" ]')),
    ("dtmc/brp.pm", {"N": "512", "MAX": "5"}, ('P=? [ F "target" ]', 'R=? [ F "target" | "deadlock" ]')),
    ("pig", {"goal": "60"}, ('Pmax=? [ F "win1" ]',)),
    ("pig", {"goal": "100"}, ('Pmax=? [ F "win1" ]',)),
)
PRECISION = 1e-6


def best_of(runs: int, run: Callable[[], object]) -> float:
    """Return the shortest of several wall-clock times, in seconds."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


def program_of(name: str, constants: dict[str, str]) -> storm.Program:
    """Return a parsed program: a game's default variant, or one of stormpy's examples."""
    if name in games.names():
        game = games.get(name)
        variant = game.variant(None)
        context = variant.context(game.bind([f"{k}={v}" for k, v in constants.items()]))
        return storm.parse_text(prism.render(variant.template, context))
    return storm.parse(Path(stormpy.examples.files.testfile_dir) / name, constants)


def array_bytes(model: ExplicitModel) -> int:
    """Return the bytes of a model's arrays, with one reward a choice."""
    arrays = (model.state_to_choices, model.choice_to_branches, model.branch_to_target, model.branch_to_probability)
    return sum(array.nbytes for array in arrays) + 8 * model.choices


def peak_bytes(model: ExplicitModel, query: Query) -> int:
    """Return the greatest memory in use while solving, beyond the model itself."""
    tracemalloc.start()
    solve(model, query, precision=PRECISION, scheduler=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> None:
    """Print one row a property, and the geometric mean of the ratios."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    table = Table("model", "property", "states", "Storm s", "engine s", "ratio", "memory / model", "last bit s")
    ratios = []
    for name, constants, properties in CASES:
        built = storm.build(program_of(name, constants))
        model = storm.to_explicit(built)
        for text in properties:
            prop = parse_property(text)
            query = question(prop, model).query
            theirs = best_of(runs, lambda: storm.check(built, prop, precision=PRECISION))  # noqa: B023 - run at once
            solve(model, query, precision=PRECISION)
            ours = best_of(runs, lambda: solve(model, query, precision=PRECISION, scheduler=False))  # noqa: B023
            last_bit = best_of(1, lambda: solve(model, query, scheduler=False))  # noqa: B023
            memory = peak_bytes(model, query) / array_bytes(model)
            ratios.append(ours / theirs)
            label = f"{name} {','.join(f'{k}={v}' for k, v in constants.items())}"
            table.add_row(label, text, str(model.states), f"{theirs:.4f}", f"{ours:.4f}", f"{ratios[-1]:.2f}",
                          f"{memory:.1f}", f"{last_bit:.4f}")  # fmt: skip
    Console(width=160).print(table)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, greatest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
