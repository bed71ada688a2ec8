"""Win probabilities of all turn starts, between a lower and an upper bound that are fixpoints.

The mover's value falls as the other player's rises, so each sweep takes the lower bound from the other player's upper
bound and the other way round. Sweeps that start from 0 and 1 keep ``lower <= true <= upper``, and they are monotone in
floating point too: sums, maxima and products are, and every sum is moved outwards by more than its rounding error. So
both bounds stop at fixpoints bit for bit.

Banking raises the sum of both scores. A farkle leaves it and raises the sum of the farkle counts, unless it brings the
penalty. With the sums in this order one pass over all turn starts is exact but for the penalties, and the number of
sweeps is the number of penalties in a game that are not negligible.

A higher turn total is never worse, since who has it can play as if he had the lower one. That is why scoring leaves out
the fewer points of two ways to set aside equally many dice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pymc_games import memory, notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.farkle import kernels
from pymc_games.games.farkle.lanes import LANES
from pymc_games.games.farkle.program import FACTOR_ROW, Program, compile_rolls
from pymc_games.games.farkle.rules import Rules
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

#: From so many states on a sweep uses all cores.
PARALLEL_FROM = 1_000_000

#: Called with the sweep's number, the levels done in it, all its levels, and the widest gap after the last sweep.
Progress = Callable[[int, int, int, float], None]


@dataclass(frozen=True)
class Values:
    """Bounds on the mover's win probability at each turn start.

    Attributes
    ----------
    lower, upper : float array [farkles, farkles, scores, scores]
        By own farkles, other's farkles, own score, other's score; scores in steps from the rules' bound.
    sweeps : int
        Sweeps made since the bounds were 0 and 1.
    changed : int
        Bounds that the last sweep changed; 0 at the fixpoints.
    seconds : float
        Time that the sweeps took since they began or went on.
    """

    rules: Rules
    lower: Array
    upper: Array
    sweeps: int = 0
    changed: int = -1
    seconds: float = 0.0

    @property
    def gap(self) -> float:
        """Greatest distance between the bounds of a turn start."""
        return float(np.max(self.upper - self.lower))

    def index(self, own: int, other: int, own_farkles: int = 0, other_farkles: int = 0) -> tuple[int, int, int, int]:
        """Return the place of a turn start in the arrays; scores are in points.

        Raises
        ------
        UsageError
            If there is no such turn start.
        """
        rules = self.rules
        for score in (own, other):
            if not rules.bound <= score < rules.goal or score % rules.step:
                raise UsageError(
                    f"score {score}: scores are multiples of {rules.step} from {rules.bound} to below {rules.goal}"
                )
        for count in (own_farkles, other_farkles):
            if not 0 <= count < rules.farkles:
                raise UsageError(f"{count} farkles in a row: 0 to {rules.farkles - 1} are possible at a turn's start")
        steps = [(score - rules.bound) // rules.step for score in (own, other)]
        return own_farkles, other_farkles, steps[0], steps[1]

    def at(self, own: int, other: int, own_farkles: int = 0, other_farkles: int = 0) -> Result:
        """Return the mover's win probability at a turn start; scores are in points."""
        place = self.index(own, other, own_farkles, other_farkles)
        lower, upper = float(self.lower[place]), float(self.upper[place])
        return Result(
            (lower + upper) / 2, lower, upper, residual=0.0 if self.changed == 0 else None, iterations=self.sweeps,
            method="sweeps by total score from below and above", seconds=self.seconds,
        )  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the mover's chance for all scores from 0 on, nobody having farkled."""
        rules = self.rules
        first = -rules.bound // rules.step
        chances = (self.lower[0, 0, first:, first:] + self.upper[0, 0, first:, first:]) / 2
        rows, columns = f"own score / {rules.step}", f"opponent's score / {rules.step}"
        ax = plotting.heat_map(chances, ax, rows=rows, columns=columns, meaning="chance to win")
        ax.set_title("chances of the player on move")
        return ax

    def _repr_html_(self) -> str:
        rules, first = self.rules, self.at(0, 0)
        rows = [
            ("first player wins", digits(first)), ("at least", first.lower), ("at most", first.upper),
            ("states", f"{rules.states():,}"), ("sweeps", self.sweeps),
            ("bounds changed by the last sweep", self.changed),
        ]  # fmt: skip
        return notebook.facts(f"Farkle to {rules.goal:,}", rows)


