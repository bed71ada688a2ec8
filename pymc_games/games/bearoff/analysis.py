"""Where simple play and rules of thumb go wrong, by search over all pairs of a given number of checkers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.bearoff import heuristics, one_sided, two_sided
from pymc_games.games.bearoff.moves import ROLLS
from pymc_games.games.bearoff.positions import Position, all_positions, pips, position, show
from pymc_games.games.bearoff.successors import successors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WorstPlay:
    """The roll in which the play of fewest expected rolls costs most in win probability."""

    own: Position
    other: Position
    roll: tuple[int, int]
    solo_play: Position
    best_play: Position
    cost: float

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the checkers on each point before the roll and after either play."""
        named = {"before": self.own, "fewest rolls": self.solo_play, "best": self.best_play}
        ax = plotting.grouped_bars(named, range(1, 7), ax, unit="point", meaning="checkers")
        ax.set_title(f"{self.roll[0]}-{self.roll[1]} against {show(self.other)}: costs {self.cost:.6g}")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("position", show(self.own)), ("against", show(self.other)), ("roll", "{}-{}".format(*self.roll)),
            ("after the play of fewest rolls", show(self.solo_play)), ("after the best play", show(self.best_play)),
            ("cost in win probability", f"{self.cost:.12g}"),
        ]  # fmt: skip
        return notebook.facts("Where the play of fewest rolls costs most", rows)


