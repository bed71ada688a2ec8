"""Listening on this machine alone, until interrupted."""

from __future__ import annotations

import errno
import importlib.util
from collections.abc import Callable
from pathlib import Path

from pymc_games.errors import UsageError

ADDRESS = "127.0.0.1"


def require() -> None:
    """Raise UsageError if what the server stands on is not installed."""
    missing = [name for name in ("flask", "waitress") if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"serve needs {' and '.join(missing)}; install with: pip install 'pymc-games[serve]'")


def serve(port: int, solution: Path | None, ready: Callable[[str], object]) -> None:
    """Answer questions on ``port`` until interrupted.

    Parameters
    ----------
    port : int
        0 takes one that is free.
    solution : Path or None
        A file that ``farkle solve -o`` wrote.
    ready : callable
        Told the address once it answers.

    Raises
    ------
    UsageError
        If the port is taken or may not be used, or flask or waitress is not installed.
    FileFormatError
        If the file is of no use.
    """
    require()
    from waitress.server import create_server

    from pymc_games.games.farkle import solution as solutions
    from pymc_games.web import answers, app

    desk = answers.Desk(None if solution is None else solutions.load(solution))
    try:
        server = create_server(
            app.create(desk), host=ADDRESS, port=port, threads=4, ident=None, connection_limit=50, channel_timeout=60,
            max_request_header_size=16_384, max_request_body_size=1_024,
        )  # fmt: skip
    except OSError as error:
        raise UsageError(_refusal(port, error)) from error
    ready(f"http://{ADDRESS}:{server.effective_port}/")
    try:
        server.run()  # returns when interrupted
    finally:
        server.close()


def _refusal(port: int, error: OSError) -> str:
    other = port + 1 if 1024 <= port < 65_535 else 8000
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; take another, such as --port {other}"
    return f"cannot listen on port {port}: {error.strerror}; take another, such as --port {other}"
