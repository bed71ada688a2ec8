"""One turn in full: what banking and rolling are worth at each turn total, and which dice to set aside."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_games import notebook, plotting
from pymc_games.errors import UsageError
from pymc_games.games.farkle import kernels, scoring
from pymc_games.games.farkle.lanes import LANES
from pymc_games.games.farkle.program import FARKLE_ROW, compile_rolls
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.values import Values, buffer, instructions, limits
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

ACTIONS = ("bank", "roll")


class Position(NamedTuple):
    """The start of a turn: scores in points, and farkles in a row."""

    own: int
    other: int
    own_farkles: int = 0
    other_farkles: int = 0


@dataclass(frozen=True)
class Option:
    """Something the player may do, and the chance of winning afterwards.

    Attributes
    ----------
    action : {'bank', 'roll'}
    faces : tuple of int
        Dice set aside first; empty where nothing has been rolled.
    points, dice : int
        Turn total afterwards, and dice left to roll.
    win : Result
    """

    action: str
    faces: tuple[int, ...]
    points: int
    dice: int
    win: Result

    @property
    def said(self) -> str:
        """The option in words: ``set 1,1 aside and roll``."""
        aside = f"set {','.join(map(str, self.faces))} aside and " if self.faces else ""
        return f"{aside}{self.action}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of the chance to win."""
        return plotting.intervals({self.said: self.win}, ax)

    def _repr_html_(self) -> str:
        rows = [
            ("turn total", self.points), ("dice left", self.dice), ("chance to win", digits(self.win)),
            ("at least", self.win.lower), ("at most", self.win.upper),
        ]  # fmt: skip
        return notebook.facts(self.said, rows)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON document."""
        return {
            "set_aside": list(self.faces), "turn": self.points, "dice": self.dice, "action": self.action,
            "win_probability": self.win.value, "lower": self.win.lower, "upper": self.win.upper,
        }  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """Bounds on the mover's chance of winning throughout one turn.

    The last axis of all arrays has the lower and the upper bound; turn totals are in steps.

    Attributes
    ----------
    bank : float array [totals, 2]
        After banking a turn total; 0 where it may not be banked.
    roll : float array [totals, dice, 2]
        Before rolling 1, 2, ... dice.
    best : float array [totals + reach, dice, 2]
        The better of both. Totals that win at once are worth 1.
    farkle : float array [2]
        After a farkle.
    """

    rules: Rules
    position: Position
    bank: Array
    roll: Array
    best: Array
    farkle: Array

    @property
    def lost(self) -> Result:
        """The chance to win after a farkle."""
        return _result(self.farkle)

    def may_bank(self, points: int) -> bool:
        """Return whether a turn total is large enough to be banked."""
        return points >= max(self.rules.minimum, self.rules.step)

    def options(self, points: int, dice: int, roll: Sequence[int] | None = None) -> list[Option]:
        """Return what the player may do, the best first.

        Parameters
        ----------
        points : int
            Turn total so far.
        dice : int
            Dice to roll, or that were rolled.
        roll : sequence of int, optional
            The faces that were rolled. Without them the question is whether to roll.

        Raises
        ------
        UsageError
            If the turn cannot be there, or the roll is not one of so many dice.
        """
        self._check(points, dice)
        if roll is None:
            found = self._bank_or_roll((), points, dice)
        else:
            if len(roll) != dice:
                raise UsageError(f"the roll {','.join(map(str, roll))} has {len(roll)} dice, not {dice}")
            found = [
                option
                for faces, gain in scoring.ways(self.rules, roll)
                for option in self._bank_or_roll(faces, points + gain, dice - len(faces) or self.rules.dice)
            ]
        return sorted(found, key=lambda option: -option.win.value)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw by how much banking is better than rolling, by turn total and dice left."""
        allowed = [self.may_bank(total * self.rules.step) for total in range(len(self.bank))]
        gain = self.bank.mean(axis=-1)[:, None] - self.roll.mean(axis=-1)
        gain[~np.array(allowed)] = np.nan
        ax = plotting.heat_map(
            gain.T, ax, rows="dice left", columns=f"turn total / {self.rules.step}", signed=True,
            meaning="banking minus rolling, chance to win",
        )  # fmt: skip
        ax.set_yticks(range(self.rules.dice), [str(dice) for dice in range(1, self.rules.dice + 1)])
        ax.set_title(f"{self.position.own:,} to {self.position.other:,}")
        return ax

    def _repr_html_(self) -> str:
        rows = []
        for dice in range(1, self.rules.dice + 1):
            ranges = [f"{first:,} to {last:,}" for first, last in bank_totals(self, dice)]
            rows.append((dice, ", ".join(ranges) or "never"))
        title = f"{self.position.own:,} to {self.position.other:,}: when to bank"
        return notebook.table(title, ("dice left", "turn totals"), rows)

    def _bank_or_roll(self, faces: tuple[int, ...], points: int, dice: int) -> list[Option]:
        total = points // self.rules.step
        found = []
        if self.may_bank(points):
            bounds = self.bank[total] if total < len(self.bank) else np.ones(2)
            found.append(Option("bank", faces, points, dice, _result(bounds)))
        if total < len(self.roll):
            found.append(Option("roll", faces, points, dice, _result(self.roll[total, dice - 1])))
        return found

    def _check(self, points: int, dice: int) -> None:
        if points < 0 or points % self.rules.step:
            raise UsageError(f"turn total {points}: it is a multiple of {self.rules.step}")
        if points // self.rules.step >= len(self.bank):
            raise UsageError(f"turn total {points}: banking it wins")
        if not 1 <= dice <= self.rules.dice:
            raise UsageError(f"{dice} dice: 1 to {self.rules.dice} can be rolled")
        if points == 0 and dice != self.rules.dice:
            raise UsageError(f"{dice} dice: a turn begins with {self.rules.dice}")


