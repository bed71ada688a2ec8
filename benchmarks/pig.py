"""Pig in one run: the native solution against Storm, and the generic path against Storm's time to build the model.

``python -m benchmarks.pig [GOAL]``; ratios only mean something within one run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from pymc_games import prism, storm
from pymc_games.engine import solve
from pymc_games.games.pig import GAME, model, values
from pymc_games.games.pig.rules import Rules
from pymc_games.properties import parse_property
from pymc_games.queries import question

T = TypeVar("T")


def timed(work: Callable[[], T], repeats: int = 1) -> tuple[float, T]:
    """Return the shortest time of some runs, in seconds, and the result."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def text(goal: int, name: str) -> str:
    variant = GAME.variant(name)
    return prism.render(variant.template, variant.context(GAME.bind([f"goal={goal}"])))


def native(goal: int) -> tuple[float, float]:
    """Return the time of the native solution, and the width of its bounds."""

    def work() -> float:
        values.solve.cache_clear()
        return values.solve(Rules(goal)).start().width

    work()  # compiles, or loads what has been compiled
    return timed(work, 3)


def best_response(goal: int) -> tuple[float, float]:
    """Return Storm's times to build, and to check to 1e-6, the MDP of player 1 against optimal play."""
    program = storm.parse_text(text(goal, "mdp"))
    build, built = timed(lambda: storm.build(program))
    check, _ = timed(lambda: storm.check(built, 'Pmax=? [ F "win1" ]'))
    return build, check


def generic(goal: int) -> tuple[float, float, float, float]:
    """Return the times to build the game, read it through UMB, solve it to 1e-6, and to the last bit."""
    program = storm.parse_text(text(goal, "smg"))
    build, built = timed(lambda: storm.build(program))
    unread = replace(built, matrix=None)
    read, matrix = timed(lambda: storm.to_explicit(unread))
    if built.matrix is not None:
        build -= read  # it had to be read already, for its sums
    prop = parse_property('<<p1>> Pmax=? [ F "win1" ]')
    small = model.build(Rules(5), "smg", None, None)
    solve(small, question(prop, small).query)  # compiles, or loads what has been compiled
    rough, _ = timed(lambda: solve(matrix, question(prop, matrix).query, precision=1e-6, scheduler=False))
    answer, _ = timed(lambda: solve(matrix, question(prop, matrix).query, scheduler=False))
    return build, read, rough, answer


def main(goal: int) -> None:
    seconds, width = native(goal)
    build, check = best_response(goal)
    game_build, read, rough, answer = generic(goal)
    rules_build, _ = timed(lambda: model.build(Rules(goal), "smg", None, None), 2)
    table = Table("Pig to " + str(goal), "seconds", "ratio", "to")
    table.add_row(f"native solution, bounds {width:.1e} apart", f"{seconds:.2f}", "", "")
    table.add_row("Storm builds a best-response MDP", f"{build:.2f}", f"{build / seconds:.1f}", "native solution")
    table.add_row("Storm checks it to 1e-6", f"{check:.2f}", f"{check / seconds:.1f}", "native solution")
    table.add_row("Storm builds the game", f"{game_build:.2f}", "", "")
    table.add_row(
        "the rules build the game", f"{rules_build:.2f}", f"{rules_build / game_build:.2f}", "Storm builds the game"
    )
    table.add_row("reading it through UMB", f"{read:.2f}", f"{read / game_build:.2f}", "Storm builds the game")
    for how, seconds in (("to 1e-6", rough), ("to the last bit", answer)):
        table.add_row(
            f"the engine solves it {how}", f"{seconds:.2f}", f"{seconds / game_build:.2f}", "Storm builds the game"
        )
        both = read + seconds
        table.add_row(
            f"reading and solving it {how}", f"{both:.2f}", f"{both / game_build:.2f}", "Storm builds the game"
        )
    Console().print(table)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
