r"""Guess, then prove: one component by policy iteration and an inductive bound in twice the precision.

Where plain iteration crawls, a sparse linear solver gives a candidate :math:`x` for the best policy. With the expected
steps :math:`w` to leave the component, :math:`x - \varepsilon w` and :math:`x + \varepsilon w` are inductive as soon
as :math:`\varepsilon` exceeds the residual of :math:`x`, which refinement in double words makes about :math:`10^{-30}`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from pymc_games.engine import twofloat
from pymc_games.engine.graph import Graph
from pymc_games.explicit import Bools, Floats, Ints

# Larger components are left to iteration: a factorisation might not fit.
MAXIMAL_STATES = 200_000
_ROUNDS = 200


class NotProven(Exception):  # noqa: N818 - not an error: the caller goes on iterating
    """No inductive bound was found this way."""


@dataclass(frozen=True)
class Component:
    """The choices of one component, with everything outside folded into constants.

    The backup of choice ``a`` is ``constant[a] + sum(probability[i] * x[target[i]])`` over its branches
    ``starts[a] : starts[a + 1]`` that stay inside. Every number is a pair ``high + low``.

    Attributes
    ----------
    first : int64 array, shape (states + 1,)
        The choices of local state ``s`` are ``first[s] : first[s + 1]``.
    owners : int64 array, shape (choices,)
    terms : int64 array, shape (choices,)
        Branches of each choice, folded ones included.
    leaves : bool array, shape (choices,)
        Whether some branch of the choice leads out.
    maximise : bool array, shape (states,)
    """

    first: Ints
    owners: Ints
    starts: Ints
    targets: Ints
    probability: tuple[Floats, Floats]
    constant: tuple[Floats, Floats]
    terms: Ints
    leaves: Bools
    maximise: Bools

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.first) - 1

    def matrix(self) -> scipy.sparse.csr_array:
        """Return the probabilities that stay inside, one row a choice."""
        shape = (len(self.owners), self.states)
        return scipy.sparse.csr_array((self.probability[0], self.targets, self.starts), shape=shape)

    def proper_policy(self) -> Ints:
        """Return a policy that leaves the component almost surely: each choice gets closer to an exit.

        Raises
        ------
        NotProven
            If there is none.
        """
        sink = self.states
        rows = np.append(self.starts + np.concatenate(([0], np.cumsum(self.leaves))), 0)
        rows[-1] = rows[-2] + 1
        targets = np.append(np.insert(self.targets, self.starts[1:][self.leaves], sink), sink)
        graph = Graph.from_rows(np.append(self.first, self.first[-1] + 1), rows, targets)
        seed = np.arange(sink + 1) == sink
        usable = np.append(np.isfinite(self.constant[0]), True)
        rank = graph.attractor(seed, np.ones(sink + 1, dtype=np.bool_), None, usable)
        if (rank < 0).any():
            raise NotProven
        closest = np.minimum.reduceat(rank[targets], rows[:-1])[:-1]
        chosen = np.flatnonzero((closest < rank[self.owners]) & usable[:-1])[::-1]
        policy = np.full(self.states, -1, dtype=np.int64)
        policy[self.owners[chosen]] = chosen
        return policy


class _Factorised:
    """The linear system ``x = c + P x`` of one policy."""

    def __init__(self, matrix: scipy.sparse.csr_array, policy: Ints) -> None:
        size = len(policy)
        system = scipy.sparse.identity(size, format="csc") - scipy.sparse.csc_matrix(matrix[policy])
        try:
            self._lu = scipy.sparse.linalg.splu(system)
        except RuntimeError as error:
            raise NotProven from error

    def solve(self, right: Floats) -> Floats:
        """Return ``(I - P)^-1 right``.

        Raises
        ------
        NotProven
            If the solution is not finite.
        """
        solution = self._lu.solve(right)
        if not np.isfinite(solution).all():
            raise NotProven
        return solution


def best_policy(
    component: Component, matrix: scipy.sparse.csr_array, constant: Floats, maximise: Bools, usable: Bools, policy: Ints
) -> tuple[Ints, Floats, _Factorised]:
    """Return an optimal policy, its values and its factorised system, by strategy iteration from ``policy``.

    Minimisers answer each policy of the maximisers by policy iteration, then the maximisers improve (Hoffman and Karp,
    1966); with one player it is Howard's policy iteration.
    """
    for _ in range(_ROUNDS):
        for _ in range(_ROUNDS):
            system = _Factorised(matrix, policy)
            values = system.solve(constant[policy])
            backup = constant + matrix @ values
            better = _improved(component, backup, values, ~maximise, usable, -1.0, policy)
            if (better == policy).all():
                break
            policy = better
        better = _improved(component, backup, values, maximise, usable, 1.0, policy)
        if (better == policy).all():
            return policy, values, system
        policy = better
    raise NotProven


def _improved(
    component: Component, backup: Floats, values: Floats, movers: Bools, usable: Bools, sign: float, policy: Ints
) -> Ints:
    """Return the policy with every strictly better choice of ``movers`` taken."""
    gain = np.where(usable, sign * backup, -np.inf)
    best = np.maximum.reduceat(gain, component.first[:-1])
    threshold = sign * values + 1e-11 * np.maximum(1.0, np.abs(values))
    moving = movers & (best > threshold)
    hits = np.flatnonzero((gain == best[component.owners]) & moving[component.owners])[::-1]
    result = policy.copy()
    result[component.owners[hits]] = hits
    return result


def inductive_bound(component: Component, upper: bool, policy: Ints) -> tuple[Floats, Floats, Ints]:
    """Return an inductive bound on the value, as ``high + low``, and the policy that attains it.

    Raises
    ------
    NotProven
        If no inductive bound was found.
    """
    matrix = component.matrix()
    usable = np.isfinite(component.constant[0])
    if upper and (component.maximise[component.owners] & ~usable).any():
        raise NotProven
    constant = np.where(usable, component.constant[0], 0.0)
    policy, _, system = best_policy(component, matrix, constant, component.maximise, usable, policy)
    for _ in range(_ROUNDS):
        x_high, x_low = _refined(component, system, policy, system.solve(constant[policy]))
        gain = _difference(*_backup(component, x_high, x_low), x_high[component.owners], x_low[component.owners])
        scale = np.maximum(np.abs(x_high[component.owners]), 1e-300)
        sign = np.where(component.maximise[component.owners], 1.0, -1.0)
        better = _switched(component, np.where(usable, sign * gain / scale, -np.inf), policy)
        if (better == policy).all():
            break
        policy, system = better, _Factorised(matrix, better)
    tied = usable & (np.abs(gain) <= 1e-9 * np.maximum(1.0, scale))
    tied[policy] = True
    everyone = np.ones(component.states, dtype=np.bool_)
    _, steps, _ = best_policy(component, matrix, np.ones(len(constant)), everyone, tied, policy)
    return *_inflate(component, upper, policy, (x_high, x_low), steps, usable), policy


def _refined(component: Component, system: _Factorised, policy: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Refine the values of a policy to double words, by corrections from the factorised system."""
    x_high, x_low = values, np.zeros_like(values)
    residual = np.inf
    for _ in range(8):
        high, low = _backup(component, x_high, x_low)
        delta = _difference(high[policy], low[policy], x_high, x_low)
        if np.abs(delta).max() >= residual:
            break
        residual = float(np.abs(delta).max())
        x_high, x_low = _shift(x_high, x_low, system.solve(delta))
    return x_high, x_low


