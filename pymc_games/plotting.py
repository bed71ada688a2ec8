"""Pictures with matplotlib (the extra ``plot``): the few kinds that results are made of.

Every function draws into an Axes and returns it; without one it opens a new figure. Matplotlib is imported here alone,
and only when something is drawn.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pymc_games import files
from pymc_games.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pymc_games.result import Result

FORMATS = ("png", "svg", "pdf")

#: Most rows and columns of a heat map, and most points of a curve, that are drawn; of more every k-th is.
MOST_CELLS, MOST_POINTS = 500, 5_000


def axes(ax: Axes | None = None, *, rows: int = 0) -> Axes:
    """Return ``ax``, or the Axes of a new figure, which a notebook shows; high enough for so many named rows.

    Raises
    ------
    UsageError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    _require()
    from matplotlib import pyplot as plt

    height = max(4.8, 0.25 * rows + 1)
    new: Axes = plt.subplots(figsize=(6.4, height), layout="constrained")[1]
    return new


def figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that no window and no notebook shows: one for a file.

    Raises
    ------
    UsageError
        If matplotlib is not installed.
    """
    _require()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def check_path(path: str | os.PathLike[str]) -> str:
    """Return the format that a picture's name asks for, before hours are spent on what it shows.

    Raises
    ------
    UsageError
        If it is none of the `FORMATS`, or matplotlib is not installed.
    """
    kind = os.path.splitext(path)[1].lstrip(".").lower()
    if kind not in FORMATS:
        raise UsageError(f"{path}: a picture is .png, .svg or .pdf")
    _require()
    return kind


def save(drawn: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file of one of the `FORMATS`; the same figure gives the same bytes.

    Raises
    ------
    UsageError
        If the file's name ends otherwise.
    """
    kind = check_path(path)
    import matplotlib as mpl

    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with files.replacing(path) as beside, mpl.rc_context({"svg.hashsalt": "pymc-games"}):
        drawn.savefig(beside, format=kind, metadata=dates.get(kind))


def distribution(pmf: ArrayLike, ax: Axes | None = None, *, mean: float | None = None, unit: str = "rolls") -> Axes:
    """Draw a distribution on 0, 1, 2, ...: bars for its probabilities, a line for their sums, a mark at the mean.

    Parameters
    ----------
    pmf : array-like, shape (n,)
        Probability of each number.
    mean : float, optional
    unit : str
        What is counted.
    """
    ax = axes(ax)
    heights = np.asarray(pmf, dtype=np.float64)
    places = np.arange(len(heights))
    ax.bar(places, heights, color="tab:blue", label="done exactly then")
    ax.plot(places, np.cumsum(heights), color="tab:orange", drawstyle="steps-post", label="done by then")
    if mean is not None:
        ax.axvline(mean, color="gray", linestyle=":", label=f"expected: {mean:.4g}")
    ax.set(xlabel=unit, ylabel="probability", ylim=(0, 1.02))
    ax.legend()
    return ax


def curves(named: Mapping[str, ArrayLike], ax: Axes | None = None, *, unit: str = "rolls") -> Axes:
    """Draw several sequences of probabilities over 0, 1, 2, ... as lines with markers, each under its name."""
    ax = axes(ax)
    for marker, (name, values) in zip("os^vDx" * len(named), named.items(), strict=False):
        heights = np.asarray(values, dtype=np.float64)
        ax.plot(np.arange(len(heights)), heights, marker=marker, markersize=3, label=name)
    ax.set(xlabel=unit, ylabel="probability")
    ax.legend(fontsize="small")
    return ax


