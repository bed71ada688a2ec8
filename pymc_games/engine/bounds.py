"""Bounds in progress: floats, and double words where a component needed them."""

from __future__ import annotations

import copy
from fractions import Fraction

import numpy as np

from pymc_games.engine.problem import Problem
from pymc_games.explicit import Bools, ExactNumbers, Floats, Ints


class Bounds:
    """Lower and upper bounds that a solution in progress tightens.

    Attributes
    ----------
    lower, upper : float64 arrays, shape (states,)
    refined : bool array, shape (states,)
        Where a pair ``high + low`` is the inductive bound, and the float only its outward rounding.
    lower_pair, upper_pair : pairs of float64 arrays, or None
        Those pairs, once a component needed them.
    iterations : int
    methods : set of str
    """

    def __init__(self, problem: Problem) -> None:
        self.lower = problem.lower.copy()
        self.upper = problem.upper.copy()
        self.refined: Bools = np.zeros(len(self.lower), dtype=np.bool_)
        self.lower_pair: tuple[Floats, Floats] | None = None
        self.upper_pair: tuple[Floats, Floats] | None = None
        self.iterations = 0
        self.methods = {"topological interval iteration"}

    def lifted(self, block: Ints) -> Bounds:
        """Return the same bounds for a model of which this one is the quotient; ``block`` numbers its states."""
        result = copy.copy(self)
        result.lower, result.upper, result.refined = self.lower[block], self.upper[block], self.refined[block]
        if self.lower_pair is not None and self.upper_pair is not None:
            result.lower_pair = (self.lower_pair[0][block], self.lower_pair[1][block])
            result.upper_pair = (self.upper_pair[0][block], self.upper_pair[1][block])
        return result

    def outside(self, upper: bool) -> tuple[Floats, Floats, Floats, Bools]:
        """Return the float bound, the pair ``high, low``, and where the pair counts instead."""
        bound, pair = (self.upper, self.upper_pair) if upper else (self.lower, self.lower_pair)
        high, low = (np.zeros(0), np.zeros(0)) if pair is None else pair
        return bound, high, low, self.refined

    def pair(self, upper: bool) -> tuple[Floats, Floats]:
        """Return the bound as ``high + low``: the refined pair where there is one, else the float."""
        bound, pair = (self.upper, self.upper_pair) if upper else (self.lower, self.lower_pair)
        if pair is None:
            return bound, np.zeros_like(bound)
        return np.where(self.refined, pair[0], bound), np.where(self.refined, pair[1], 0.0)

    def refine(self, members: Ints, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]) -> None:
        """Take over inductive pairs for ``members``; the floats become their outward roundings."""
        if self.lower_pair is None or self.upper_pair is None:
            self.lower_pair = (np.zeros_like(self.lower), np.zeros_like(self.lower))
            self.upper_pair = (np.zeros_like(self.lower), np.zeros_like(self.lower))
        self.refined[members] = True
        for pair, new in ((self.lower_pair, lower), (self.upper_pair, upper)):
            pair[0][members], pair[1][members] = new
        self.lower[members] = np.where(lower[1] < 0.0, np.nextafter(lower[0], -np.inf), lower[0])
        self.upper[members] = np.where(upper[1] > 0.0, np.nextafter(upper[0], np.inf), upper[0])


def double_words(numbers: ExactNumbers) -> tuple[Floats, Floats]:
    """Return the distinct numbers of a table as ``high + low`` (the index stays with the caller)."""
    high = np.array([float(x) for x in numbers.table])
    low = np.array([float(x - Fraction(h)) for x, h in zip(numbers.table, high.tolist(), strict=True)])
    return high, low
