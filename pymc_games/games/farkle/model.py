"""Farkle for two as explicit models, by the Python rules: reachable states only.

The variables are those of the templates. ``roll`` numbers the option set to choose from, 0 where the player decides
whether to roll or to bank. A turn total that wins is banked at once: it stays at what was missing, and the game ends.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from pymc_games.engine import Query, Solution, solve
from pymc_games.explicit import ExplicitModel, ModelType
from pymc_games.games.base import Constants
from pymc_games.games.exploring import explore
from pymc_games.games.farkle.constants import small_rules
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import Options, options

Builder = Callable[[Constants], ExplicitModel]
_CERTAIN = Fraction(1)


class State(NamedTuple):
    """A state: the player on move, both scores and farkle counts, turn total, dice to roll, option set."""

    turn: int
    score1: int
    score2: int
    farkles1: int
    farkles2: int
    points: int
    left: int
    roll: int


# A choice: its action and its branches.
Move = tuple[str, dict[State, Fraction]]
# Which of the choices of a state, counted from 0, its player takes.
Policy = Mapping[State, int]


def game(constants: Constants) -> ExplicitModel:
    """Return the game of two free players."""
    return build(small_rules(constants), "smg", {})


def first_free(constants: Constants) -> ExplicitModel:
    """Return the decision process of player 1 against optimal play."""
    rules = small_rules(constants)
    return build(rules, "mdp", {2: optimal_policy(rules, 2)})


def second_free(constants: Constants) -> ExplicitModel:
    """Return the decision process of player 2 against optimal play."""
    rules = small_rules(constants)
    return build(rules, "mdp", {1: optimal_policy(rules, 1)})


def build(
    rules: Rules, kind: ModelType, policies: Mapping[int, Policy], starts: Sequence[State] | None = None
) -> ExplicitModel:
    """Return the model in which players follow their policy, or else may do anything, from ``starts`` or the start."""

    def allowed(state: State) -> list[Move]:
        free = list(moves(rules, state))
        policy = policies.get(state.turn)
        return free if policy is None or len(free) == 1 else [free[policy[state]]]

    model = explore(kind, starts or [start(rules)], State._fields, allowed)
    turn = model.variables["turn"]
    score, points = np.where(turn == 1, model.variables["score1"], model.variables["score2"]), model.variables["points"]
    over = points >= np.maximum(rules.goal - score, rules.minimum)
    return replace(
        model,
        labels={"win1": over & (turn == 1), "win2": over & (turn == 2), "end": over},
        state_to_player=turn - 1 if kind == "smg" else None,
        players=("p1", "p2") if kind == "smg" else (),
        name="farkle",
    )


def start(rules: Rules) -> State:
    """Return the state in which player 1 begins."""
    return State(1, 0, 0, 0, 0, 0, rules.dice, 0)


def moves(rules: Rules, state: State) -> Iterator[Move]:
    """Yield the choices in a state."""
    player = state.turn
    own = state.score1 if player == 1 else state.score2
    missing = max(rules.goal - own, rules.minimum)
    if state.points >= missing:
        yield "end", {state: _CERTAIN}
    elif state.roll:
        ways, _ = outcomes(rules, state.left)[state.roll - 1]
        for used, gain in ways:
            left = state.left - used or rules.dice
            yield (
                f"keep{player}",
                {state._replace(points=min(state.points + gain, missing), left=left, roll=0): _CERTAIN},
            )
    else:
        rolled: dict[State, Fraction] = {}
        for place, (ways, chance) in enumerate(outcomes(rules, state.left), start=1):
            rolled[state._replace(roll=place) if ways else _farkle(rules, state)] = chance
        yield f"roll{player}", rolled
        if state.points >= max(rules.minimum, rules.step):
            yield f"bank{player}", {_pass_on(rules, state, own + state.points, 0): _CERTAIN}


def _farkle(rules: Rules, state: State) -> State:
    own, count = (state.score1, state.farkles1) if state.turn == 1 else (state.score2, state.farkles2)
    if count + 1 == rules.farkles:
        return _pass_on(rules, state, max(own - rules.penalty, rules.bound), 0)
    return _pass_on(rules, state, own, count + 1)


def _pass_on(rules: Rules, state: State, score: int, count: int) -> State:
    """Return the start of the opponent's turn; ``score`` and ``count`` are those of the player whose turn ends."""
    if state.turn == 1:
        return State(2, score, state.score2, count, state.farkles2, 0, rules.dice, 0)
    return State(1, state.score1, score, state.farkles1, count, 0, rules.dice, 0)


@cache
def outcomes(rules: Rules, dice: int) -> list[tuple[Options, Fraction]]:
    """Return the distinct option sets of a roll with their probabilities, by looking at every roll."""
    counts = Counter(options(rules, roll) for roll in itertools.product(range(1, 7), repeat=dice))
    return [(ways, Fraction(counts[ways], 6**dice)) for ways in sorted(counts)]


def optimal_policy(rules: Rules, player: int) -> Policy:
    """Return what a player does in optimal play, for every state in which there is something to decide."""
    game, solution = solved(rules)
    choice = np.maximum(np.asarray(solution.choice), 0)
    states = np.column_stack([game.variables[name] for name in State._fields])
    mine = (states[:, 0] == player) & (np.diff(game.state_to_choices) > 1)
    return {State(*state): taken for state, taken in zip(states[mine].tolist(), choice[mine].tolist(), strict=True)}


@cache
def solved(rules: Rules) -> tuple[ExplicitModel, Solution]:
    """Return the game for two free players, and the engine's solution for player 1's chance."""
    game = build(rules, "smg", {})
    return game, solve(game, query(game))


def query(model: ExplicitModel) -> Query:
    """Return the question for player 1's chance, whom player 2 opposes."""
    return Query("probability", model.labels["win1"], model.variables["turn"] == 1)
