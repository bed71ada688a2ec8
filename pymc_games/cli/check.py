"""``check`` and ``compare``: properties on a game or a model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from rich.table import Table
from rich.text import Text

from pymc_games.cli.output import answer_console, json_option, progress_console, write_json
from pymc_games.compare import Checked, Options, Session
from pymc_games.errors import UsageError
from pymc_games.games.base import split_definitions
from pymc_games.loading import load_target
from pymc_games.properties import Property, parse_property, read_properties
from pymc_games.result import Result

Command = TypeVar("Command", bound=Callable[..., Any])


def _shared_options(command: Command) -> Command:
    """Add what ``check`` and ``compare`` have in common."""
    options = (
        click.argument("target"),
        click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants."),
        click.option("--type", "--variant", "variant", metavar="NAME", help="Which model of a game."),
        click.option("--prop", "texts", multiple=True, metavar="TEXT", help="A property; may be given several times."),
        click.option("--props", "file", type=click.Path(), metavar="FILE", help="A property file."),
        click.option("--exact", is_flag=True, help="Solve in rational numbers."),
        click.option("--precision", type=float, help="Relative precision of the bounds."),
        click.option("--fix-deadlocks", is_flag=True, help="Let states without a choice loop."),
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(short_help="Check properties of a game or a model file.")
@_shared_options
@click.option("--engine", type=click.Choice(["storm", "native", "both"]), default="both", show_default=True)
def check(engine: Any, json_path: str | None, **request: Any) -> int:
    """Check properties of TARGET: a game, or a .prism, .nm, .pm, .sm, .umb or .drn file.

    Without --prop and --props the properties are those of the game's model. With both engines their answers in the
    initial state are compared; exit status 1 if they differ.
    """
    session = _session(engine, **request)
    return _report(session, [session.check(prop) for prop in session.properties], json_path)


@click.command(short_help="Check with Storm and the engine, and compare every state.")
@_shared_options
def compare(json_path: str | None, **request: Any) -> int:
    """Check properties of TARGET with Storm and with the engine, and compare the answers in every state.

    For a game the engine also solves the Python rules. Exit status 1 if anything differs; the report says in which
    state, and whether a solver or one of the two descriptions of the game is wrong.
    """
    session = _session("both", **request)
    with progress_console.status("comparing"):
        checked = [session.compare(prop) for prop in session.properties]
    return _report(session, checked, json_path)


def _session(
    engine: Any, target: str, definitions: Sequence[str], variant: str | None, texts: Sequence[str], file: str | None,
    exact: bool, precision: float | None, fix_deadlocks: bool,
) -> Session:  # fmt: skip
    if precision is not None and not 0 < precision < 1:
        raise UsageError(f"the precision is {precision}; it must lie between 0 and 1")
    asked: list[Property] = [parse_property(text) for text in texts]
    given = split_definitions(definitions)
    if file is not None:
        asked += read_properties(file, dict(given))
    # A constant that the property file declares is its own, and not the model's.
    declared = {name for prop in asked for name in prop.constants}
    definitions = [f"{name}={value}" for name, value in given if name not in declared]
    loaded = load_target(target, definitions, variant, with_rules=engine != "storm")
    return Session(loaded, asked or loaded.properties, Options(engine, exact, precision, fix_deadlocks))


def _report(session: Session, checked: Sequence[Checked], json_path: str | None) -> int:
    if json_path is not None:
        write_json({"model": session.describe(), "results": [one.to_json() for one in checked]}, json_path)
    else:
        _print(session, checked)
    for one in checked:
        for remark in one.remarks:
            click.echo(f"{one.property.text}: {remark}", err=True)
    return 0 if all(one.agree for one in checked) else 1


def _print(session: Session, checked: Sequence[Checked]) -> None:
    described = session.describe()
    sizes = f"{described['states']:,} states, {described['choices']:,} choices, {described['branches']:,} branches"
    table = Table(title=f"{described['name']} ({described['type']}, {sizes})")
    for heading in ("property", "Storm", "engine", "states compared", "largest difference", "agree"):
        table.add_column(heading, overflow="fold")
    for one in checked:
        agree = ("yes" if one.agree else "NO") if one.states_compared else "-"
        bound = {True: ": true", False: ": false", None: ""}[one.satisfied]
        table.add_row(
            Text(one.property.text + bound), _cell(one.storm), _cell(one.native), f"{one.states_compared:,}",
            f"{one.max_difference:.3g}", agree,
        )  # fmt: skip
    answer_console().print(table)


def _cell(result: Result | None) -> str:
    if result is None:
        return "-"
    if result.exact is not None:
        short = result.exact.denominator < 10**20
        return str(result.exact) if short else f"{result.value:.15g} (exact)"
    return f"{result.value:.12g}\n± {result.width / 2:.1e}"
