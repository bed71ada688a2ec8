"""``pymc-games serve``: questions about positions, asked and answered in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click


@click.command(short_help="Answer questions about positions in a browser.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8000, show_default=True,
    help="Port to listen on; 0 takes one that is free.",
)  # fmt: skip
@click.option("--farkle", "solution", type=click.Path(path_type=Path), metavar="FILE",
              help="Answer Farkle from this file, which 'farkle solve -o' wrote, instead of a small game.")  # fmt: skip
@click.option("--open", "opened", is_flag=True, help="Open the page in the browser.")
def serve(port: int, solution: Path | None, opened: bool) -> None:
    """Answer questions about positions of Pig, bearoff and Farkle, on this machine alone, until Ctrl-C.

    Pages are at the address that is printed; the same answers as JSON at /api/pig, /api/bearoff and /api/farkle. Needs
    the extra 'serve'.

    Example: pymc-games serve --port 8123
    """
    from pymc_games.web import server

    def ready(address: str) -> None:
        click.echo(f"answering at {address}; stop with Ctrl-C")
        if opened:
            webbrowser.open(address)

    server.serve(port, solution, ready)
    click.echo("stopped")
