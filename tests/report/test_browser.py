"""The report in a real browser: no errors, nothing wider than a phone, and controls that do what they say."""

from pathlib import Path
from typing import Any

import pytest

from pymc_games.report.site import build
from pymc_games.report.site.evidence import figures
from tests.browsing import POOR_CONTRAST, accessible, find, press, press_tab, show, unnamed

GAMES = ("bearoff", "bingo", "farkle", "pig")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages with their pictures; the figures have tests of their own and would take long."""
    folder = tmp_path_factory.mktemp("browser") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build.evidence, figures.__name__, lambda *_, **__: [])
        build.build(folder, GAMES, quick=True, started=lambda _: None)
    return folder


@pytest.mark.parametrize("name", ["index", *GAMES])
@pytest.mark.parametrize("width", [360, 1200])
def test_pages_load_without_errors_and_fit(browser: Any, site: Path, name: str, width: int) -> None:
    show(browser, site / f"{name}.html", width=width)
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["index", *GAMES])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(browser: Any, site: Path, name: str, theme: str) -> None:
    """Every text has the contrast of at least 4.5 to 1 to its ground that WCAG 2.2 asks for at level AA."""
    show(browser, site / f"{name}.html", theme=theme)
    assert browser.execute_script(POOR_CONTRAST) == []
    browser.execute_script("document.querySelector('h1').style.color = 'rgb(128, 128, 128)'")
    assert browser.execute_script(POOR_CONTRAST) == ["H1."]


def test_the_slider_steps_by_keyboard_and_by_button(browser: Any, site: Path) -> None:
    show(browser, site / "pig.html")
    path, told = "[data-set=held]", "[data-set=told]"
    before = find(browser, path).get_attribute("d")
    press(browser, "#slices-at", "\ue014")  # the right arrow
    assert find(browser, "[data-stepper=slices] output").text == "31"
    assert find(browser, path).get_attribute("d") != before
    assert "Opponent at 31" in find(browser, told).text
    find(browser, "[data-stepper=slices] [data-by='-1']").click()
    assert find(browser, path).get_attribute("d") == before
    press(browser, "#slices-at", "\ue010")  # the end key
    assert "Opponent at 99. With own score at 0, roll until" in find(browser, told).text


def test_situations_are_stepped_through_by_name(browser: Any, site: Path) -> None:
    show(browser, site / "farkle.html")
    box = "[data-stepper=situations] "
    assert find(browser, box + "output").text == "the start"
    before = [find(browser, box + f"[data-set={name}]").get_attribute("d") for name in ("banked", "ground")]
    press(browser, "#situations-at", "\ue010")  # the end key
    assert find(browser, box + "output").text == "near the goal yourself"
    assert find(browser, "#situations-at").get_attribute("aria-valuetext") == "near the goal yourself"
    assert "300 points in this turn win" in find(browser, box + "[data-set=told]").text
    assert find(browser, box + "[data-set=dice-6]").text == "only to win"
    after = [find(browser, box + f"[data-set={name}]").get_attribute("d") for name in ("banked", "ground")]
    assert all(a != b for a, b in zip(before, after, strict=True))


def test_colours_of_the_score_map_change_with_the_dice(browser: Any, site: Path) -> None:
    show(browser, site / "farkle.html")
    path = "[data-stepper=scores] [data-set='class--1']"
    few = len(find(browser, path).get_attribute("d"))
    find(browser, "[data-stepper=scores] [data-by='1']").click()
    assert find(browser, "[data-stepper=scores] output").text == "4"
    assert len(find(browser, path).get_attribute("d")) > few  # with more dice, more often only a win is banked


@pytest.mark.parametrize("name", GAMES)
def test_every_figure_comes_with_its_data(browser: Any, site: Path, name: str) -> None:
    show(browser, site / f"{name}.html")
    bare = """return [...document.querySelectorAll("figure")]
      .filter(figure => !figure.querySelector("a[download], table")).map(figure => figure.textContent)"""
    assert browser.execute_script(bare) == []
    for link in browser.find_elements("css selector", "a[download]"):
        assert (site / str(link.get_dom_attribute("href"))).is_file()
    drawn = browser.find_elements("css selector", "figure svg:not([aria-hidden])")
    assert all(svg.find_element("css selector", "desc").get_attribute("textContent") for svg in drawn)


@pytest.mark.parametrize("name", ["index", *GAMES])
@pytest.mark.parametrize("width", [360, 1200])
def test_screen_readers_are_told_the_name_of_everything(browser: Any, site: Path, name: str, width: int) -> None:
    """Read from the browser's accessibility tree; tables stay tables where they are laid out as lists."""
    show(browser, site / f"{name}.html", width=width)
    assert unnamed(browser) == []
    tables = browser.execute_script("return document.querySelectorAll('table').length")
    assert sum(role == "table" for role, _ in accessible(browser)) == tables


