r"""The greatest average of points a turn, alone and for ever, as a fraction.

A player's turns differ only in the farkles in a row before them, :math:`c < n`. Let :math:`W(f)` be the greatest
expectation of one turn that is worth the points banked, or :math:`f` if it farkles. The average :math:`g` and the
relative values :math:`h_c` of the counts, :math:`h_0 = 0`, satisfy

.. math:: g + h_c = W(h_{c+1}) \quad (c < n - 1), \qquad g + h_{n-1} = W(-\text{penalty}),

the optimality equations of the average reward (Puterman, *Markov Decision Processes*, section 8.4), here with a turn as
the step. Scores do not matter, so the penalty counts in full. Policy iteration: with the decisions of every count
fixed, :math:`W` is affine and the equations are linear; the decisions are then improved until nothing changes.

Turn totals have no limit, but from some total on it is best to bank. At totals from :math:`t` on a farkle costs at
least :math:`t - f`. If it cost just that, :math:`e_d` more points could be expected by rolling :math:`d` dice, where
:math:`e` is the least solution of

.. math:: e_d = \max\bigl(0, \sum_r p_r \max_{(k, x) \in r} (x + e_{d-k}) - p_\text{farkle}\,(t - f)\bigr).

Any vector that is at least its own right-hand side bounds :math:`e`; where it is 0, banking is best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from flint import fmpq

from pymc_games import notebook, plotting
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import option_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDS = 1_000
# The options of a roll: dice left to roll, and points.
Ways = list[tuple[int, int]]


@dataclass(frozen=True)
class Turn:
    """Best play of one turn in which a farkle is worth a given number of points.

    Attributes
    ----------
    value : fmpq
        The greatest expectation.
    farkle : fmpq
        The chance that the turn farkles, playing so.
    """

    value: fmpq
    farkle: fmpq

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how likely the turn is to bank and to farkle."""
        ax = plotting.bars([("banks", float(1 - self.farkle)), ("farkles", float(self.farkle))], ax, meaning="chance")
        ax.set_title(f"worth {float(self.value):.12g} points")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("greatest expectation", f"{float(self.value):.12g}"),
            ("chance to farkle", f"{float(self.farkle):.12g}"),
        ]
        return notebook.facts("Best play of one turn", rows)


@lru_cache(maxsize=16)
def points_per_turn(rules: Rules) -> Fraction:
    """Return the greatest average of points a turn, penalties counted, over a game without end."""
    average, relative = fmpq(0), [fmpq(0)] * rules.farkles
    rough = True
    while True:
        # Rounded, a farkle's worth gives nearly the same decisions, in shorter fractions: good enough to start with.
        worth = [fmpq(round(value)) if rough else value for value in relative[1:]] + [fmpq(-rules.penalty)]
        turns = [best_turn(rules, farkle) for farkle in worth]
        improved = _evaluate(rules, turns, worth)
        if not rough and improved == (average, relative):
            return Fraction(int(average.p), int(average.q))
        rough = rough and improved[0] > average
        average, relative = improved


def surplus(rules: Rules, average: Fraction) -> Fraction:
    """Return what best play is left with from one bank to the next if each turn is charged with ``average`` points.

    It falls with the average, and is 0 for the greatest one.
    """
    charge = fmpq(average.numerator, average.denominator)
    worth = fmpq(-rules.penalty)
    for _ in range(rules.farkles):
        worth = best_turn(rules, worth).value - charge
    return Fraction(int(worth.p), int(worth.q))


def _evaluate(rules: Rules, turns: list[Turn], worth: list[fmpq]) -> tuple[fmpq, list[fmpq]]:
    """Solve the linear equations of the average and the relative values under the decisions of ``turns``."""
    # Each relative value as a constant and a multiple of the average, from the last count to the first.
    constant, multiple = fmpq(-rules.penalty), fmpq(0)
    relative = []
    for turn, farkle in zip(reversed(turns), reversed(worth), strict=True):
        banked = turn.value - turn.farkle * farkle
        constant, multiple = banked + turn.farkle * constant, turn.farkle * multiple - 1
        relative.append((constant, multiple))
    average = -constant / multiple
    return average, [constant + multiple * average for constant, multiple in reversed(relative)]


def horizon(rules: Rules) -> tuple[int, Fraction]:
    """Return a turn total from which on a turn is decided: bank, or roll all dice once more if they cannot farkle.

    Returns
    -------
    total : int
        Whatever the farkles in a row before.
    tail : Fraction
        What all dice add on average to such a total; 0 if it is best to bank.
    """
    # No count of farkles is better than none, so the relative values, what a farkle is worth, are at most 0.
    stops = stopping_totals(rules, fmpq(0))
    tail = _tail(rules) if rules.dice not in stops else fmpq(0)
    return max(stops.values()), Fraction(int(tail.p), int(tail.q))


