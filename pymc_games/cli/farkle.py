"""``pymc-games farkle``: solving, advice, tables, and what a roll scores."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pymc_games import files
from pymc_games.cli import jobs
from pymc_games.cli.farkle_solo import solo
from pymc_games.cli.output import answer_console, force_option, json_option, progress_bar, progress_console, write_json
from pymc_games.cli.studies import farkle as study
from pymc_games.errors import UsageError
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle import scoring

if TYPE_CHECKING:
    from pymc_games.games.farkle.play import Position, Turn
    from pymc_games.games.farkle.values import Progress as ShowProgress
    from pymc_games.games.farkle.values import Values

Command = TypeVar("Command", bound=Callable[..., Any])

_rules_option = click.option(
    "--rules", "source", default=house.DEFAULT, show_default=True, help="Rules file, or the name of shipped rules."
)
_solution_option = click.option(
    "--solution", type=click.Path(path_type=Path), required=True, help="File that 'farkle solve -o' wrote."
)


class Pair(click.ParamType):
    """Two whole numbers with a comma between them."""

    name = "I,J"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the numbers."""
        if isinstance(value, tuple):
            return value
        first, _, second = str(value).partition(",")
        if not (first.isdecimal() and second.isdecimal()):
            self.fail(f"'{value}' is not two whole numbers; write 0,2", param, ctx)
        return int(first), int(second)


def position_options(command: Command) -> Command:
    """Add ``--own``, ``--other`` and ``--farkles``."""
    for option in (
        click.option("--farkles", type=Pair(), default=(0, 0), show_default="0,0", help="Farkles in a row of each."),
        click.option("--other", type=int, required=True, help="Score of the opponent."),
        click.option("--own", type=int, required=True, help="Score of the player on move."),
    ):
        command = option(command)
    return command


@click.group()
def farkle() -> None:
    """Farkle: set scoring dice aside and roll on; a roll without any loses the turn."""


farkle.add_command(solo)
farkle.add_command(study)


@farkle.command()
@_rules_option
@click.option("--goal", type=int, help="Score that wins, instead of the rules'.")
@click.option("--bound", type=int, help="Score below which nobody falls, instead of the rules'.")
@click.option("--gap", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="Stop when the bounds are nowhere further apart; 0 goes on to the fixpoints.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the solution to a file.")
@click.option("--resume", is_flag=True, help="Go on with an unfinished solve of the same file.")
@force_option
@json_option
def solve(
    source: str, goal: int | None, bound: int | None, gap: float, output: Path | None, resume: bool,
    json_path: str | None,
) -> None:  # fmt: skip
    """Solve the game for two completely.

    Example: pymc-games farkle solve --goal 1000 --bound -500 -o farkle.solution
    """
    from pymc_games.games.farkle import solution, values

    rules = house.load(source, goal=goal, bound=bound)
    if resume and output is None:
        raise UsageError("--resume goes on with a file: name it with -o")
    values.refuse_if_too_large(rules)
    with _sweeps_shown() as progress:
        if output is None:
            found = values.solve(rules, gap, progress=progress)
        else:
            found = solution.solve_to_file(rules, output, gap, resume=resume, progress=progress)
    first = found.at(0, 0)
    document = {
        "rules": source, "goal": rules.goal, "bound": rules.bound, "states": rules.states(), "value": first.to_json(),
        "sweeps": found.sweeps, "gap": found.gap, "changed": found.changed, "seconds": found.seconds,
    }  # fmt: skip
    if json_path is not None:
        write_json(document, json_path)
        return
    table = Table("Farkle to", f"{rules.goal:,}")
    table.add_row("first player wins", f"{first.value:.12f}")
    table.add_row("between", f"{first.lower!r}")
    table.add_row("and", f"{first.upper!r}")
    table.add_row("states", f"{rules.states():,}")
    table.add_row("sweeps", str(found.sweeps))
    table.add_row("bounds changed by the last sweep", f"{found.changed:,}")
    table.add_row("widest gap of a turn start", f"{found.gap:.2e}")
    table.add_row("seconds", f"{found.seconds:.1f}")
    answer_console().print(table)


