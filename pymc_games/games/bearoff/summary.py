"""Answers for the command line: everything about one position, or one race, in one object."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games.games.bearoff import exact, heuristics, one_sided, positions
from pymc_games.games.bearoff import race as races
from pymc_games.games.bearoff.moves import ROLLS, describe
from pymc_games.games.bearoff.positions import Position
from pymc_games.games.bearoff.tables import Table
from pymc_games.result import Result, exact_json, json_number


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


def race(own: Position, other: Position, table: Table | None = None) -> dict[str, Any]:
    """Return the JSON document of a race, ``own`` on roll; the optimum from a two-sided table, if one is given."""
    optimal = races.optimal(own, other) if table is None else table.win(own, other)
    rules = {name: asdict(rule(own, other)) for name, rule in heuristics.RULES.items()}
    return {
        "independent": races.independent(own, other).to_json(),
        "independent_off_roll": races.independent(own, other, on_roll=False).to_json(),
        "optimal": optimal.to_json(),
        "pips": [positions.pips(own), positions.pips(other)],
        "heuristics": {
            "effective_pips": [heuristics.effective_pips(float(exact.expected_rolls(side))) for side in (own, other)],
            "kleinman": {
                "metric": json_number(heuristics.kleinman_metric(own, other)),
                "win_probability": heuristics.kleinman_probability(own, other),
            },
            **rules,
        },
    }
