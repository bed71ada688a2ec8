r"""Pig solved: values of optimal play and of any two policies, between proven bounds.

Let :math:`M(i, j, k)` be the chance of the player on move with score :math:`i` against :math:`j` and turn total
:math:`k`, and :math:`W(i, j, k)` that of the same player, same scores, while the opponent is on move. With optimal play
on both sides,

.. math::

    M(i, j, k) &= \max\bigl(\tfrac1d [W(i, j, 0) + \sum_f M(i, j, k + f)],\; W(i + k, j, 0)\bigr), \\
    W(i, j, k) &= \min\bigl(\tfrac1d [M(i, j, 0) + \sum_f W(i, j, k + f)],\; M(i, j + k, 0)\bigr),

over the scoring faces :math:`f`; :math:`M = 1` and :math:`W = 0` once the player on move has reached the goal. Every
value is one player's chance, so the operator is monotone, and so is its evaluation in floats in a fixed order. From 0
the iterates can therefore only rise, through finitely many floats, until nothing changes: the residual is exactly 0.

**Bounds.** A sum of :math:`n` non-negative floats and one product have a relative error of at most
:math:`(1 + u)^n`, :math:`u = 2^{-53}`. With the weight rounded down to :math:`w \le (1 - n u) / d` instead of
:math:`1/d`, each computed backup is at most the exact one, and so are all iterates: the fixpoint is a lower bound. The
upper bound needs no second idea: play ends with probability 1, so a player's chance is 1 minus the opponent's, and the
same computation bounds the opponent's chance from below.

Source of the equations: Neller and Presser, 'Optimal Play of the Dice Game Pig', UMAP Journal 25(1), 2004.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.pig import kernels
from pymc_games.games.pig.rules import Rules
from pymc_games.result import Result, digits, enclose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Policy = NDArray[np.bool_]  # whether to hold, by own score, other score and turn total; shape (goal, goal, goal)
Floats = NDArray[np.float64]

METHOD = "monotone iteration by score pairs, rounded outwards"


@dataclass(frozen=True)
class Chances:
    """One player's winning chances at a fixpoint, by own score, opponent's score and turn total.

    Attributes
    ----------
    moving, waiting : float arrays, shape (goal, goal, goal + die)
        Chances on move, and while the opponent is on move with that turn total. Beyond the goal: 1 and 0.
    sweeps : int
        Most sweeps that a score pair took.
    """

    rules: Rules
    weight: float
    moving: Floats
    waiting: Floats
    sweeps: int

    def after_roll(self, own: int, other: int, total: int) -> float:
        """Return the player's chance if they roll."""
        return self._backup(self.waiting[own, other, 0], self.moving[own, other], total)

    def after_opponents_roll(self, own: int, other: int, total: int) -> float:
        """Return the player's chance if the opponent, on move with turn total ``total``, rolls."""
        return self._backup(self.moving[own, other, 0], self.waiting[own, other], total)

    def _backup(self, after_bust: float, turn: Floats, total: int) -> float:
        chance = after_bust
        for face in self.rules.scoring:
            chance += turn[total + face]
        return float(chance * self.weight)

    def after_rolls(self) -> Floats:
        """Return `after_roll` for all states; shape (goal, goal, goal)."""
        return self._backups(self.waiting, self.moving)

    def after_holds(self) -> Floats:
        """Return the player's chance after holding, for all states; shape (goal, goal, goal), 1 beyond the goal."""
        own, other, total = self._indices()
        banked = np.minimum(own + total, self.rules.goal)
        starts = np.vstack([self.waiting[:, :, 0], np.ones((1, self.rules.goal))])
        return starts[banked, other]

    def residual(self, mine: NDArray[np.int8], theirs: NDArray[np.int8]) -> float:
        """Return the largest change that one more backup over all states would make."""
        own, other, total = self._indices()
        undecided = own + total < self.rules.goal
        moving = _choose(mine, self.after_rolls(), self.after_holds(), np.maximum)
        change = np.where(undecided, np.abs(moving - self.moving[:, :, : self.rules.goal]), 0.0).max()
        starts = np.vstack([self.moving[:, :, 0].T, np.zeros((1, self.rules.goal))])
        after_holds = starts[np.minimum(own + total, self.rules.goal), other]  # by the opponent's own score first
        rolls = self._backups(self.moving, self.waiting).transpose(1, 0, 2)
        waiting = _choose(theirs, rolls, after_holds, np.minimum)
        known = self.waiting[:, :, : self.rules.goal].transpose(1, 0, 2)
        return float(max(change, np.where(undecided, np.abs(waiting - known), 0.0).max()))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the player's chance at the start of their turn, for all scores."""
        ax = plotting.heat_map(
            self.moving[:, :, 0], ax, rows="own score", columns="opponent's score", meaning="chance to win"
        )
        ax.set_title("chances of the player on move")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("on move at 0 to 0", self.moving[0, 0, 0]),
            ("waiting at 0 to 0", self.waiting[0, 0, 0]),
            ("sweeps", self.sweeps),
        ]
        return notebook.facts(f"One player's chances in Pig to {self.rules.goal}", rows)

    def _backups(self, after_bust: Floats, turn: Floats) -> Floats:
        goal = self.rules.goal
        chances = np.repeat(after_bust[:, :, :1], goal, axis=2)
        for face in self.rules.scoring:
            chances += turn[:, :, face : face + goal]
        chances *= self.weight
        return chances

    def _indices(self) -> tuple[NDArray, NDArray, NDArray]:
        places = np.arange(self.rules.goal)
        return places[:, None, None], places[None, :, None], places[None, None, :]


