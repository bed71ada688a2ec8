"""Games from outside the package: a folder with ``game.py``, templates and ``figures.toml``, named or installed.

``game.py`` is Python of the user's choice and runs as such. What it raises is reported in one sentence.
"""

from __future__ import annotations

import importlib
import importlib.util
import keyword
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from pymc_games.errors import GamesError, PluginError, UsageError
from pymc_games.explicit import ExplicitModel
from pymc_games.games.base import Constant, Game, GameType, Variant

#: The entry points of installed distributions: the game's name, and the module that has its GAME.
GROUP = "pymc_games.games"
#: The rules module in a game's folder, and the published figures beside it.
RULES, FIGURES = "game.py", "figures.toml"


@dataclass(frozen=True)
class Plugin:
    """A game from outside: its name, the file of its rules module, and how that module is imported."""

    name: str
    rules: Path
    load: Callable[[], ModuleType]

    @property
    def folder(self) -> Path:
        """Where templates and figures lie."""
        return self.rules.parent


def is_name(name: str) -> bool:
    """Return whether a game can have that name."""
    return name.isidentifier() and not keyword.iskeyword(name)


def in_folder(path: str | Path) -> list[Plugin]:
    """Return the games below a folder: each folder in it that has a ``game.py``.

    Raises
    ------
    UsageError
        If there is no such folder, it has no games, or a game's folder has a name that no game can have.
    """
    root = Path(path).resolve()
    if not root.is_dir():
        raise UsageError(f"--games {path}: there is no such folder")
    try:
        found = sorted(root.glob(f"*/{RULES}"))
    except OSError as error:
        raise UsageError(f"--games {path}: {error.strerror}") from error
    if not found and (root / RULES).is_file():
        raise UsageError(f"--games {path}: this is a game itself; give the folder that it lies in, {root.parent}")
    if not found:
        raise UsageError(f"--games {path}: no games in it; a game is a folder with a file {RULES}")
    for rules in found:
        if not is_name(rules.parent.name):
            raise UsageError(f"{rules.parent}: a game's name consists of letters, digits and _; rename the folder")
    return [Plugin(rules.parent.name, rules, lambda rules=rules: _import(rules)) for rules in found]  # type: ignore[misc]


def installed() -> Iterator[Plugin]:
    """Yield the games that installed distributions announce as entry points; their packages are not run yet.

    Raises
    ------
    PluginError
        If an entry point's module cannot be found.
    """
    for point in metadata.entry_points(group=GROUP):
        with reporting(point.name, None):
            spec = importlib.util.find_spec(point.module)
        if spec is None or spec.origin is None:
            raise PluginError(f"the installed game '{point.name}': there is no module {point.module}")
        yield Plugin(point.name, Path(spec.origin).resolve(), lambda name=point.module: importlib.import_module(name))  # type: ignore[misc]


def _import(rules: Path) -> ModuleType:
    """Run a rules module, as a package whose submodules are the files beside it."""
    name = f"pymc_games_plugin_{rules.parent.name}"
    for stale in [module for module in sys.modules if module == name or module.startswith(f"{name}.")]:
        del sys.modules[stale]
    spec = importlib.util.spec_from_file_location(name, rules, submodule_search_locations=[str(rules.parent)])
    if spec is None or spec.loader is None:
        raise PluginError(f"{rules} cannot be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(plugin: Plugin) -> tuple[ModuleType, Game]:
    """Import a game's rules module; what the game then does is guarded, and its templates come from its folder.

    Raises
    ------
    PluginError
        If the module raises, has no GAME, or calls it otherwise than its folder or entry point is named.
    """
    with reporting(plugin.name, plugin.folder):
        module = plugin.load()
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        found = "has no GAME" if game is None else f"has a GAME that is {game!r}"
        raise PluginError(f"{plugin.rules} {found}; it must define GAME = Game(...), of pymc_games.games.base")
    if game.name != plugin.name:
        raise PluginError(f"{plugin.rules}: the game's name is '{game.name}', but it lies in '{plugin.name}'; "
                          "give both one name")  # fmt: skip
    if not game.variants:
        raise PluginError(f"{plugin.rules}: the game has no variants, so there is no model")
    for part, kind in (*((x, Variant) for x in game.variants), *((x, Constant) for x in game.constants)):
        if not isinstance(part, kind):
            raise PluginError(f"{plugin.rules}: {part!r} stands where a {kind.__name__} is needed")
    for variant in game.variants:
        if variant.type not in get_args(GameType):
            raise PluginError(f"{plugin.rules}: the variant {variant.name} has the type {variant.type!r}; "
                              f"the types are {', '.join(get_args(GameType))}")  # fmt: skip
    return module, _guarded_game(plugin, game)


def _guarded_game(plugin: Plugin, game: Game) -> Game:
    variants = [
        replace(
            variant,
            context=guarded(plugin, "context", variant.context, Mapping),
            explicit=variant.explicit and _validated(plugin, variant.explicit),
            folder=plugin.folder,
        )
        for variant in game.variants
    ]
    constants = [replace(constant, parse=guarded(plugin, "parse", constant.parse)) for constant in game.constants]
    return replace(
        game, variants=variants, constants=constants, check=game.check and guarded(plugin, "check", game.check),
        simulate=game.simulate and guarded(plugin, "simulate", game.simulate),
    )  # fmt: skip


def _validated(plugin: Plugin, explicit: Callable[..., ExplicitModel]) -> Callable[..., ExplicitModel]:
    """Return ``explicit``, guarded, whose models are checked before anything relies on them."""
    build = guarded(plugin, "explicit", explicit, ExplicitModel)

    def checked(*arguments: Any) -> ExplicitModel:
        model: ExplicitModel = build(*arguments)
        try:
            with reporting(plugin.name, plugin.folder):  # arrays that are none make the checks themselves fail
                model.validate()
        except GamesError as error:
            raise PluginError(f"the model of explicit in {plugin.rules}: {error}") from error
        return model

    return checked


def guarded(plugin: Plugin, name: str, function: Callable[..., Any], kind: type | None = None) -> Callable[..., Any]:
    """Return a function that reports what ``function`` raises, and an answer that is not of the right kind."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with reporting(plugin.name, plugin.folder):
            answer = function(*arguments, **named)
        if kind is not None and not isinstance(answer, kind):
            raise PluginError(f"{plugin.rules}: {name} returned {answer!r}; a {kind.__name__} is needed")
        return answer

    return call


@contextmanager
def reporting(name: str, folder: Path | None) -> Iterator[None]:
    """Turn whatever a game from outside raises into one sentence with file, line and exception.

    Exceptions of our own pass: with them a game refuses constants in words of its own.
    """
    try:
        yield
    except GamesError:
        raise
    except (Exception, SystemExit) as error:
        reason = str(error).partition("\n")[0]
        told = f"{type(error).__name__}{': ' if reason else ''}{reason}"
        raise PluginError(f"the game '{name}' failed: {_place(error, folder)}: {told}") from error


def _place(error: BaseException, folder: Path | None) -> str:
    """Return file and line: of a syntax error, or of the last call inside ``folder``, or else of the last call."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{error.filename}, line {error.lineno}"
    calls = traceback.extract_tb(error.__traceback__)
    inside = [call for call in calls if folder is not None and Path(call.filename).is_relative_to(folder)]
    last = (inside or calls)[-1]
    return f"{last.filename}, line {last.lineno}"
