"""``pymc-games verify``: the campaign of published figures."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pymc_games import campaign
from pymc_games.campaign import Figure, Outcome
from pymc_games.cli.output import json_option, progress_console, write_json
from pymc_games.report.campaign import closing_line, figures_table


@click.command()
@click.option("--quick", is_flag=True, help="Leave out the figures that take long.")
@click.option("--game", metavar="NAME", help="Only this game's figures.")
@json_option
@click.pass_context
def verify(ctx: click.Context, quick: bool, game: str | None, json_path: str | None) -> None:
    """Compute every published figure and say whether it is reproduced.

    Exit status 1 if a figure comes out otherwise than it is known to, or Storm and the native answer disagree.
    """
    start = time.perf_counter()
    outcomes = _run(campaign.load(game=game), quick)
    if json_path is not None:
        seconds = time.perf_counter() - start
        write_json({"figures": [outcome.to_json() for outcome in outcomes], "seconds": seconds}, json_path)
    if json_path != "-":
        _print(outcomes)
    ctx.exit(0 if all(outcome.as_expected for outcome in outcomes) else 1)


def _run(figures: Sequence[Figure], quick: bool) -> list[Outcome]:
    """Run the campaign with progress on standard error."""
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=progress_console, transient=True) as progress:
        task = progress.add_task("figures", total=len(figures))
        outcomes = []
        for outcome in campaign.run(figures, quick=quick, started=lambda f: progress.update(task, description=f.id)):
            outcomes.append(outcome)
            progress.advance(task)
    return outcomes


def _print(outcomes: Sequence[Outcome]) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    for game, group in itertools.groupby(outcomes, key=lambda outcome: outcome.figure.game):
        console.print(figures_table(game, list(group)))
    console.print(closing_line(outcomes))