def _choose(policy: NDArray[np.int8], rolls: Floats, holds: Floats, better: np.ufunc) -> Floats:
    chosen: Floats = np.where(policy == kernels.FREE, better(rolls, holds), np.where(policy == 1, holds, rolls))
    chosen[:, :, 0] = rolls[:, :, 0]
    return chosen


@dataclass(frozen=True)
class Duel:
    """Two players, each optimal or with a policy: the first player's chances and the bounds from both sides.

    Attributes
    ----------
    value : Chances
        The first player's, rounded to nearest.
    lower, opponent : Chances
        Lower bounds for the first player's chances, and for the second player's.
    residual : float
        Of ``value``.
    """

    value: Chances
    lower: Chances
    opponent: Chances
    residual: float
    seconds: float

    def start(self, own: int = 0, other: int = 0) -> Result:
        """Return the first player's chance when they are on move at the start of a turn."""
        bounds = self.lower.moving[own, other, 0], self.opponent.waiting[other, own, 0]
        return self.result(float(self.value.moving[own, other, 0]), *bounds)

    def roll(self, own: int, other: int, total: int) -> Result:
        """Return the first player's chance if they roll."""
        return self.result(
            self.value.after_roll(own, other, total),
            self.lower.after_roll(own, other, total),
            self.opponent.after_opponents_roll(other, own, total),
        )

    def hold(self, own: int, other: int, total: int) -> Result:
        """Return the first player's chance if they hold."""
        bounds = self.lower.waiting[own + total, other, 0], self.opponent.moving[other, own + total, 0]
        return self.result(float(self.value.waiting[own + total, other, 0]), *bounds)

    def result(self, value: float, lower: float, opponent: float) -> Result:
        """Return the result between a lower bound and 1 minus a lower bound of the opponent's chance."""
        upper = min(1.0, float(np.nextafter(1.0 - opponent, 2.0)))
        value = min(max(value, float(lower)), upper)
        return Result(
            value, float(lower), upper, residual=self.residual, iterations=self.value.sweeps, method=METHOD,
            seconds=self.seconds,
        )  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the first player's chance at the start of their turn, for all scores."""
        return self.value.plot(ax)

    def plot_holds(self, other: int = 0, ax: Axes | None = None) -> Axes:
        """Draw where the first player's better choice is to hold, by own score and turn total.

        Turn totals that would win are left empty.

        Raises
        ------
        UsageError
            If the opponent's score is not below the goal.
        """
        _check_scores(self.value.rules.goal, other)
        holds = best_policy(self)[:, other].astype(np.float64)
        own, total = np.indices(holds.shape)
        holds[own + total >= self.value.rules.goal] = np.nan
        ax = plotting.heat_map(holds.T, ax, rows="turn total", columns="own score", meaning="0: roll, 1: hold")
        ax.set_title(f"the opponent has {other}")
        return ax

    def _repr_html_(self) -> str:
        rules, start = self.value.rules, self.start()
        rows = [
            ("first player wins", digits(start)), ("at least", start.lower), ("at most", start.upper),
            ("first hold at 0 to 0", first_hold(best_policy(self), 0, 0)), ("residual", self.residual),
        ]  # fmt: skip
        return notebook.facts(f"Pig to {rules.goal}, die of {rules.die}, {rules.bust} busts", rows)


