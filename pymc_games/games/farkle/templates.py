"""What the templates of Farkle for two see: rules, policies as decision trees, and answers for the property files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pymc_games.games.base import Constants
from pymc_games.games.farkle import model
from pymc_games.games.farkle.constants import small_rules
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import option_sets
from pymc_games.result import Result, digits


def game(constants: Constants, kind: str, fixed: Sequence[int], description: str) -> dict[str, Any]:
    """Return the context of a game in which the players in ``fixed`` (1, 2) play optimally."""
    rules = small_rules(constants)
    sets = {count: option_sets(rules, count) for count in range(1, rules.dice + 1)}
    return {
        **constants, "type": kind, "description": description, "step": rules.step,
        "least": max(rules.minimum, rules.step), "greatest": max(rules.goal - rules.bound, rules.minimum),
        "most": max(map(len, sets.values())),
        "rolls": [(count, [(chance, ways) for ways, chance in found.items()]) for count, found in sets.items()],
        "policies": {player: _trees(rules, player) for player in fixed}, **_answers(rules),
    }  # fmt: skip


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
    first = model.solved(rules)[1].at(0)
    second = Result(1 - first.value, 1 - first.upper, 1 - first.lower)
    return {"first_player": digits(first), "second_player": digits(second)}
