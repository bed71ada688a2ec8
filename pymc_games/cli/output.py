"""What commands share: the ``--json`` option, the console on standard error, and writing documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from pymc_games import files, memory

Command = TypeVar("Command", bound=Callable[..., Any])

#: Progress and logs go here; standard output is for answers.
progress_console = Console(stderr=True)

#: Columns of tables that go to a file or a pipe, which do not say how wide they are.
_WIDTH = 140


def answer_console() -> Console:
    """Return a console for answers on standard output, wide enough for tables where no terminal sets the width."""
    console = Console()
    return console if console.is_terminal else Console(width=_WIDTH)


def json_option(command: Command) -> Command:
    """Add ``--json [PATH]``: one JSON document to PATH, or to standard output for ``-`` or no PATH."""
    return click.option(
        "--json", "json_path", is_flag=False, flag_value="-", default=None, metavar="[PATH]",
        help="Write one JSON document to PATH ('-': standard output).",
    )(command)  # fmt: skip


def plot_option(command: Command) -> Command:
    """Add ``--plot FILE``."""
    return click.option(
        "--plot", "picture", type=click.Path(), metavar="FILE", help="Also draw a picture (.png, .svg or .pdf)."
    )(command)


def _force(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        context.with_resource(memory.unlimited())


def force_option(command: Command) -> Command:
    """Add ``--force``: within the command nothing is refused for want of memory."""
    return click.option(
        "--force",
        is_flag=True,
        expose_value=False,
        callback=_force,
        help="Go ahead even if it would not fit in memory.",
    )(command)


def write_json(document: dict[str, Any], json_path: str) -> None:
    """Write ``document`` and the memory used to the path of ``--json``, whole; ``-`` is standard output."""
    document = {**document, "peak_memory_bytes": memory.peak_memory_bytes()}
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if json_path == "-":
        click.echo(text)
    else:
        files.write_text(json_path, text + "\n")


class RateColumn(ProgressColumn):
    """How much is done a second."""

    def render(self, task: Task) -> Text:
        """Return the rate, nothing before there is one."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.3g}/s" if speed else "")


def progress_bar() -> Progress:
    """Return a bar with the rate and the time left, shown on terminals only."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"), RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(), console=progress_console, transient=True, disable=not progress_console.is_terminal,
    )  # fmt: skip