@farkle.command()
@_solution_option
@position_options
@click.option("--turn", "points", type=int, default=0, show_default=True, help="Turn total so far.")
@click.option("--dice", type=int, default=6, show_default=True, help="Dice to roll, or that were rolled.")
@click.option("--roll", help="What was rolled: 1,1,5,6. Without it the question is whether to roll.")
@json_option
def advise(
    solution: Path, own: int, other: int, farkles: tuple[int, int], points: int, dice: int, roll: str | None,
    json_path: str | None,
) -> None:  # fmt: skip
    """Say what to do in a position, and what each possibility is worth.

    Example: pymc-games farkle advise --solution farkle.solution --own 4000 --other 5200 --turn 350 --dice 3
    """
    from pymc_games.games.farkle import advice, play
    from pymc_games.games.farkle import solution as solutions

    values = solutions.load(solution)
    faces = None if roll is None else scoring.parse_roll(roll, values.rules.dice)
    found = advice.advise(values, play.Position(own, other, *farkles), points, dice, faces)
    if json_path is not None:
        write_json(found.to_json(), json_path)
        return
    console = answer_console()
    console.print(f"{own:,} to {other:,}, turn total {points:,}: {found.action}")
    table = Table("set aside", "turn total", "dice left", "then", "wins")
    for option in found.options:
        table.add_row(
            ",".join(map(str, option.faces)), f"{option.points:,}", str(option.dice), option.action,
            f"{option.win.value:.9f}",
        )  # fmt: skip
    console.print(table if found.options else f"the turn is lost; the chance to win is {found.lost.value:.9f}")


@farkle.command(name="table")
@_solution_option
@position_options
@click.option("--csv", "path", type=click.Path(path_type=Path), help="Write the whole strategy, roll by roll.")
@click.option("--page", type=click.Path(path_type=Path), help="Write the whole strategy as an HTML page.")
def turn_table(
    solution: Path, own: int, other: int, farkles: tuple[int, int], path: Path | None, page: Path | None
) -> None:
    """Show when to bank throughout one turn; the files also say which dice to set aside.

    Example: pymc-games farkle table --solution farkle.solution --own 4000 --other 5200
    """
    from pymc_games.games.farkle import play
    from pymc_games.report.farkle import turn_page

    values, turn = _turn(solution, own, other, farkles)
    table = Table("turn total", *(f"{dice} dice" for dice in range(1, values.rules.dice + 1)))
    for total in range(1, len(turn.bank)):
        points = total * values.rules.step
        cells = []
        for dice in range(1, values.rules.dice + 1):
            best = turn.options(points, dice)[0]
            cells.append(f"{best.action} {best.win.value:.4f}")
        table.add_row(f"{points:,}", *cells)
    if path is not None:
        files.write_csv(path, play.strategy(turn))
    if page is not None:
        files.write_text(page, turn_page(turn))
    answer_console().print(table)


@farkle.command()
@_solution_option
@click.option("--own", type=int, required=True, help="Score of the player on move.")
@click.option("--farkles", type=Pair(), default=(0, 0), show_default="0,0", help="Farkles in a row of each.")
@click.option(
    "--every", type=click.IntRange(min=1), default=1000, show_default=True, help="Opponent's scores, this far apart."
)
@json_option
def banking(solution: Path, own: int, farkles: tuple[int, int], every: int, json_path: str | None) -> None:
    """Show at which turn totals to bank against a trailing or leading opponent.

    Example: pymc-games farkle banking --solution farkle.solution --own 8000
    """
    from pymc_games.games.farkle import play
    from pymc_games.games.farkle import solution as solutions

    values = solutions.load(solution)
    rules = values.rules
    rows = []
    for other in range(rules.bound, rules.goal, every):
        turn = play.turn(values, play.Position(own, other, *farkles))
        totals = [play.bank_totals(turn, dice) for dice in range(1, rules.dice + 1)]
        rows.append((other, float(turn.roll[0, -1].mean()), totals))
    if json_path is not None:
        opponents = [{"other": other, "win_probability": wins, "bank": totals} for other, wins, totals in rows]
        write_json({"own": own, "opponents": opponents}, json_path)
        return
    table = Table("opponent has", "wins", *(f"bank with {dice} dice" for dice in range(1, rules.dice + 1)))
    for other, wins, totals in rows:
        cells = [", ".join(f"{first}-{last}" for first, last in ranges) or "never" for ranges in totals]
        table.add_row(f"{other:,}", f"{wins:.6f}", *cells)
    answer_console().print(table)


