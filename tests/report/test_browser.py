"""The report in a real browser: no errors, nothing wider than a phone, and controls that do what they say."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pymc_games.report.site import build
from pymc_games.report.site.evidence import figures

webdriver = pytest.importorskip("selenium.webdriver")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and its driver are not installed")

GAMES = ("bearoff", "bingo", "farkle", "pig")
FLAGS = (
    "headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
    "disable-component-update", "disable-sync",
)  # fmt: skip

#: Returns the elements whose text has a contrast below 4.5 to their ground.
POOR_CONTRAST = """
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = colour => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
                           return pen.getImageData(0, 0, 1, 1).data; };
  const light = colour => [...rgba(colour)].slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = element => { for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor;
    if (rgba(colour)[3]) return colour; } return "white"; };
  return [...document.querySelectorAll("body *")].filter(e => !e.closest("script, svg"))
    .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
    .map(e => [light(getComputedStyle(e).color), light(ground(e)), e.tagName + "." + e.className])
    .filter(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5).map(([, , name]) => name);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages with their pictures; the figures have tests of their own and would take long."""
    folder = tmp_path_factory.mktemp("browser") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build.evidence, figures.__name__, lambda *_, **__: [])
        build.build(folder, GAMES, quick=True, started=lambda _: None)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in FLAGS:
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


def show(browser: Any, page: Path, *, width: int = 1200, theme: str = "light", scripts: bool = True) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    browser.get(page.as_uri())


def find(browser: Any, selector: str) -> Any:
    return browser.find_element("css selector", selector)


def press(browser: Any, selector: str, key: str) -> None:
    find(browser, selector).send_keys(key)


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
    nodes = [
        (node["role"]["value"], node.get("name", {}).get("value"))
        for node in browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        if not node["ignored"]
    ]
    named = ("button", "image", "link", "navigation", "region", "slider", "table")
    assert [role for role, text in nodes if role in named and not text] == []
    tables = browser.execute_script("return document.querySelectorAll('table').length")
    assert sum(role == "table" for role, _ in nodes) == tables


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


def press_tab(browser: Any) -> None:
    browser.switch_to.active_element.send_keys("\ue004")


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
