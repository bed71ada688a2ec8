"""Formulas as MathML, which browsers draw themselves: the site loads nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def _markup(node: nodes.Element, *, block: bool) -> str:
    formula = node.astext()
    if block and ("\\\\" in formula or "&" in formula):
        formula = f"\\begin{{aligned}}{formula}\\end{{aligned}}"
    try:
        return str(tex2mathml(formula, as_block=block))
    except Exception as error:
        raise ExtensionError(
            f"{node.source}:{node.line}: a formula that MathML cannot show: {formula}: {error}"
        ) from error


def _inline(translator: Any, node: nodes.Element) -> None:
    translator.body.append(_markup(node, block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.Element) -> None:
    translator.body.append(f'<div class="math">{_markup(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw formulas with MathML."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
