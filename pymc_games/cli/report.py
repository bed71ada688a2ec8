"""``pymc-games report``: everything that is known about the games, as a static site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pymc_games import games
from pymc_games.cli.output import json_option, progress_console, write_json
from pymc_games.errors import UsageError
from pymc_games.report.site import build


@click.command(short_help="Write a static site on the games.")
@click.argument("game_names", metavar="[GAME]...", nargs=-1)
@click.option(
    "-o", "--output", default="report", show_default=True, type=click.Path(), metavar="DIR", help="Folder to write."
)
@click.option("--full", is_flag=True, help="Also recompute the published figures that take long.")
@click.option(
    "--farkle",
    "solution",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Show the play of this file, which 'farkle solve -o' wrote, instead of a small game solved now.",
)
@json_option
@click.pass_context
def report(
    ctx: click.Context, game_names: Sequence[str], output: str, full: bool, solution: Path | None,
    json_path: str | None,
) -> None:  # fmt: skip
    """Write a static site on GAMEs, by default on all: one folder, opened from its index.html, without a network.

    A page a game shows its models as PRISM text, what Storm and the engine answer and whether they agree,
    certificates, the published figures recomputed, and pictures of optimal play. An earlier report in DIR is replaced;
    a folder that holds anything else is left alone. Exit status 1 if something disagrees.

    Example: pymc-games report -o site pig bingo
    """
    from pymc_games.games.farkle import solution as solutions

    names = list(dict.fromkeys(game_names)) or list(games.names())
    arguments: dict[str, dict[str, Any]] = {}
    if solution is not None:
        if "farkle" not in names:
            raise UsageError("--farkle is for the page of Farkle: name farkle among the games, or name none")
        solutions.load(solution)  # a file of no use is refused before anything takes time
        arguments["farkle"] = {"path": solution}
    with progress_console.status("starting") as status:
        found = build.build(output, names, quick=not full, started=status.update, arguments=arguments)
    if json_path is not None:
        document = {
            "folder": output,
            "pages": ["index.html", *(one.href for one in found)],
            "games": [
                {"name": one.game.name, "answers_compared": one.compared, "as_expected": one.sound} for one in found
            ],
        }
        write_json(document, json_path)
    else:
        for one in found:
            figures = f", {len(one.outcomes)} published figures" if one.outcomes else ""
            verdict = "all as expected" if one.sound else "something disagrees, see the page"
            click.echo(
                f"{one.game.name}: {len(one.models)} models, {one.compared:,} answers compared{figures}: {verdict}"
            )
        click.echo(f"open {output}/index.html")
    ctx.exit(0 if all(one.sound for one in found) else 1)
