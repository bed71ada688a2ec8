"""Answers for the command line: everything about one position, or one race, in one object."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.bearoff import exact, heuristics, one_sided, positions
from pymc_games.games.bearoff import race as races
from pymc_games.games.bearoff.moves import ROLLS, describe
from pymc_games.games.bearoff.positions import Position
from pymc_games.games.bearoff.tables import Table
from pymc_games.result import Result, digits, exact_json, json_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Solo:
    """One position played alone for the fewest expected rolls; of ``36**k`` dice sequences ``counts[k]`` need ``k``."""

    expected_rolls: Result
    variance: Fraction
    counts: list[int]
    pips: int
    best_moves: dict[str, dict[str, str]]

    @property
    def pmf(self) -> list[Fraction]:
        """The distribution of the number of rolls."""
        return [Fraction(count, 36**k) for k, count in enumerate(self.counts)]

    @property
    def effective_pips(self) -> float:
        """Expected rolls times 49/6."""
        return heuristics.effective_pips(self.expected_rolls.value)

    def to_json(self, *, exact: bool = False) -> dict[str, Any]:
        """Return the JSON document; with ``exact`` also the distribution as integers over ``36**k``."""
        document = {
            "expected_rolls": self.expected_rolls.to_json(),
            "variance": float(self.variance),
            "pmf": [float(p) for p in self.pmf],
            "pips": self.pips,
            "effective_pips": self.effective_pips,
            "best_moves": self.best_moves,
        }
        if exact:
            document["variance_exact"] = exact_json(self.variance)
            document["pmf_over_36_to_k"] = [str(count) for count in self.counts]
        return document

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw when the last checker is off."""
        ax = plotting.distribution([float(p) for p in self.pmf], ax, mean=self.expected_rolls.value)
        ax.set_title(f"{self.pips} pips")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("expected rolls", digits(self.expected_rolls)), ("exactly", self.expected_rolls.exact),
            ("standard deviation", f"{float(self.variance) ** 0.5:.6g}"), ("pips", self.pips),
            ("effective pips", f"{self.effective_pips:.6g}"),
        ]  # fmt: skip
        return notebook.facts("Bearoff alone", rows)


def solo(position: Position) -> Solo:
    """Solve one position, exactly."""
    began = time.perf_counter()
    mean, counts = exact.expected_rolls(position), exact.distribution(position)
    second = sum(k**2 * Fraction(count, 36**k) for k, count in enumerate(counts))
    best = one_sided.solve(sum(position)).best[positions.index(position)]
    seconds = time.perf_counter() - began
    result = Result.from_exact(mean, method="exact backward induction", seconds=seconds)
    return Solo(result, second - mean**2, counts, positions.pips(position), _plays(position, best))


def most_likely_off(position: Position, rolls: int) -> dict[str, Any]:
    """Return the greatest chance to be off within so many rolls, and the plays of the first one that attain it."""
    began = time.perf_counter()
    chance, best = one_sided.most_likely_off(sum(position), rolls)
    number = positions.index(position)
    value, error = float(chance[rolls, number]), one_sided.PMF_ERROR
    seconds = time.perf_counter() - began
    bounds = max(0.0, value - error), min(1.0, value + error)
    result = Result(value, *bounds, method="backward induction", seconds=seconds)
    return {"rolls": rolls, "probability": result.to_json(), "best_moves": _plays(position, best[number])}


def _plays(position: Position, best: NDArray[np.int32]) -> dict[str, dict[str, str]]:
    """Return the play of each roll that leads to the position of that number, and that position."""
    plays = {}
    for (high, low), number in zip(ROLLS, best, strict=True):
        after = positions.position(int(number))
        plays[f"{high}-{low}"] = {"play": describe(position, high, low, after), "after": positions.show(after)}
    return plays


@dataclass(frozen=True)
class Race:
    """A race, ``own`` on roll: chances of ``own`` when both play alone, also off roll, and at the two-sided optimum."""

    own: Position
    other: Position
    independent: Result
    independent_off_roll: Result
    optimal: Result

    def to_json(self) -> dict[str, Any]:
        """Return the JSON document, with the rules of thumb."""
        own, other = self.own, self.other
        rules = {name: asdict(rule(own, other)) for name, rule in heuristics.RULES.items()}
        effective = [heuristics.effective_pips(float(exact.expected_rolls(side))) for side in (own, other)]
        return {
            "independent": self.independent.to_json(),
            "independent_off_roll": self.independent_off_roll.to_json(),
            "optimal": self.optimal.to_json(),
            "pips": [positions.pips(own), positions.pips(other)],
            "heuristics": {
                "effective_pips": effective,
                "kleinman": {
                    "metric": json_number(heuristics.kleinman_metric(own, other)),
                    "win_probability": heuristics.kleinman_probability(own, other),
                },
                **rules,
            },
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the two sides' numbers of rolls, each played alone."""
        sides = {f"on roll: {positions.show(self.own)}": self.own, f"other: {positions.show(self.other)}": self.other}
        pmfs = {
            name: [count / 36**k for k, count in enumerate(exact.distribution(side))] for name, side in sides.items()
        }
        ax = plotting.curves(pmfs, ax)
        ax.set_title(f"on roll wins {self.optimal.value:.4f}")
        return ax

    def _repr_html_(self) -> str:
        named = {
            "optimal": self.optimal, "each alone": self.independent,
            "each alone, off roll": self.independent_off_roll,
        }  # fmt: skip
        rows = [(name, digits(result), result.lower, result.upper) for name, result in named.items()]
        title = f"{positions.show(self.own)}, on roll, against {positions.show(self.other)}"
        return notebook.table(title, ("play", "wins", "at least", "at most"), rows)


def race(own: Position, other: Position, table: Table | None = None, most: int = races.MOST_VALUES) -> Race:
    """Solve a race, ``own`` on roll; the optimum comes from a two-sided table, if one is given.

    Without one, pairs with more than ``most`` values get proven bounds on it, as `race.optimal` says.
    """
    optimal = races.optimal(own, other, most) if table is None else table.win(own, other)
    return Race(own, other, races.independent(own, other), races.independent(own, other, on_roll=False), optimal)
