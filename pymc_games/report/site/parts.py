"""Pieces that several pages use: keys of maps, steppers, and the closing in of bounds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from markupsafe import Markup

from pymc_games.engine.trace import Trace
from pymc_games.report import pages
from pymc_games.report.site import svg
from pymc_games.report.site.svg import Axis, Series


def colour_key(label: str, entries: Sequence[tuple[object, float]]) -> Markup:
    """Return the key of a map's colours, to the right above it: what is shown, and its share of the colour scale."""
    x = svg.WIDTH - 22 - 46 * len(entries)
    pieces = [svg.tag("text", label, x=x - 8, y=16, text_anchor="end")]
    for place, (value, share) in enumerate(entries):
        left = x + 46 * place
        pieces.append(svg.tag("rect", "", x=left, y=4, width=16, height=14, style=svg.shade(share), class_="swatch"))
        pieces.append(svg.tag("text", str(value), x=left + 20, y=16))
    return Markup("").join(pieces)


def area_key(filled: str, ground: str) -> Markup:
    """Return the key of a picture of two areas, to the right above it."""
    pieces = []
    for place, (name, style) in enumerate(((filled, "fill s1"), (ground, "ground"))):
        left = svg.WIDTH - 22 - 70 * (2 - place)
        pieces.append(svg.tag("rect", "", x=left, y=4, width=16, height=14, class_=f"{style} swatch"))
        pieces.append(svg.tag("text", name, x=left + 22, y=16))
    return Markup("").join(pieces)


def key(entries: Sequence[tuple[str, Mapping[str, str]]]) -> Markup:
    """Return a key below a picture, which wraps on narrow screens: names, and what their swatches are drawn with."""
    items = []
    for name, attributes in entries:
        swatch = svg.tag("rect", "", width=18, height=14, **attributes)
        items.append(Markup('<li><svg viewBox="0 0 18 14" aria-hidden="true">{}</svg> {}</li>').format(swatch, name))
    return Markup('<ul class="key">{}</ul>').format(Markup("").join(items))


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str | Markup]]) -> Markup:
    """Return a table whose first column names the rows."""
    head = Markup("").join(svg.tag("th", name, scope="col") for name in heads)
    body = []
    for name, *cells in rows:
        data = [Markup("<td>{}</td>").format(cell) for cell in cells]
        body.append(svg.tag("tr", Markup("").join([svg.tag("th", name, scope="row"), *data])))
    return Markup("<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
        caption, head, Markup("").join(body)
    )


def stepper(
    name: str,
    drawn: Markup,
    label: str,
    values: Sequence[int],
    start: int,
    frames: Sequence[Mapping[str, str]],
    below: str = "",
) -> Markup:
    """Return a picture with a slider that steps through frames; without a script it shows the one at ``start``.

    Parameters
    ----------
    name : str
        An identifier, unique on the page.
    values : sequence of int
        What the slider says, consecutive numbers, one for each frame.
    start : int
        The frame shown first.
    frames : sequence of mapping
        What changes: the element marked ``data-set="key"`` takes the value as its path, if it is one, or as its text.
        The text under ``told`` describes the frame in words; that under ``at``, if there is one, is what the slider
        says instead of the number.
    below : str
        HTML that stands under the controls, and may change as well.
    """
    template = pages.environment().get_template("stepper.html")
    return Markup(  # noqa: S704 - the template escapes
        template.render(
            name=name, drawn=drawn, label=label, first=values[0], last=values[-1], value=values[start],
            at=frames[start].get("at", str(values[start])), told=frames[start]["told"], below=below,
            named="at" in frames[start], frames=embedded(frames),
        )
    )  # fmt: skip


def embedded(data: object) -> Markup:
    """Return data as JSON that may stand inside a ``script`` element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - no tag can begin


def sweep_rows(trace: Trace) -> Iterator[dict[str, object]]:
    """Yield the bounds by sweep as rows of a table."""
    for sweep, (lower, upper) in enumerate(zip(*(side.tolist() for side in trace), strict=True)):
        yield {"sweep": sweep, "lower": lower, "upper": upper}


def convergence(title: str, trace: Trace) -> Markup:
    """Return two charts: both bounds of the initial state by sweep, and the distance between them."""
    lower, upper = trace
    sweeps = len(lower) - 1
    steps = np.arange(sweeps + 1)
    gap = upper - lower
    with np.errstate(divide="ignore"):
        digits = np.where(gap > 0, np.log10(gap), np.nan)
    least = int(np.floor(np.nanmin(digits)))
    bounds = svg.chart(
        f"{title}: both bounds by sweep",
        f"The lower bound rises from {lower[0]:g}, the upper one falls from {upper[0]:g}; after {sweeps} sweeps they "
        f"are {gap[-1]:.1e} apart.",
        [Series("upper", steps, upper), Series("lower", steps, lower)],
        Axis("sweeps", 0, sweeps),
        Axis("bounds", 0, 1),
    )
    width = svg.chart(
        f"{title}: the distance of the bounds by sweep",
        f"On a logarithmic scale: {svg.power(gap[0])} before the first sweep, {svg.power(gap[-1])} after the last.",
        [Series("distance", steps, digits)],
        Axis("sweeps", 0, sweeps),
        Axis("distance, as a power of ten", min(least, -1), 0),
    )
    return Markup('<div class="pair">{}{}</div>').format(bounds, width)