@lru_cache(maxsize=64)
def best_turn(rules: Rules, farkle: fmpq) -> Turn:
    """Return best play of one turn that is worth the points banked, or ``farkle`` if it farkles."""
    stops = stopping_totals(rules, farkle)
    last = max(stops.values())
    tail = _tail(rules)
    known: dict[tuple[int, int], Turn] = {}

    def after(total: int, dice: int) -> Turn:
        if total >= stops.get(dice, last):
            return Turn(fmpq(total) if dice in stops else total + tail, fmpq(0))
        return known[total, dice]

    for total in range(last - rules.step, -1, -rules.step):
        for dice in range(1, rules.dice + 1):
            if total < stops.get(dice, last):
                known[total, dice] = _decide(rules, total, dice, farkle, after)
    return known[0, rules.dice]


def _decide(rules: Rules, total: int, dice: int, farkle: fmpq, after: Callable[[int, int], Turn]) -> Turn:
    """Return the better of banking and rolling."""
    value, chance = fmpq(0), fmpq(0)
    for weight, ways in _rolls(rules, dice):
        if ways:
            best = max((after(total + gain, left) for left, gain in ways), key=lambda turn: turn.value)
            value, chance = value + weight * best.value, chance + weight * best.farkle
        else:
            value, chance = value + weight * farkle, chance + weight
    may_bank = total >= max(rules.minimum, rules.step)
    return Turn(fmpq(total), fmpq(0)) if may_bank and total >= value else Turn(value, chance)


@cache
def _rolls(rules: Rules, dice: int) -> list[tuple[fmpq, Ways]]:
    """Return the option sets of a roll: the chance of each, and its options as (dice left to roll, points)."""
    return [
        (fmpq(chance.numerator, chance.denominator), [(dice - used or rules.dice, gain) for used, gain in ways])
        for ways, chance in option_sets(rules, dice).items()
    ]


def stopping_totals(rules: Rules, farkle: fmpq) -> dict[int, int]:
    """Return, by number of dice, a turn total from which on it is proven best to bank rather than to roll them.

    Dice that cannot farkle are left out: rolling them is always best.
    """
    risky = {dice for dice in range(1, rules.dice + 1) if () in option_sets(rules, dice)}
    stops: dict[int, int] = {}
    total = max(rules.minimum, rules.step)
    while risky - stops.keys():
        gains = _gains(rules, total - farkle)
        stops |= {dice: total for dice in risky - stops.keys() if gains is not None and gains[dice] == 0}
        total += max(total // 5 // rules.step, 1) * rules.step
    return stops


def _gains(rules: Rules, cost: fmpq) -> list[int] | None:
    """Return an upper bound on what rolling gains, by number of dice, where a farkle costs ``cost``, or None.

    A guess in floats, rounded up and then proven in fractions.
    """
    dice = range(1, rules.dice + 1)
    rough = {count: [(float(weight), ways) for weight, ways in _rolls(rules, count)] for count in dice}
    gains, change = [0.0] * (rules.dice + 1), 1.0
    for _ in range(_ROUNDS):
        after = [0.0, *(max(0.0, _gain(rough[count], float(cost), gains)) for count in dice)]
        change, gains = max(abs(new - old) for new, old in zip(after, gains, strict=True)), after
        if change < 1e-9:
            break
    bound = [math.ceil(1.001 * gain + 0.01) if gain else 0 for gain in gains]
    return bound if all(_gain(_rolls(rules, count), cost, bound) <= bound[count] for count in dice) else None


def _gain(rolls: Sequence[tuple[Any, Ways]], cost: Any, gains: Sequence[Any]) -> Any:
    """Return what a roll is worth on average, where a farkle costs ``cost`` and the dice left are worth ``gains``."""
    return sum(weight * max((points + gains[left] for left, points in ways), default=-cost) for weight, ways in rolls)


def _tail(rules: Rules) -> fmpq:
    """Return what a roll of all dice adds to a turn total that is then banked, unless all dice may be rolled again.

    For dice that cannot farkle, at totals where all others are banked; the choices are improved until they stay.
    """
    tail, improved = fmpq(-1), fmpq(0)
    while improved != tail:
        tail = improved
        constant, multiple = fmpq(0), fmpq(0)
        for weight, ways in _rolls(rules, rules.dice):
            left, points = max(ways, key=lambda way: way[1] + tail * (way[0] == rules.dice), default=(0, 0))
            constant, multiple = constant + weight * points, multiple + weight * (left == rules.dice)
        improved = constant / (1 - multiple)
    return tail
