"""What the campaign asks of the native solver: one function a quantity."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from pymc_games.games.bingo import match, nash, patterns, search, solo, strategic
from pymc_games.games.bingo.board import TRANSIENT, parse_board, parse_cells


def expected_rolls(board: str) -> Fraction:
    """Return the fewest expected rolls of a board."""
    return _solo(board).expected_rolls


def standard_deviation(board: str) -> float:
    """Return the standard deviation of the number of rolls."""
    return math.sqrt(_solo(board).variance)


def outcome(board: str, other: str, end: str) -> Fraction:
    """Return the probability of one end of a match: ``a_wins``, ``b_wins`` or ``tie``."""
    value: Fraction = getattr(_match(board, other).outcome(), end)
    return value


def joint_states(board: str, other: str) -> int:
    """Return the number of transient joint states of a match."""
    return len(_match(board, other).reachable())


def transient_states() -> int:
    """Return the number of mark sets without a line."""
    return len(TRANSIENT)


def solo_reversal_from(board: str, other: str, rolls: int) -> int:
    """Return the first number of rolls from which on ``other`` is done at it more often, up to ``rolls``."""
    ahead = [x > y for x, y in zip(_solo(other).pmf(rolls), _solo(board).pmf(rolls), strict=True)]
    return next(k for k in range(len(ahead)) if all(ahead[k:]))


def leads_at_every_roll(board: str, other: str, rolls: int) -> bool:
    """Return whether player a wins at each number of rolls up to ``rolls`` at least as often as player b."""
    timing = _match(board, other).timing(rolls)
    return bool((timing.a_wins >= timing.b_wins).all())


def nash_payoff(player: str, row: int, column: int, **position: Any) -> Fraction:
    """Return one entry of the bimatrix of a position."""
    decision = _decision(**position)
    return solo.to_fraction(getattr(decision, player)[row][column])


def pure_equilibria(**position: Any) -> int:
    """Return the number of pure equilibria."""
    return len(_decision(**position).pure())


def mixed_strategy(player: str, **position: Any) -> Fraction:
    """Return the weight of the first cell in the only equilibrium; player ``a`` or ``b``."""
    (equilibrium,) = _decision(**position).mixed()
    return solo.to_fraction((equilibrium.rows if player == "a" else equilibrium.columns)[0])


def equilibrium_payoff(player: str, **position: Any) -> Fraction:
    """Return what a player wins in the only equilibrium."""
    (equilibrium,) = _decision(**position).mixed()
    return solo.to_fraction(equilibrium.payoffs[0 if player == "a" else 1])


def strategic_value(board: str, other: str) -> Fraction:
    """Return (a wins) minus (b wins) where both adapt."""
    return solo.to_fraction(strategic.StrategicGame(_solo(board), _solo(other)).value())


def class_size(board: str) -> int:
    """Return how many boards are equal to one."""
    return patterns.class_size(parse_board(board))


def search_finds(board: str) -> bool:
    """Return whether the complete search finds this board's class as the only best one."""
    found = search.search(2)
    return found.gap > 0 and found.leaders[0].board == patterns.canonical(parse_board(board))


def _solo(board: str) -> solo.Solo:
    return solo.solve(parse_board(board))


def _match(board: str, other: str) -> match.Match:
    return match.Match(_solo(board), _solo(other))


def _decision(board: str, other: str, marked_a: str, marked_b: str, roll: int) -> nash.Decision:
    return nash.decide(_match(board, other), (parse_cells(marked_a), parse_cells(marked_b)), roll)
