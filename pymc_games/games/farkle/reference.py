"""Small games solved by the engine as explicit models: what any other solver of Farkle has to agree with."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pymc_games import notebook, plotting
from pymc_games.engine import solve
from pymc_games.games.farkle import model
from pymc_games.games.farkle.rules import Rules
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Own score, other score, own and other's farkles in a row.
TurnStart = tuple[int, int, int, int]


@dataclass(frozen=True)
class Reference:
    """The value of a game and of all its turn starts.

    Attributes
    ----------
    first : Result
        The first player's chance.
    starts : mapping from TurnStart to Result
        The chance of the player on move at the start of a turn; all scores from the bound to below the goal.
    note : str
        Why there are no exact values although they were asked for; empty otherwise.
    """

    first: Result
    starts: dict[TurnStart, Result]
    note: str = ""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the chances at all turn starts, in rising order."""
        lower, value, upper = zip(*((one.lower, one.value, one.upper) for one in self.starts.values()), strict=True)
        return plotting.ranked(lower, value, upper, ax, unit="turn starts")

    def _repr_html_(self) -> str:
        first = self.first
        rows: list[tuple[str, object]] = [
            ("first player wins", digits(first)), ("at least", first.lower), ("at most", first.upper),
            ("turn starts", f"{len(self.starts):,}"),
        ]  # fmt: skip
        rows += [("exactly", first.exact)] if first.exact is not None else []
        rows += [("note", self.note)] if self.note else []
        return notebook.facts("A small game of Farkle by the engine", rows)


def reference(rules: Rules, *, exact: bool = False) -> Reference:
    """Solve a small game by the engine, from every turn start.

    Parameters
    ----------
    rules : Rules
        With few states: the model is explored in Python.
    exact : bool
        Also find the fractions, where the engine can: its note says if not.

    Returns
    -------
    Reference
    """
    scores = range(rules.bound, rules.goal, rules.step)
    counts = range(rules.farkles)
    keys = list(itertools.product(scores, scores, counts, counts))
    starts = [model.State(1, *key, 0, rules.dice, 0) for key in keys]
    game = model.build(rules, "smg", {}, [model.start(rules), *starts])
    solution = solve(game, model.query(game), exact=exact, scheduler=False)
    states = np.column_stack([game.variables[name] for name in model.State._fields]).tolist()
    number = {model.State(*state): place for place, state in enumerate(states)}
    values = {key: solution.at(number[state]) for key, state in zip(keys, starts, strict=True)}
    return Reference(solution.at(0), values, solution.note)
