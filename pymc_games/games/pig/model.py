"""Pig as explicit models, by the Python rules: reachable states only, in the order of their valuations.

The variables are those of the templates: ``turn`` (1 or 2), ``score1``, ``score2`` and ``total``. A roll that reaches
the goal leaves ``total`` at what was missing, so that the game is over where score and total make the goal.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pymc_games.explicit import ExactNumbers, ExplicitModel, ModelType, RewardModel
from pymc_games.games.base import Constants
from pymc_games.games.pig import kernels, values
from pymc_games.games.pig.rules import Rules
from pymc_games.games.pig.values import Policy

Builder = Callable[[Constants], ExplicitModel]
State = tuple[int, int]


def game(constants: Constants) -> ExplicitModel:
    """Return the game of two free players."""
    return build(Rules.of(constants), "smg", None, None)


def first_free(constants: Constants) -> ExplicitModel:
    """Return the decision process of player 1 against optimal play."""
    rules = Rules.of(constants)
    return build(rules, "mdp", None, values.optimal_policy(rules))


def second_free(constants: Constants) -> ExplicitModel:
    """Return the decision process of player 2 against optimal play."""
    rules = Rules.of(constants)
    return build(rules, "mdp", values.optimal_policy(rules), None)


def both_fixed(constants: Constants) -> ExplicitModel:
    """Return the chain of optimal play on both sides."""
    rules = Rules.of(constants)
    policy = values.optimal_policy(rules)
    return build(rules, "dtmc", policy, policy)


def build(rules: Rules, kind: ModelType, policy1: Policy | None, policy2: Policy | None) -> ExplicitModel:
    """Return the model in which each player follows a policy or, for ``None``, may do anything."""
    goal = rules.goal
    reached = values.reachable(rules, policy1, policy2)
    states = np.ascontiguousarray(np.argwhere(reached))
    number = np.full(reached.shape, -1, dtype=np.int32)
    number[reached] = np.arange(len(states), dtype=np.int32)
    player, score1, score2, total = np.ascontiguousarray(states.T)
    own, other = np.where(player == 0, score1, score2), np.where(player == 0, score2, score1)
    over = own + total == goal

    rolls, holds = _allowed(policy1, policy2, player, own, other, total)
    rolls, holds = rolls & ~over, holds | over  # a finished game has one choice, which stays
    state_to_choices = _offsets(rolls.astype(np.int64) + holds)
    owner = np.repeat(np.arange(len(states)), np.diff(state_to_choices))
    is_roll = np.zeros(len(owner), dtype=np.bool_)
    is_roll[state_to_choices[:-1][rolls]] = True

    winning_faces = np.array([(rules.scoring >= missing).sum() for missing in range(goal + 1)])
    wins = winning_faces[(goal - own - total)[owner]]
    sizes = np.where(is_roll, 1 + len(rules.scoring) - np.maximum(wins - 1, 0), 1)
    choice_to_branches = _offsets(sizes)
    target = np.empty(choice_to_branches[-1], dtype=np.int64)
    weight = np.empty(choice_to_branches[-1], dtype=np.int32)
    kernels.list_branches(goal, rules.scoring, states, number, is_roll, owner, choice_to_branches, target, weight)

    ended = over[owner]
    actions = np.array(["roll1", "roll2", "hold1", "hold2", "end"], dtype=object)
    action = np.where(ended, 4, 2 * ~is_roll + player[owner])
    return ExplicitModel(
        type=kind,
        state_to_choices=state_to_choices,
        choice_to_branches=choice_to_branches,
        branch_to_target=target,
        probabilities=ExactNumbers(_faces(rules), weight),
        labels={"win1": over & (player == 0), "win2": over & (player == 1), "end": over},
        variables={"turn": player + 1, "score1": score1, "score2": score2, "total": total},
        state_to_player=player if kind == "smg" else None,
        players=("p1", "p2") if kind == "smg" else (),
        choice_to_action=tuple(actions[action]),
        name="pig",
    )


def _allowed(
    policy1: Policy | None, policy2: Policy | None, player: NDArray, own: NDArray, other: NDArray, total: NDArray
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return in which states rolling, and in which holding, is allowed."""
    rolls, holds = np.ones(len(player), dtype=np.bool_), total > 0
    for seat, policy in enumerate((policy1, policy2)):
        if policy is not None:
            mine = (player == seat) & (total < len(policy))
            decided = policy[own[mine], other[mine], total[mine]] & (total[mine] > 0)
            rolls[mine], holds[mine] = ~decided, decided
    return rolls, holds


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _faces(rules: Rules) -> tuple[Fraction, ...]:
    return tuple(Fraction(faces, rules.die) for faces in range(1, rules.die + 1))


def alone(constants: Constants) -> ExplicitModel:
    """Return the decision process of one player who wants to reach the goal in few turns, by the Python rules."""
    rules = Rules.of(constants)
    number: dict[State, int] = {(0, 0): 0}
    states = [(0, 0)]
    actions: list[str] = []
    begins: list[Fraction] = []
    rows: list[dict[int, Fraction]] = []
    state_to_choices = [0]
    for score, total in states:  # grows as new states are met
        for action, outcomes in _choices(rules, score, total):
            for state in outcomes:
                if state not in number:
                    number[state] = len(states)
                    states.append(state)
            actions.append(action)
            begins.append(Fraction(action == "roll" and total == 0))
            rows.append({number[state]: chance for state, chance in outcomes.items()})
        state_to_choices.append(len(rows))
    scores = np.array(states, dtype=np.int64)
    return ExplicitModel(
        type="mdp",
        state_to_choices=np.array(state_to_choices, dtype=np.int64),
        choice_to_branches=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        branch_to_target=np.array([state for row in rows for state in row], dtype=np.int64),
        probabilities=ExactNumbers.of([chance for row in rows for chance in row.values()]),
        labels={"goal": scores.sum(axis=1) == rules.goal},
        rewards={"turns": RewardModel(choice=ExactNumbers.of(begins))},
        variables={"score": scores[:, 0], "total": scores[:, 1]},
        choice_to_action=tuple(actions),
        name="pig",
    )


def _choices(rules: Rules, score: int, total: int) -> list[tuple[str, dict[State, Fraction]]]:
    if score + total == rules.goal:
        return [("end", {(score, total): Fraction(1)})]
    outcomes = {(score, 0): Fraction(1, rules.die)}
    for face in rules.scoring:
        state = (score, min(total + int(face), rules.goal - score))
        outcomes[state] = outcomes.get(state, Fraction(0)) + Fraction(1, rules.die)
    hold = [("hold", {(score + total, 0): Fraction(1)})] if total else []
    return [("roll", outcomes), *hold]