def turn(values: Values, position: Position) -> Turn:
    """Return the turn that starts at ``position``, between bounds, from the bounds of all turn starts.

    Raises
    ------
    UsageError
        If there is no such position.
    """
    rules = values.rules
    i, j, own, other = values.index(*position)
    program = compile_rolls(rules)
    goal, minimum, _, _ = limits(rules)
    height = max(goal - own, minimum)
    bank_row = program.fixed + (goal + minimum + program.reach) * program.dice
    rows = buffer(rules, program)
    kernels.prepare(values.lower, values.upper, i, j, own, own + other, own, limits(rules), bank_row, height, rows)
    kernels.turn(height, bank_row, *instructions(program), rows)
    # Every lane of a side is the same position here.
    bounds = rows.reshape(-1, LANES)[:, [0, LANES // 2]].copy()
    totals = height + program.reach
    best = bounds[program.fixed : program.fixed + totals * program.dice].reshape(totals, program.dice, 2)
    bank, farkle = bounds[bank_row : bank_row + height], bounds[FARKLE_ROW]
    return Turn(rules, position, bank, _rolls(rules, best, farkle, height, program.factors), best, farkle)


def _rolls(rules: Rules, best: Array, farkle: Array, height: int, factors: Array) -> Array:
    """Return what rolling is worth, apart from banking: an expectation over option sets for each number of dice."""
    roll = np.zeros((height, rules.dice, 2))
    for dice in range(1, rules.dice + 1):
        for ways, chance in scoring.option_sets(rules, dice).items():
            worth = [
                best[gain // rules.step : gain // rules.step + height, (dice - used or rules.dice) - 1]
                for used, gain in ways
            ] or [np.broadcast_to(farkle, (height, 2))]
            roll[:, dice - 1] += float(chance) * np.maximum.reduce(worth)
        roll[:, dice - 1] *= factors[dice - 1]
    return np.minimum(roll, 1.0)


def strategy(table: Turn) -> Iterator[dict[str, object]]:
    """Yield the turn's strategy as rows: for each number of dice, before the roll and after each, by turn total.

    A row without a roll says whether to bank or to roll; a row with one which dice to set aside, and what then.
    """
    rules = table.rules
    for dice in range(1, rules.dice + 1):
        rolls = itertools.combinations_with_replacement(range(1, 7), dice)
        for roll in itertools.chain([()], rolls):
            ways = scoring.ways(rules, roll) if roll else [((), 0)]
            worth = np.stack(
                [_after(table, gain, dice - len(faces) or rules.dice) for faces, gain in ways] or [_lost(table)]
            )
            places, actions = np.unravel_index(worth.reshape(-1, worth.shape[-1]).argmax(axis=0), worth.shape[:2])
            for total in range(0 if dice == rules.dice else 1, len(table.bank)):
                yield {
                    "dice": dice, "roll": "".join(map(str, roll)), "turn": total * rules.step,
                    "set_aside": "".join(map(str, ways[places[total]][0])) if ways else "",
                    "action": ACTIONS[actions[total]] if ways else "farkle",
                    "win_probability": float(worth[places[total], actions[total], total]),
                }  # fmt: skip


def _after(table: Turn, gain: int, dice: int) -> Array:
    """Return what banking and what rolling ``dice`` is worth with ``gain`` more points, by turn total: [2, totals]."""
    first, height = gain // table.rules.step, len(table.bank)
    bank, roll = np.ones(height), np.full(height, -1.0)
    inside = max(height - first, 0)
    bank[:inside] = table.bank[first:].mean(axis=-1)
    roll[:inside] = table.roll[first:, dice - 1].mean(axis=-1)
    bank[(np.arange(height) + first) * table.rules.step < max(table.rules.minimum, table.rules.step)] = -1.0
    return np.stack([bank, roll])


def _lost(table: Turn) -> Array:
    return np.full((2, len(table.bank)), table.farkle.mean())


def bank_totals(table: Turn, dice: int) -> list[tuple[int, int]]:
    """Return the turn totals, as ranges of points with both ends, at which banking is at least as good as rolling.

    Totals that win at once are left out.
    """
    bank, roll = _after(table, 0, dice)
    steps = np.flatnonzero(bank >= roll)
    runs = np.split(steps, np.flatnonzero(np.diff(steps) > 1) + 1)
    return [(int(run[0]) * table.rules.step, int(run[-1]) * table.rules.step) for run in runs if len(run)]


def _result(bounds: Array) -> Result:
    lower, upper = float(bounds[0]), float(bounds[1])
    return Result((lower + upper) / 2, lower, upper, method="one turn, backward from the solved values")
