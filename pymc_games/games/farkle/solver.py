"""Win probabilities of all turn starts, between a lower and an upper bound that are fixpoints.

A turn start is (own farkles, other's farkles, own score, other's score), scores counted in steps from the bound.
The mover's value is monotone in the other's values with the sign turned, so sweeps that start from 0 and 1 keep
``lower <= true <= upper``: the lower bound takes ``1 - upper`` of the other player and the other way round. Sums are
moved outwards by more than their rounding error, so this holds in floating point too.

A higher score or turn total is never worse: who has it can play as if he had the lower one, and banks and wins no
later. This is why scoring drops the fewer points of two ways to set aside equally many dice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pymc_games.games.farkle import kernels
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import option_sets
from pymc_games.result import Result

Array = npt.NDArray[np.float64]
_HALF_ULP = 2.0**-53


@dataclass(frozen=True)
class Solution:
    """Bounds ``lower[i, j, own, other]`` and ``upper`` of the mover's win probability at each turn start."""

    rules: Rules
    lower: Array
    upper: Array
    sweeps: int
    seconds: float
    settled: bool

    def at(self, own: int, other: int, own_farkles: int = 0, other_farkles: int = 0) -> Result:
        """Return the value of a turn start; scores are in points."""
        place = (
            own_farkles,
            other_farkles,
            (own - self.rules.bound) // self.rules.step,
            (other - self.rules.bound) // self.rules.step,
        )
        lower, upper = float(self.lower[place]), float(self.upper[place])
        return Result(
            value=(lower + upper) / 2, lower=lower, upper=upper, residual=0.0 if self.settled else None,
            iterations=self.sweeps, method="farkle: ordered sweeps from both sides", seconds=self.seconds,
        )  # fmt: skip


def tables(rules: Rules) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the option sets as flat arrays: starts by dice, first option by set, dice used, steps, and chances."""
    starts, first, used, points, chance = [0], [0], [], [], []
    for dice in range(1, rules.dice + 1):
        for found, probability in option_sets(rules, dice).items():
            used += [way[0] for way in found]
            points += [way[1] // rules.step for way in found]
            first.append(len(used))
            chance.append(float(probability))
        starts.append(len(chance))
    whole = [np.array(numbers, np.int64) for numbers in (starts, first, used, points)]
    return (*whole, np.array(chance))


def solve(rules: Rules, gap: float = 0.0, progress: Callable[[int, float], None] | None = None) -> Solution:
    """Solve the game until the bounds are fixpoints bit for bit, or no further apart than ``gap`` at the start.

    Parameters
    ----------
    rules : Rules
    gap : float
        Width of the first player's interval that is enough; 0 runs to the fixpoints.
    progress : callable, optional
        Called with the number of sweeps and the width after each.
    """
    began = time.perf_counter()
    shape = (rules.farkles, rules.farkles, rules.scores, rules.scores)
    sweep: Callable[..., int] = kernels.sweep
    lower, upper = np.zeros(shape), np.ones(shape)
    flat = tables(rules)
    terms = np.diff(flat[0]) + 4
    least, down = rules.minimum // rules.step, rules.penalty // rules.step
    common: tuple[Any, ...] = (least, down, rules.farkles, rules.dice, *flat)
    start = (0, 0, -rules.bound // rules.step, -rules.bound // rules.step)
    sweeps, changed, width = 0, 1, 1.0
    while changed and (sweeps == 0 or width > gap):
        changed = sweep(lower, upper, True, *common, 1 - terms * _HALF_ULP)
        changed += sweep(upper, lower, False, *common, 1 + terms * _HALF_ULP)
        sweeps, width = sweeps + 1, float(upper[start] - lower[start])
        if progress is not None:
            progress(sweeps, width)
    return Solution(rules, lower, upper, sweeps, time.perf_counter() - began, changed == 0)
