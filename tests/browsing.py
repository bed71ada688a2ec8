"""Driving a browser without a window: how the tests of pages open, find and press things."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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


def start(profile: Path) -> Iterator[Any]:
    """Yield a driver of a browser, quit at the end; skip the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("chromium and its driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


def show(browser: Any, page: Path | str, *, width: int = 1200, theme: str = "light", scripts: bool = True) -> None:
    """Open a file or an address."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    browser.get(page if isinstance(page, str) else page.as_uri())


def find(browser: Any, selector: str) -> Any:
    """Return the first element."""
    return browser.find_element("css selector", selector)


def press(browser: Any, selector: str, key: str) -> None:
    """Send keys to an element."""
    find(browser, selector).send_keys(key)


def press_tab(browser: Any) -> None:
    """Go to the next element that takes the focus."""
    browser.switch_to.active_element.send_keys("\ue004")


def enter(browser: Any, **values: object) -> None:
    """Fill in fields by their identifiers, in place of what stands there, and send the form from the last one."""
    for name, value in values.items():
        field = find(browser, f"#{name}")
        field.clear()
        field.send_keys(str(value))
    field.send_keys("\ue007")


def unnamed(browser: Any) -> list[str]:
    """Return the roles of what a screen reader would be told without a name, from the accessibility tree."""
    named = ("button", "image", "link", "navigation", "region", "slider", "table", "textbox")
    return [role for role, text in accessible(browser) if role in named and not text]


def accessible(browser: Any) -> list[tuple[str, str | None]]:
    """Return role and name of everything in the accessibility tree."""
    return [
        (node["role"]["value"], node.get("name", {}).get("value"))
        for node in browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        if not node["ignored"]
    ]
