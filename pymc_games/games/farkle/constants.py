"""The constants of Farkle's small models, and the rules that they describe."""

from __future__ import annotations

from dataclasses import replace

from pymc_games.errors import UsageError
from pymc_games.games.base import Constants, integer
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.turn import turn_rules

CONSTANTS = (
    integer("goal", 300, "points that win, or to collect in the turn", 50, 10_000),
    integer("dice", 2, "dice rolled", 1, 6),
    integer("minimum", 100, "least turn total that may be banked", 0, 10_000),
    integer("bound", -100, "scores never fall below it", -10_000, 0),
    integer("farkles", 3, "farkles in a row that cost the penalty", 1, 6),
    integer("penalty", 100, "points that farkles in a row cost", 0, 10_000),
)

#: Models of the game for two have up to some twenty times as many states as ``Rules.states`` counts.
LARGEST = 50_000


def rules_of(constants: Constants) -> Rules:
    """Return the rules that the game's constants describe."""
    numbers = {name: constants[name] for name in ("goal", "minimum", "bound", "farkles", "penalty")}
    return replace(turn_rules(constants["dice"]), **numbers)


def small_rules(constants: Constants) -> Rules:
    """Return the rules of a game for two that is small enough for an explicit model.

    Raises
    ------
    UsageError
        If it is not.
    """
    rules = rules_of(constants)
    if rules.states() > LARGEST:
        raise UsageError(
            f"goal={rules.goal}, bound={rules.bound}, dice={rules.dice}: {rules.states():,} positions between rolls "
            f"are too many for an explicit model, which takes {LARGEST:,}; choose a smaller goal"
        )
    return rules
