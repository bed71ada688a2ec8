"""What the templates of Farkle see: the rules, policies as decision trees, and the answers for the property files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from pymc_games.games.base import Constants
from pymc_games.games.farkle import model, values
from pymc_games.games.farkle.average import horizon, points_per_turn, surplus
from pymc_games.games.farkle.constants import rules_of, small_rules
from pymc_games.games.farkle.fewest_turns import fewest_turns
from pymc_games.games.farkle.play import Turn
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import Options, option_sets
from pymc_games.result import Result, digits

#: Storm takes no whole number from here on.
_STORM_READS = 2**63


def game(constants: Constants, kind: str, fixed: Sequence[int], description: str) -> dict[str, Any]:
    """Return the context of a game in which the players in ``fixed`` (1, 2) play optimally."""
    rules = small_rules(constants)
    return {
        **_rules(rules), "type": kind, "description": description, "greatest": _greatest(rules),
        "policies": {player: _trees(rules, player) for player in fixed}, **_answers(rules),
    }  # fmt: skip


def solo(constants: Constants) -> dict[str, Any]:
    """Return the context of the game alone, in few turns."""
    rules = small_rules(constants)
    return {**_rules(rules), "greatest": _greatest(rules), "turns": digits(fewest_turns(rules).at(0))}


def cycle(constants: Constants) -> dict[str, Any]:
    """Return the context of the game alone and for ever."""
    rules = rules_of(constants)
    average = points_per_turn(rules)
    if average.numerator >= _STORM_READS:
        average = Fraction(round(average * 10**9), 10**9)
    return charged(rules, average)


def charged(rules: Rules, average: Fraction) -> dict[str, Any]:
    """Return the context of a cycle of turns, each charged with ``average`` points."""
    last, tail = horizon(rules)
    gains = [gain for count in range(1, rules.dice + 1) for ways in option_sets(rules, count) for _, gain in ways]
    shift = rules.farkles * math.ceil(average) + rules.penalty
    left = shift + surplus(rules, average)
    return {
        **_rules(rules), "average": average, "shift": shift, "last": last, "tail": tail, "greatest": last + max(gains),
        "left": left if left == shift else digits(Result.from_exact(left, method="")),
    }  # fmt: skip


def position(turn: Turn, start: Result) -> dict[str, Any]:
    """Return the context of one turn, whose outcomes are worth what the solution says; ``start`` is its value there.

    Midpoints of the solution's bounds, as the fractions that these floats are, stand for the values.
    """
    from pymc_games.prism import decision_tree  # loads jinja2, which solving does without

    rules = turn.rules
    bank = np.array([Fraction(float(worth)) for worth in turn.bank.mean(axis=-1)], dtype=object)
    scaled = np.repeat(bank, rules.step)[: (len(bank) - 1) * rules.step + 1]
    return {
        **turn.position._asdict(), **_rolls(rules), "missing": len(bank) * rules.step,
        "bank": decision_tree(scaled, ("points",)), "farkle": Fraction(float(turn.farkle.mean())),
        "keeps": {count: _places(list(option_sets(rules, count))) for count in range(1, rules.dice + 1)},
        "value": digits(start),
    }  # fmt: skip


def _rules(rules: Rules) -> dict[str, Any]:
    return {
        **_rolls(rules), "goal": rules.goal, "minimum": rules.minimum, "bound": rules.bound, "step": rules.step,
        "farkles": rules.farkles, "penalty": rules.penalty,
    }  # fmt: skip


def _rolls(rules: Rules) -> dict[str, Any]:
    sets = {count: option_sets(rules, count) for count in range(1, rules.dice + 1)}
    return {
        "dice": rules.dice, "least": max(rules.minimum, rules.step), "most": max(map(len, sets.values())),
        "rolls": [(count, [(chance, ways) for ways, chance in found.items()]) for count, found in sets.items()],
    }  # fmt: skip


def _greatest(rules: Rules) -> int:
    """Return the greatest turn total: what wins from the lowest score."""
    return max(rules.goal - rules.bound, rules.minimum)


def _places(sets: list[Options]) -> list[tuple[tuple[int, int], list[int]]]:
    """Return each option with the numbers, from 1, of the option sets that have it."""
    return [
        (option, [place for place, ways in enumerate(sets, start=1) if option in ways])
        for option in sorted({option for ways in sets for option in ways})
    ]


def _trees(rules: Rules, player: int) -> dict[str, Any]:
    """Return where a player banks, and which option of each set the player keeps, as PRISM expressions.

    They equal the policy in every state that can be met when the player follows it, whatever the opponent does.
    """
    policy = model.optimal_policy(rules, player)
    met = model.build(rules, "mdp", {player: policy}).variables
    columns = np.column_stack([met[name] for name in model.State._fields])
    mine = [state for state in map(model.State._make, columns.tolist()) if state in policy]
    keeps = {}
    for count in range(1, rules.dice + 1):
        for place, ways in enumerate(option_sets(rules, count), start=1):
            if len(ways) > 1:
                here = [state for state in mine if (state.left, state.roll) == (count, place)]
                keeps[count, place] = [_tree(rules, player, here, policy, option) for option in range(len(ways))]
    return {"banks": _tree(rules, player, [state for state in mine if not state.roll], policy, 1), "keeps": keeps}


def _tree(rules: Rules, player: int, states: Sequence[model.State], policy: model.Policy, choice: int) -> str:
    """Return where, among ``states``, a policy takes a choice."""
    from pymc_games.prism import partial_tree  # loads jinja2, which solving does without

    names = (f"score{player}", f"score{3 - player}", f"farkles{player}", f"farkles{3 - player}", "points", "left")
    scores = range(rules.bound, rules.goal, rules.step)
    totals = range(0, max(rules.goal - rules.bound, rules.minimum), rules.step)
    axes = (scores, scores, range(rules.farkles), range(rules.farkles), totals, range(1, rules.dice + 1))
    known, taken = (np.zeros([len(axis) for axis in axes], dtype=np.bool_) for _ in range(2))
    for state in states:
        place = tuple(axis.index(getattr(state, name)) for axis, name in zip(axes, names, strict=True))
        known[place], taken[place] = True, policy[state] == choice
    return partial_tree(taken, known, names, axes)


def _answers(rules: Rules) -> dict[str, Any]:
    first = values.solve(rules).at(0, 0)
    second = Result(1 - first.value, 1 - first.upper, 1 - first.lower)
    return {"first_player": digits(first), "second_player": digits(second)}
