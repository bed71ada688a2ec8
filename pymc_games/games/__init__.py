"""The games: one package each, found here by name."""

from __future__ import annotations

import importlib
import pkgutil

from pymc_games.errors import UsageError, hint
from pymc_games.games.base import Game


def names() -> tuple[str, ...]:
    """Return the names of all games: the packages beside this module."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def get(name: str) -> Game:
    """Return a game by name; its module's ``GAME``.

    Raises
    ------
    UsageError
        If there is no such game; the nearest name is suggested.
    """
    known = names()
    if name not in known:
        raise UsageError(f"there is no game '{name}'; {hint(name, known)}")
    game: Game = importlib.import_module(f"{__name__}.{name}").GAME
    return game