def series(
    named: Mapping[str, tuple[ArrayLike, ArrayLike]], ax: Axes | None = None, *, horizontal: str, vertical: str
) -> Axes:
    """Draw lines with markers through points, ``(places, values)`` under each name; infinite values leave a gap."""
    ax = axes(ax)
    for marker, (name, (places, values)) in zip("os^vDx" * len(named), named.items(), strict=False):
        heights = np.asarray(values, dtype=np.float64)
        ax.plot(places, np.where(np.isfinite(heights), heights, np.nan), marker=marker, markersize=3, label=name)
    ax.set(xlabel=horizontal, ylabel=vertical)
    ax.legend(fontsize="small")
    return ax


def bars(
    named: Iterable[tuple[str, float]], ax: Axes | None = None, *, meaning: str, logarithmic: bool = False
) -> Axes:
    """Draw numbers as bars from the left, each under its name, the first at the top."""
    names, values = zip(*named, strict=True)
    ax = axes(ax, rows=len(names))
    ax.barh(range(len(names)), values, color="tab:blue")
    _name_rows(ax, names)
    # Below 1 the scale is linear, so that a bar of 0 has a place.
    ax.set(xlabel=meaning, xscale="symlog" if logarithmic else "linear")
    return ax


def grouped_bars(
    named: Mapping[str, ArrayLike], places: Sequence[object], ax: Axes | None = None, *, unit: str, meaning: str
) -> Axes:
    """Draw several sequences of numbers over the same places as bars side by side, each under its name."""
    ax = axes(ax)
    width = 0.8 / len(named)
    for k, (name, values) in enumerate(named.items()):
        left = np.arange(len(places)) + (k - (len(named) - 1) / 2) * width
        ax.bar(left, np.asarray(values, dtype=np.float64), width, label=name)
    ax.set_xticks(range(len(places)), [str(place) for place in places])
    ax.set(xlabel=unit, ylabel=meaning)
    ax.legend(fontsize="small")
    return ax


def decades(values: ArrayLike, ax: Axes | None = None, *, unit: str, meaning: str) -> Axes:
    """Draw how many of many non-negative numbers are 0, lie between which powers of ten, or are infinite."""
    numbers = np.asarray(values, dtype=np.float64)
    powers = np.floor(np.log10(numbers[(numbers > 0) & np.isfinite(numbers)])).astype(np.int64)
    span = range(int(powers.min()), int(powers.max()) + 1) if powers.size else range(0)
    rows = [
        ("0", int((numbers == 0).sum())),
        *((f"1e{power} to 1e{power + 1}", int((powers == power).sum())) for power in span),
    ]
    if np.isinf(numbers).any():
        rows.append(("infinite", int(np.isinf(numbers).sum())))
    ax = bars(rows, ax, meaning=unit)
    ax.set_ylabel(meaning)
    return ax


def ranked(lower: ArrayLike, value: ArrayLike, upper: ArrayLike, ax: Axes | None = None, *, unit: str) -> Axes:
    """Draw the finite ones of many values in rising order, between their bounds."""
    ax = axes(ax)
    below, middle, above = (np.asarray(side, dtype=np.float64) for side in (lower, value, upper))
    finite = np.flatnonzero(np.isfinite(above))
    order = finite[np.argsort(middle[finite], kind="stable")]
    ranks = np.unique(np.linspace(0, max(len(order) - 1, 0), MOST_POINTS).astype(np.int64))[: len(order)]
    drawn = order[ranks]
    ax.fill_between(ranks, below[drawn], above[drawn], color="tab:orange", alpha=0.4)
    ax.plot(ranks, middle[drawn], color="tab:blue")
    ax.set(xlabel=f"{unit}, by value", ylabel="value")
    ax.set_title(f"{len(order):,} of {len(middle):,} values are finite")
    return ax


def intervals(results: Mapping[str, Result | None], ax: Axes | None = None) -> Axes:
    """Draw the bounds of each result as a bar, one below the other; the axis counts from the first result's value.

    Results that are ``None`` or infinite are named and left out. Where bars have no number in common, so have the
    results.
    """
    ax = axes(ax, rows=len(results))
    origin = _bounds(ax, list(results.values()), 0)
    _name_rows(ax, list(results))
    ax.set_xlabel("no finite bounds" if origin is None else f"difference from {origin:.12g}")
    return ax


