"""What computes the figures of ``verify/figures/bearoff.toml``; positions are texts as on the command line."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from pymc_games.games.bearoff import analysis, cube, exact, heuristics, one_sided, positions, race
from pymc_games.games.bearoff.moves import ROLLS, after_roll, probability
from pymc_games.games.bearoff.positions import Position, parse
from pymc_games.result import Result


def position_count(checkers: int) -> int:
    """Return how many positions have at most so many checkers."""
    return len(positions.all_positions(checkers))


def expected_rolls(position: str) -> Result:
    """Return the fewest expected rolls, exactly."""
    return Result.from_exact(exact.expected_rolls(parse(position)), method="exact backward induction")


def expected_rolls_without_the_last(position: str) -> Result:
    """Return what pseudo-code gives that charges no roll for the move that bears off the last checker.

    Every game has exactly one such roll, so that every play loses it and the best plays stay the same.
    """
    return Result.from_exact(exact.expected_rolls(parse(position)) - 1, method="exact backward induction")


def effective_pips(position: str) -> Fraction:
    """Return expected rolls times 49/6."""
    return exact.expected_rolls(parse(position)) * heuristics.PIPS_A_ROLL


def slowest_position(checkers: int) -> str:
    """Return the position of most expected rolls."""
    return positions.show(positions.position(int(one_sided.solve(checkers).mean.argmax())))


def is_slowest(position: str, checkers: int) -> bool:
    """Return whether a position has the most expected rolls of all."""
    return slowest_position(checkers) == position


def least_rolls(checkers: int) -> int:
    """Return the fewest rolls in which so many checkers can be borne off, over all positions."""
    table = one_sided.solve(checkers)
    full = positions.all_positions(checkers).sum(axis=1) == checkers
    return int((table.pmf[full] > 0).argmax(axis=1).min())


def off_within(position: str, rolls: int) -> Fraction:
    """Return the probability to be off within so many rolls when playing for the fewest expected rolls."""
    counts = exact.distribution(parse(position))
    return sum((Fraction(count, 36**k) for k, count in enumerate(counts[: rolls + 1])), Fraction(0))


def not_off_within(position: str, rolls: int) -> Fraction:
    """Return the probability to need more than so many rolls."""
    return 1 - off_within(position, rolls)


def plays_that_bear_off_nothing(checkers: int) -> int:
    """Return in how many positions and non-double rolls it is best to bear off nothing although one could."""
    return len(analysis.plays_that_bear_off_nothing(checkers))


def only_two_checker_play_that_bears_off_nothing(position: str, high: int, low: int) -> bool:
    """Return whether, with two checkers, this is the only position and roll of that kind."""
    return analysis.plays_that_bear_off_nothing(2) == [(parse(position), (high, low))]


def win_probability(own: str, other: str) -> Result:
    """Return the two-sided optimum for the player on roll."""
    return race.optimal(parse(own), parse(other))


def independent_win_probability(own: str, other: str) -> Result:
    """Return the closed form for the player on roll; the optimum where no roll leaves a choice."""
    return race.independent(parse(own), parse(other))


def equity(own: str, other: str, cube_position: str) -> Result:
    """Return a money equity: ``cubeless``, ``owned``, ``centred``, ``opponent`` or ``double_take``."""
    found: Result = getattr(cube.solve(parse(own), parse(other)), cube_position)
    return found


def action_is(own: str, other: str, action: str, redouble_action: str) -> bool:
    """Return whether these are the best actions with a centred and with an owned cube."""
    found = cube.solve(parse(own), parse(other))
    return (found.action, found.redouble_action) == (action, redouble_action)


def twice_the_pips_and_the_favourite(own: str, other: str) -> bool:
    """Return whether ``own`` has twice the pips and fewer expected rolls, and is the favourite even off roll."""
    mine, theirs = parse(own), parse(other)
    ahead = exact.expected_rolls(mine) < exact.expected_rolls(theirs) and race.optimal(theirs, mine).upper < 0.5
    return positions.pips(mine) == 2 * positions.pips(theirs) and ahead


def last_roll_is_double(own: str, other: str) -> Fraction:
    """Return the probability that the roll that ends the game is a double, for positions that leave no choice."""
    return _last_roll_is_double(parse(own), parse(other))


@lru_cache(maxsize=4096)
def _last_roll_is_double(own: Position, other: Position) -> Fraction:
    total = Fraction(0)
    for roll, (high, low) in enumerate(ROLLS):
        (after,) = after_roll(own, high, low)
        ends = Fraction(high == low)
        total += probability(roll) * (_last_roll_is_double(other, after) if any(after) else ends)
    return total
