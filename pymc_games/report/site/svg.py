"""Pictures as inline SVG: line charts, maps of cells, and what they are made of.

Colours come from the style sheet, so that a picture follows the light and the dark theme. Every picture has a title
and a description for those who do not see it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

#: Size of a chart, in the units of its coordinates: about a phone's width, so that its text stays readable there.
WIDTH, HEIGHT = 440, 290
#: Room for labels: left, right, above, below.
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 30, 34, 46
#: Room for a legend above that.
LEGEND = 26


@dataclass(frozen=True)
class Series:
    """One line of a chart, or one set of dots where ``dots`` is set; styles go by place: ``s1``, ``s2``, ``s3``."""

    name: str
    x: ArrayLike
    y: ArrayLike
    dots: bool = False


@dataclass(frozen=True)
class Axis:
    """One axis of a chart: its label and its ends."""

    label: str
    low: float
    high: float
    ticks: Sequence[float] = field(default_factory=tuple)
    percent: bool = False

    def marks(self) -> list[float]:
        """Return the values to be labelled."""
        return list(self.ticks) or ticks(self.low, self.high)

    def show(self, value: float) -> str:
        """Return a value as it is printed at the axis."""
        return f"{100 * value:.6g} %" if self.percent else f"{value:,.6g}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Frame:
    """From data to coordinates within the plotting area."""

    x: Axis
    y: Axis
    width: float = WIDTH
    height: float = HEIGHT
    top: float = _TOP

    def across(self, value: float) -> float:
        """Return the horizontal coordinate."""
        return _LEFT + (value - self.x.low) / (self.x.high - self.x.low) * (self.width - _LEFT - _RIGHT)

    def up(self, value: float) -> float:
        """Return the vertical coordinate."""
        below = self.height - _BOTTOM
        return below - (value - self.y.low) / (self.y.high - self.y.low) * (below - self.top)

    def path(self, x: ArrayLike, y: ArrayLike) -> str:
        """Return the path through points; points that are no number break it."""
        pieces, pen = [], "M"
        for a, b in zip(np.asarray(x, float).tolist(), np.asarray(y, float).tolist(), strict=True):
            if not math.isfinite(b):
                pen = "M"
                continue
            pieces.append(f"{pen}{number(self.across(a))} {number(self.up(b))}")
            pen = "L"
        return "".join(pieces)

    def cells(self, parts: Iterable[Markup], cell: tuple[float, float] = (1, 1)) -> Markup:
        """Return shapes in the coordinates of cells, such as those of `cells_path`, moved to their place.

        ``cell`` is the width and the height of a cell in units of the data.

        The coordinates stay whole numbers, so that neighbouring cells share their edges exactly.
        """
        left, below = self.across(0), self.up(0)
        wide, high = self.across(cell[0]) - left, below - self.up(cell[1])
        place = f"translate({number(left)} {number(below)}) scale({wide:.5f} {-high:.5f})"
        return tag("g", Markup("").join(parts), transform=place, shape_rendering="crispEdges")

    def axes(self) -> Markup:
        """Return grid, tick labels and axis labels."""
        left, right, above, below = _LEFT, self.width - _RIGHT, self.top, self.height - _BOTTOM
        parts = []
        for value in self.y.marks():
            y = number(self.up(value))
            parts.append(tag("path", "", class_="grid", d=f"M{left} {y}H{number(right)}"))
            parts.append(tag("text", self.y.show(value), x=left - 7, y=y, dy=".35em", text_anchor="end"))
        for value in self.x.marks():
            x = number(self.across(value))
            parts.append(tag("path", "", class_="axis", d=f"M{x} {number(below)}v5"))
            parts.append(tag("text", self.x.show(value), x=x, y=number(below + 19), text_anchor="middle"))
        parts.append(tag("path", "", class_="axis", d=f"M{left} {number(below)}H{number(right)}"))
        middle = number((left + right) / 2)
        parts.append(tag("text", self.x.label, x=middle, y=number(self.height - 6), text_anchor="middle"))
        parts.append(tag("text", self.y.label, x=2, y=number(above - 18)))
        return Markup("").join(parts)


def chart(title: str, description: str, series: Sequence[Series], x: Axis, y: Axis) -> Markup:
    """Return a chart of up to three lines, with a legend where there is more than one."""
    frame = Frame(x, y, WIDTH, HEIGHT + LEGEND, _TOP + LEGEND)
    parts = [frame.axes()]
    for place, one in enumerate(series, start=1):
        if one.dots:
            parts.append(dots(frame, one, place))
        else:
            parts.append(tag("path", "", class_=f"line s{place}", d=frame.path(one.x, one.y)))
    if len(series) > 1:
        parts.append(legend([(one.name, one.dots) for one in series]))
    return picture(title, description, frame.width, frame.height, parts)


def dots(frame: Frame, series: Series, place: int) -> Markup:
    """Return one small mark at each point, as one path."""
    points = zip(np.asarray(series.x, float).tolist(), np.asarray(series.y, float).tolist(), strict=True)
    marks = "".join(f"M{number(frame.across(a) - 1.5)} {number(frame.up(b) - 1.5)}h3v3h-3z" for a, b in points)
    return tag("path", "", class_=f"fill s{place}", d=marks)


def legend(names: Sequence[tuple[str, bool]]) -> Markup:
    """Return the names of lines (or, where true, dots) in a row above the chart."""
    widths = [46 + 8.4 * len(name) for name, _ in names]
    x = 2.0
    parts = []
    for place, ((name, dotted), width) in enumerate(zip(names, widths, strict=True), start=1):
        if dotted:
            parts.append(tag("path", "", class_=f"fill s{place}", d=f"M{number(x + 8)} 9h6v6h-6z"))
        else:
            parts.append(tag("path", "", class_=f"line s{place}", d=f"M{number(x)} 12h20"))
        parts.append(tag("text", name, x=number(x + 25), y=12, dy=".35em"))
        x += width
    return Markup("").join(parts)


def picture(title: str, description: str, width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """Return a whole picture, with its title and description for screen readers."""
    inside = Markup("").join([tag("title", title), tag("desc", description), *parts])
    return tag("svg", inside, viewBox=f"0 0 {number(width)} {number(height)}", role="img", aria_label=title)


def tag(name: str, content: str | Markup, **attributes: str | float) -> Markup:
    """Return one element; ``class_`` stands for ``class``, and underscores for hyphens."""
    spelled = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()
    )
    if not content:
        return Markup("<{}{}/>").format(name, spelled)
    return Markup("<{0}{1}>{2}</{0}>").format(name, spelled, content)


def number(value: float) -> str:
    """Return a coordinate with one decimal at most."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def power(value: float) -> str:
    """Return a small number in words of powers of ten, to one digit: ``6 × 10⁻¹⁴``."""
    digit, exponent = f"{value:.0e}".split("e")
    return f"{digit} × 10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between ``low`` and ``high``: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def shade(share: float) -> str:
    """Return the style of a colour between the lowest (0) and the highest (1) of the heat colours."""
    share = min(max(share, 0.0), 1.0)
    low, high, part = ("0", "1", 2 * share) if share < 1 / 2 else ("1", "2", 2 * share - 1)
    return f"fill:color-mix(in oklab, var(--heat-{high}) {round(100 * part)}%, var(--heat-{low}))"


def cells_path(mask: NDArray[np.bool_]) -> str:
    """Return the path that covers the unit cells of a mask, shape (columns, rows), for `Frame.cells`."""
    pieces = []
    for column, rows in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], rows, [False]]).astype(np.int8)))
        pieces += [f"M{column} {low}h1v{high - low}h-1z" for low, high in edges.reshape(-1, 2).tolist()]
    return "".join(pieces)
