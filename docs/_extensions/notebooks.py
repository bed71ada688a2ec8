"""Notebooks: run anew by ``make notebooks``, and read as Markdown, with their stored outputs, for the site."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat import NotebookNode

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def run(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook with the outputs of running it, without anything that tells one run from another."""
    from nbclient import NotebookClient

    NotebookClient(notebook, timeout=300, kernel_name="python3", record_timing=False).execute()
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        if cell["cell_type"] == "code":
            cell["outputs"] = _tidy(cell["outputs"])
    return notebook


def _tidy(outputs: list[Any]) -> list[Any]:
    """Join what was printed in pieces, and keep the richest form of a result: the others may name addresses."""
    tidy: list[Any] = []
    for output in outputs:
        if output["output_type"] == "stream" and tidy and tidy[-1].get("name") == output["name"]:
            tidy[-1]["text"] += output["text"]
            continue
        if len(output.get("data", {})) > 1:
            output["data"].pop("text/plain", None)
        tidy.append(output)
    return tidy


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


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(run(nbformat.read(path, as_version=4)), path)
