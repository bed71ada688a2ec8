"""``explain``: what a PRISM file contains, and the usual mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from pymc_games import loading
from pymc_games.cli.output import answer_console, force_option, json_option, progress_console, write_json
from pymc_games.errors import UsageError
from pymc_games.explaining import Explanation
from pymc_games.explaining import explain as look_into


@click.command(short_help="Show what a PRISM file contains, and warn of the usual mistakes.")
@click.argument("target")
@click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants.")
@click.option("--type", "--variant", "variant", metavar="NAME", help="Which model of a game.")
@click.option("--props", "file", type=click.Path(), metavar="FILE",
              help="Property file; what it names is used. By default the .props file beside a model.")  # fmt: skip
@force_option
@click.option("--strict", is_flag=True, help="Exit with status 1 if there is a warning.")
@json_option
def explain(
    target: str, definitions: Sequence[str], variant: str | None, file: str | None, strict: bool,
    json_path: str | None,
) -> int:  # fmt: skip
    """Show what TARGET, a PRISM file or a game, contains, and warn of the usual mistakes in it.

    A warning says where and what to do. Warnings do not change the exit status unless --strict is given.

    Example: pymc-games explain models/bearoff/chain.prism
    """
    with progress_console.status("building the model"):
        loaded = loading.load_target(target, definitions, variant, with_rules=False)
        if loaded.program is None:
            raise UsageError(f"{target} has no PRISM text to explain; give a .prism, .nm, .pm or .sm file")
        told = look_into(loaded.program, _properties(target, file, loaded))
    if json_path is not None:
        write_json(told.to_json(), json_path)
    else:
        _print(told)
    return 1 if strict and told.warnings else 0


def _properties(target: str, file: str | None, loaded: loading.Target) -> str:
    """Return the text of the properties that go with a target."""
    if file is None and loaded.properties:
        return "\n".join(prop.text for prop in loaded.properties)
    beside = Path(target).with_suffix(".props")
    if file is None and not beside.is_file():
        return ""
    try:
        return Path(file or beside).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"cannot read the property file {file or beside}: {reason}") from error


def _print(told: Explanation) -> None:
    console, has = answer_console(), told.contents
    table = Table(title=Text(f"{has['name']} ({has['type']})"), show_header=False)
    for name, text in _lines(has):
        table.add_row(name, Text(text))
    console.print(table)
    for one in told.findings:
        style = "bold yellow" if one.level == "warning" else "dim"
        advice = f" ({one.advice})" if one.advice else ""
        console.print(Text(f"{one.level}: ", style).append(f"{one.where}: {one.message}{advice}", ""), soft_wrap=True)
    number = len(told.warnings)
    console.print(f"{number or 'no'} warning{'s' * (number != 1)}")


def _lines(has: dict[str, Any]) -> list[tuple[str, str]]:
    components = has["end_components"]
    sizes = ", ".join(f"{size:,}" for size in components["largest"])
    number = components["number"]
    return [
        ("modules", ", ".join(f"{one['name']} ({one['commands']} commands)" for one in has["modules"])),
        ("variables", "\n".join(_range(one) for one in has["variables"])),
        ("constants", "\n".join(_constant(one) for one in has["constants"]) or "none"),
        ("labels", "\n".join(f'"{one["name"]}" in {_states(one["states"])}' for one in has["labels"]) or "none"),
        ("rewards", ", ".join(f'"{name}"' if name else "unnamed" for name in has["rewards"]) or "none"),
        ("states", f"{has['states']:,}"),
        ("choices", f"{has['choices']:,}"),
        ("branches", f"{has['branches']:,}"),
        ("distinct probabilities", f"{has['distinct_probabilities']:,}"),
        ("deadlocks", f"{has['deadlocks']:,}"),
        ("end components", f"{number:,}" + (f"; states of the largest: {sizes}" if sizes else "")),
    ]


def _states(number: int) -> str:
    return f"{number:,} state{'s' * (number != 1)}"


def _range(variable: dict[str, Any]) -> str:
    return f"{variable['name']} : " + (
        "bool" if variable["low"] is None else f"[{variable['low']}..{variable['high']}]"
    )


def _constant(constant: dict[str, Any]) -> str:
    value = str(constant["value"]).lower() if isinstance(constant["value"], bool) else constant["value"]
    return f"{constant['name']} = {value}" + ("" if constant["defined"] else " (given by -c)")