@pytest.mark.parametrize("name", ["pig", "bingo", "bearoff", "farkle"])
def test_text_in_pictures_is_large_enough_and_inside(browser: Any, site: Path, name: str) -> None:
    show(browser, site / f"{name}.html", width=390)
    sizes, outside = browser.execute_script("""
      const texts = [...document.querySelectorAll("figure svg text")];
      const leaves = text => {
        const [inner, outer] = [text, text.ownerSVGElement].map(element => element.getBoundingClientRect());
        return inner.right > outer.right + 1 || inner.left < outer.left - 1;
      };
      return [texts.map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a),
              texts.filter(leaves).map(text => text.textContent)]""")
    assert min(sizes) > 11
    assert outside == []


@pytest.mark.parametrize("name", ["index", *GAMES])
def test_everything_that_takes_the_focus_shows_it(browser: Any, site: Path, name: str) -> None:
    show(browser, site / f"{name}.html")
    for _ in range(25):
        press_tab(browser)
        style = "const e = document.activeElement; return e === document.body || getComputedStyle(e).outlineStyle"
        assert browser.execute_script(style) in (True, "solid")


def test_the_theme_follows_the_system_and_the_button_which_is_remembered(browser: Any, site: Path) -> None:
    def ground() -> str:
        return str(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))

    show(browser, site / "index.html", theme="dark")
    dark = ground()
    show(browser, site / "index.html", theme="light")
    assert ground() != dark
    press(browser, "#theme", "\ue007")
    assert ground() == dark
    show(browser, site / "pig.html", theme="light")
    assert ground() == dark
    find(browser, "#theme").click()
    assert ground() != dark


def test_cells_can_be_marked_to_a_complete_line(browser: Any, site: Path) -> None:
    show(browser, site / "bingo.html")
    assert find(browser, "#left").text == "6.3094"
    cells = browser.find_elements("css selector", ".grid button")
    for cell in (2, 4):  # 9 and 6 on a diagonal; the 7 is missing
        cells[cell].send_keys(" ")
    rows = browser.find_elements("css selector", "#marks tr")
    assert "7 6/36 bottom left 0.0000" in [row.text for row in rows]
    cells[6].click()
    assert "complete" in find(browser, "#left").text
    find(browser, "#clear").click()
    assert find(browser, "#left").text == "6.3094"


def test_the_first_tab_stop_skips_to_the_content(browser: Any, site: Path) -> None:
    show(browser, site / "bearoff.html")
    press(browser, "body", "\ue004")
    assert browser.switch_to.active_element.text == "Skip to the content"
    browser.switch_to.active_element.send_keys("\ue007")
    assert browser.switch_to.active_element.get_attribute("id") == "main"


def test_without_scripts_the_content_is_there_and_controls_are_not(browser: Any, site: Path) -> None:
    show(browser, site / "pig.html", scripts=False)
    try:
        assert "0.6155585498" in find(browser, "main").text
        assert find(browser, "[data-set=held]").get_attribute("d")
        assert not find(browser, "#slices-at").is_displayed()
        assert not find(browser, "#theme").is_displayed()
        show(browser, site / "farkle.html", scripts=False)
        assert find(browser, "[data-set=dice-2]").text == "from 300"
        assert find(browser, "[data-set=banked]").get_attribute("d")
        assert not find(browser, "#situations-at").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
