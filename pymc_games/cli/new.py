"""``new``: a working game in a folder of its own, to be turned into yours."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pymc_games import files, games
from pymc_games.cli.output import json_option, write_json
from pymc_games.errors import UsageError
from pymc_games.games import plugins

#: The game that is written; its name is replaced wherever it stands.
SKELETON = Path(__file__).resolve().parent.parent / "skeleton"


@click.command(short_help="Write a small working game to start your own from.")
@click.argument("name")
@click.option("-o", "--output", default=".", type=click.Path(), metavar="DIR",
              help="Folder to write the game's folder into; by default this one.")  # fmt: skip
@json_option
def new(name: str, output: str, json_path: str | None) -> None:
    """Write a folder NAME with a small working game: rules, templates, published figures and tests, all to be changed.

    The game is found with --games DIR, the folder that NAME lies in. Nothing is overwritten.

    Example: pymc-games new two_dice -o mygames
    """
    if not plugins.is_name(name) or name != name.lower():
        raise UsageError(f"'{name}' cannot name a game: use lower-case letters, digits and _, beginning with a letter")
    if name in games.shipped():
        raise UsageError(f"there is a game '{name}' in the package; choose another name")
    folder = files.make_folder(output) / name
    _refuse_existing(folder)
    title = name.replace("_", " ").strip().capitalize()
    with files.replacing_folder(folder, _refuse_existing) as beside:
        for source in SKELETON.iterdir():
            if source.is_file():
                text = source.read_text(encoding="utf-8").replace("skeleton", name).replace("Skeleton", title)
                files.write_text(beside / source.name.replace("skeleton", name), text)
    written = sorted(str(path) for path in folder.iterdir())
    if json_path is not None:
        write_json({"game": name, "folder": str(folder), "files": written}, json_path)
        return
    for path in written:
        click.echo(path)
    click.echo(f"try it with: pymc-games --games {folder.parent} compare {name}")


def _refuse_existing(folder: Path) -> None:
    if os.path.lexists(folder):
        raise UsageError(f"{folder} exists, and nothing is overwritten; choose another name or another folder with -o")