def start(rules: Rules) -> Values:
    """Return the bounds 0 and 1."""
    shape = (rules.farkles, rules.farkles, rules.scores, rules.scores)
    return Values(rules, np.zeros(shape), np.ones(shape))


def needed_bytes(rules: Rules) -> int:
    """Return about how much memory a solve takes: both bounds, both again in the mapped file, and the libraries."""
    return 100_000_000 + 2 * 2 * 8 * (rules.farkles * rules.scores) ** 2


def refuse_if_too_large(rules: Rules) -> None:
    """Refuse rules whose bounds do not fit in the memory that is left.

    Raises
    ------
    MemoryEstimateError
        With the estimate.
    """
    sizes = f"{(rules.farkles * rules.scores) ** 2:,} turn starts and {rules.states():,} states"
    memory.refuse_if_too_large(f"Farkle to {rules.goal:,}", needed_bytes(rules), sizes)


def sweep(values: Values, progress: Progress | None = None) -> Values:
    """Return the bounds after one pass over all turn starts, those with the greatest total score first.

    The arrays of ``values`` are changed in place.
    """
    began = time.perf_counter()
    program = compile_rolls(values.rules)
    parallel = values.rules.states() >= PARALLEL_FROM
    sweep_level = kernels.sweep_level_in_parallel if parallel else kernels.sweep_level
    buffers = np.stack([buffer(values.rules, program)] * (kernels.cores() if parallel else 1))
    levels = 2 * values.rules.scores - 1
    changed, gap = 0, values.gap
    for done, total in enumerate(range(levels - 1, -1, -1), 1):
        changed += sweep_level(values.lower, values.upper, total, limits(values.rules), *instructions(program), buffers)
        if progress is not None:
            progress(values.sweeps + 1, done, levels, gap)
    seconds = values.seconds + time.perf_counter() - began
    return Values(values.rules, values.lower, values.upper, values.sweeps + 1, changed, seconds)


def solve(
    rules: Rules,
    gap: float = 0.0,
    *,
    resume: Values | None = None,
    progress: Progress | None = None,
    keep: Callable[[Values], None] | None = None,
) -> Values:
    """Sweep until the bounds are fixpoints, or nowhere further apart than ``gap``.

    Parameters
    ----------
    rules : Rules
    gap : float
        A distance between the bounds that is small enough; 0 goes on to the fixpoints.
    resume : Values, optional
        Go on from these bounds; they must be of the same rules.
    progress, keep : callable, optional
        Called after each level and after each sweep.
    """
    values = start(rules) if resume is None else resume
    while values.changed != 0 and not values.gap <= gap:
        values = sweep(values, progress)
        if keep is not None:
            keep(values)
    return values


def limits(rules: Rules) -> tuple[int, int, int, int]:
    """Return the number of scores, the least bank, the farkles in a row and the penalty, as steps."""
    return rules.scores, rules.minimum // rules.step, rules.farkles, rules.penalty // rules.step


def instructions(program: Program) -> tuple:
    """Return a program as the arguments of the kernels."""
    return (
        program.dice, program.maxima, program.terms, program.weights, program.maxima_from, program.terms_from,
        program.fixed, program.reach,
    )  # fmt: skip


def buffer(rules: Rules, program: Program) -> Array:
    """Return a turn's buffer with its rounding factors filled in."""
    goal, minimum, _, _ = limits(rules)
    totals = goal + minimum
    rows = np.zeros((program.fixed + (totals + program.reach) * program.dice + totals, LANES))
    rows[FACTOR_ROW : FACTOR_ROW + program.dice] = np.repeat(program.factors, LANES // 2, axis=1)
    return rows.ravel()
