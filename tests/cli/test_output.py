"""The ``--json`` option: nothing, standard output, or a file."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pymc_games.cli.output import json_option, write_json


@click.command()
@json_option
def command(json_path: str | None) -> None:
    """Write a document, or a word for people."""
    if json_path is None:
        click.echo("for people")
    else:
        write_json({"board": "≤"}, json_path)


def check(text: str) -> None:
    document = json.loads(text)
    assert 1e6 < document.pop("peak_memory_bytes") < 1e12
    assert document == {"board": "≤"}


@pytest.mark.parametrize("arguments", [["--json"], ["--json", "-"]])
def test_one_document_on_standard_output_and_nothing_else(arguments: list[str]) -> None:
    check(CliRunner().invoke(command, arguments).stdout)


def test_a_document_in_a_file_leaves_standard_output_alone(tmp_path: Path) -> None:
    run = CliRunner().invoke(command, ["--json", str(tmp_path / "out.json")])
    assert run.stdout == ""
    check((tmp_path / "out.json").read_text(encoding="utf-8"))


def test_without_the_option_people_are_answered() -> None:
    assert CliRunner().invoke(command, []).stdout == "for people\n"


def test_what_json_cannot_write_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json({"value": float("nan")}, str(tmp_path / "out.json"))
    assert not list(tmp_path.iterdir())
