"""Checking properties with Storm.

Storm's own bounds are computed in floats that are rounded to nearest, and its float models hold rounded probabilities.
So the bounds of a float answer are widened by `ROUNDING`, relative; exact answers are not touched.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import stormpy

from pymc_games import notebook, plotting
from pymc_games.errors import StormError, UnsupportedError
from pymc_games.explicit import Floats, Ints
from pymc_games.properties import Property, choose_reward, parse_property
from pymc_games.rationals import read_fraction
from pymc_games.result import Result, enclose
from pymc_games.storm.calls import interruptible, translating
from pymc_games.storm.models import StormModel, build, formula_of, spoken
from pymc_games.storm.programs import parse_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Relative widening of Storm's float bounds, for the roundings that they do not account for.
ROUNDING = 2.0**-40
#: Precision asked of Storm's sound methods, relative, unless another is given.
PRECISION = 1e-6


@dataclass(frozen=True)
class Answer:
    """Storm's answer to one property in all states; arrays of shape (states,).

    ``exact`` holds a Fraction, or an infinite float, for each state of an exact model. ``choice`` is the scheduler: the
    index of the choice within its state, -1 where none is defined.
    """

    value: Floats
    lower: Floats
    upper: Floats
    method: str
    seconds: float
    exact: Sequence[Fraction | float] | None = None
    choice: Ints | None = None

    def at(self, state: int) -> Result:
        """Return the result for one state."""
        number = None if self.exact is None else self.exact[state]
        return Result(
            float(self.value[state]), float(self.lower[state]), float(self.upper[state]),
            exact=number if isinstance(number, Fraction) else None, method=self.method, seconds=self.seconds,
        )  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the finite values in rising order, between their bounds."""
        return plotting.ranked(self.lower, self.value, self.upper, ax, unit="states")

    def _repr_html_(self) -> str:
        finite = np.isfinite(self.upper)
        rows = [
            ("states", f"{len(self.value):,}"),
            ("widest bounds", float((self.upper[finite] - self.lower[finite]).max(initial=0.0))),
            ("exact", "no" if self.exact is None else "yes"),
        ]
        return notebook.facts(self.method, rows)

    def complement(self) -> Answer:
        """Return the answer to the complementary property: each probability is 1 minus this one's."""
        exact = None if self.exact is None else [1 - number for number in self.exact]
        lower = 1.0 - np.nextafter(self.upper, np.inf)
        upper = 1.0 - np.nextafter(self.lower, -np.inf)
        value = 1.0 - self.value if exact is None else np.array([float(number) for number in exact])
        return replace(self, value=value, lower=lower, upper=upper, exact=exact)


def check(model: StormModel, prop: Property | str, *, precision: float = PRECISION, scheduler: bool = False) -> Answer:
    """Check one property in all states; a bound such as ``P>=1/2`` is answered by the number behind it.

    Parameters
    ----------
    precision : float
        Relative width asked of the sound method; an exact model is solved exactly.
    scheduler : bool
        Whether to extract an optimal scheduler.

    Raises
    ------
    StormError
        If Storm fails or gives no answer, as it does for coalitions in games.
    UnsupportedError
        For negative rewards, whose bounds in Storm can be false.
    """
    if isinstance(prop, str):
        prop = parse_property(prop)
    formula = formula_of(model.program, prop, deterministic=model.type == "dtmc")
    if prop.operator == "R":
        _refuse_negative_rewards(model, choose_reward(prop, tuple(model.handle.reward_models)))
    environment = _environment(model.exact, precision)
    started = time.perf_counter()
    with translating(f"{model.source}: {prop.text}", StormError):
        result = interruptible(
            lambda: stormpy.model_checking(model.handle, formula, extract_scheduler=scheduler, environment=environment)
        )
    seconds = time.perf_counter() - started
    if result is None:
        raise StormError(f"Storm gives no answer to {prop.text} on {model.source} ({model.type}); use --engine native")
    answer = _answer(model, result, seconds, scheduler)
    if prop.operator == "P":
        answer = replace(answer, upper=np.minimum(answer.upper, 1.0))
    return answer if spoken(prop) is prop else answer.complement()


def check_text(
    text: str,
    properties: Sequence[str],
    *,
    constants: Mapping[str, Any] | None = None,
    exact: bool = False,
    precision: float = PRECISION,
) -> list[Result]:
    """Check properties on PRISM text and return their results in the initial state.

    Raises
    ------
    GamesError
        As `parse_text`, `build` and `check` do.
    """
    asked = [parse_property(prop) for prop in properties]
    model = build(parse_text(text, constants), asked, exact=exact)
    return [check(model, prop, precision=precision).at(model.initial_state) for prop in asked]


def _environment(exact: bool, precision: float) -> Any:
    if exact:
        return stormpy.environments.exact()
    environment = stormpy.environments.sound()
    for solver in (environment.solver().native(), environment.solver().min_max()):
        solver.precision = stormpy.Rational(str(Fraction(precision)))
    return environment


def _refuse_negative_rewards(model: StormModel, name: str) -> None:
    """Refuse negative rewards: Storm's sound methods then report bounds that do not hold."""
    rewards = model.handle.reward_models[name]
    vectors = (
        rewards.state_rewards if rewards.has_state_rewards else (),
        rewards.state_action_rewards if rewards.has_state_action_rewards else (),
    )
    if any(len(vector) and min(vector) < 0 for vector in vectors):
        raise UnsupportedError(
            f'{model.source}: the reward model "{name}" has negative rewards, for which Storm\'s bounds can be false; '
            "shift the rewards so that none is negative"
        )


def _answer(model: StormModel, result: Any, seconds: float, scheduler: bool) -> Answer:
    values = result.get_value_vector()
    choice = _choices(result.get_scheduler(), len(values)) if scheduler and result.has_scheduler() else None
    if model.exact:
        exact = [x if isinstance(x, float) else read_fraction(str(x)) for x in values]
        bounds = np.array([(x, x) if isinstance(x, float) else enclose(x) for x in exact]).reshape(-1, 2)
        floats = np.array([float(x) for x in exact])
        return Answer(floats, bounds[:, 0], bounds[:, 1], "storm, exact", seconds, exact, choice)
    value = np.array(values, dtype=np.float64)
    lower = (
        np.array(result.get_lower_bound_vector(), dtype=np.float64)
        if result.has_lower_bounds()
        else np.zeros_like(value)
    )
    upper = (
        np.array(result.get_upper_bound_vector(), dtype=np.float64)
        if result.has_upper_bounds()
        else np.full_like(value, np.inf)
    )
    lower = np.where(np.isnan(lower), 0.0, lower) * (1 - ROUNDING)
    upper = np.where(np.isnan(upper), np.inf, upper) * (1 + ROUNDING)
    return Answer(value, np.minimum(lower, value), np.maximum(upper, value), "storm, sound", seconds, None, choice)


def _choices(scheduler: Any, states: int) -> Ints:
    if not (scheduler.memoryless and scheduler.deterministic):
        raise StormError("Storm's scheduler is not memoryless and deterministic; such schedulers are not supported")
    chosen = (scheduler.get_choice(state) for state in range(states))
    numbers = (int(choice.get_deterministic_choice()) if choice.defined else -1 for choice in chosen)
    return np.fromiter(numbers, np.int64, states)
