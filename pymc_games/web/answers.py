"""From parameters to answers of the games, one at a time and within bounded memory.

Nothing is computed here: each answer is that of the command of the same name. One lock stands before all solvers: the
compiled loops behind some cannot be entered by two threads at once, and two large solves would add up in memory.
Bounded, too, is what is kept between requests: two games of Pig, tables of the bearoff, recent answers, one Farkle.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pymc_games.errors import UsageError
from pymc_games.games.bearoff import advice as bearoff_advice
from pymc_games.games.bearoff import cube, moves, positions, summary
from pymc_games.games.bearoff.positions import Position
from pymc_games.games.farkle import advice as farkle_advice
from pymc_games.games.farkle import play, scoring
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle import values as farkle_values
from pymc_games.games.pig import advice as pig_advice
from pymc_games.games.pig.rules import BUST, DIE, GOAL, Rules
from pymc_games.web.parameters import Parameters

#: Farkle without a file: small enough to be solved in a second.
SMALL_GOAL, SMALL_BOUND = 1000, -500
#: Most values that a race, and one with the cube, solves for a request: half a gigabyte and a few seconds.
RACE_VALUES, CUBE_VALUES = 30_000_000, 4_000_000

_ONE_AT_A_TIME = threading.Lock()

#: The parameters of each game, in the order of its form.
NAMES = {
    "pig": ("own", "other", "turn", "goal", "die", "bust"),
    "bearoff": ("position", "opponent", "roll"),
    "farkle": ("own", "other", "own_farkles", "other_farkles", "turn", "dice", "roll"),
}


@dataclass(frozen=True)
class Answer:
    """What the page shows, and the JSON document of the same answer."""

    shown: Mapping[str, Any]
    document: Mapping[str, Any]


class Desk:
    """Answers questions; ``solution`` is a solved Farkle, None for a small game that is solved when first asked for."""

    def __init__(self, solution: farkle_values.Values | None = None) -> None:
        self.small = solution is None
        self.rules = solution.rules if solution else house.load(goal=SMALL_GOAL, bound=SMALL_BOUND)
        self._solution = solution

    def ask(self, game: str, parameters: Parameters) -> Answer:
        """Return the answer of a game.

        Raises
        ------
        UsageError
            If the parameters make no position.
        """
        answers: dict[str, Callable[[Parameters], Answer]] = {
            "pig": _pig, "bearoff": _bearoff, "farkle": self._farkle,
        }  # fmt: skip
        with _ONE_AT_A_TIME:
            return answers[game](parameters)

    def _farkle(self, given: Parameters) -> Answer:
        rules = self.rules
        start = play.Position(
            given.number("own"), given.number("other"), given.number("own_farkles", 0),
            given.number("other_farkles", 0),
        )  # fmt: skip
        points, text = given.number("turn", 0), given.optional("roll")
        roll = None if text is None else scoring.parse_roll(text, rules.dice)
        count = given.number("dice", len(roll) if roll else rules.dice)
        if self._solution is None:
            self._solution = farkle_values.solve(rules)
        found = farkle_advice.advise(self._solution, start, points, count, roll)
        document = {**found.to_json(), "goal": rules.goal, "bound": rules.bound, "small_game": self.small}
        return Answer({"position": start, "points": points, "advice": found}, document)


def _pig(given: Parameters) -> Answer:
    rules = Rules(*(given.number(constant.name, constant.default) for constant in (GOAL, DIE, BUST)))
    own, other, total = given.number("own"), given.number("other"), given.number("turn", 0)
    found = pig_advice.advise(rules, own, other, total)
    document = {**found.to_json(), "goal": rules.goal, "die": rules.die, "bust": rules.bust}
    return Answer({"rules": rules, "own": own, "other": other, "total": total, "advice": found}, document)


def _bearoff(given: Parameters) -> Answer:
    own = positions.parse(given.text("position", "0,0,0,0,2,3"))
    text, rolled = given.optional("opponent"), given.optional("roll")
    roll = None if rolled is None else moves.parse_roll(rolled)
    if text is None:
        alone = _solo(own)
        return Answer({"own": own, "alone": alone, "roll": roll, "race": None}, {"solo": alone.to_json()})
    return _race(own, positions.parse(text), roll)


@lru_cache(maxsize=64)
def _solo(own: Position) -> summary.Solo:
    return summary.solo(own)


@lru_cache(maxsize=64)
def _race(own: Position, other: Position, roll: tuple[int, int] | None) -> Answer:
    alone, (found, decision, refusal) = _solo(own), _both(own, other)
    advice = None if roll is None else bearoff_advice.advise(own, other, roll, RACE_VALUES)
    document = {
        "solo": alone.to_json(), "race": found.to_json(), "cube": decision and decision.to_json(),
        "cube_refused": refusal, **(advice.to_json() if advice else dict.fromkeys(("action", "options", "margin"))),
    }  # fmt: skip
    shown = {
        "own": own, "other": other, "alone": alone, "roll": roll, "race": found, "cube": decision, "refusal": refusal,
        "advice": advice,
    }  # fmt: skip
    return Answer(shown, document)


@lru_cache(maxsize=64)
def _both(own: Position, other: Position) -> tuple[summary.Race, cube.CubeDecision | None, str | None]:
    """Return the race and its cube, or why that is left out."""
    found = summary.race(own, other, most=RACE_VALUES)
    try:
        return found, cube.solve(own, other, CUBE_VALUES), None
    except UsageError as refused:
        return found, None, str(refused)
