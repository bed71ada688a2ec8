"""``pymc-games bearoff``: one side, races, the cube, and tables."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from pymc_games.cli.output import json_option, write_json
from pymc_games.games.bearoff import positions

# A position with a negative count starts with '-': let it reach the check that says what is wrong with it.
COUNTS_MAY_BE_NEGATIVE = {"ignore_unknown_options": True}


@click.group()
def bearoff() -> None:
    """Backgammon bearoff. A position is six counts, the ace point first: 0,0,0,0,2,3."""


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.option("--exact", is_flag=True, help="Give the distribution as exact counts of dice sequences.")
@json_option
def solo(position: str, exact: bool, json_path: str | None) -> None:
    """Solve POSITION for the fewest expected rolls."""
    from pymc_games.games.bearoff import summary

    found = summary.solo(positions.parse(position))
    document = found.to_json(exact=exact)
    if json_path is not None:
        write_json(document, json_path)
        return
    console = Console()
    console.print(f"{position}: {found.pips} pips, {found.effective_pips:.4f} effective pips")
    console.print(f"expected rolls {found.expected_rolls.value:.9f} = {found.expected_rolls.exact}")
    console.print(f"variance {float(found.variance):.9f}")
    table = Table("rolls", "probability", "off by then")
    so_far = 0.0
    for rolls, probability in enumerate(found.pmf):
        so_far += float(probability)
        if probability:
            table.add_row(str(rolls), f"{float(probability):.9f}", f"{so_far:.9f}")
    console.print(table)
    plays = Table("roll", "best play", "leaves")
    for roll, (play, after) in found.best_moves.items():
        plays.add_row(roll, play, positions.show(after))
    console.print(plays)


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.argument("opponent")
@json_option
def race(position: str, opponent: str, json_path: str | None) -> None:
    """Win probability of POSITION, on roll, against OPPONENT."""
    from pymc_games.games.bearoff import summary

    document: dict[str, Any] = summary.race(positions.parse(position), positions.parse(opponent))
    if json_path is not None:
        write_json(document, json_path)
        return
    console = Console()
    table = Table("", "win probability", "between", "and")
    for name in ("independent", "optimal"):
        result = document[name]
        table.add_row(name, f"{result['value']:.9f}", f"{result['lower']:.12f}", f"{result['upper']:.12f}")
    console.print(table)
    console.print(f"pips {document['pips'][0]} against {document['pips'][1]}")
    for name, value in document["heuristics"].items():
        console.print(f"{name}: {value}")


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.argument("opponent")
@json_option
def cube(position: str, opponent: str, json_path: str | None) -> None:
    """Money equities and cube action of POSITION, on roll, against OPPONENT."""
    from pymc_games.games.bearoff import cube as cubes

    found = cubes.solve(positions.parse(position), positions.parse(opponent))
    equities = {
        "cubeless": found.cubeless, "owned": found.owned, "centred": found.centred, "opponent": found.opponent,
        "double_take": found.double_take,
    }  # fmt: skip
    if json_path is not None:
        document = {name: result.to_json() for name, result in equities.items()}
        actions = {"action": found.action, "redouble_action": found.redouble_action}
        write_json({**document, "optimal_centred": found.optimal_centred, **actions}, json_path)
        return
    table = Table("cube", "equity", "between", "and")
    for name, result in equities.items():
        table.add_row(name, f"{result.value:.9f}", f"{result.lower:.15f}", f"{result.upper:.15f}")
    console = Console()
    console.print(table)
    console.print(f"centred: {found.action}; owned: {found.redouble_action}")
