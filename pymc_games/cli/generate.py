"""``generate`` and ``list``: the games as PRISM files, and what there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from pymc_games import files, games, prism
from pymc_games.cli.output import answer_console, json_option, write_json
from pymc_games.games.base import Constants, Game, Variant, as_text
from pymc_games.paths import data_folder
from pymc_games.properties import read_properties


@click.command(short_help="Render a game as PRISM files.")
@click.argument("game_name", metavar="GAME")
@click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants.")
@click.option("--type", "--variant", "variant", metavar="NAME", help="One model only; all of them by default.")
@click.option("-o", "--output", type=click.Path(), metavar="DIR", help="Folder; by default GAME below this one.")
@json_option
def generate(
    game_name: str, definitions: Sequence[str], variant: str | None, output: str | None, json_path: str | None
) -> None:
    """Render GAME's models and their property files, ``NAME.prism`` and ``NAME.props``."""
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
    """Show the games, their constants with defaults, their models and properties."""
    shown = [games.get(name) for name in ([game_name] if game_name else games.names())]
    described = [_describe(game) for game in shown]
    if json_path is not None:
        write_json({"games": described}, json_path)
        return
    for game in described:
        _print(game)


def _rendered(variant: Variant, constants: Constants) -> list[tuple[str, str]]:
    context = variant.context(constants)
    return [
        (f"{variant.name}.prism", prism.render(variant.template, context)),
        (f"{variant.name}.props", prism.render(variant.properties, context)),
    ]


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
