"""How results show themselves in a notebook: small HTML tables, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def facts(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a table of two columns as HTML: what, and the number or text."""
    body = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(str(value))}</td></tr>'
        for name, value in rows
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def doubling(count: int) -> list[int]:
    """Return which of ``count`` rows to show: 0, 1, 2, 4, 8, ... and the last."""
    last = count - 1
    return sorted({*(2**power for power in range(last.bit_length())), 0, last})


def table(title: str, headings: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with headings as HTML."""
    head = "".join(f"<th>{escape(str(heading))}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
