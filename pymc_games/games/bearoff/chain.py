"""The absorbing chain of a bearoff under a fixed policy, solved as textbooks do.

In canonical form the transition matrix of a chain with absorbing states is::

    P = [ Q  R ]
        [ 0  I ]

With ``Q`` between transient states, the fundamental matrix ``N = (I - Q)^-1`` holds the expected visits, ``t = N 1``
the expected steps to absorption and ``(2 N - I) t - t^2`` their variances (Kemeny & Snell, Finite Markov Chains, 1960).
Here the transient states are the positions but the empty one, in the order of their numbers, so that ``Q`` is strictly
lower triangular and no inverse is ever formed: each answer is one substitution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve_triangular

from pymc_games import notebook, plotting
from pymc_games.games.bearoff import one_sided
from pymc_games.games.bearoff.moves import WEIGHTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AbsorbingChain:
    """A chain with one absorbing state.

    Attributes
    ----------
    q : sparse matrix, shape (n, n)
        Probabilities between transient states, strictly lower triangular.
    r : float64 array, shape (n,)
        Probability to be absorbed at the next step.
    """

    q: sp.csr_array
    r: Floats

    def solve(self, right: Floats) -> Floats:
        """Return ``N right``, by forward substitution in ``(I - Q) x = right``."""
        solution: Floats = spsolve_triangular(self._identity_minus_q(), right, lower=True, unit_diagonal=True)
        return solution

    def expected_visits(self, start: int) -> Floats:
        """Return row ``start`` of the fundamental matrix: expected visits to every state, the first one included."""
        unit = np.zeros(self.q.shape[0])
        unit[start] = 1.0
        transposed = sp.csr_array(self._identity_minus_q().T)
        visits: Floats = spsolve_triangular(transposed, unit, lower=False, unit_diagonal=True)
        return visits

    def expected_steps(self) -> Floats:
        """Return the expected steps to absorption from every state, ``t = N 1``."""
        return self.solve(np.ones(self.q.shape[0]))

    def variance(self) -> Floats:
        """Return the variance of the steps to absorption from every state, ``(2 N - I) t - t^2``."""
        t = self.expected_steps()
        return 2 * self.solve(t) - t - t**2

    def absorbed_within(self, start: int, steps: int) -> Floats:
        """Return the probability to be absorbed within 0, 1, ..., ``steps`` steps, by powers of ``Q``."""
        mass: Floats = np.zeros(self.q.shape[0])
        mass[start] = 1.0
        found = np.zeros(steps + 1)
        for k in range(1, steps + 1):
            found[k] = found[k - 1] + mass @ self.r
            mass = self.q.T @ mass
        return found

    def plot(self, ax: Axes | None = None, *, start: int | None = None) -> Axes:
        """Draw the distribution of the steps to absorption from a state, the last one by default."""
        start = self.q.shape[0] - 1 if start is None else start
        mean, variance = float(self.expected_steps()[start]), float(self.variance()[start])
        # Ten standard deviations leave out at most 1 %, whatever the distribution (Chebyshev).
        within = self.absorbed_within(start, math.ceil(mean + 10 * math.sqrt(max(variance, 0.0))))
        ax = plotting.distribution(np.diff(within, prepend=0.0), ax, mean=mean, unit="steps")
        ax.set_title(f"from state {start}")
        return ax

    def _repr_html_(self) -> str:
        steps = self.expected_steps()
        rows = [
            ("transient states", f"{len(steps):,}"), ("transitions between them", f"{self.q.nnz:,}"),
            ("most expected steps", f"{steps.max():.12g}"), ("from state", int(steps.argmax())),
        ]  # fmt: skip
        return notebook.facts("Absorbing chain", rows)

    def _identity_minus_q(self) -> sp.csr_array:
        return sp.csr_array(sp.eye_array(self.q.shape[0], format="csr") - self.q)


def bearoff_chain(checkers: int) -> AbsorbingChain:
    """Return the chain under the policy of fewest expected rolls; transient state ``i`` is position ``i + 1``."""
    best = one_sided.solve(checkers).best[1:]
    rows = np.repeat(np.arange(len(best)), best.shape[1])
    weights = np.tile(np.array(WEIGHTS) / 36, len(best))
    matrix = sp.csr_array((weights, (rows, best.ravel())), shape=(len(best), len(best) + 1))
    return AbsorbingChain(sp.csr_array(matrix[:, 1:]), matrix[:, [0]].toarray().ravel())


def exact_visits(checkers: int, start: int) -> dict[int, Fraction]:
    """Return the expected visits from position number ``start``, exactly, to all positions that are met."""
    best = one_sided.solve(checkers).best
    visits = {start: Fraction(1)}
    # Plays lead to smaller numbers: a position's visits are complete when its turn comes from above.
    for i in range(start, 0, -1):
        if i in visits:
            for weight, s in zip(WEIGHTS, best[i], strict=True):
                visits[int(s)] = visits.get(int(s), Fraction(0)) + Fraction(weight, 36) * visits[i]
    visits.pop(0)
    return visits
