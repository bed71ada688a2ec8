"""The games: one package each, found here by name, and those from outside that are named or installed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pymc_games.errors import PluginError, UsageError, hint
from pymc_games.games import plugins
from pymc_games.games.base import Game
from pymc_games.games.plugins import Plugin

_named: dict[str, Plugin] = {}


def shipped() -> tuple[str, ...]:
    """Return the names of the package's own games: the packages beside this module."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def use(folders: Iterable[str | Path]) -> None:
    """Look for games in these folders too, instead of those of an earlier call; see `plugins.in_folder`.

    Raises
    ------
    UsageError
        If a folder does not exist or has no games.
    PluginError
        If two games have one name.
    """
    found: dict[str, Plugin] = {}
    for folder in folders:
        for plugin in plugins.in_folder(folder):
            _add(found, plugin)
    _named.clear()
    _named.update(found)
    _loaded.cache_clear()


def external() -> Mapping[str, Plugin]:
    """Return the games from outside the package, by name.

    Raises
    ------
    PluginError
        If two games have one name.
    """
    found = dict(_named)
    for plugin in _installed():
        _add(found, plugin)
    return found


@cache
def _installed() -> tuple[Plugin, ...]:
    return tuple(plugins.installed())


def _add(found: dict[str, Plugin], plugin: Plugin) -> None:
    """Add a game whose name is free; one that was found twice, by its folder and installed, is one game."""
    other = found.get(plugin.name)
    if plugin.name in shipped():
        raise PluginError(
            f"two games are named '{plugin.name}': the package's own and {plugin.folder}; rename this one"
        )
    if other is not None and other.rules != plugin.rules:
        raise PluginError(
            f"two games are named '{plugin.name}': {other.folder} and {plugin.folder}; rename one of them"
        )
    found[plugin.name] = plugin


def names() -> tuple[str, ...]:
    """Return the names of all games."""
    return tuple(sorted((*shipped(), *external())))


def get(name: str) -> Game:
    """Return a game by name; its module's ``GAME``.

    Raises
    ------
    UsageError
        If there is no such game; the nearest name is suggested.
    PluginError
        If it comes from outside the package and is of no use.
    """
    known = names()
    if name not in known:
        raise UsageError(f"there is no game '{name}'; {hint(name, known)}")
    if name in external():
        return _loaded(external()[name])[1]
    game: Game = importlib.import_module(f"{__name__}.{name}").GAME
    return game


@cache
def _loaded(plugin: Plugin) -> tuple[ModuleType, Game]:
    return plugins.load(plugin)


def figure(name: str, native: str) -> Callable[..., Any]:
    """Return the function that computes a published figure: of the game's module ``figures``, or of its ``game.py``.

    Raises
    ------
    UsageError
        If there is no such function.
    """
    plugin = external().get(name)
    where = str(plugin.rules) if plugin is not None else f"{__name__}.{name}.figures"
    try:
        module = _loaded(plugin)[0] if plugin is not None else importlib.import_module(where)
    except ModuleNotFoundError as error:
        if error.name is None or not where.startswith(error.name):
            raise
        raise UsageError(f"there is no module {where}") from error
    function: Callable[..., Any] | None = getattr(module, native, None)
    if not callable(function):
        raise UsageError(f"{where} has no function '{native}'")
    return function if plugin is None else plugins.guarded(plugin, native, function)
