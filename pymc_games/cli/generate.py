"""``generate`` and ``list``: the games as PRISM files, and what there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from pymc_games import exporting, files, games, loading, models
from pymc_games.cli.output import answer_console, force_option, json_option, progress_console, write_json
from pymc_games.errors import UsageError, hint
from pymc_games.games.base import Constants, Game, Variant, as_text
from pymc_games.paths import data_folder
from pymc_games.propertyfiles import parse_properties, read_properties


@click.command(short_help="Render a game as PRISM files.")
@click.argument("game_name", metavar="GAME")
@click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants.")
@click.option("--type", "--variant", "variant", metavar="NAME", help="One model only; all of them by default.")
@click.option("-o", "--output", type=click.Path(), metavar="PATH",
              help="Folder, by default GAME below this one; with another --format the file.")  # fmt: skip
@click.option("--format", "kind", default="prism", show_default=True, metavar="FORMAT",
              help="prism, or a built model: drn, umb, or dot for small ones.")  # fmt: skip
@force_option
@json_option
def generate(
    game_name: str, definitions: Sequence[str], variant: str | None, output: str | None, kind: str,
    json_path: str | None,
) -> None:  # fmt: skip
    """Render GAME's models and their property files, ``NAME.prism`` and ``NAME.props``.

    With --format drn, umb or dot one model is built and written, and GAME may also be a model file.

    Example: pymc-games generate bearoff --type chain --format dot -o bearoff.dot
    """
    if kind not in (known := ("prism", *exporting.FORMATS)):
        raise UsageError(f"there is no format '{kind}'; {hint(kind, known)}")
    if kind != "prism":
        _export(game_name, definitions, variant, output, kind, json_path)
        return
    game = games.get(game_name)
    constants = game.bind(definitions)
    chosen = game.variants if variant is None else [game.variant(variant)]
    # Everything is rendered before anything is written.
    texts = [(name, text) for one in chosen for name, text in _rendered(one, constants)]
    folder = files.make_folder(output if output is not None else game.name)
    for name, text in texts:
        files.write_text(folder / name, text)
    written = [str(folder / name) for name, _ in texts]
    if json_path is not None:
        write_json({"game": game.name, "constants": _plain(constants), "files": written}, json_path)
    else:
        for path in written:
            click.echo(path)


@click.command("list", short_help="Show the games, their constants, models and properties.")
@click.argument("game_name", metavar="[GAME]", required=False)
@json_option
def list_games(game_name: str | None, json_path: str | None) -> None:
    """Show the games, their constants with defaults, their models and properties.

    Example: pymc-games list bearoff
    """
    shown = [games.get(name) for name in ([game_name] if game_name else games.names())]
    described = [_describe(game) for game in shown]
    if json_path is not None:
        write_json({"games": described}, json_path)
        return
    for game in described:
        _print(game)


def _export(
    target: str, definitions: Sequence[str], variant: str | None, output: str | None, kind: str,
    json_path: str | None,
) -> None:  # fmt: skip
    """Build one model and write it."""
    loaded = loading.load_target(target, definitions, variant, with_rules=False, exact=True)
    model = loaded.model
    if loaded.program is not None:
        with progress_console.status("building the model"):
            model = loading.explicit_model(loaded.program, exact=True)
    if model is None:
        raise UsageError(f"{target} has no model to write")
    path = output if output is not None else f"{loaded.name.replace('/', '-').removesuffix('.prism')}.{kind}"
    exporting.write_model(model, path, kind)
    if json_path is not None:
        write_json({"model": loaded.name, "states": model.states, "files": [path]}, json_path)
    else:
        click.echo(path)


def _rendered(variant: Variant, constants: Constants) -> list[tuple[str, str]]:
    model, properties = variant.render(constants)
    return [(f"{variant.name}.prism", model), (f"{variant.name}.props", properties)]


def _describe(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "description": game.description,
        "constants": [
            {"name": constant.name, "default": _value(constant.default), "description": constant.description}
            for constant in game.constants
        ],
        "models": [
            {
                "name": variant.name,
                "type": variant.type,
                "description": variant.description,
                "properties": _properties(game, variant),
            }
            for variant in game.variants
        ],
    }


def _properties(game: Game, variant: Variant) -> list[str]:
    """Return the texts of a variant's properties, from the checked-in file: rendering it would solve the game."""
    path = data_folder("models") / game.name / f"{variant.name}.props"
    if game.name in games.external():
        return [prop.text for prop in parse_properties(models.render(game, variant)[1])]
    return [prop.text for prop in read_properties(path)] if path.is_file() else []


def _print(game: dict[str, Any]) -> None:
    console = answer_console()
    console.print(Text(f"{game['name']}: {game['title']}", style="bold"))
    console.print(Text(game["description"]))
    constants = Table("constant", "default", "meaning")
    for constant in game["constants"]:
        constants.add_row(constant["name"], str(constant["default"]), Text(constant["description"]))
    console.print(constants)
    models = Table("model", "type", "properties", "meaning")
    for model in game["models"]:
        models.add_row(model["name"], model["type"], Text("\n".join(model["properties"])), Text(model["description"]))
    console.print(models)


def _plain(constants: Constants) -> dict[str, Any]:
    return {name: _value(value) for name, value in constants.items()}


def _value(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str) else as_text(value)
