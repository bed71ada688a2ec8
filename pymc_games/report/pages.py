"""HTML pages: the Jinja environment over ``report/html``, and the files that every page refers to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

#: Templates, styles and scripts.
FOLDER = Path(__file__).with_name("html")
#: What `base.html` refers to; whoever publishes pages puts these files beside them, or serves them.
ASSETS = ("style.css", "theme.js", "icon.svg")


@dataclass(frozen=True)
class Page:
    """A page in the navigation: where it is and what it is called."""

    href: str
    title: str


def render(template: str, pages: Iterable[Page], current: str, *, assets: str = "", **context: Any) -> str:
    """Return a page that extends ``base.html``, as text.

    Parameters
    ----------
    template : str
        Name of a template in `FOLDER`.
    pages : iterable of Page
        All pages, for the navigation.
    current : str
        The ``href`` of this one.
    assets : str
        Path of the folder with `ASSETS` as seen from the page, with its slash; empty for the page's own folder.
    context
        What else the template sees. Everything is escaped but what is marked as HTML.
    """
    navigation = [{"href": page.href, "title": page.title, "current": page.href == current} for page in pages]
    return environment().get_template(template).render(context, assets=assets, navigation=navigation)


@cache
def environment() -> jinja2.Environment:
    """Return the Jinja environment: escaping, and strict about names."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
