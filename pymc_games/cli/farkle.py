"""``pymc-games farkle``: what a roll scores."""

from __future__ import annotations

import click
from rich.table import Table

from pymc_games.cli.farkle_solo import solo
from pymc_games.cli.output import answer_console, json_option, write_json
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle import scoring

_rules_option = click.option(
    "--rules", "source", default=house.DEFAULT, show_default=True, help="Rules file, or the name of shipped rules."
)


@click.group()
def farkle() -> None:
    """Farkle: set scoring dice aside and roll on; a roll without any loses the turn."""


farkle.add_command(solo)


@farkle.command()
@click.argument("roll")
@_rules_option
@json_option
def score(roll: str, source: str, json_path: str | None) -> None:
    """List what a ROLL such as 1,1,5 may score."""
    rules = house.load(source)
    found = scoring.options(rules, scoring.parse_roll(roll, rules.dice))
    if json_path is not None:
        write_json({"roll": roll, "options": [{"dice": used, "points": points} for used, points in found]}, json_path)
        return
    table = Table("dice set aside", "points")
    for used, points in found:
        table.add_row(str(used), str(points))
    answer_console().print(table if found else "farkle: no die scores")