@lru_cache(maxsize=2)
def solve(rules: Rules) -> Duel:
    """Return optimal play of both.

    The players have the same choices, so that one set of lower bounds serves both.
    """
    free = np.full((rules.goal,) * 3, kernels.FREE, dtype=np.int8)
    return _duel(rules, free, free, symmetric=True)


def play(rules: Rules, first: Policy | None, second: Policy | None) -> Duel:
    """Return the chances of two players with policies; ``None`` stands for the best reply to the other's policy."""
    free = np.full((rules.goal,) * 3, kernels.FREE, dtype=np.int8)
    mine, theirs = (free if policy is None else policy.astype(np.int8) for policy in (first, second))
    return _duel(rules, mine, theirs, symmetric=first is second)


def _duel(rules: Rules, mine: NDArray[np.int8], theirs: NDArray[np.int8], *, symmetric: bool) -> Duel:
    start = time.perf_counter()
    value = _chances(rules, mine, theirs, 1 / rules.die)
    lower = _chances(rules, mine, theirs, _weight_below(rules.die))
    opponent = lower if symmetric else _chances(rules, theirs, mine, _weight_below(rules.die))
    residual = value.residual(mine, theirs)
    return Duel(value, lower, opponent, residual, time.perf_counter() - start)


def _weight_below(die: int) -> float:
    """Return the largest float at most ``(1 - n u) / n``: a backup has n - 1 additions and one product."""
    return enclose((1 - Fraction(die, 2**53)) / die)[0]


def _chances(rules: Rules, mine: NDArray[np.int8], theirs: NDArray[np.int8], weight: float) -> Chances:
    shape = (rules.goal, rules.goal, rules.goal + rules.die)
    moving, waiting = np.zeros(shape), np.zeros(shape)
    sweeps = kernels.solve_pairs(
        rules.goal, rules.scoring, weight, np.ascontiguousarray(mine), np.ascontiguousarray(theirs), moving, waiting
    )
    return Chances(rules, weight, moving, waiting, int(sweeps))


def optimal_policy(rules: Rules) -> Policy:
    """Return where optimal play holds; ties hold. False for the turn total 0; true where the goal is passed."""
    return best_policy(solve(rules))


def best_reply(rules: Rules, policy: Policy) -> Policy:
    """Return where the best reply to ``policy`` holds; the same whoever moves first."""
    return best_policy(play(rules, None, policy))


def best_policy(duel: Duel) -> Policy:
    """Return where the first player's better choice is to hold."""
    holds: Policy = duel.value.after_holds() >= duel.value.after_rolls()
    holds[:, :, 0] = False
    return holds


def first_hold(policy: Policy, own: int, other: int) -> int:
    """Return the least turn total at which a policy holds, or the points short of the goal if it never does.

    Raises
    ------
    UsageError
        If a score is not below the goal.
    """
    goal = len(policy)
    _check_scores(goal, own, other)
    held = np.flatnonzero(policy[own, other, : goal - own])
    return int(held[0]) if held.size else goal - own


def _check_scores(goal: int, *scores: int) -> None:
    if not all(0 <= score < goal for score in scores):
        named = " and ".join(map(str, scores))
        raise UsageError(f"score {named}: must lie between 0 and {goal - 1}")


def reachable(rules: Rules, policy1: Policy | None = None, policy2: Policy | None = None) -> NDArray[np.bool_]:
    """Return which states can be met from 0-0; ``None`` stands for a player who may do anything.

    Returns
    -------
    bool array, shape (2, goal, goal, goal + 1)
        By player on move, first player's score, second player's score and turn total, which is at most what is missing
        to the goal: a roll that reaches the goal ends the game there.
    """
    free = np.full((rules.goal,) * 3, kernels.FREE, dtype=np.int8)
    codes = [free if policy is None else np.ascontiguousarray(policy, dtype=np.int8) for policy in (policy1, policy2)]
    reached = np.zeros((2, rules.goal, rules.goal, rules.goal + 1), dtype=np.bool_)
    kernels.reach(rules.goal, rules.scoring, codes[0], codes[1], reached)
    return reached
