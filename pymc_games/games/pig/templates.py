"""What Pig's templates see: the rules, policies as decision trees, and the answers for the property files."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pymc_games.games.base import Constants
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.games.pig.values import Policy
from pymc_games.result import Result, digits

#: Goals up to this are solved exactly for their ``// RESULT:`` lines; beyond, the fractions fill pages.
LARGEST_EXACT_GOAL = 5


def game(constants: Constants, kind: str, fixed: Sequence[int], description: str) -> dict[str, Any]:
    """Return the context of a game in which the players in ``fixed`` (1, 2) play optimally."""
    rules = Rules.of(constants)
    policy = values.optimal_policy(rules)
    return {
        **_rules(rules), "type": kind, "description": description,
        "policies": {player: tree(rules, policy, player) for player in fixed}, **_answers(rules),
    }  # fmt: skip


def solitaire(constants: Constants) -> dict[str, Any]:
    """Return the context of Pig alone."""
    from pymc_games.games.pig.solitaire import fewest_turns

    rules = Rules.of(constants)
    exact = fewest_turns(rules)
    shown = exact if rules.goal <= LARGEST_EXACT_GOAL else digits(Result.from_exact(exact, method=""))
    return {**_rules(rules), "turns": shown}


def tree(rules: Rules, policy: Policy, player: int) -> str:
    """Return where a player holds as a PRISM expression.

    It equals the policy in every state that can be met when the player follows it, whatever the opponent does; what it
    says elsewhere, as of turn totals that are never rolled up to, makes no difference.
    """
    from pymc_games.prism import partial_tree  # loads jinja2, which solving does without

    met = values.reachable(rules, policy, None)[0, :, :, : rules.goal]
    met[:, :, 0] = False  # nobody holds before the first roll
    return partial_tree(policy, met, (f"score{player}", f"score{3 - player}", "total"))


def _rules(rules: Rules) -> dict[str, Any]:
    return {
        "goal": rules.goal, "die": rules.die, "bust": rules.bust, "chance": Fraction(1, rules.die),
        "scoring": sorted(int(face) for face in rules.scoring),
    }  # fmt: skip


def _answers(rules: Rules) -> dict[str, Any]:
    if rules.goal <= LARGEST_EXACT_GOAL:
        from pymc_games.games.pig.exact import first_player

        exact = first_player(rules)
        return {"first_player": exact, "second_player": 1 - exact}
    duel = values.solve(rules)
    first = duel.start()
    second = Result(1 - first.value, 1 - first.upper, 1 - first.lower)
    return {"first_player": digits(first), "second_player": digits(second)}
