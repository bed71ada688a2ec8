"""The games: one package each, found here by name."""

from __future__ import annotations

import difflib
import importlib

from pymc_games.errors import UsageError
from pymc_games.games.base import Game

_GAMES = {
    "bearoff": "pymc_games.games.bearoff",
    "bingo": "pymc_games.games.bingo",
    "farkle": "pymc_games.games.farkle",
    "pig": "pymc_games.games.pig",
}


def names() -> tuple[str, ...]:
    """Return the names of all games."""
    return tuple(_GAMES)


def get(name: str) -> Game:
    """Return a game by name; its module's ``GAME``.

    Raises
    ------
    UsageError
        If there is no such game; the nearest name is suggested.
    """
    if name not in _GAMES:
        near = difflib.get_close_matches(name, _GAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(_GAMES)}"
        raise UsageError(f"there is no game '{name}'{hint}")
    game: Game = importlib.import_module(_GAMES[name]).GAME
    return game
