"""The frame of the pages: navigation, escaping, strictness, and that its files are there."""

import re

import jinja2
import pytest

from pymc_games.report import pages

TWO = [pages.Page("index.html", "All <games>"), pages.Page("pig.html", "Pig")]


def test_the_navigation_marks_the_current_page_and_escapes_titles() -> None:
    text = pages.render("base.html", TWO, "pig.html")
    assert "All &lt;games&gt;" in text
    assert re.findall(r'href="([^"]+)" aria-current="page"', text) == ["pig.html"]


def test_every_file_that_the_frame_refers_to_is_an_asset() -> None:
    text = pages.render("base.html", TWO, "pig.html", assets="below/")
    referred = set(re.findall(r'(?:href|src)="below/([^"]+)"', text))
    assert referred == set(pages.ASSETS)
    for name in pages.ASSETS:
        assert (pages.FOLDER / name).is_file()


def test_nothing_is_taken_from_the_network() -> None:
    for path in (path for path in pages.FOLDER.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|@import|url\(", text), path.name


def test_an_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        pages.environment().from_string("{{ nobody }}").render()
