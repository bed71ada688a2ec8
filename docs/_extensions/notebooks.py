"""Notebooks on the site: each is read as Markdown, with its stored outputs below its code."""

from __future__ import annotations

import html
from typing import Any

import nbformat
from sphinx.application import Sphinx


def _fenced(language: str, text: str) -> str:
    return f"``````{language}\n{text.rstrip()}\n``````\n"


def _raw(text: str) -> str:
    return _fenced("{raw} html", text)


def _shown(output: Any, caption: str) -> str:
    """Return an output as Markdown: the richest form that it was stored in."""
    if output["output_type"] == "stream":
        return _fenced("text", output["text"])
    data = output["data"]
    if "text/html" in data:
        return _raw(f'<div class="notebook-output">{data["text/html"]}</div>')
    if "image/png" in data:
        picture = data["image/png"].replace("\n", "")
        return _raw(f'<img class="notebook-output" alt="{html.escape(caption)}" src="data:image/png;base64,{picture}">')
    return _fenced("text", data["text/plain"])


def to_markdown(text: str) -> str:
    """Return a notebook's text as Markdown.

    A picture is described by the line of code that drew it.
    """
    parts = []
    for cell in nbformat.reads(text, as_version=4)["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(cell["source"] + "\n")
        else:
            parts.append(_fenced("python", cell["source"]))
            caption = cell["source"].strip().splitlines()[-1]
            parts += [_shown(output, f"drawn by {caption}") for output in cell["outputs"]]
    return "\n".join(parts)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    if app.env.doc2path(name).suffix == ".ipynb":
        source[0] = to_markdown(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Convert notebooks when they are read."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
