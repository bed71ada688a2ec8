"""The rendered models in ``models/``: writing them, and finding those that are not as their templates say.

``python -m pymc_games.models`` renders them anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pymc_games import files, games, prism
from pymc_games.games.base import Game, as_text
from pymc_games.paths import data_folder


def render_all(game: Game) -> Iterator[tuple[Path, str]]:
    """Yield path, below ``models/``, and text of every model and property file of a game."""
    for variant in game.variants:
        constants = game.bind([f"{name}={as_text(value)}" for name, value in variant.rendered_with.items()])
        context = variant.context(constants)
        for template, suffix in ((variant.template, ".prism"), (variant.properties, ".props")):
            yield Path(game.name, variant.name + suffix), prism.render(template, context)


def differences(names: Sequence[str], folder: Path | None = None) -> list[Path]:
    """Return the files in ``folder`` (``models/`` by default) that are missing, superfluous or not as rendered."""
    folder = data_folder("models") if folder is None else folder
    wrong = []
    for name in names:
        expected = dict(render_all(games.get(name)))
        wrong += [path for path, text in expected.items() if _read(folder / path) != text]
        present = (path.relative_to(folder) for path in sorted((folder / name).glob("*.pr*")))
        wrong += [path for path in present if path not in expected]
    return wrong


def write(names: Sequence[str], folder: Path | None = None) -> None:
    """Render all models of the named games into ``folder`` (``models/`` by default)."""
    folder = data_folder("models") if folder is None else folder
    for name in names:
        files.make_folder(folder / name)
        for path, text in render_all(games.get(name)):
            files.write_text(folder / path, text)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    write(games.names())
