r"""The fewest expected turns to the goal, alone.

Let :math:`T(s, c)` be the expectation at the start of a turn from score :math:`s` after :math:`c` farkles in a row. It
is 1 more than the least expectation of what the turn leads to: :math:`T(s + t, 0)` where :math:`t` points are banked,
0 where they reach the goal, and :math:`T(s, c + 1)` after a farkle or, if that costs the penalty,
:math:`T(\max(s - \text{penalty}, \text{bound}), 0)`. A sweep goes through the scores from the highest one and through
the counts from the last one, so that only penalties and the farkles after them look back.

From 0 the values rise, each backup rounded down, until a sweep changes no bit. The sweep is monotone, also in floats,
so they stay below the true values. A little more than these values is tried as an upper bound: where one sweep rounded
up raises nothing, it is one, because a value is an expected number of turns that each cost 1, and further sweeps lower
it. Rounding: a sum of :math:`k` products of non-negative floats, the weights rounded to nearest, is off by a factor of
at most :math:`(1 + 2^{-53})^{k + 1}` either way (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import option_sets
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHOD = "value iteration from both sides"
_UNIT = 2.0**-53
# What an upper bound is tried above the lower one, relatively: far more than rounding, far less than anybody needs.
_SLACK = 1e-11

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rolls(NamedTuple):
    """The option sets of one to ``dice`` dice, without the farkles, as arrays; points in steps.

    The sets of ``d`` dice are ``dice_to_sets[d - 1] : dice_to_sets[d]``, the options of set ``k`` are
    ``set_to_options[k] : set_to_options[k + 1]``.
    """

    dice_to_sets: Ints
    set_to_options: Ints
    chance: Floats
    farkle: Floats
    left: Ints
    gain: Ints


@dataclass(frozen=True)
class Solitaire:
    """The solution: ``lower <= T <= upper`` by score, from the bound on in steps, and by farkles in a row."""

    rules: Rules
    lower: Floats
    upper: Floats
    sweeps: int
    residual: float
    seconds: float

    def at(self, score: int, farkles: int = 0) -> Result:
        """Return the fewest expected turns from a score, after so many farkles in a row."""
        place = ((score - self.rules.bound) // self.rules.step, farkles)
        lower, upper = float(self.lower[place]), float(self.upper[place])
        middle = lower + 0.5 * (upper - lower)
        return Result(middle, lower, upper, None, self.residual, self.sweeps, METHOD, self.seconds)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the fewest expected turns against the score, for each number of farkles in a row."""
        scores = np.arange(self.rules.bound, self.rules.goal, self.rules.step)
        named = {f"{count} farkles in a row": (scores, self.lower[:, count]) for count in range(self.rules.farkles)}
        return plotting.series(named, ax, horizontal="score", vertical="expected turns")

    def _repr_html_(self) -> str:
        start = self.at(0)
        rows = [
            ("fewest expected turns", digits(start)), ("at least", start.lower), ("at most", start.upper),
            ("residual", self.residual),
        ]  # fmt: skip
        return notebook.facts(f"Farkle alone to {self.rules.goal:,}", rows)


@lru_cache(maxsize=4)
def fewest_turns(rules: Rules) -> Solitaire:
    """Solve the game alone; solutions are kept and shared, so their arrays are read-only."""
    started = time.perf_counter()
    rolls = _rolls(rules)
    minimum, penalty = rules.minimum // rules.step, rules.penalty // rules.step
    lower, sweeps = np.zeros((rules.scores, rules.farkles)), 0
    change = math.inf
    while change > 0.0:
        change, _ = _sweep(rolls, minimum, penalty, lower, False)
        sweeps += 1
    slack, rise = _SLACK, math.inf
    while rise > 0.0:
        upper = lower * (1.0 + slack)
        rise, change = _sweep(rolls, minimum, penalty, upper, True)
        slack *= 10.0
    while change > 0.0:
        _, change = _sweep(rolls, minimum, penalty, upper, True)
        sweeps += 1
    residual = max(_sweep(rolls, minimum, penalty, lower.copy(), False))
    for array in (lower, upper):
        array.flags.writeable = False
    return Solitaire(rules, lower, upper, sweeps, residual, time.perf_counter() - started)


def _rolls(rules: Rules) -> Rolls:
    dice_to_sets, set_to_options = [0], [0]
    chance, farkle, left, gain = [], [], [], []
    for dice in range(1, rules.dice + 1):
        sets = option_sets(rules, dice)
        farkle.append(float(sets.get((), 0)))
        for ways, probability in sets.items():
            if ways:
                chance.append(float(probability))
                left += [dice - used or rules.dice for used, _ in ways]
                gain += [points // rules.step for _, points in ways]
                set_to_options.append(len(left))
        dice_to_sets.append(len(chance))
    return Rolls(
        np.array(dice_to_sets), np.array(set_to_options), np.array(chance), np.array(farkle), np.array(left),
        np.array(gain),
    )  # fmt: skip


@njit(cache=True)
def _sweep(rolls, minimum, penalty, values, upper):  # type: ignore[no-untyped-def]
    """Back every turn start up once in place, rounded up or down; return the largest rise and the largest fall."""
    scores, counts = values.shape
    rise, fall = 0.0, 0.0
    turn = np.zeros((max(scores, minimum) + rolls.gain.max(), len(rolls.farkle) + 1))
    for score in range(scores - 1, -1, -1):
        for count in range(counts - 1, -1, -1):
            farkle = values[score, count + 1] if count + 1 < counts else values[max(score - penalty, 0), 0]
            value = _turn(rolls, minimum, values, score, farkle, upper, turn)
            rise, fall = max(rise, value - values[score, count]), max(fall, values[score, count] - value)
            values[score, count] = value
    return rise, fall


@njit(cache=True)
def _turn(rolls, minimum, values, score, farkle, upper, turn):  # type: ignore[no-untyped-def]
    """Return 1 more than the least expectation of what a turn from a score leads to; ``turn`` is room to work in."""
    scores, dice = len(values), len(rolls.farkle)
    missing = max(scores - score, minimum)
    turn[missing : missing + rolls.gain.max()] = 0.0
    for total in range(missing - 1, -1, -1):
        may_bank = total >= max(minimum, 1)
        for count in range(1, dice + 1):
            first, last = rolls.dice_to_sets[count - 1], rolls.dice_to_sets[count]
            expected = rolls.farkle[count - 1] * farkle
            for roll in range(first, last):
                best = np.inf
                for option in range(rolls.set_to_options[roll], rolls.set_to_options[roll + 1]):
                    value = turn[total + rolls.gain[option], rolls.left[option]]
                    if value < best:  # noqa: PLR1730 - min() would also look for NaN
                        best = value
                expected += rolls.chance[roll] * best
            expected *= 1.0 + (last - first + 5) * _UNIT if upper else 1.0 - (last - first + 5) * _UNIT
            turn[total, count] = min(expected, values[score + total, 0]) if may_bank else expected
    return (1.0 + turn[0, dice]) * (1.0 + 4.0 * _UNIT if upper else 1.0 - 4.0 * _UNIT)