@dataclass(frozen=True)
class WorstCase:
    """The pair in which a rule is worst: by how much, and what the rule and the truth say."""

    rule: str
    own: Position
    other: Position
    error: float
    says: str
    truth: str

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the checkers on each point of both sides."""
        named = {"on roll": self.own, "opponent": self.other}
        ax = plotting.grouped_bars(named, range(1, 7), ax, unit="point", meaning="checkers")
        ax.set_title(f"{self.rule}: off by {self.error:.6g}")
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("position", show(self.own)), ("against", show(self.other)), ("the rule says", self.says),
            ("the truth", self.truth), ("error", f"{self.error:.12g}"),
        ]  # fmt: skip
        return notebook.facts(f"Where a rule is worst: {self.rule}", rows)


def independent_play(checkers: int) -> Floats:
    """Return the closed form ``sum f1(k) (1 - F2(k - 1))``, at ``[j, i]`` for position ``i`` on roll against ``j``."""
    pmf = one_sided.solve(checkers).pmf
    not_yet = 1 - (pmf.cumsum(axis=1) - pmf)
    return not_yet @ pmf.T


def optimal_play(checkers: int) -> Floats:
    """Return the two-sided optimum for all pairs, at ``[j, i]`` for ``i`` on roll against ``j``, by position number."""
    side = two_sided.whole_side(checkers)
    table, _ = two_sided.solve_cubeless(side, side)
    return _by_number(table, side)


def worst_closed_form(checkers: int) -> tuple[Position, Position, float]:
    """Return the pair in which the closed form is farthest from the optimum, and optimum less closed form."""
    gap = optimal_play(checkers) - independent_play(checkers)
    gap[0], gap[:, 0] = 0, 0
    j, i = np.unravel_index(np.abs(gap).argmax(), gap.shape)
    return position(int(i)), position(int(j)), float(gap[j, i])


def worst_play(checkers: int) -> WorstPlay:
    """Return the roll in which the solo-optimal play costs most against the two-sided optimum."""
    after = optimal_play(checkers)
    solo, moves = one_sided.solve(checkers).best, successors(checkers)
    worst = (0.0, 0, 0, 0)
    for i in range(1, len(solo)):
        for roll in range(len(ROLLS)):
            plays = moves.of(i, roll)
            if len(plays) > 1:
                # The opponent's chances after our play, and after the one that leaves the least.
                cost = after[solo[i, roll], 1:] - after[plays, 1:].min(axis=0)
                j = int(cost.argmax())
                worst = max(worst, (float(cost[j]), i, j + 1, roll))
    cost, i, j, roll = worst
    plays = moves.of(i, roll)
    best = int(plays[after[plays, j].argmin()])
    return WorstPlay(position(i), position(j), ROLLS[roll], position(int(solo[i, roll])), position(best), cost)


def plays_that_bear_off_nothing(checkers: int = 15) -> list[tuple[Position, tuple[int, int]]]:
    """Return the positions and rolls of two different dice whose only best plays bear off nothing though one could.

    Best is fewest expected rolls; plays within the proven error of the best count as best too.
    """
    table, moves = one_sided.solve(checkers), successors(checkers)
    left = all_positions(checkers).sum(axis=1)
    lengths = np.diff(moves.starts)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    bears_off = left[moves.to] < left[rows // 21]
    least = np.full((2, len(lengths)), np.inf)
    for kind in (0, 1):
        here = bears_off == kind
        np.minimum.at(least[kind], rows[here], table.mean[moves.to[here]])
    better = (least[0] < least[1] - 2 * one_sided.MEAN_ERROR) & np.isfinite(least[1])
    found = ((position(int(row // 21)), ROLLS[row % 21]) for row in np.flatnonzero(better))
    return [(where, dice) for where, dice in found if dice[0] != dice[1]]


def worst_of_rules(checkers: int, least_pips: int = 1) -> list[WorstCase]:
    """Return, for each rule of thumb, where it is worst over all pairs of at most ``checkers`` checkers a side.

    Rules of thumb are made for long races: only sides with ``least_pips`` pips at least are looked at.

    For rules with cube decisions, the error is the equity that its double, or its take, gives away; for Kleinman's it
    is that of the win probability; for pips and effective pips, how far the side that is ahead is from being even.
    """
    side = two_sided.whole_side(checkers)
    equities, _ = two_sided.solve(side, side)
    cubeless, _, centred, opponent = equities.planes()
    where = side.positions()
    begin = max(1, int(side.levels[min(least_pips, len(side.levels) - 1)]))
    worst: dict[str, WorstCase] = {}
    for j in range(begin, len(side)):
        for i in range(begin, len(side)):
            values = float(cubeless[j, i]), float(centred[j, i]), 2 * float(opponent[j, i])
            for case in _cases(where[i], where[j], *values):
                if case.rule not in worst or case.error > worst[case.rule].error:
                    worst[case.rule] = case
    counts = [_worst_count(side, cubeless, begin, name) for name in ("pips", "effective pips")]
    return [*worst.values(), *counts]


def _cases(own: Position, other: Position, cubeless: float, centred: float, doubled: float) -> Iterator[WorstCase]:
    """Yield what each rule gives away in one pair."""
    for name, rule in heuristics.RULES.items():
        advice = rule(own, other)
        cost = max(centred, min(doubled, 1.0)) - (min(doubled, 1.0) if advice.double else centred)
        says = "double" if advice.double else "no double"
        truth = f"no double {centred:.6f}, double {min(doubled, 1.0):.6f}"
        yield WorstCase(f"{name}, double", own, other, cost, says, truth)
        lost = max(0.0, doubled - 1) if advice.take else max(0.0, 1 - doubled)
        yield WorstCase(
            f"{name}, take", own, other, lost, "take" if advice.take else "pass", f"take costs {doubled:.6f}"
        )
    chance, says_chance = (1 + cubeless) / 2, heuristics.kleinman_probability(own, other)
    yield WorstCase("kleinman", own, other, abs(chance - says_chance), f"{says_chance:.6f}", f"{chance:.6f}")


def _worst_count(side: two_sided.Side, cubeless: Floats, begin: int, name: str) -> WorstCase:
    """Return where the player on roll is the greatest underdog though at least level in a count."""
    mean = one_sided.solve(max(sum(p) for p in side.positions())).mean[side.numbers]
    count = (
        mean * float(heuristics.PIPS_A_ROLL)
        if name == "effective pips"
        else np.array([pips(p) for p in side.positions()])
    )
    level = count[np.newaxis, :] <= count[:, np.newaxis]
    level[:begin], level[:, :begin] = False, False
    error = np.where(level, -cubeless, -np.inf)
    j, i = np.unravel_index(error.argmax(), error.shape)
    own, other = side.positions()[i], side.positions()[j]
    truth = f"wins {(1 + cubeless[j, i]) / 2:.6f} on roll"
    return WorstCase(name, own, other, float(error[j, i]), f"{count[i]:.4g} against {count[j]:.4g}: ahead", truth)


def _by_number(table: Floats, side: two_sided.Side) -> Floats:
    """Return a table of one side with rows and columns in the order of position numbers."""
    numbered = np.empty_like(table)
    numbered[np.ix_(side.numbers, side.numbers)] = table
    return numbered
