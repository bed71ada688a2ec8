"""``pymc-games pig study`` and ``farkle study``: a table over ranges of parameters."""

from __future__ import annotations

import time
from pathlib import Path

import click

from pymc_games.cli import jobs
from pymc_games.cli.output import json_option, progress_bar
from pymc_games.errors import UsageError
from pymc_games.games.farkle import rules as house
from pymc_games.games.pig.rules import BUST

_output_option = click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the table as CSV."
)


@click.command("study")
@click.option("--goals", type=jobs.Numbers(), default="100", show_default=True, help="Points that win.")
@click.option("--dice", type=jobs.Numbers(), default="6", show_default=True, help="Faces of the die.")
@click.option("--bust", type=int, default=BUST.default, show_default=True, help=BUST.description)
@_output_option
@jobs.job_options
@json_option
def pig(
    goals: list[int], dice: list[int], bust: int, output: Path | None, executor: str, scheduler: str | None,
    keep: Path | None, resume: Path | None, json_path: str | None,
) -> None:  # fmt: skip
    """Solve the game for every goal with every die: one table.

    Example: pymc-games pig study --goals 20:10:100 --dice 4,6,8 -o study.csv
    """
    from pymc_games.games.pig import study

    started = time.perf_counter()
    place, keeping = jobs.place(executor, scheduler), jobs.keeping(keep, resume)
    with progress_bar() as progress:
        task = progress.add_task("games")
        rows = study.study(
            goals, dice, bust, place, keeping, lambda k, n: progress.update(task, completed=k, total=n)
        )  # fmt: skip
    columns = ("goal", "die", "states", "value", "residual", "sweeps", "hold_at_start")
    jobs.write_study(rows, output, json_path, columns, time.perf_counter() - started)


@click.command("study")
@click.option("--rules", "sources", default=house.DEFAULT, show_default=True, metavar="RULES,…",
              help="Rules files, or the names of shipped rules.")  # fmt: skip
@click.option("--bounds", type=jobs.Numbers(), help="Scores below which nobody falls, instead of the rules'.")
@click.option("--goal", type=int, help="Score that wins, instead of the rules'.")
@click.option("--gap", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="Stop when the bounds are nowhere further apart; 0 goes on to the fixpoints.")  # fmt: skip
@_output_option
@jobs.job_options
@json_option
def farkle(
    sources: str, bounds: list[int] | None, goal: int | None, gap: float, output: Path | None, executor: str,
    scheduler: str | None, keep: Path | None, resume: Path | None, json_path: str | None,
) -> None:  # fmt: skip
    """Solve the game for two under every set of rules with every bound: one table.

    Example: pymc-games farkle study --rules facebook,zilch --bounds 0,-500 --goal 1000 -o study.csv
    """
    from pymc_games.games.farkle import study

    started = time.perf_counter()
    place, keeping = jobs.place(executor, scheduler), jobs.keeping(keep, resume)
    names = sources.split(",")
    if len(set(names)) < len(names):
        raise UsageError(f"--rules {sources}: names one set of rules twice")
    chosen: list[int | None] = [*bounds] if bounds else [None]
    cases = [
        (name, house.load(name, goal=goal, bound=bound)) for name in names for bound in chosen
    ]  # fmt: skip
    with progress_bar() as progress:
        task = progress.add_task("games")
        rows = study.study(cases, gap, place, keeping, lambda k, n: progress.update(task, completed=k, total=n))
    columns = ("rules", "goal", "bound", "states", "value", "gap", "sweeps")
    jobs.write_study(rows, output, json_path, columns, time.perf_counter() - started)
