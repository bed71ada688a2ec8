"""Rendering: Jinja templates to PRISM text, with probabilities as fractions and policies as decision trees."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import jinja2
import jinja2.sandbox
import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import GamesError, TemplateError
from pymc_games.paths import data_folder


def environment(folder: Path | None = None) -> jinja2.Environment:
    """Return a sandboxed Jinja environment over the templates in ``folder`` (the project's own by default).

    Undefined names are errors; templates cannot reach outside the folder.
    """
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        loader=_Loader(folder or data_folder("templates")), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    env.filters["fraction"] = fraction
    return env


class _Loader(jinja2.FileSystemLoader):
    """Loads templates of one folder: no name and no link leads out of it."""

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:  # fmt: skip
        root = Path(self.searchpath[0]).resolve()
        if not (root / template).resolve().is_relative_to(root):
            raise TemplateError(f"'{template}' lies outside of {root}, and templates load from there only")
        return super().get_source(environment, template)


def render(template: str, context: Mapping[str, Any], folder: Path | None = None) -> str:
    """Render a template to text.

    Raises
    ------
    TemplateError
        If the template is missing, malformed, uses an unknown name or something the sandbox forbids.
    """
    root = Path(folder or data_folder("templates"))
    try:
        return environment(root).get_template(template).render(context)
    except jinja2.TemplateNotFound as error:
        raise TemplateError(f"{_place(error, template, root)}there is no template '{error.name}'") from error
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"template {error.name}, line {error.lineno}: {error.message}") from error
    except (jinja2.TemplateError, GamesError) as error:
        raise TemplateError(f"{_place(error, template, root)}{error}") from error
    except Exception as error:  # an expression in a template can raise anything: 1/0, 'a' + 1, range(10**9)
        told = f"{type(error).__name__}: {error}".rstrip(": ").partition("\n")[0]
        raise TemplateError(f"{_place(error, template, root)}{told}") from error


def _place(error: Exception, template: str, root: Path) -> str:
    """Return the template and line where an error came up; nothing where it did before any template was read."""
    lines = [call for call in traceback.extract_tb(error.__traceback__) if call.filename.endswith(".j2")]
    if not lines:
        return "" if isinstance(error, jinja2.TemplateNotFound) else f"template {template}: "
    path = Path(lines[-1].filename)
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return f"template {name}, line {lines[-1].lineno}: "


def fraction(value: Fraction | int) -> str:
    """Return a rational as PRISM text, ``5/36``; never a decimal, so that exact models stay exact."""
    if isinstance(value, float):
        raise TemplateError(f"{value} is a float; templates take fractions")
    return str(Fraction(value))


def decision_tree(table: NDArray, variables: Sequence[str], origin: Sequence[int] | None = None) -> str:
    """Return a PRISM expression over ``variables`` that equals ``table`` everywhere.

    Parameters
    ----------
    table : array of integers, bools or Fractions, one axis a variable
        ``table[i, j, ...]`` is the value at ``variables[0] = origin[0] + i``, and so on.
    variables : sequence of str
    origin : sequence of int, optional
        First value of each variable; 0 by default.

    Returns
    -------
    str
        Nested conditionals ``(x<=4 ? a : b)``, balanced: each split halves an axis, constant blocks are leaves, so
        depth and cost of evaluation grow with the logarithm of the table.

    Raises
    ------
    TemplateError
        If the table is empty or its axes are not one a variable.
    """
    table = np.asarray(table)
    first = (0,) * table.ndim if origin is None else tuple(int(x) for x in origin)
    if not table.size or not table.ndim == len(variables) == len(first):
        raise TemplateError(f"a table of shape {table.shape} is no function of {', '.join(variables)}")

    def leaf(value: Any) -> str:
        if isinstance(value, Fraction):
            return fraction(value)
        return str(bool(value)).lower() if table.dtype == bool else str(int(value))

    def tree(block: NDArray, low: tuple[int, ...]) -> str:
        value = block.flat[0]
        if (block == value).all():
            return leaf(value)
        axis = next(a for a in range(block.ndim) if block.shape[a] > 1 and _varies(block, a))
        half = block.shape[axis] // 2
        left, right = np.split(block, [half], axis)
        above = (*low[:axis], low[axis] + half, *low[axis + 1 :])
        return f"({variables[axis]}<={low[axis] + half - 1} ? {tree(left, low)} : {tree(right, above)})"

    return tree(table, first)


def _varies(block: NDArray, axis: int) -> bool:
    """Return whether ``block`` depends on its ``axis``."""
    return bool((block != np.take(block, [0], axis)).any())


def partial_tree(
    table: NDArray[np.bool_],
    known: NDArray[np.bool_],
    variables: Sequence[str],
    values: Sequence[Sequence[int]] | None = None,
) -> str:
    """Return a small PRISM expression over ``variables`` that equals ``table`` wherever ``known`` is true.

    Parameters
    ----------
    table, known : bool arrays of one shape, one axis a variable
        ``table[i, j, ...]`` is the value at ``variables[0] = values[0][i]``, ``variables[1] = values[1][j]``, ….
    variables : sequence of str
    values : sequence of rising sequences of int, optional
        The values of each variable; 0, 1, 2, … by default.

    Returns
    -------
    str
        Nested conditionals ``(x<=4 ? a : b)``. Each split is the one that leaves the least Gini impurity, the sum of
        ``true * false / (true + false)`` over both sides (Breiman et al., 'Classification and Regression Trees', 1984).

    Raises
    ------
    TemplateError
        If the shapes differ or the axes are not one a variable.
    """
    if table.shape != known.shape or table.ndim != len(variables):
        raise TemplateError(f"a table of shape {table.shape} is no function of {', '.join(variables)}")

    axes = [range(size) for size in table.shape] if values is None else values

    def tree(true: NDArray[np.bool_], cells: NDArray[np.bool_], low: tuple[int, ...]) -> str:
        count, hits = int(cells.sum()), int(true.sum())
        if hits in (0, count):
            return "false" if hits == 0 else "true"
        _, axis, cut = min(_splits(true, cells))
        (true_low, true_high), (cells_low, cells_high) = (np.split(array, [cut], axis) for array in (true, cells))
        above = (*low[:axis], low[axis] + cut, *low[axis + 1 :])
        below = tree(true_low, cells_low, low)
        greatest = axes[axis][low[axis] + cut - 1]
        return f"({variables[axis]}<={greatest} ? {below} : {tree(true_high, cells_high, above)})"

    return tree(table & known, known, (0,) * table.ndim)


def _splits(true: NDArray[np.bool_], cells: NDArray[np.bool_]) -> Iterator[tuple[float, int, int]]:
    """Yield the best split along each axis: its impurity, the axis, and the first index above the cut."""
    count, hits = int(cells.sum()), int(true.sum())
    for axis in range(true.ndim):
        others = tuple(a for a in range(true.ndim) if a != axis)
        below, hits_below = (array.sum(axis=others).cumsum()[:-1] for array in (cells, true))
        cuts = np.flatnonzero((below > 0) & (below < count))
        if cuts.size:
            sides = ((below[cuts], hits_below[cuts]), (count - below[cuts], hits - hits_below[cuts]))
            impurity = sum(t * (n - t) / n for n, t in sides)
            best = int(np.argmin(impurity))
            yield float(impurity[best]), axis, int(cuts[best]) + 1
