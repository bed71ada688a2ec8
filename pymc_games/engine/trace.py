"""How bounds close in: plain sweeps over a whole model, recorded one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pymc_games import notebook, plotting
from pymc_games.engine import sweeps
from pymc_games.engine.problem import prepare
from pymc_games.engine.query import Query
from pymc_games.errors import UnsupportedError
from pymc_games.explicit import ExplicitModel, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Trace(NamedTuple):
    """Bounds of the initial state after 0, 1, 2, ... sweeps; float64 arrays, shape (sweeps + 1,)."""

    lower: Floats
    upper: Floats

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how the bounds close in."""
        return plotting.convergence(self.lower, self.upper, ax)

    def _repr_html_(self) -> str:
        rows = [(sweep, self.lower[sweep], self.upper[sweep]) for sweep in notebook.doubling(len(self.lower))]
        return notebook.table("Bounds by sweep", ("sweeps", "at least", "at most"), rows)


def bounds_by_sweep(model: ExplicitModel, query: Query, count: int) -> Trace:
    """Return the bounds of the initial state after 0, 1, ..., ``count`` synchronous sweeps over all states.

    The bounds start at 0 and 1 where the graph does not decide the value, and every backup is rounded outwards, so all
    of them hold. With an end component the upper one may stay above the value for ever; `solve` deals with these.

    Raises
    ------
    UnsupportedError
        For rewards and for step-bounded queries.
    """
    if query.kind != "probability" or query.steps is not None:
        raise UnsupportedError("bounds by sweep are recorded for unbounded reachability probabilities only")
    query.validate(model)
    problem = prepare(model, query)
    states = np.flatnonzero(problem.maybe)
    sides = [problem.lower.copy(), problem.upper.copy()]
    record = np.empty((2, count + 1))
    record[:, 0] = [side[model.initial_state] for side in sides]
    for sweep in range(1, count + 1):
        for place, downwards in enumerate((True, False)):
            sides[place] = sweeps.synchronous(problem.rows, states, sides[place], downwards, 1)
            record[place, sweep] = sides[place][model.initial_state]
    return Trace(record[0], record[1])
