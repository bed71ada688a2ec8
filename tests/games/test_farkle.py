"""Farkle's rules and scoring against published numbers."""

from fractions import Fraction

import pytest

from pymc_games.errors import UsageError
from pymc_games.games.farkle import rules, scoring


def test_states_are_as_many_as_published() -> None:
    assert rules.load().states() == 423_765_000


@pytest.mark.parametrize(("dice", "chance"), list(enumerate(["2/3", "4/9", "5/18", "17/108", "25/324", "5/216"], 1)))
def test_farkle_probabilities(dice: int, chance: str) -> None:
    sets = scoring.option_sets(rules.load(), dice)
    assert sets[()] == Fraction(chance)
    assert sum(sets.values()) == 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"gaol": 5000}, "unknown key 'gaol'"),
        ({"goal": 200}, "minimum bank"),
        ({"goal": 10_010}, "not a multiple of the step"),
        ({"bound": 50}, "must not lie above"),
        ({"dice": 2}, "need six dice"),
    ],
)
def test_bad_rules(given: dict[str, int], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        rules.parse(given)


@pytest.mark.parametrize("text", ["", "7", "1,1,1,1,1,1,1", "1,x"])
def test_bad_rolls(text: str) -> None:
    with pytest.raises(UsageError, match="not a roll"):
        scoring.parse_roll(text, 6)
