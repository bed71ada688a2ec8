"""Storm as witness of a game too large for it: one turn at a time.

A turn is a small decision process whose outcomes lead to ``win`` with the chances that a solution gives. If Storm's
``Pmax=? [F "win"]`` is the solved value in every turn, the solution satisfies the optimality equations, which have one
solution only. Turns are drawn at random, equally many from each stratum.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pymc_games import notebook, plotting, prism, storm
from pymc_games.executors import Place, completed
from pymc_games.games.farkle import play, solution, templates
from pymc_games.games.farkle.play import Position
from pymc_games.games.farkle.rules import Rules
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROPERTY = 'Pmax=? [ F "win" ]'

#: Relative precision asked of Storm, a tenth of what the comparison allows.
PRECISION = 1e-10
WITHIN = 1e-9

#: Scores are drawn from so many bands, for either player.
BANDS = 3


@dataclass(frozen=True)
class Statement:
    """What Storm said about one turn, and what the solution says."""

    position: Position
    solved: Result
    storm: Result
    states: int

    @property
    def difference(self) -> float:
        """Greatest distance between a bound of Storm's and one of the solution's."""
        return max(abs(self.storm.lower - self.solved.upper), abs(self.storm.upper - self.solved.lower))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of both."""
        ax = plotting.intervals({"solution": self.solved, "Storm": self.storm}, ax)
        ax.set_title(f"{self.position.own:,} to {self.position.other:,}")
        return ax

    def _repr_html_(self) -> str:
        sides = (("solution", self.solved), ("Storm", self.storm))
        rows = [(name, digits(side), side.lower, side.upper) for name, side in sides]
        title = f"A turn at {self.position.own:,} to {self.position.other:,}: {self.states:,} states"
        return notebook.table(title, ("by", "chance to win", "at least", "at most"), rows)

    def to_json(self) -> dict[str, Any]:
        """Return what the JSON interface says of a turn."""
        return {
            **self.position._asdict(), "solved": self.solved.to_json(), "storm": self.storm.to_json(),
            "states": self.states, "difference": self.difference,
        }  # fmt: skip


def positions(rules: Rules, count: int, seed: int) -> list[Position]:
    """Draw positions: the first is the start of the game, the others go round the strata.

    A stratum is a band of either score and either count of farkles in a row.
    """
    drawing = random.Random(seed)
    bands = [range(rules.scores * band // BANDS, rules.scores * (band + 1) // BANDS) for band in range(BANDS)]
    strata = [
        stratum
        for stratum in itertools.product(bands, bands, range(rules.farkles), range(rules.farkles))
        if stratum[0] and stratum[1]
    ]
    found = [Position(0, 0)]
    for own, other, *farkles in itertools.islice(itertools.cycle(strata), count - 1):
        scores = (rules.bound + drawing.choice(band) * rules.step for band in (own, other))
        found.append(Position(*scores, *farkles))
    return found


def ask(shard: tuple[Path, Position]) -> Statement:
    """Let Storm solve the turn that starts at one position of a solution file."""
    path, position = shard
    values = solution.load(path)
    solved = values.at(*position)
    text = prism.render("farkle/position.prism.j2", templates.position(play.turn(values, position), solved))
    model = storm.build(storm.parse_text(text))
    return Statement(
        position, solved, storm.check(model, PROPERTY, precision=PRECISION).at(0), int(model.handle.nr_states)
    )


def statements(path: Path, count: int, seed: int, place: Place | str = "local") -> Iterator[Statement]:
    """Yield what Storm says of ``count`` turns, as it says it."""
    shards = [(path, position) for position in positions(solution.load(path).rules, count, seed)]
    for _, statement in completed(ask, shards, place):
        yield statement


def summary(found: list[Statement], seconds: float) -> dict[str, Any]:
    """Return what the JSON interface says of all turns."""
    worst = max(found, key=lambda statement: statement.difference)
    return {
        "models": len(found), "states": sum(statement.states for statement in found), "property": PROPERTY,
        "largest_difference": worst.difference, "worst": worst.to_json(), "within": WITHIN,
        "agree": worst.difference <= WITHIN, "seconds": seconds,
    }  # fmt: skip