def _switched(component: Component, gain: Floats, policy: Ints) -> Ints:
    """Return the policy with choices taken that gain more than double-word noise."""
    best = np.maximum.reduceat(gain, component.first[:-1])
    hits = np.flatnonzero((gain == best[component.owners]) & (gain > 2.0**-90))[::-1]
    result = policy.copy()
    result[component.owners[hits]] = hits
    return result


def _inflate(
    component: Component, upper: bool, policy: Ints, x: tuple[Floats, Floats], steps: Floats, usable: Bools
) -> tuple[Floats, Floats]:
    """Move the candidate along the expected steps until its induction is proven."""
    sign = 1.0 if upper else -1.0
    # The player whom the bound favours shows one choice; the other must be answered whatever he does.
    required = component.maximise[component.owners] == upper
    required[policy] = True
    epsilon = 2.0**-100 * float(np.abs(x[0]).max(initial=1e-200))
    for _ in range(60):
        high, low = _shift(*x, sign * epsilon * steps)
        low = np.where(high < 0.0, 0.0, low)
        high = np.maximum(high, 0.0)
        backup = _backup(component, high, low)
        margin = twofloat.excess(component.terms, component.owners, *backup, high, low, -sign)
        if (margin[required & usable] >= 0.0).all():
            return high, low
        epsilon *= 4.0
    raise NotProven


def _backup(component: Component, x_high: Floats, x_low: Floats) -> tuple[Floats, Floats]:
    finite = np.isfinite(component.constant[0])
    return twofloat.backup_choices(
        component.starts, component.targets, *component.probability,
        np.where(finite, component.constant[0], 0.0), np.where(finite, component.constant[1], 0.0), x_high, x_low,
    )  # fmt: skip


def _difference(ah: Floats, al: Floats, bh: Floats, bl: Floats) -> Floats:
    return (ah - bh) + (al - bl)


def _shift(high: Floats, low: Floats, by: Floats) -> tuple[Floats, Floats]:
    """Return ``high + low + by`` as a normalised pair."""
    total = high + by
    shadow = total - high
    error = (high - (total - shadow)) + (by - shadow) + low
    result = total + error
    return result, error - (result - total)
