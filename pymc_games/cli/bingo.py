"""``pymc-games bingo``: boards alone and against each other, equilibria, tournaments, the search over all boards."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click
from flint import fmpq
from rich.table import Table

from pymc_games.cli.bingo_jobs import search, tournament
from pymc_games.cli.output import answer_console, json_option, plot_option, progress_bar, write_json
from pymc_games.engine.bimatrix import Equilibrium
from pymc_games.errors import UsageError
from pymc_games.games.bingo import match as matches
from pymc_games.games.bingo import nash as decisions
from pymc_games.games.bingo import solo as solos
from pymc_games.games.bingo import strategic
from pymc_games.games.bingo.board import (
    MASKS,
    TRANSIENT,
    VALUES,
    cells_of,
    parse_board,
    parse_cells,
    show_board,
    usable,
)
from pymc_games.report import bingo as pictures
from pymc_games.result import Result, exact_json

Command = TypeVar("Command", bound=Callable[..., Any])
_PMF_ROLLS = 200


@click.group()
def bingo() -> None:
    """Dice Bingo: nine numbers, marked by the sum of two dice; the first complete line wins."""


bingo.add_command(search)
bingo.add_command(tournament)


def _tie_break_option(command: Command) -> Command:
    return click.option(
        "--tie-break", type=click.Choice(["smallest", "largest"]), default="smallest", show_default=True,
        help="Which of equally good cells is marked.",
    )(command)  # fmt: skip


@bingo.command()
@click.argument("board")
@_tie_break_option
@plot_option
@json_option
def solo(board: str, tie_break: Any, picture: str | None, json_path: str | None) -> None:
    r"""Solve BOARD alone: fewest expected rolls, their distribution, and the best cell for every roll.

    Example: pymc-games bingo solo 8,8,9/7,6,10/7,4,5
    """
    started = time.perf_counter()
    solved = solos.solve(parse_board(board), tie_break)
    result = Result.from_exact(
        solved.expected_rolls, method="backward induction in fractions", seconds=time.perf_counter() - started
    )
    deviation = math.sqrt(solved.variance)
    if picture is not None:
        pictures.draw_solo(picture, solved)
    if json_path is not None:
        write_json(
            {
                "board": show_board(solved.board), "expected_rolls": result.to_json(), "standard_deviation": deviation,
                "variance": exact_json(solved.variance), "pmf": solved.pmf(_PMF_ROLLS).tolist(),
                "states": MASKS, "transient_states": len(TRANSIENT), "best_cells": _best_cells(solved),
            },
            json_path,
        )  # fmt: skip
        return
    table = Table("Dice Bingo", show_board(solved.board))
    table.add_row("expected rolls", f"{result.value:.12g}\n{solved.expected_rolls}")
    table.add_row("standard deviation", f"{deviation:.6f}")
    table.add_row("mark sets", f"{MASKS}, {len(TRANSIENT)} of them without a line")
    first = ", ".join(f"{value}: {int(solved.choice[0, value])}" for value in VALUES if solved.choice[0, value] >= 0)
    table.add_row("first cell for each sum", first)
    answer_console().print(table)


def _best_cells(solved: solos.Solo) -> dict[str, dict[str, int]]:
    """Return the cell to mark for every set of marked cells that play can meet, and every useful sum."""
    return {
        ",".join(map(str, cells_of(mask))) or "none": {
            str(value): int(solved.choice[mask, value]) for value in VALUES if solved.choice[mask, value] >= 0
        }
        for mask in solos.reachable_masks(solved)
    }


@bingo.command()
@click.argument("board_a")
@click.argument("board_b")
@_tie_break_option
@plot_option
@json_option
def match(board_a: str, board_b: str, tie_break: Any, picture: str | None, json_path: str | None) -> None:
    """Play BOARD_A against BOARD_B on the same rolls, each marked as if alone.

    Example: pymc-games bingo match 9,6,7/7,9,6/6,7,9 6,7,6/7,7,7/6,6,6
    """
    started = time.perf_counter()
    played = _match(board_a, board_b, tie_break)
    outcome = played.outcome()
    seconds = time.perf_counter() - started
    results = {
        name: Result.from_exact(value, method="absorbing chain in fractions", seconds=seconds)
        for name, value in outcome._asdict().items()
    }
    timing = played.timing(_PMF_ROLLS)
    apart = matches.independent(played.a, played.b)
    if picture is not None:
        pictures.draw_match(picture, played)
    if json_path is not None:
        document: dict[str, Any] = {name: result.to_json() for name, result in results.items()}
        document |= {
            "reachable_states": len(played.reachable()), "pmf_a": timing.a_wins.tolist(),
            "pmf_b": timing.b_wins.tolist(), "pmf_tie": timing.tie.tolist(),
            "independent": {name: float(value) for name, value in apart._asdict().items()},
        }  # fmt: skip
        write_json(document, json_path)
        return
    table = Table("", "same rolls", "exactly", "rolls of their own")
    for name, title in (("a_wins", "a wins"), ("b_wins", "b wins"), ("tie", "tie")):
        exact = getattr(outcome, name)
        table.add_row(title, f"{float(exact):.10f}", str(exact), f"{float(getattr(apart, name)):.10f}")
    table.caption = f"{len(played.reachable())} transient joint states"
    answer_console().print(table)


def _match(board_a: str, board_b: str, tie_break: Any = "smallest") -> matches.Match:
    a, b = parse_board(board_a), parse_board(board_b)
    return matches.Match(solos.solve(a, tie_break), solos.solve(b, tie_break))


@bingo.command()
@click.argument("board_a")
@click.argument("board_b")
@click.option("--marked-a", default="none", show_default=True, help="Cells that player a has marked.")
@click.option("--marked-b", default="none", show_default=True, help="Cells that player b has marked.")
@click.option("--roll", type=int, required=True, help="The sum that both see.")
@json_option
def nash(board_a: str, board_b: str, marked_a: str, marked_b: str, roll: int, json_path: str | None) -> None:
    """Solve one decision of both players: the bimatrix of exact win probabilities and its equilibria.

    Example: pymc-games bingo nash 9,6,7/7,9,6/6,7,9 6,7,6/7,7,7/6,6,6 --marked-a 0,4 --marked-b 4 --roll 7
    """
    played = _match(board_a, board_b)
    decision = decisions.decide(played, (parse_cells(marked_a), parse_cells(marked_b)), roll)
    if json_path is not None:
        payoffs = [
            [[_exact(x), _exact(y)] for x, y in zip(row_a, row_b, strict=True)]
            for row_a, row_b in zip(decision.a, decision.b, strict=True)
        ]
        write_json(
            {
                "rows": decision.rows, "columns": decision.columns, "payoffs": payoffs,
                "pure": [list(pair) for pair in decision.pure()], "mixed": [_mixed(e) for e in decision.mixed()],
            },
            json_path,
        )  # fmt: skip
        return
    table = Table("a \\ b", *(_cell(column) for column in decision.columns))
    for row, line_a, line_b in zip(decision.rows, decision.a, decision.b, strict=True):
        table.add_row(_cell(row), *(f"{x}\n{y}" for x, y in zip(line_a, line_b, strict=True)))
    console = answer_console()
    console.print(table)
    console.print(f"pure equilibria: {decision.pure() or 'none'}")
    for equilibrium in decision.mixed():
        rows, columns = (", ".join(map(str, side)) for side in (equilibrium.rows, equilibrium.columns))
        console.print(f"equilibrium: a ({rows}), b ({columns}); a wins {equilibrium.payoffs[0]}, b wins "
                      f"{equilibrium.payoffs[1]}")  # fmt: skip


def _cell(cell: int) -> str:
    return "pass" if cell < 0 else f"cell {cell}"


def _exact(value: fmpq) -> dict[str, Any]:
    return exact_json(solos.to_fraction(value))


def _mixed(equilibrium: Equilibrium) -> dict[str, Any]:
    return {
        "rows": [_exact(x) for x in equilibrium.rows], "columns": [_exact(x) for x in equilibrium.columns],
        "payoffs": [_exact(x) for x in equilibrium.payoffs],
    }  # fmt: skip


@bingo.command()
@click.argument("board_a")
@click.argument("board_b")
@json_option
def game(board_a: str, board_b: str, json_path: str | None) -> None:
    """Solve the whole strategic game: both adapt at every roll; the value is (a wins) minus (b wins), exactly.

    Example: pymc-games bingo game 9,6,7/7,9,6/6,7,9 6,7,6/7,7,7/6,6,6
    """
    started = time.perf_counter()
    played = _match(board_a, board_b)
    fixed = played.outcome()
    with progress_bar() as progress:
        task = progress.add_task("joint states")
        both = strategic.StrategicGame(played.a, played.b)
        value = solos.to_fraction(both.value(progress=lambda k, n: progress.update(task, completed=k, total=n)))
    one_sided = {
        "a": solos.to_fraction(strategic.StrategicGame(played.a, played.b, "a").value()),
        "b": solos.to_fraction(strategic.StrategicGame(played.a, played.b, "b").value()),
    }
    result = Result.from_exact(
        value, method="backward induction over matrix games in fractions", seconds=time.perf_counter() - started
    )
    ahead = fixed.a_wins - fixed.b_wins
    plays = {roll: both.play((0, 0), roll) for roll in VALUES}
    if json_path is not None:
        write_json(
            {
                "value": result.to_json(), "joint_states": len(both.values), "solo_optimal": exact_json(ahead),
                "a_adapts": exact_json(one_sided["a"]), "b_adapts": exact_json(one_sided["b"]),
                "start": {
                    str(roll): {"rows": play.rows, "columns": play.columns, **_mixed(play.equilibrium)}
                    for roll, play in plays.items() if play is not None
                },
            },
            json_path,
        )  # fmt: skip
        return
    table = Table("who adapts", "(a wins) - (b wins)", "exactly")
    rows = (("nobody", ahead), ("a alone", one_sided["a"]), ("b alone", one_sided["b"]), ("both", value))
    for title, number in rows:
        table.add_row(title, f"{float(number):+.10f}", str(number) if len(str(number)) < 50 else "(long)")
    table.caption = f"{len(both.values):,} joint states"
    answer_console().print(table)


@bingo.command()
@click.argument("board")
@click.option("--marked", default="none", show_default=True, help="Cells marked already.")
@click.option("--roll", type=click.IntRange(2, 12), required=True, help="The sum of the two dice.")
@json_option
def advise(board: str, marked: str, roll: int, json_path: str | None) -> None:
    """Say which cell of BOARD to mark, with the expected further rolls after each.

    Example: pymc-games bingo advise 8,8,9/7,6,10/7,4,5 --marked 4 --roll 7
    """
    solved, mask = solos.solve(parse_board(board)), parse_cells(marked)
    cells = usable(solved.board, mask, roll)
    if not cells:
        raise UsageError(f"a {roll} marks nothing on {board} with the cells {marked} marked")
    worth = {cell: solos.to_fraction(solved.expected[mask | 1 << cell]) for cell in cells}
    if json_path is not None:
        options = [{"cell": cell, "expected_rolls": exact_json(value)} for cell, value in worth.items()]
        write_json({"cell": int(solved.choice[mask, roll]), "options": options}, json_path)
        return
    table = Table("cell", "expected further rolls", "exactly")
    for cell, value in worth.items():
        mark = " (best)" if cell == solved.choice[mask, roll] else ""
        table.add_row(f"{cell}{mark}", f"{float(value):.10f}", str(value))
    answer_console().print(table)
