"""What the commands for long work share: where it runs, and where its finished parts are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table

from pymc_games import files
from pymc_games.cli.output import answer_console, write_json
from pymc_games.errors import UsageError
from pymc_games.executors import EXECUTORS, Place
from pymc_games.jobs import Keeping

Command = TypeVar("Command", bound=Callable[..., Any])


def place_options(command: Command) -> Command:
    """Add ``--executor`` and ``--scheduler``."""
    for option in (
        click.option("--scheduler", metavar="ADDRESS", help="Dask's scheduler; without it, workers on this machine."),
        click.option("--executor", type=click.Choice(EXECUTORS), default="local", show_default=True,
                     help="One process for each core, this process alone, or Dask's workers."),
    ):  # fmt: skip
        command = option(command)
    return command


def job_options(command: Command) -> Command:
    """Add ``--executor``, ``--scheduler``, ``--keep`` and ``--resume``."""
    for option in (
        click.option("--resume", type=click.Path(path_type=Path), metavar="DIR",
                     help="Go on with the work that is kept in DIR, or begin there."),
        click.option("--keep", type=click.Path(path_type=Path), metavar="DIR",
                     help="Keep finished shards in DIR, which must not hold any."),
    ):  # fmt: skip
        command = option(command)
    return place_options(command)


def keeping(keep: Path | None, resume: Path | None) -> Keeping:
    """Return what ``--keep`` and ``--resume`` say."""
    if keep is not None and resume is not None:
        raise UsageError("--keep begins in a folder and --resume goes on in one; give one of them")
    return Keeping(keep or resume, resume is not None)


def place(executor: str, scheduler: str | None) -> Place:
    """Return what ``--executor`` and ``--scheduler`` say."""
    return Place(executor, scheduler)


class Numbers(click.ParamType):
    """Whole numbers and ranges of them: ``4,6,8`` or ``20:10:100``, from 20 to 100 in steps of 10."""

    name = "N,FROM:STEP:TO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Return the numbers in the order given."""
        if isinstance(value, list):
            return value
        found: list[int] = []
        for piece in str(value).split(","):
            try:
                numbers = [int(number) for number in piece.split(":")]
            except ValueError:
                self.fail(f"'{piece}' is not a whole number or FROM:STEP:TO", param, ctx)
            if len(numbers) == 1:
                found += numbers
                continue
            step = numbers[1] if len(numbers) == 3 else 1
            if len(numbers) > 3 or step < 1 or numbers[0] > numbers[-1]:
                self.fail(f"'{piece}' is no range; write FROM:STEP:TO with a step of at least 1", param, ctx)
            found += range(numbers[0], numbers[-1] + 1, step)
        return list(dict.fromkeys(found))


def write_study(
    rows: Sequence[Mapping[str, Any]], output: Path | None, json_path: str | None, shown: Iterable[str], seconds: float
) -> None:
    """Write the table of a study to a file, to JSON, or to the terminal with some of its columns."""
    if output is not None:
        files.write_csv(output, rows)
    if json_path is not None:
        write_json({"rows": rows, "file": None if output is None else str(output), "seconds": seconds}, json_path)
        return
    columns = list(shown)
    table = Table(*columns)
    for row in rows:
        table.add_row(*(_cell(row[column]) for column in columns))
    console = answer_console()
    console.print(table)
    if output is not None:
        console.print(f"{output}: {len(rows):,} rows")


def _cell(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
