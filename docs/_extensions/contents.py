"""The site's table of contents: the links of the index, section by section, so that nothing is listed twice."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!## ).*\n?)*)", re.MULTILINE)
LINK = re.compile(r"\[(?P<title>[^]]+)\]\((?P<path>[^)#:]+)\)")


def toctrees(text: str) -> str:
    """Return hidden tables of contents, one for each section of the index that links to pages."""
    found = []
    for section in SECTION.finditer(text):
        pages = [f"{match['title']} <{match['path']}>" for match in LINK.finditer(section["body"])]
        if pages:
            lines = "\n".join(pages)
            found.append(f"```{{toctree}}\n:hidden:\n:caption: {section['title']}\n\n{lines}\n```\n")
    return "\n".join(found)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    if name == app.config.root_doc:
        source[0] += "\n" + toctrees(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Extend the index when it is read."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
