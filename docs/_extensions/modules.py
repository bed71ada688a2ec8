"""The reference, from docstrings and from ``--help``: a block ``modules`` stands for the modules that it names."""

from __future__ import annotations

import builtins
import importlib
import pkgutil
import re

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from pymc_games.report.site.highlight import PrismLexer

BLOCK = re.compile(r"^```modules\n(?P<names>.*?)^```$", re.MULTILINE | re.DOTALL)


def named(pattern: str) -> list[str]:
    """Return the modules of a line: ``package.module`` is itself, ``package.*`` a package and the modules in it."""
    package = pattern.removesuffix(".*")
    if package == pattern:
        return [pattern]
    path = importlib.import_module(package).__path__
    inside = sorted(module.name for module in pkgutil.iter_modules(path) if not module.ispkg)
    return [package, *(f"{package}.{name}" for name in inside if not name.startswith("_"))]


def expand(text: str) -> str:
    """Return a page with its blocks replaced by a section for each module."""

    def sections(block: re.Match[str]) -> str:
        found = [name for line in block["names"].split() for name in named(line)]
        return "\n".join(
            f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :ignore-module-all:\n```\n" for name in found
        )

    return BLOCK.sub(sections, text)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = expand(source[0])


def _types_as_words(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Set the types of attributes in docstrings as words: ``float array, shape (states,)`` links nowhere."""
    lines[:] = [re.sub(r"^(\s+):type: (.+)$", r"\1*\2*", line) for line in lines]


def _builtins_link_nowhere(app: Sphinx, document: nodes.document) -> None:
    """Keep Sphinx from taking a built-in such as ``type`` for an attribute of that name."""
    for reference in list(document.findall(pending_xref)):
        if reference.get("refdomain") == "py" and hasattr(builtins, reference["reftarget"]):
            reference.replace_self(reference.children)


def _example_as_code(app: Sphinx, context: object, lines: list[str]) -> None:
    """Set the example at the end of a command's help as what one types."""
    lines[:] = [re.sub(r"^Example: (.+)$", r"Example: ``\1``", line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Expand blocks when a page is read, and colour PRISM text as the report does."""
    app.add_lexer("prism", PrismLexer)
    app.connect("source-read", _read)
    app.connect("autodoc-process-docstring", _types_as_words, priority=900)  # after napoleon
    app.connect("doctree-read", _builtins_link_nowhere)
    app.connect("sphinx-click-process-description", _example_as_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
