"""The report's folder: whole or not at all, never over other files, the same twice, and escaped."""

import dataclasses
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import click.testing
import pytest

from pymc_games import games, prism
from pymc_games.cli.main import cli
from pymc_games.errors import GamesError, UsageError
from pymc_games.games.base import Game
from pymc_games.report.site import build, highlight


def write(folder: Path, *names: str) -> list[build.Findings]:
    return build.build(folder, names, quick=True, started=lambda _: None)


@pytest.fixture(scope="module", autouse=True)
def of_farkle_the_turn_alone() -> Iterator[None]:
    """Leave of Farkle one small model without pictures, so that a report takes no time."""
    whole = games.get

    def get(name: str) -> Game:
        game = whole(name)
        return game if name != "farkle" else dataclasses.replace(game, variants=(game.variant("turn"),))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "get", get)
        patch.delitem(build.PICTURES, "farkle")
        yield


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report on one small game."""
    folder = tmp_path_factory.mktemp("report") / "site"
    write(folder, "farkle")
    return folder


def test_a_report_is_complete_and_the_same_each_time(small: Path, tmp_path: Path) -> None:
    write(tmp_path / "again", "farkle")
    first, second = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
        for folder in (small, tmp_path / "again")
    )
    assert first == second
    listed = json.loads((small / build.MANIFEST).read_text())["files"]
    present = {path.relative_to(small).as_posix() for path in small.rglob("*") if path.is_file()}
    assert {*listed, build.MANIFEST} == present
    assert {"index.html", "farkle.html", "style.css"} <= present


def test_every_link_and_file_of_the_pages_exists(small: Path) -> None:
    for page in small.glob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"#]+)"', page.read_text()):
            assert (small / target).is_file(), f"{page.name}: {target}"


def test_the_page_shows_the_answers_of_both_and_the_certificate(small: Path) -> None:
    text = (small / "farkle.html").read_text()
    assert text.count("0.0626109212075") >= 2  # 62,610,921... by Storm and by the engine
    assert "certificates/farkle-turn-1.cert" in text


class Outline(HTMLParser):
    """Headings in order, landmarks, and tables and pictures without a name."""

    def __init__(self) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.landmarks: list[str] = []
        self.unnamed: list[str] = []
        self.open_table = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag in ("header", "nav", "main", "footer"):
            self.landmarks.append(tag)
        named = given.get("role") == "img" and given.get("aria-label")
        if tag == "svg" and not named and given.get("aria-hidden") != "true":
            self.unnamed.append(tag)
        if tag == "th" and "scope" not in given:
            self.unnamed.append(tag)
        if self.open_table and tag != "caption":
            self.unnamed.append("table")
        self.open_table = tag == "table"


def test_pages_have_landmarks_headings_in_order_and_names_for_everything(small: Path) -> None:
    for page in small.glob("*.html"):
        outline = Outline()
        outline.feed(page.read_text())
        assert outline.landmarks == ["header", "nav", "main", "footer"]
        assert outline.levels[0] == 1
        assert outline.levels.count(1) == 1
        assert all(b <= a + 1 for a, b in zip(outline.levels, outline.levels[1:], strict=False))
        assert not outline.unnamed


def test_a_report_replaces_a_report_and_nothing_else(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    write(folder, "farkle")  # an empty folder is taken
    write(folder, "farkle")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site"]
    (folder / "mine.txt").write_text("precious")
    with pytest.raises(UsageError, match=r"mine\.txt"):
        write(folder, "farkle")
    assert (folder / "mine.txt").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site"]


def test_a_failure_leaves_the_earlier_report_and_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Iterator[object]:
        raise UsageError("the model is broken")

    folder = tmp_path / "site"
    write(folder, "farkle")
    before = (folder / "index.html").read_bytes()
    monkeypatch.setattr("pymc_games.report.site.evidence.models", fail)
    with pytest.raises(GamesError, match="broken"):
        write(folder, "farkle")
    assert (folder / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["pgi"], "did you mean pig"),
        (["-o", "missing/site", "farkle"], "choose a folder"),
        (["-o", "taken", "farkle"], "taken is a file"),
    ],
)
def test_what_cannot_be_written_is_refused(
    arguments: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    result = click.testing.CliRunner().invoke(cli, ["report", *arguments])
    assert isinstance(result.exception, GamesError)
    assert complaint in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    result = click.testing.CliRunner().invoke(cli, ["report", "-o", str(tmp_path / "site"), "farkle", "--json"])
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["pages"] == ["index.html", "farkle.html"]
    assert document["games"][0]["as_expected"] is True


def test_a_disagreement_is_shown_and_is_exit_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pymc_games.compare._disagreeing", lambda left, *_: left.lower >= 0)
    result = click.testing.CliRunner().invoke(cli, ["report", "-o", str(tmp_path / "site"), "farkle"])
    assert result.exit_code == 1
    assert "something disagrees" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.parametrize("name", games.names())
def test_highlighting_keeps_the_text_and_marks_keywords(name: str) -> None:
    game = games.get(name)
    variant = game.variants[0]
    constants = game.bind(["goal=10"] if name == "pig" else [])
    text = prism.render(variant.template, variant.context(constants))
    marked = highlight.prism(text)
    assert marked.striptags().split() == text.split()
    assert '<span class="k">module</span>' in marked


def test_highlighting_escapes() -> None:
    assert highlight.prism('label "<b>" = x<1 & y>2;').count("<b>") == 0
