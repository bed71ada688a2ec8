"""Small games in one move, exactly: best responses and equilibria of two payoff matrices, values of zero-sum games."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flint import fmpq, fmpq_mat

from pymc_games import notebook, plotting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Matrix = Sequence[Sequence[fmpq]]


@dataclass(frozen=True)
class Equilibrium:
    """Mixed strategies of both players, probabilities in the order of rows and columns, and what each gets."""

    rows: tuple[fmpq, ...]
    columns: tuple[fmpq, ...]
    payoffs: tuple[fmpq, fmpq]

    def named(self, rows: Sequence[object], columns: Sequence[object]) -> list[tuple[str, fmpq]]:
        """Return each probability with the name of its row or column."""
        chosen = [(f"row {name}", p) for name, p in zip(rows, self.rows, strict=True)]
        return chosen + [(f"column {name}", p) for name, p in zip(columns, self.columns, strict=True)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the probabilities of both mixed strategies."""
        named = self.named(range(len(self.rows)), range(len(self.columns)))
        ax = plotting.bars([(name, float(p)) for name, p in named], ax, meaning="probability")
        ax.set_title("payoffs {:.6g} and {:.6g}".format(*map(float, self.payoffs)))
        return ax

    def _repr_html_(self) -> str:
        named = self.named(range(len(self.rows)), range(len(self.columns)))
        payoffs = zip(("payoff of the rows' player", "payoff of the columns' player"), self.payoffs, strict=True)
        rows = [(name, f"{float(number):.12g}", number) for name, number in (*named, *payoffs)]
        return notebook.table("Equilibrium", ("", "number", "exactly"), rows)


def pure_equilibria(a: Matrix, b: Matrix) -> list[tuple[int, int]]:
    """Return all pairs of a row and a column that are best responses to each other.

    Parameters
    ----------
    a, b : matrices of the same shape
        Payoffs of the row player and of the column player.
    """
    best_rows = [max(a[i][j] for i in range(len(a))) for j in range(len(a[0]))]
    best_columns = [max(row) for row in b]
    return [
        (i, j)
        for i in range(len(a))
        for j in range(len(a[0]))
        if a[i][j] == best_rows[j] and b[i][j] == best_columns[i]
    ]


def mixed_equilibria(a: Matrix, b: Matrix) -> list[Equilibrium]:
    """Return all equilibria with supports of equal size, pure ones included, by support enumeration.

    In a game without ties (a nondegenerate one) these are all equilibria there are (von Stengel, *Computing equilibria
    for two-person games*, Handbook of Game Theory 3, 2002).
    """
    height, width = len(a), len(a[0])
    found = []
    for size in range(1, min(height, width) + 1):
        for rows in itertools.combinations(range(height), size):
            for columns in itertools.combinations(range(width), size):
                # Each player mixes so that the other is indifferent over the support.
                y = _indifferent([[a[i][j] for j in columns] for i in rows])
                x = _indifferent([[b[i][j] for i in rows] for j in columns])
                if x is None or y is None:
                    continue
                candidate = _spread(x, rows, height), _spread(y, columns, width)
                payoffs = _value(a, *candidate), _value(b, *candidate)
                rows_best = all(_dot(a[i], candidate[1]) <= payoffs[0] for i in range(height))
                columns_best = all(
                    _dot([b[i][j] for i in range(height)], candidate[0]) <= payoffs[1] for j in range(width)
                )
                if rows_best and columns_best:
                    found.append(Equilibrium(*candidate, payoffs))
    return found


def zero_sum(matrix: Matrix) -> Equilibrium:
    """Return optimal strategies of a zero-sum game and its value, by the simplex method in fractions.

    The row player maximises. Shifted to be positive, the game is the linear program of maximising the sum of ``y``
    with ``M y <= 1``; the value is 1 over that sum (von Neumann and Dantzig). Bland's rule prevents cycling.
    """
    saddle = _saddle(matrix)
    if saddle is not None:
        return saddle
    height, width = len(matrix), len(matrix[0])
    shift = 1 - min(min(row) for row in matrix)
    tableau = [
        [value + shift for value in row] + [fmpq(i == k) for k in range(height)] + [fmpq(1)]
        for i, row in enumerate(matrix)
    ]
    cost = [fmpq(-1)] * width + [fmpq(0)] * (height + 1)
    basis = list(range(width, width + height))
    while True:
        entering = next((j for j, value in enumerate(cost[:-1]) if value < 0), None)
        if entering is None:
            break
        leaving = min(
            (i for i in range(height) if tableau[i][entering] > 0),
            key=lambda i: (tableau[i][-1] / tableau[i][entering], basis[i]),
        )
        _pivot(tableau, cost, leaving, entering)
        basis[leaving] = entering
    total = cost[-1]
    y = [fmpq(0)] * (width + height)
    for i, variable in enumerate(basis):
        y[variable] = tableau[i][-1]
    value = 1 / total - shift
    columns = tuple(weight / total for weight in y[:width])
    rows = tuple(weight / total for weight in cost[width:-1])
    return Equilibrium(rows, columns, (value, -value))


def _saddle(matrix: Matrix) -> Equilibrium | None:
    """Return a saddle point in pure strategies, if there is one."""
    floor = [min(row) for row in matrix]
    ceiling = [max(row[j] for row in matrix) for j in range(len(matrix[0]))]
    value = max(floor)
    if value != min(ceiling):
        return None
    i, j = floor.index(value), ceiling.index(value)
    return Equilibrium(_spread((fmpq(1),), (i,), len(floor)), _spread((fmpq(1),), (j,), len(ceiling)), (value, -value))


def _pivot(tableau: list[list[fmpq]], cost: list[fmpq], row: int, column: int) -> None:
    scale = tableau[row][column]
    tableau[row] = [value / scale for value in tableau[row]]
    for other in (*(line for k, line in enumerate(tableau) if k != row), cost):
        factor = other[column]
        if factor != 0:
            other[:] = [value - factor * pivot for value, pivot in zip(other, tableau[row], strict=True)]


def _indifferent(matrix: Matrix) -> tuple[fmpq, ...] | None:
    """Return the positive weights that make all rows of a square matrix worth the same, if there are any."""
    size = len(matrix)
    system = fmpq_mat(
        size + 1, size + 1, [x for row in matrix for x in (*row, fmpq(-1))] + [fmpq(1)] * size + [fmpq(0)]
    )
    right = fmpq_mat(size + 1, 1, [fmpq(0)] * size + [fmpq(1)])
    try:
        solution = system.solve(right)
    except ZeroDivisionError:
        return None
    weights = tuple(solution[k, 0] for k in range(size))
    return weights if all(weight > 0 for weight in weights) else None


def _spread(weights: Sequence[fmpq], support: Sequence[int], size: int) -> tuple[fmpq, ...]:
    place = dict(zip(support, weights, strict=True))
    return tuple(place.get(k, fmpq(0)) for k in range(size))


def _dot(left: Sequence[fmpq], right: Sequence[fmpq]) -> fmpq:
    return sum((x * y for x, y in zip(left, right, strict=True)), fmpq(0))


def _value(matrix: Matrix, rows: Sequence[fmpq], columns: Sequence[fmpq]) -> fmpq:
    return _dot(rows, [_dot(row, columns) for row in matrix])
