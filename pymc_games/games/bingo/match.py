"""Two boards on the same rolls, each marked by its solo-optimal strategy: an absorbing chain of pairs of mask sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.games.bingo.board import VALUES, WAYS, WINNING, Joint, show_board
from pymc_games.games.bingo.solo import Solo, to_fraction

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ENDS = ("a wins", "b wins", "tie")


class Outcome(NamedTuple):
    """Probabilities, or expectations, of the three ends of a match; they sum to 1."""

    a_wins: Fraction
    b_wins: Fraction
    tie: Fraction

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the three chances."""
        return plotting.bars(zip(ENDS, map(float, self), strict=True), ax, meaning="probability")

    def _repr_html_(self) -> str:
        return _ends_table(ENDS, self)


@dataclass(frozen=True)
class Timing:
    """Probabilities of each end at exactly 0, 1, 2, ... rolls."""

    a_wins: NDArray[np.float64]
    b_wins: NDArray[np.float64]
    tie: NDArray[np.float64]

    def plot(self, ax: Axes | None = None, *, ends: Sequence[str] = ENDS) -> Axes:
        """Draw how likely each end, under the names given, has come by each roll."""
        chances = (self.a_wins, self.b_wins, self.tie)
        ax = plotting.curves({name: np.cumsum(end) for name, end in zip(ends, chances, strict=True)}, ax)
        ax.set_title("won by this roll")
        return ax

    def _repr_html_(self) -> str:
        by_then = np.cumsum([self.a_wins, self.b_wins, self.tie], axis=1)
        rows = [(roll, *by_then[:, roll]) for roll in notebook.doubling(len(self.tie))]
        return notebook.table("Ended by then", ("rolls", *ENDS), rows)


class Match:
    """The joint chain of two solved boards; values of joint states are computed once and kept."""

    def __init__(self, a: Solo, b: Solo) -> None:
        self.a, self.b = a, b
        self._values: dict[Joint, tuple[fmpq, fmpq, fmpq]] = {}

    def after(self, joint: Joint, value: int) -> Joint:
        """Return the joint state after a roll."""
        return self.a.after(joint[0], value), self.b.after(joint[1], value)

    def reachable(self, start: Joint = (0, 0)) -> list[Joint]:
        """Return the transient joint states met from ``start``, by breadth-first search."""
        found, queue = {start}, [start]
        for joint in queue:
            for value in VALUES:
                new = self.after(joint, value)
                if new not in found and not is_over(new):
                    found.add(new)
                    queue.append(new)
        return queue

    def outcome(self, start: Joint = (0, 0)) -> Outcome:
        """Return the exact probabilities of the three ends from a joint state.

        Every roll marks or changes nothing, so ordering joint states by marked cells makes ``I - Q`` triangular but for
        its diagonal, and ``(I - Q) x = b`` is solved by substitution.
        """
        if is_over(start):
            return Outcome(*(to_fraction(x) for x in end_of(start)))
        if start not in self._values:
            states = self.reachable(start)
            for joint in sorted(states, key=lambda s: -(s[0].bit_count() + s[1].bit_count())):
                if joint not in self._values:
                    self._values[joint] = self._substitute(joint)
        return Outcome(*(to_fraction(x) for x in self._values[start]))

    def _substitute(self, joint: Joint) -> tuple[fmpq, fmpq, fmpq]:
        sums, moving = [fmpq(0)] * 3, 0
        for value in VALUES:
            new = self.after(joint, value)
            if new == joint:
                continue
            moving += WAYS[value]
            ends = end_of(new) if is_over(new) else self._values[new]
            sums = [total + WAYS[value] * end for total, end in zip(sums, ends, strict=True)]
        return sums[0] / moving, sums[1] / moving, sums[2] / moving

    def timing(self, rolls: int) -> Timing:
        """Return when each end comes, up to ``rolls`` rolls, in floats."""
        states = self.reachable()
        place = {joint: k for k, joint in enumerate(states)}
        count = len(states)
        step, ends = np.zeros((count, count)), np.zeros((count, 3))
        for joint, k in place.items():
            for value in VALUES:
                new = self.after(joint, value)
                if is_over(new):
                    ends[k, end_index(new)] += WAYS[value] / 36
                else:
                    step[k, place[new]] += WAYS[value] / 36
        state = np.zeros(count)
        state[0] = 1.0
        rows = [np.zeros(3)]
        for _ in range(rolls):
            rows.append(state @ ends)
            state = state @ step
        table = np.array(rows)
        return Timing(table[:, 0], table[:, 1], table[:, 2])

    def plot(self, ax: Axes | None = None, *, rolls: int = 40) -> Axes:
        """Draw how likely each end has come by each roll."""
        ends = (f"a: {show_board(self.a.board)}", f"b: {show_board(self.b.board)}", "tie")
        return self.timing(rolls).plot(ax, ends=ends)

    def _repr_html_(self) -> str:
        names = (f"a wins: {show_board(self.a.board)}", f"b wins: {show_board(self.b.board)}", "tie")
        return _ends_table(names, self.outcome())


def _ends_table(names: Sequence[str], outcome: Outcome) -> str:
    rows = [(name, f"{float(end):.12g}", end) for name, end in zip(names, outcome, strict=True)]
    return notebook.table("Match on the same rolls", ("end", "probability", "exactly"), rows)


def is_over(joint: Joint) -> bool:
    """Return whether one of the two has a line."""
    return WINNING[joint[0]] or WINNING[joint[1]]


def end_index(joint: Joint) -> int:
    """Return 0, 1 or 2: a wins, b wins, or both complete on one roll."""
    if WINNING[joint[0]]:
        return 2 if WINNING[joint[1]] else 0
    return 1


def end_of(joint: Joint) -> tuple[fmpq, fmpq, fmpq]:
    """Return the outcome of a finished match as certain."""
    index = end_index(joint)
    return fmpq(index == 0), fmpq(index == 1), fmpq(index == 2)


def independent(a: Solo, b: Solo, rolls: int = 2000) -> Outcome:
    """Return the outcome if each board had rolls of its own, cut off after ``rolls`` rolls of both.

    The comparison of a board's quality alone with its fate in a match: shared rolls correlate the two.
    """
    f, g = a.pmf(rolls), b.pmf(rolls)
    still_a, still_b = 1.0 - np.cumsum(f), 1.0 - np.cumsum(g)
    return Outcome(Fraction(float(f @ still_b)), Fraction(float(g @ still_a)), Fraction(float(f @ g)))
