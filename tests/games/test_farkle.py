"""Farkle's rules and scoring against published numbers."""

import itertools
from collections import Counter
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
        ({"gaol": 5000}, "unknown key 'gaol'; did you mean goal?"),
        ({"colour": 1}, "unknown key 'colour'; the keys are goal, minimum"),
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


@pytest.mark.parametrize(("dice", "count"), list(enumerate([3, 6, 14, 31, 61, 119], 1)))
def test_distinct_option_sets(dice: int, count: int) -> None:
    """The farkle counts as one. Of two dice each is a 1, a 5 or worthless, so that there are no more than six sets."""
    default = rules.load()
    assert len(scoring.option_sets(default, dice)) == count
    # To keep the options that ``options`` leaves out, fewer points for as many dice, tells no more rolls apart.
    rolls = itertools.combinations_with_replacement(range(1, 7), dice)
    assert len({every_option(default, roll) for roll in rolls}) == count


def every_option(default: rules.Rules, roll: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """Return all ways to score a roll: of each face some dice singly, and three or more, or none, as a set."""
    found = {(0, 0)}
    for face, count in Counter(roll).items():
        single, triple = default.singles[face - 1], default.triples[face - 1]
        ways = {
            (alone + together, alone * single + triple * max(together - 2, 0))
            for together in (0, *range(3, count + 1))
            for alone in range(count - together + 1 if single else 1)
        }
        found = {(used + more, points + gain) for used, points in found for more, gain in ways}
    counts = sorted(Counter(roll).values())
    if len(roll) == 6 and counts in ([1] * 6, [2] * 3):
        found.add((6, default.straight if counts == [1] * 6 else default.three_pairs))
    return frozenset(found - {(0, 0)})
