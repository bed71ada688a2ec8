"""What the engine is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.errors import ModelError, UnsupportedError
from pymc_games.explicit import Bools, ExactNumbers, ExplicitModel, Floats, Ints
from pymc_games.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Query:
    """A reachability probability, or an expected reward until a target, for every state.

    Attributes
    ----------
    kind : {'probability', 'reward'}
        The probability of ``through U target``, or the expected reward collected until ``target`` is reached,
        which is infinite where the target is not reached almost surely.
    target : bool array, shape (states,)
    maximise : bool array, shape (states,)
        Whether the owner of the state wants the value large. All true for ``Pmax``, all false for ``Pmin``.
    through : bool array, shape (states,), or None
        States that a path may pass before the target; all by default. Only for probabilities.
    steps : int or None
        At most so many steps; unbounded by default. Only for probabilities.
    reward : ExactNumbers or None
        Expected reward of each choice, at least 0; shape (choices,). Only for rewards.
    """

    kind: Literal["probability", "reward"]
    target: Bools
    maximise: Bools
    through: Bools | None = None
    steps: int | None = None
    reward: ExactNumbers | None = None

    def validate(self, model: ExplicitModel) -> None:
        """Check that the query fits the model.

        Raises
        ------
        ModelError
            If an array has the wrong length, or a reward query has no rewards.
        UnsupportedError
            If a reward is negative.
        """
        for array in (self.target, self.maximise, self.through):
            if array is not None and len(array) != model.states:
                raise ModelError(f"a query over {len(array)} states for a model of {model.states}")
        if self.kind == "probability":
            return
        if self.reward is None or len(self.reward) != model.choices:
            raise ModelError("a reward query needs one reward for each choice")
        if self.through is not None or self.steps is not None:
            raise UnsupportedError("rewards are supported until a target is reached, without a step bound")
        for value in self.reward.table:
            if value < 0:
                raise UnsupportedError(f"negative rewards are not supported (a reward is {value})")


@dataclass(frozen=True)
class Solution:
    """The answer for every state, with proven bounds and a scheduler.

    Attributes
    ----------
    lower, upper, value : float64 arrays, shape (states,)
        ``lower <= true value <= upper``, both infinite where the value is.
    exact : list of Fraction or None
        The rational value of every state (``None`` in the list: infinite), where asked for and feasible.
    choice : int64 array, shape (states,), or None
        Where asked for: the choice to take, counted from the first of its state, that achieves ``lower`` for a
        maximiser and ``upper`` for a minimiser; -1 where it does not matter.
    residual : float
        Largest change of ``lower`` by one more Bellman backup over all states.
    lower_pair, upper_pair : pair of float64 arrays, or None
        Given where some component needed twice the precision: the inductive bounds are then the exact sums
        ``high + low`` of the two arrays, and ``lower`` and ``upper`` their outward roundings.
    note : str
        What was asked for and could not be given, in one sentence.
    """

    lower: Floats
    upper: Floats
    choice: Ints | None
    residual: float
    iterations: int
    method: str
    seconds: float
    exact: list[Fraction | None] | None = None
    lower_pair: tuple[Floats, Floats] | None = None
    upper_pair: tuple[Floats, Floats] | None = None
    note: str = ""

    @property
    def value(self) -> Floats:
        """A float between the bounds for each state: the nearest one to the exact value, or else the midpoint."""
        if self.exact is not None:
            return np.array([np.inf if x is None else float(x) for x in self.exact])
        with np.errstate(invalid="ignore"):
            middle = self.lower + 0.5 * (self.upper - self.lower)
        return np.where(np.isinf(self.upper), self.lower, middle)

    def at(self, state: int) -> Result:
        """Return the result of one state."""
        exact = None if self.exact is None else self.exact[state]
        lower, upper = float(self.lower[state]), float(self.upper[state])
        middle = lower if np.isinf(upper) else lower + 0.5 * (upper - lower)
        value = middle if exact is None else float(exact)
        return Result(value, lower, upper, exact, self.residual, self.iterations, self.method, self.seconds)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the finite values in rising order, between their bounds."""
        return plotting.ranked(self.lower, self.value, self.upper, ax, unit="states")

    def _repr_html_(self) -> str:
        finite = np.isfinite(self.upper)
        widest = float((self.upper[finite] - self.lower[finite]).max(initial=0.0))
        rows = [
            ("states", f"{len(self.lower):,}"), ("widest bounds", widest), ("residual", self.residual),
            ("iterations", self.iterations), ("exact", "no" if self.exact is None else "yes"),
        ]  # fmt: skip
        return notebook.facts(self.method, rows)


def all_states(model: ExplicitModel, value: bool) -> NDArray[np.bool_]:
    """Return a mask that is the same for all states; the ``maximise`` of an MDP."""
    return np.full(model.states, value)
