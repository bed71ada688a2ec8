"""What has been published about Pig, computed; ``verify/figures/pig.toml`` has the figures and their sources."""

from __future__ import annotations

from fractions import Fraction

from pymc_games.games.pig import exact, policies, solitaire, values
from pymc_games.games.pig.rules import Rules
from pymc_games.result import Result


def first_player(goal: int = 100, die: int = 6, bust: int = 1) -> Result:
    """Return the first player's chance, both playing optimally."""
    return values.solve(Rules(goal, die, bust)).start()


def second_player(goal: int = 100) -> Result:
    """Return the second player's chance, both playing optimally."""
    duel = values.solve(Rules(goal))
    first = duel.start()
    lower = float(duel.opponent.waiting[0, 0, 0])
    return Result(1 - first.value, lower, 1 - first.lower, residual=duel.residual, method=values.METHOD)


def exact_first_player(goal: int, die: int, bust: int) -> Fraction:
    """Return the first player's chance as a fraction, both playing optimally."""
    return exact.first_player(Rules(goal, die, bust))


def match(first: str, second: str, goal: int = 100) -> Result:
    """Return the chance of the first of two policies, moving first."""
    rules = Rules(goal)
    return values.play(rules, policies.parse(first, rules), policies.parse(second, rules)).start()


def match_moving_second(policy: str, opponent: str, goal: int = 100) -> Result:
    """Return the chance of a policy that moves second."""
    rules = Rules(goal)
    duel = values.play(rules, policies.parse(opponent, rules), policies.parse(policy, rules))
    first = duel.start()
    lower = float(duel.opponent.waiting[0, 0, 0])
    return Result(1 - first.value, lower, 1 - first.lower, residual=duel.residual, method=values.METHOD)


def first_hold(own: int, other: int, goal: int = 100, die: int = 6, bust: int = 1) -> int:
    """Return the least turn total at which optimal play holds, or the points short of the goal if it never does."""
    return values.first_hold(values.optimal_policy(Rules(goal, die, bust)), own, other)


def plays_for_the_goal(other: int, goal: int = 100) -> bool:
    """Return whether optimal play never holds short of the goal, whatever the own score, against ``other``."""
    policy = values.optimal_policy(Rules(goal))
    return all(values.first_hold(policy, own, other) == goal - own for own in range(goal))


def holds_at(own: int, other: int, holding: list[int], rolling: list[int]) -> bool:
    """Return whether optimal play at 100 points holds at some turn totals and rolls at others."""
    policy = values.optimal_policy(Rules())
    return bool(policy[own, other, holding].all() and not policy[own, other, rolling].any())


def banks_small_totals(own: int, other: int, below: int) -> bool:
    """Return whether optimal play at 100 points holds at every turn total below ``below``, once rolled."""
    return bool(values.optimal_policy(Rules())[own, other, 1:below].all())


def action(own: int, other: int, total: int, what: str) -> Result:
    """Return what rolling or holding is worth at 100 points."""
    duel = values.solve(Rules())
    return duel.roll(own, other, total) if what == "roll" else duel.hold(own, other, total)


def turn_of_nothing(least: int) -> Fraction:
    """Return the chance that a turn of hold-at-``least`` scores nothing."""
    return solitaire.turn_distribution(Rules(), least)[0]


def points_a_turn(least: int) -> Fraction:
    """Return the expected points of a turn of hold-at-``least``."""
    return sum((points * chance for points, chance in solitaire.turn_distribution(Rules(), least).items()), Fraction(0))


def turns_alone(least: int, goal: int = 100) -> Fraction:
    """Return the expected number of turns to the goal, alone, with hold-at-``least``."""
    return solitaire.turns(Rules(goal), solitaire.hold_at(least))


def fewest_turns(goal: int = 100) -> Fraction:
    """Return the least expected number of turns to the goal, alone."""
    return solitaire.fewest_turns(Rules(goal))
