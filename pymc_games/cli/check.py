"""``check`` and ``compare``: properties on a game or a model file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table
from rich.text import Text

from pymc_games.cli.experiment import run_experiment
from pymc_games.cli.output import answer_console, force_option, json_option, plot_option, progress_console, write_json
from pymc_games.compare import Checked, Options, Session
from pymc_games.errors import UsageError
from pymc_games.experiments import at, points
from pymc_games.games.base import split_definitions
from pymc_games.loading import load_target
from pymc_games.properties import parse_property
from pymc_games.propertyfiles import read_properties
from pymc_games.queries import choose_property
from pymc_games.result import Result

Command = TypeVar("Command", bound=Callable[..., Any])


def _shared_options(command: Command) -> Command:
    """Add what ``check`` and ``compare`` have in common."""
    options = (
        click.argument("target"),
        click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants."),
        click.option("--type", "--variant", "variant", metavar="NAME", help="Which model of a game."),
        click.option(
            "--prop",
            "texts",
            multiple=True,
            metavar="TEXT",
            help="A property, a property file, or the name of a property; may be given several times.",
        ),
        click.option("--props", "file", type=click.Path(), metavar="FILE", help="A property file."),
        click.option("--exact", is_flag=True, help="Solve in rational numbers."),
        click.option("--precision", type=float, help="Relative precision of the bounds."),
        click.option("--fix-deadlocks", is_flag=True, help="Let states without a choice loop."),
        force_option,
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(short_help="Check properties of a game or a model file.")
@_shared_options
@click.option("--engine", type=click.Choice(["storm", "native", "both"]), default="both", show_default=True)
@click.option("--csv", "csv_path", type=click.Path(), metavar="FILE", help="Write an experiment's answers as CSV.")
@plot_option
@click.option("--export-scheduler", "scheduler", type=click.Path(), metavar="FILE",
              help="Write an optimal scheduler as Storm's JSON (.json) or as CSV (.csv).")  # fmt: skip
def check(
    engine: Any, json_path: str | None, csv_path: str | None, picture: str | None, scheduler: str | None, **request: Any
) -> int:
    """Check properties of TARGET: a game, or a .prism, .nm, .pm, .sm, .umb or .drn file.

    Without --prop and --props the properties are those of the game's model. With both engines their answers in the
    initial state are compared; exit status 1 if they differ. A constant may have a range, N=LOW:HIGH or
    N=LOW:STEP:HIGH: all combinations are checked then, as an experiment.

    Example: pymc-games check bearoff --type chain --prop within_2 --exact
    """
    varied = points(request["definitions"])
    if varied is not None:
        if scheduler is not None:
            raise UsageError("--export-scheduler is for one model; give each constant one value")
        return run_experiment(
            varied, lambda point: _session(engine, **{**request, "definitions": at(request["definitions"], point)}),
            csv_path, picture, json_path,
        )  # fmt: skip
    if csv_path is not None or picture is not None:
        raise UsageError("--csv and --plot are for experiments; give a constant a range, as in -c N=1:10")
    session = _session(engine, **request)
    if scheduler is not None:
        if len(session.properties) != 1:
            raise UsageError("--export-scheduler needs exactly one property; choose one with --prop")
        session.export_scheduler(session.properties[0], scheduler)
    return _report(session, [session.check(prop) for prop in session.properties], json_path)


@click.command(short_help="Check with Storm and the engine, and compare every state.")
@_shared_options
def compare(json_path: str | None, **request: Any) -> int:
    """Check properties of TARGET with Storm and with the engine, and compare the answers in every state.

    For a game the engine also solves the Python rules. Exit status 1 if anything differs; the report says in which
    state, and whether a solver or one of the two descriptions of the game is wrong.

    Example: pymc-games compare bearoff --type chain
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
    given = split_definitions(definitions)
    files = [text for text in texts if _is_file(text)] + ([] if file is None else [file])
    read = [prop for path in files for prop in read_properties(path, dict(given))]
    named = [text for text in texts if re.fullmatch(r"\w+", text)]
    written = [parse_property(text) for text in texts if text not in named and not _is_file(text)]
    beside = Path(target).with_suffix(".props")
    if named and not files and beside.is_file():
        read = read_properties(beside, dict(given))
    # A constant that the property file declares is its own, and not the model's.
    declared = {name for prop in read for name in prop.constants}
    definitions = [f"{name}={value}" for name, value in given if name not in declared]
    loaded = load_target(target, definitions, variant, with_rules=engine != "storm", exact=exact)
    chosen = [choose_property(name, read or loaded.properties) for name in named] or read
    return Session(loaded, [*written, *chosen] or loaded.properties, Options(engine, exact, precision, fix_deadlocks))


def _is_file(text: str) -> bool:
    return Path(text).suffix in (".props", ".prop", ".pctl", ".csl") or ("[" not in text and Path(text).is_file())


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
