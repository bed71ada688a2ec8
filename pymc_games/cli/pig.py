"""``pymc-games pig``: optimal play, advice, and matches of policies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.table import Table

from pymc_games.cli.output import json_option, write_json
from pymc_games.cli.studies import pig as study
from pymc_games.games.pig import advice as advising
from pymc_games.games.pig import policies, values
from pymc_games.games.pig.rules import BUST, DIE, GOAL, Rules
from pymc_games.result import Result

Command = TypeVar("Command", bound=Callable[..., Any])


def rules_options(command: Command) -> Command:
    """Add ``--goal``, ``--die`` and ``--bust``."""
    for constant in (BUST, DIE, GOAL):
        command = click.option(
            f"--{constant.name}", type=int, default=constant.default, show_default=True, help=constant.description
        )(command)
    return command


@click.group()
def pig() -> None:
    """Pig: roll as often as you dare; one face forfeits the turn."""


pig.add_command(study)


@pig.command()
@rules_options
@json_option
def solve(goal: int, die: int, bust: int, json_path: str | None) -> None:
    """Solve the game for two.

    Example: pymc-games pig solve --goal 20
    """
    rules = Rules(goal, die, bust)
    duel = values.solve(rules)
    document = {
        "goal": goal, "die": die, "bust": bust, "value": duel.start().to_json(),
        "states": int(values.reachable(rules).sum()), "sweeps": duel.value.sweeps,
        "hold_at_start": values.first_hold(values.optimal_policy(rules), 0, 0),
    }  # fmt: skip
    if json_path is not None:
        write_json(document, json_path)
        return
    table = Table("Pig to", str(goal))
    table.add_row("first player wins", f"{duel.start().value:.12f}")
    table.add_row("between", f"{duel.start().lower!r}")
    table.add_row("and", f"{duel.start().upper!r}")
    table.add_row("residual", str(duel.residual))
    table.add_row("states", f"{document['states']:,}")
    table.add_row("most sweeps of a score pair", str(duel.value.sweeps))
    table.add_row("hold at the start from", str(document["hold_at_start"]))
    Console().print(table)


@pig.command()
@click.option("--own", type=int, required=True, help="Score of the player on move.")
@click.option("--other", type=int, required=True, help="Score of the opponent.")
@click.option("--turn", "total", type=int, required=True, help="Turn total; 0 before the first roll.")
@rules_options
@json_option
def advise(own: int, other: int, total: int, goal: int, die: int, bust: int, json_path: str | None) -> None:
    """Say whether to roll or hold, and what either is worth.

    Example: pymc-games pig advise --own 0 --other 0 --turn 21
    """
    advice = advising.advise(Rules(goal, die, bust), own, other, total)
    if json_path is not None:
        write_json(advice.to_json(), json_path)
        return
    table = Table("", "win probability")
    table.add_row("roll", _percent(advice.roll))
    table.add_row("hold", "not before the first roll" if advice.hold is None else _percent(advice.hold))
    Console().print(f"{own} to {other}, turn total {total}: [bold]{advice.action}[/bold]")
    Console().print(table)


@pig.command()
@click.argument("first", metavar="POLICY")
@click.argument("second", metavar="POLICY")
@rules_options
@json_option
def match(first: str, second: str, goal: int, die: int, bust: int, json_path: str | None) -> None:
    """Match two policies, the first one moving first.

    POLICY is one of optimal, hold-at-N, roll-to-win, keep-pace, best-response:POLICY.

    Example: pymc-games pig match optimal hold-at-20
    """
    rules = Rules(goal, die, bust)
    result = values.play(rules, policies.parse(first, rules), policies.parse(second, rules)).start()
    if json_path is not None:
        document = {"policies": [first, second], "goal": goal, "die": die, "bust": bust, "first": result.to_json()}
        write_json(document, json_path)
        return
    Console().print(f"{first}, moving first, wins {_percent(result)} against {second}")


def _percent(result: Result) -> str:
    return f"{100 * result.value:.6f} % (± {50 * result.width:.1e})"
