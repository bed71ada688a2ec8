"""Bingo's models by the Python rules, and what its templates see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from pymc_games.explicit import ExactNumbers, ExplicitModel, RewardModel
from pymc_games.games.base import Constants
from pymc_games.games.bingo import solo, strategic
from pymc_games.games.bingo.board import CELLS, LINES, VALUES, WINNING, Board, Joint, chance, show_board, usable
from pymc_games.games.bingo.match import Match, end_index, is_over

State = tuple[int, ...]
#: A choice: its action, its reward, and its branches.
_Choice = tuple[str, int, dict[Any, Fraction]]

CELL_VARIABLES = tuple(f"m{cell}" for cell in range(CELLS))


def solo_model(constants: Constants) -> ExplicitModel:
    """Return one board as a decision process: the cells' marks, and the roll to be used (0: roll next)."""
    board: Board = constants["board"]

    def choices(state: State) -> Iterator[_Choice]:
        mask, roll = state
        if WINNING[mask]:
            yield "done", 0, {state: Fraction(1)}
        elif roll == 0:
            branches: Counter[State] = Counter()
            for value in VALUES:
                branches[mask, value if usable(board, mask, value) else 0] += chance(value)  # type: ignore[assignment]
            yield "roll", 1, dict(branches)  # type: ignore[arg-type]
        else:
            for cell in usable(board, mask, roll):
                yield "mark", 0, {(mask | 1 << cell, 0): Fraction(1)}

    def columns(states: list[State]) -> dict[str, Any]:
        masks = np.array([mask for mask, _ in states])
        marks = {name: masks >> cell & 1 for cell, name in enumerate(CELL_VARIABLES)}
        return {**marks, "roll": np.array([roll for _, roll in states])}

    model, states = _explore("mdp", (0, 0), choices, columns)
    won = np.array([WINNING[mask] for mask, _ in states])
    return _named(model, {"win": won}, f"bingo {show_board(board)}")


def match_model(constants: Constants) -> ExplicitModel:
    """Return the joint chain of two boards under their solo-optimal strategies; marks as numbers with a bit a cell."""
    match = _match(constants)

    def choices(joint: Joint) -> Iterator[_Choice]:
        if is_over(joint):
            yield "done", 0, {joint: Fraction(1)}
            return
        branches: Counter[Joint] = Counter()
        for value in VALUES:
            branches[match.after(joint, value)] += chance(value)  # type: ignore[assignment]
        yield "roll", 1, dict(branches)  # type: ignore[arg-type]

    def columns(states: list[Joint]) -> dict[str, Any]:
        return {"a": np.array([a for a, _ in states]), "b": np.array([b for _, b in states])}

    model, states = _explore("dtmc", (0, 0), choices, columns)
    ends = np.array([end_index(joint) if is_over(joint) else -1 for joint in states])
    labels = {name: ends == index for index, name in enumerate(("a_wins", "b_wins", "tie"))}
    return _named(model, labels, "bingo match")


def solo_context(constants: Constants) -> dict[str, Any]:
    """Return what the templates of one board see."""
    board: Board = constants["board"]
    solved = solo.solve(board, constants["tie_break"])
    rolls = [(chance(value), value) for value in VALUES if value in board]
    return {
        "board": board, "text": show_board(board), "lines": _lines(), "rolls": rolls,
        "values": sorted(set(board)), "expected_rolls": solved.expected_rolls,
    }  # fmt: skip


def match_context(constants: Constants) -> dict[str, Any]:
    """Return what the templates of a match see: every joint state that is met, with its branches."""
    match = _match(constants)
    rows = []
    for joint in match.reachable():
        branches: Counter[Joint] = Counter()
        for value in VALUES:
            branches[match.after(joint, value)] += chance(value)  # type: ignore[assignment]
        rows.append((joint, list(branches.items())))
    ends = {to for _, branches in rows for to, _ in branches if is_over(to)}
    sides = [[sorted(e for e in ends if end_index(e) == k) for k in range(3)]]
    return {
        "a": show_board(match.a.board), "b": show_board(match.b.board), "rows": rows, "ends": sides[0],
        "outcome": match.outcome(),
    }  # fmt: skip


def strategic_context(constants: Constants) -> dict[str, Any]:
    """Return what the template of the concurrent game sees."""
    a, b = constants["board"], constants["other"]
    value = strategic.StrategicGame(solo.solve(a), solo.solve(b)).value()
    values = sorted({*a, *b})
    return {
        "a": a, "b": b, "a_text": show_board(a), "b_text": show_board(b), "lines": _lines(), "values": values,
        "chances": {v: chance(v) for v in values}, "nothing": 1 - sum(chance(v) for v in values),
        "value": solo.to_fraction(value),
    }  # fmt: skip


def _match(constants: Constants) -> Match:
    solved = (solo.solve(constants[name], constants["tie_break"]) for name in ("board", "other"))
    return Match(*solved)


def _lines() -> list[list[int]]:
    return [[cell for cell in range(CELLS) if line >> cell & 1] for line in LINES]


def _explore(
    kind: Any,
    start: Any,
    rules: Callable[[Any], Iterator[_Choice]],
    columns: Callable[[list[Any]], dict[str, Any]],
) -> tuple[ExplicitModel, list[Any]]:
    """Build the model of all states that can be met from ``start``; return it and the states in order."""
    number: dict[Hashable, int] = {start: 0}
    states = [start]
    state_to_choices, choice_to_branches = [0], [0]
    targets: list[int] = []
    probabilities: list[Fraction] = []
    actions: list[str] = []
    rewards: list[Fraction] = []
    for state in states:  # grows as new states are met
        for action, reward, branches in rules(state):
            actions.append(action)
            rewards.append(Fraction(reward))
            for target, probability in branches.items():
                if target not in number:
                    number[target] = len(states)
                    states.append(target)
                targets.append(number[target])
                probabilities.append(Fraction(probability))
            choice_to_branches.append(len(targets))
        state_to_choices.append(len(actions))
    model = ExplicitModel(
        kind, np.array(state_to_choices), np.array(choice_to_branches), np.array(targets),
        ExactNumbers.of(probabilities), rewards={"rolls": RewardModel(choice=ExactNumbers.of(rewards))},
        variables=columns(states), choice_to_action=tuple(actions),
    )  # fmt: skip
    return model, states


def _named(model: ExplicitModel, labels: dict[str, Any], name: str) -> ExplicitModel:
    return ExplicitModel(**{**model.__dict__, "labels": labels, "name": name})
