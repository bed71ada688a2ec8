"""The pages of ``pymc-games serve`` in a real browser: forms that answer, with a script and without one."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("flask")
pytest.importorskip("waitress")
from waitress.server import create_server

from pymc_games.web import app
from pymc_games.web.answers import Desk
from tests.browsing import POOR_CONTRAST, enter, find, press_tab, show, unnamed

PAGES = ("", "pig", "bearoff", "farkle")

#: A question of each game: what is filled in, the parameters that mean the same, and the best action.
QUESTIONS = [
    ("pig", {"own": 0, "other": 0, "turn": 21}, "own=0&other=0&turn=21", "hold"),
    ("pig", {"own": 0, "other": 0, "turn": 1, "goal": 2, "die": 2, "bust": 2},
     "own=0&other=0&turn=1&goal=2&die=2&bust=2", "roll"),
    ("bearoff", {"position": "2,0,0,1,0,0", "opponent": "2,0,0,0,1,0", "roll": "1-2"},
     "position=2,0,0,1,0,0&opponent=2,0,0,0,1,0&roll=2-1", "4/2 1/off"),
    ("farkle", {"own": 700, "other": 0, "roll": "1,1,1,2,3,4"}, "own=700&other=0&roll=1,1,1,2,3,4",
     "set 1,1,1 aside and bank"),
]  # fmt: skip

NONSENSE = [
    ("pig", {"own": "x", "other": 0}, "own 'x': write a whole number"),
    ("pig", {"own": 0, "other": 0, "turn": 100}, "turn total 100: must lie between 0 and 99"),
    ("bearoff", {"position": "1,2", "opponent": "1,0,0,0,0,0"}, "position '1,2' has 2 counts"),
    ("bearoff", {"position": "0,0,0,0,0,2", "opponent": "1,0,0,0,0,0", "roll": "7-1"}, "roll '7-1': write two dice"),
    ("farkle", {"own": 25, "other": 0}, "multiples of 50"),
    ("farkle", {"own": 0, "other": 0, "roll": "<i>"}, "roll '<i>': not a roll"),
]


@pytest.fixture(scope="module")
def address(browser: Any) -> Iterator[str]:
    """Serve in this process, on a port that is free."""
    server = create_server(app.create(Desk()), host="127.0.0.1", port=0)
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{server.effective_port}/"
    server.close()  # the thread waits for connections that the browser keeps; it does not outlive the process


def asked(address: str, game: str, parameters: str) -> dict[str, Any]:
    """Return the same answer as JSON."""
    with urllib.request.urlopen(f"{address}api/{game}?{parameters}", timeout=120) as answer:  # noqa: S310 - ours
        return dict(json.load(answer))


def wins(game: str, document: dict[str, Any]) -> list[float]:
    """Return the chances in an answer, as the page has them in its rows."""
    if game == "pig":
        return [document[choice]["value"] for choice in ("roll", "hold") if document[choice]]
    return [option["win_probability"] for option in document["options"]]


def wait_for_answer(browser: Any) -> None:
    """Wait until the address holds a question: sending a form may return before the page is left."""
    support = pytest.importorskip("selenium.webdriver.support.wait")
    support.WebDriverWait(browser, 30).until(lambda driver: "?" in driver.current_url)


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(("game", "fields", "parameters", "best"), QUESTIONS)
def test_a_form_answers_as_the_json_does(
    browser: Any, address: str, game: str, fields: dict[str, object], parameters: str, best: str, scripts: bool
) -> None:
    show(browser, address + game, scripts=scripts)
    try:
        enter(browser, **fields)
        wait_for_answer(browser)
        assert f"Best: {best}" in find(browser, "main").text
        cells = browser.find_elements("css selector", "#answer ~ div:first-of-type td[data-label=Value]")
        document = asked(address, game, parameters)
        assert [cell.text for cell in cells] == [f"{100 * chance:.6f} %" for chance in wins(game, document)]
        assert document["action"] == best
        for name, value in fields.items():  # what was asked still stands in the form
            assert find(browser, f"#{name}").get_dom_attribute("value") == str(value)
        # The link to the JSON answers the same question.
        link = find(browser, f"a[href^='/api/{game}?']").get_dom_attribute("href").partition("?")[2]
        assert wins(game, asked(address, game, link)) == wins(game, document)
    finally:
        show(browser, address)
    assert browser.get_log("browser") == []


@pytest.fixture(autouse=True)
def fresh_log(browser: Any) -> None:
    """Forget what the browser said of other pages."""
    browser.get_log("browser")


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(("game", "fields", "says"), NONSENSE)
def test_a_form_refuses_nonsense_in_a_sentence(
    browser: Any, address: str, game: str, fields: dict[str, object], says: str, scripts: bool
) -> None:
    show(browser, address + game, scripts=scripts)
    enter(browser, **fields)
    wait_for_answer(browser)
    assert says in find(browser, "[role=alert]").text
    assert browser.find_elements("css selector", "#answer, main i") == []
    for name, value in fields.items():  # to be mended where it stands
        assert find(browser, f"#{name}").get_dom_attribute("value") == str(value)
    # The browser itself notes the status 400, and nothing else is wrong.
    assert [entry for entry in browser.get_log("browser") if "status of 400" not in entry["message"]] == []


@pytest.mark.parametrize("page", [*PAGES, *(f"{game}?{parameters}" for game, _, parameters, _ in QUESTIONS)])
def test_pages_fit_have_contrast_and_names_and_no_errors(browser: Any, address: str, page: str) -> None:
    for width, theme in ((360, "light"), (1200, "dark")):
        show(browser, address + page, width=width, theme=theme)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(POOR_CONTRAST) == []
        assert unnamed(browser) == []
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("game", PAGES[1:])
def test_a_form_is_filled_and_sent_with_the_keyboard_alone(browser: Any, address: str, game: str) -> None:
    show(browser, address + game)
    stops = browser.find_elements("css selector", "form :is(input, button)")
    for _ in range(20):
        if browser.switch_to.active_element == stops[0]:
            break
        press_tab(browser)
    for stop in stops[1:]:
        press_tab(browser)
        assert browser.switch_to.active_element == stop
    browser.switch_to.active_element.send_keys(" ")
    wait_for_answer(browser)
    assert find(browser, "main table").is_displayed()
