"""``pymc-games farkle``: what a roll scores, and optimal play for two."""

from __future__ import annotations

import resource

import click
from rich.table import Table

from pymc_games.cli.output import answer_console, json_option, progress_console, write_json
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle import scoring

_rules_option = click.option(
    "--rules", "source", default=house.DEFAULT, show_default=True, help="Rules file, or the name of shipped rules."
)


@click.group()
def farkle() -> None:
    """Farkle: set scoring dice aside and roll on; a roll without any loses the turn."""


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


@farkle.command()
@click.option("--goal", type=int, default=None, help="Score that wins; the rules' own if not given.")
@click.option("--bound", type=int, default=None, help="Lower bound of scores; the rules' own if not given.")
@click.option("--gap", type=float, default=1e-9, show_default=True, help="Width that is enough; 0: fixpoints.")
@_rules_option
@json_option
def solve(goal: int | None, bound: int | None, gap: float, source: str, json_path: str | None) -> None:
    """Solve the game for two between a lower and an upper bound."""
    from pymc_games.games.farkle import solver

    rules = house.load(source, goal=goal, bound=bound)
    solution = solver.solve(
        rules, gap, lambda sweep, width: progress_console.print(f"sweep {sweep}: first player within {width:.1e}")
    )
    value = solution.at(0, 0)
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    document = {
        "states": rules.states(), "value": value.to_json(), "sweeps": solution.sweeps, "seconds": solution.seconds,
        "peak_memory_bytes": peak,
    }  # fmt: skip
    if json_path is not None:
        write_json(document, json_path)
        return
    table = Table("Farkle to", str(rules.goal))
    table.add_row("first player wins", f"{value.value:.12f}")
    table.add_row("between", f"{value.lower!r}")
    table.add_row("and", f"{value.upper!r}")
    table.add_row("states", f"{rules.states():,}")
    table.add_row("sweeps", str(solution.sweeps))
    answer_console().print(table)
