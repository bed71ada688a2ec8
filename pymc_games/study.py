"""Studies: one number over ranges of parameters, as the rows of a table that draws and shows itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pymc_games import notebook, plotting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Rows that a notebook shows.
_MOST_ROWS = 100


class Study(list[dict[str, Any]]):
    """The rows of a study; all have the same columns, among them ``value``.

    Parameters
    ----------
    rows : iterable of dict
    title : str
        What was studied.
    across : str
        The column that a picture has from left to right.
    by : sequence of str
        The columns of which each combination is a line of its own.
    """

    def __init__(self, rows: Iterable[dict[str, Any]], *, title: str, across: str, by: Sequence[str]) -> None:
        super().__init__(rows)
        self.title, self.across, self.by = title, across, tuple(by)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the values against one parameter, a line for each combination of the others."""
        lines: dict[str, tuple[list[float], list[float]]] = {}
        for row in self:
            places, values = lines.setdefault(", ".join(f"{name} {row[name]}" for name in self.by), ([], []))
            places.append(row[self.across])
            values.append(row["value"])
        ax = plotting.series(lines, ax, horizontal=self.across, vertical="value")
        ax.set_title(self.title)
        return ax

    def _repr_html_(self) -> str:
        more = f", the first {_MOST_ROWS} of {len(self):,} rows" if len(self) > _MOST_ROWS else ""
        columns = list(self[0]) if self else []
        return notebook.table(f"{self.title}{more}", columns, ([*row.values()] for row in self[:_MOST_ROWS]))