@farkle.command()
@_solution_option
@position_options
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path(), help="Folder; the current one by default."
)
def turn(solution: Path, own: int, other: int, farkles: tuple[int, int], output: Path) -> None:
    """Write one turn as a PRISM model, its outcomes worth what the solution says.

    Example: pymc-games farkle turn --solution farkle.solution --own 4000 --other 5200 -o turn
    """
    from pymc_games import prism
    from pymc_games.games.farkle import templates

    values, found = _turn(solution, own, other, farkles)
    context = templates.position(found, values.at(*found.position))
    folder = files.make_folder(output)
    for suffix in ("prism", "props"):
        path = folder / f"turn.{suffix}"
        files.write_text(path, prism.render(f"farkle/position.{suffix}.j2", context))
        click.echo(str(path))


@farkle.command()
@_solution_option
@click.option("--models", type=click.IntRange(min=1), default=1000, show_default=True, help="Turns to check.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the drawing.")
@jobs.place_options
@json_option
@click.pass_context
def witness(
    context: click.Context, solution: Path, models: int, seed: int, executor: str, scheduler: str | None,
    json_path: str | None,
) -> None:  # fmt: skip
    """Let Storm solve turns drawn from all over the game; exit status 1 if one differs from the solution.

    Example: pymc-games farkle witness --solution farkle.solution --models 100
    """
    from pymc_games import witness as witnesses

    began = time.perf_counter()
    with progress_bar() as bar:
        task = bar.add_task("turns")
        found = []
        for statement in witnesses.statements(solution, models, seed, jobs.place(executor, scheduler)):
            found.append(statement)
            bar.update(task, completed=len(found), total=models)
    document = witnesses.summary(found, time.perf_counter() - began)
    if json_path is not None:
        write_json(document, json_path)
    else:
        table = Table("turns that Storm solved", f"{models:,}")
        table.add_row("their states", f"{document['states']:,}")
        table.add_row("largest difference", f"{document['largest_difference']:.2e}")
        table.add_row(f"within {document['within']:g}", "yes" if document["agree"] else "no")
        table.add_row("seconds", f"{document['seconds']:.0f}")
        answer_console().print(table)
    context.exit(0 if document["agree"] else 1)


@farkle.command()
@click.argument("roll")
@_rules_option
@json_option
def score(roll: str, source: str, json_path: str | None) -> None:
    """List what a ROLL such as 1,1,5 may score.

    Example: pymc-games farkle score 1,1,1,5,2,3
    """
    rules = house.load(source)
    found = scoring.ways(rules, scoring.parse_roll(roll, rules.dice))
    if json_path is not None:
        options = [{"dice": len(faces), "points": points, "set_aside": list(faces)} for faces, points in found]
        write_json({"roll": roll, "options": options}, json_path)
        return
    table = Table("set aside", "points")
    for faces, points in found:
        table.add_row(",".join(map(str, faces)), str(points))
    answer_console().print(table if found else "farkle: no die scores")


@contextlib.contextmanager
def _sweeps_shown() -> Iterator[ShowProgress]:
    """Give a function that shows the levels of the sweep under way and the gap so far, on a terminal."""
    columns = (
        TextColumn("sweep {task.fields[sweep]}"), BarColumn(), TimeElapsedColumn(), TextColumn("gap {task.fields[gap]}")
    )  # fmt: skip
    with Progress(*columns, console=progress_console, transient=True) as bar:
        task = bar.add_task("", sweep=1, gap="1")

        def show(sweep: int, done: int, levels: int, gap: float) -> None:
            bar.update(task, completed=done, total=levels, sweep=sweep, gap=f"{gap:.1e}")

        yield show


def _turn(path: Path, own: int, other: int, farkles: tuple[int, int]) -> tuple[Values, Turn]:
    from pymc_games.games.farkle import play, solution

    values = solution.load(path)
    position: Position = play.Position(own, other, *farkles)
    return values, play.turn(values, position)
