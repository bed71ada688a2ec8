"""The rendered models in ``models/``: writing them, and finding those that are not as their templates say.

``python -m pymc_games.models`` renders them anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pymc_games import files, games
from pymc_games.games.base import Game, Variant, as_text
from pymc_games.paths import data_folder


def render(game: Game, variant: Variant) -> tuple[str, str]:
    """Return a model and its property file with the constants that it is shown with."""
    return variant.render(game.bind([f"{name}={as_text(value)}" for name, value in variant.rendered_with.items()]))


def render_all(game: Game) -> Iterator[tuple[Path, str]]:
    """Yield path, below ``models/``, and text of every model and property file of a game."""
    for variant in game.variants:
        for text, suffix in zip(render(game, variant), (".prism", ".props"), strict=True):
            yield Path(game.name, variant.name + suffix), text


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
    write(games.shipped())
