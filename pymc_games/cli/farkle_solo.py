"""``pymc-games farkle solo``: the game alone."""

from __future__ import annotations

import click
from rich.table import Table

from pymc_games.cli.output import answer_console, json_option, write_json
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle.average import points_per_turn
from pymc_games.games.farkle.fewest_turns import fewest_turns
from pymc_games.result import Result


@click.command()
@click.option(
    "--rules", "source", default=house.DEFAULT, show_default=True, help="Rules file, or the name of shipped rules."
)
@json_option
def solo(source: str, json_path: str | None) -> None:
    """Give the most points a turn, on average and for ever, and the fewest expected turns to the goal.

    Example: pymc-games farkle solo
    """
    rules = house.load(source)
    points = Result.from_exact(points_per_turn(rules), method="policy iteration in fractions")
    turns = fewest_turns(rules).at(0)
    if json_path is not None:
        write_json({"rules": source, "points_per_turn": points.to_json(), "turns_to_goal": turns.to_json()}, json_path)
        return
    table = Table("alone", "best", "between", "and")
    table.add_row("points a turn", f"{points.value:.9f}", repr(points.lower), repr(points.upper))
    table.add_row(f"turns to {rules.goal}", f"{turns.value:.9f}", repr(turns.lower), repr(turns.upper))
    answer_console().print(table)