def interval_groups(groups: Sequence[tuple[str, Mapping[str, Result | None]]], ax: Axes | None = None) -> Axes:
    """Draw `intervals` for several questions; each one's rows count from the value of its first result."""
    names = [f"{question}: {name}" for question, results in groups for name in results]
    ax = axes(ax, rows=len(names))
    row = 0
    for _, results in groups:
        _bounds(ax, list(results.values()), row)
        row += len(results)
    _name_rows(ax, names)
    ax.set_xlabel("difference from the first value of each question")
    return ax


def _bounds(ax: Axes, results: Sequence[Result | None], row: int) -> float | None:
    """Draw results in rows from ``row`` on, and return the value that they count from."""
    known = {place: result for place, result in enumerate(results, row) if result is not None and _finite(result)}
    origin = next((result.value for result in known.values()), 0.0)
    for place, result in known.items():
        ax.plot([result.lower - origin, result.upper - origin], [place, place], "|-", color="tab:blue", markersize=16)
        ax.plot(result.value - origin, place, "o", color="tab:orange")
    return origin if known else None


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)


def heat_map(
    values: ArrayLike,
    ax: Axes | None = None,
    *,
    rows: str,
    columns: str,
    meaning: str,
    names: Sequence[str] | None = None,
    signed: bool = False,
) -> Axes:
    """Draw a matrix as colours, the first row at the bottom; of a large one every k-th row and column.

    Parameters
    ----------
    values : array-like, shape (m, n)
        NaN leaves a cell empty.
    rows, columns, meaning : str
        What the rows, the columns and the colours stand for.
    names : sequence of str, optional
        Names of both rows and columns, where they are the same.
    signed : bool
        Whether 0 is the middle of the scale, so that the colour tells the sign.
    """
    ax = axes(ax)
    whole = np.asarray(values)
    height, width = whole.shape
    thinned = whole[:: -(-height // MOST_CELLS), :: -(-width // MOST_CELLS)]
    matrix = np.ma.masked_invalid(thinned.astype(np.float64))
    limit = float(np.abs(matrix).max()) or 1.0
    scale: dict[str, Any] = {"cmap": "RdBu", "vmin": -limit, "vmax": limit} if signed else {"cmap": "cividis"}
    extent = (-0.5, width - 0.5, -0.5, height - 0.5)
    drawn = ax.imshow(matrix, origin="lower", aspect="auto", extent=extent, **scale)
    ax.figure.colorbar(drawn, ax=ax, label=meaning)
    ax.set(xlabel=columns, ylabel=rows)
    if names is not None:
        ax.set_xticks(range(len(names)), names, rotation=90, fontsize="small")
        ax.set_yticks(range(len(names)), names, fontsize="small")
    return ax


def convergence(lower: ArrayLike, upper: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw lower and upper bounds against the number of sweeps; shapes (sweeps + 1,)."""
    ax = axes(ax)
    below, above = (np.asarray(side, dtype=np.float64) for side in (lower, upper))
    sweeps = np.arange(len(below))
    ax.plot(sweeps, above, color="tab:orange", label="upper bound")
    ax.plot(sweeps, below, color="tab:blue", label="lower bound")
    ax.fill_between(sweeps, below, above, color="tab:gray", alpha=0.2)
    ax.set(xlabel="sweeps", ylabel="value")
    ax.legend()
    return ax


def _finite(result: Result) -> bool:
    return bool(np.isfinite([result.lower, result.upper]).all())


def _require() -> None:
    """Refuse in one sentence where matplotlib is missing."""
    try:
        import matplotlib as _  # noqa: F401
    except ImportError as error:
        raise UsageError("pictures need matplotlib; install the extra with: pip install 'pymc-games[plot]'") from error
