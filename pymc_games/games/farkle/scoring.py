"""What a roll may score: its option set, the pairs (dice set aside, points)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from pymc_games.errors import UsageError
from pymc_games.games.farkle.rules import Rules

#: Pairs (dice set aside, points), sorted; empty for a farkle.
Options = tuple[tuple[int, int], ...]


def parse_roll(text: str, dice: int) -> tuple[int, ...]:
    """Return a roll from text such as ``1,1,5`` or ``115``.

    Raises
    ------
    UsageError
        If it is not a roll of one to ``dice`` six-sided dice.
    """
    digits = text.replace(",", "").replace(" ", "")
    if not digits or len(digits) > dice or any(digit not in "123456" for digit in digits):
        raise UsageError(f"roll '{text}': not a roll of one to {dice} dice with faces 1 to 6; write 1,1,5")
    return tuple(sorted(int(digit) for digit in digits))


def options(rules: Rules, roll: Sequence[int]) -> Options:
    """Return all ways to score a roll, each die counting once.

    Of two ways that set aside the same number of dice the one with fewer points is left out: it leads to the same
    dice with a smaller turn total.
    """
    best: dict[int, int] = {0: 0}
    for face, count in Counter(roll).items():
        ways = _face(rules, face, count)
        sums: dict[int, int] = {}
        for (used, points), (more, gain) in itertools.product(best.items(), ways.items()):
            sums[used + more] = max(sums.get(used + more, 0), points + gain)
        best = sums
    if len(roll) == 6:
        whole = _whole(rules, roll, scoreless=len(best) == 1)
        if whole:
            best[6] = max(best.get(6, 0), whole)
    return tuple(sorted((used, points) for used, points in best.items() if used))


def ways(rules: Rules, roll: Sequence[int]) -> list[tuple[tuple[int, ...], int]]:
    """Return for each entry of the roll's option set which dice to set aside, as faces, and their points."""
    found = []
    for used, points in options(rules, roll):
        for faces in sorted(set(itertools.combinations(sorted(roll), used))):
            if (used, points) in (options(rules, faces) if used < len(roll) else options(rules, roll)):
                found.append((faces, points))
                break
    return found


def _face(rules: Rules, face: int, count: int) -> dict[int, int]:
    """Return the best points of each number of dice of one face."""
    single, triple = rules.singles[face - 1], rules.triples[face - 1]
    ways = {0: 0}
    for used in range(1, count + 1):
        points = used * single
        for size in range(3, used + 1):
            if triple and (single or size == used):
                grown = triple * (size - 2) if rules.growth == "linear" else triple * 2 ** (size - 3)
                points = max(points, grown + (used - size) * single)
        if points:
            ways[used] = points
    return ways


def _whole(rules: Rules, roll: Sequence[int], scoreless: bool) -> int:
    """Return the points of all six dice together as a straight, three pairs, or nothing at all."""
    counts = sorted(Counter(roll).values())
    if counts == [1] * 6:
        return rules.straight
    if counts == [2, 2, 2] or (rules.four_and_two and counts == [2, 4]):
        return rules.three_pairs
    return rules.nothing if scoreless else 0


@cache
def option_sets(rules: Rules, dice: int) -> dict[Options, Fraction]:
    """Return the distinct option sets of ``dice`` dice with their probabilities; the empty one is the farkle."""
    counts: Counter[Options] = Counter()
    for roll in itertools.combinations_with_replacement(range(1, 7), dice):
        counts[options(rules, roll)] += _arrangements(roll)
    return {found: Fraction(count, 6**dice) for found, count in sorted(counts.items())}


def _arrangements(roll: Sequence[int]) -> int:
    """Return in how many orders the dice of a roll can fall."""
    ways, placed = 1, 0
    for count in Counter(roll).values():
        for place in range(1, count + 1):
            placed += 1
            ways = ways * placed // place
    return ways
