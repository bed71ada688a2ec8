"""What has been published about Farkle, computed; ``verify/figures/farkle.toml`` has the figures and their sources."""

from __future__ import annotations

from fractions import Fraction

from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle.average import points_per_turn
from pymc_games.games.farkle.scoring import option_sets
from pymc_games.result import Result


def states(rules: str = house.DEFAULT) -> int:
    """Return the number of positions between rolls of the game for two."""
    return house.load(rules).states()


def farkle_chance(dice: int, rules: str = house.DEFAULT) -> Fraction:
    """Return the chance that a roll of so many dice scores nothing."""
    return option_sets(house.load(rules), dice)[()]


def points_a_turn(rules: str) -> Fraction:
    """Return the greatest average of points a turn, penalties counted, over a game without end."""
    return points_per_turn(house.load(rules))


def first_player(rules: str = house.DEFAULT) -> Result:
    """Return the first player's chance in the game for two, between bounds nowhere more than 1e-9 apart."""
    from pymc_games.games.farkle import values  # compiles kernels, which the other figures do without

    return values.solve(house.load(rules), gap=1e-9).at(0, 0)
