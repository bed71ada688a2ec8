"""``pymc-games verify``: the campaign of published figures."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pymc_games import campaign, games, models, pipeline
from pymc_games.campaign import Figure, Outcome
from pymc_games.cli.output import answer_console, json_option, progress_console, write_json
from pymc_games.report import pipeline as pipeline_report
from pymc_games.report.campaign import closing_line, figures_table

#: The game that ``--models`` follows from its rules to its published figures, and the models that ``--quick`` keeps:
#: either player free against the other's optimal policy, which together prove the value of the game.
END_TO_END = "pig"
QUICK_MODELS = ("mdp", "mdp2")


@click.command(short_help="Recompute every published figure.")
@click.option("--quick", is_flag=True, help="Leave out the figures that take long.")
@click.option("--game", metavar="NAME", help="Only this game's figures.")
@click.option("--models", "with_models", is_flag=True, help="First check models/, and compare Pig in every state.")
@json_option
@click.pass_context
def verify(ctx: click.Context, quick: bool, game: str | None, with_models: bool, json_path: str | None) -> None:
    """Compute every published figure and say whether it is reproduced.

    Exit status 1 if a figure comes out otherwise than it is known to, Storm and the native answer disagree, or, with
    --models, a rendered model is not as its template says or the two solvers differ in a state.

    Example: pymc-games verify --quick --game bearoff
    """
    start = time.perf_counter()
    figures = campaign.load(game=game)
    console = progress_console if json_path == "-" else answer_console()
    sound = _check_models(console, QUICK_MODELS if quick else None) if with_models else True
    outcomes = _run(figures, quick)
    if json_path is not None:
        seconds = time.perf_counter() - start
        write_json({"figures": [outcome.to_json() for outcome in outcomes], "seconds": seconds}, json_path)
    if json_path != "-":
        _print(outcomes, console)
    ctx.exit(0 if sound and all(outcome.as_expected for outcome in outcomes) else 1)


def _check_models(console: Console, variants: Sequence[str] | None) -> bool:
    """Check that models/ is as rendered, then compare Pig's models; return whether all is well."""
    wrong = models.differences(games.shipped())
    if wrong:
        names = ", ".join(str(path) for path in wrong)
        console.print(f"models/ is not as the templates say: {names}; run make models", style="bold red")
    else:
        console.print("models/ is as the templates say", style="green")
    with progress_console.status("comparing") as status:
        comparisons = list(
            pipeline.compare_models(
                END_TO_END, variants=variants, started=lambda name: status.update(f"comparing {END_TO_END}, {name}")
            )
        )
    console.print(pipeline_report.comparison_table(f"{games.get(END_TO_END).title}: Storm and the engine", comparisons))
    console.print(pipeline_report.closing_line(comparisons))
    for comparison in comparisons:
        for one in comparison.checked:
            for remark in one.remarks:
                click.echo(f"{one.property.text}: {remark}", err=True)
    return not wrong and all(comparison.sound for comparison in comparisons)


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


def _print(outcomes: Sequence[Outcome], console: Console) -> None:
    for game, group in itertools.groupby(outcomes, key=lambda outcome: outcome.figure.game):
        console.print(figures_table(game, list(group)))
    console.print(closing_line(outcomes))
