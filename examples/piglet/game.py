"""Piglet, Pig with a coin: flip as often as you dare; heads add a point to the turn total, tails forfeit it.

Source: Neller and Presser, 'Optimal Play of the Dice Game Pig', UMAP Journal 25(1), 2004.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from pymc_games import prism
from pymc_games.engine import solve
from pymc_games.explicit import ExplicitModel
from pymc_games.games.base import Constants, Game, Variant, integer
from pymc_games.games.exploring import explore
from pymc_games.properties import parse_property
from pymc_games.queries import question

State = tuple[int, int, int, int]  # turn, score1, score2, total

HALF = Fraction(1, 2)


def moves(goal: int, holds2: np.ndarray | None, state: State) -> list[tuple[str, Mapping[State, Fraction]]]:
    """Return a state's actions with the chances of the next states; player 2 may follow a policy."""
    turn, score1, score2, total = state
    own = score1 if turn == 1 else score2
    if own + total == goal:
        return [("end", {state: Fraction(1)})]
    after = (score1 + total, score2) if turn == 1 else (score1, score2 + total)
    flip = {(turn, score1, score2, total + 1): HALF, (3 - turn, score1, score2, 0): HALF}
    actions: list[tuple[str, Mapping[State, Fraction]]] = [(f"flip{turn}", flip)]
    if total > 0:
        actions.append((f"hold{turn}", {(3 - turn, *after, 0): Fraction(1)}))
    if turn == 2 and holds2 is not None:
        return [actions[-1] if total >= holds2[score2, score1] else actions[0]]
    return actions


def build(goal: int, holds2: np.ndarray | None = None) -> ExplicitModel:
    """Return the game of two free players or, with a policy for player 2, the decision process of player 1."""
    names = ("turn", "score1", "score2", "total")
    model = explore("smg" if holds2 is None else "mdp", [(1, 0, 0, 0)], names, partial(moves, goal, holds2))
    turn, score1, score2, total = (model.variables[name] for name in names)
    labels = {"win1": (turn == 1) & (score1 + total == goal), "win2": (turn == 2) & (score2 + total == goal)}
    players = {"state_to_player": turn - 1, "players": ("p1", "p2")} if holds2 is None else {}
    return replace(model, labels=labels, **players)


@cache
def solved(goal: int) -> dict[State, Fraction]:
    """Return player 1's exact chance in every state of optimal play."""
    model = build(goal)
    asked = question(parse_property('<<p1>> Pmax=? [ F "win1" ]'), model)
    exact = asked.answer(solve(model, asked.query, exact=True)).exact
    states = zip(*(model.variables[name].tolist() for name in model.variables), strict=True)
    return dict(zip(states, exact or (), strict=True))


def first_holds(goal: int) -> np.ndarray:
    """Return the least turn total at which holding is better than flipping, by own and other score."""
    chance = solved(goal)
    table = np.empty((goal, goal), dtype=np.int64)
    for own, other in np.ndindex(goal, goal):
        left = goal - own
        better = (
            total for total in range(1, left)
            if chance[2, own + total, other, 0]
            > HALF * (chance[1, own, other, total + 1] + chance[2, own, other, 0])
        )  # fmt: skip
        table[own, other] = next(better, left)
    return table


def chance_of(goal: int, own: int, other: int, total: int) -> Fraction:
    """Return the chance of the player on move, both playing optimally."""
    return solved(goal)[1, own, other, total]


def holds_at(goal: int, table: list[list[int]]) -> bool:
    """Return whether optimal play first holds at these turn totals, by own score and other score."""
    return bool((first_holds(goal) == np.array(table)).all())


def context(constants: Constants, kind: str) -> dict[str, Any]:
    """Return what the templates see."""
    goal = constants["goal"]
    holds2 = prism.decision_tree(first_holds(goal), ["score2", "score1"]) if kind == "mdp" else None
    return {"goal": goal, "type": kind, "holds2": holds2, "first_player": chance_of(goal, 0, 0, 0)}


def _variant(kind: str, description: str, explicit: Any) -> Variant:
    return Variant(
        name=kind, type=kind, description=description, template="model.prism.j2", properties=f"{kind}.props.j2",
        context=partial(context, kind=kind), explicit=explicit,
    )  # fmt: skip


GAME = Game(
    name="piglet",
    title="Piglet",
    description="Flip a coin as often as you dare; tails forfeit the turn. First to the goal wins.",
    constants=(integer("goal", 10, "points that win", 1, 20),),
    variants=(
        _variant(
            "mdp",
            "player 1 is free, player 2 plays optimally",
            lambda constants: build(constants["goal"], first_holds(constants["goal"])),
        ),
        _variant("smg", "both players are free", lambda constants: build(constants["goal"])),
    ),
)
