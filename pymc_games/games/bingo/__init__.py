"""Dice Bingo: boards of nine numbers, marked by the sum of two dice; the first line wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_games.errors import UsageError
from pymc_games.games.base import Constant, Constants, Game, Variant
from pymc_games.games.bingo import model, solo
from pymc_games.games.bingo.board import VALUES, WAYS, WINNING, parse_board

A = parse_board("9,6,7/7,9,6/6,7,9")
B = parse_board("6,7,6/7,7,7/6,6,6")


def _tie_break(text: str) -> str:
    if text not in ("smallest", "largest"):
        raise UsageError(f"tie_break={text}: must be smallest or largest")
    return text


def _simulate(constants: Constants, games: int, seed: int) -> Any:
    """Play one board by its optimal strategy; the outcome is the number of rolls."""
    solved = solo.solve(constants["board"], constants["tie_break"])
    generator = np.random.default_rng(seed)
    weights = np.array([WAYS[value] for value in VALUES]) / 36
    masks, rolls = np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64)
    won = np.array(WINNING)
    playing = np.arange(games)
    while len(playing):
        rolled = generator.choice(np.array(VALUES), len(playing), p=weights)
        cells = solved.choice[masks[playing], rolled]
        masks[playing] |= np.where(cells < 0, 0, 1 << np.maximum(cells, 0))
        rolls[playing] += 1
        playing = playing[~won[masks[playing]]]
    return rolls.astype(np.float64)


GAME = Game(
    name="bingo",
    title="Dice Bingo",
    description=__doc__,
    constants=(
        Constant("board", A, "the board, or player a's", parse_board),
        Constant("other", B, "player b's board", parse_board),
        Constant("tie_break", "smallest", "which of equally good cells is marked: smallest or largest", _tie_break),
    ),
    variants=(
        Variant(
            "solo", "mdp", "one board alone: fewest expected rolls to a line",
            "bingo/solo.prism.j2", "bingo/solo.props.j2", model.solo_context, model.solo_model,
        ),
        Variant(
            "match", "dtmc", "two boards on the same rolls, each played to be done soonest",
            "bingo/match.prism.j2", "bingo/match.props.j2", model.match_context, model.match_model,
        ),
        Variant(
            "strategic", "csg", "both players choose at every roll, knowing both boards (for PRISM-games)",
            "bingo/strategic.prism.j2", "bingo/strategic.props.j2", model.strategic_context,
        ),
    ),
    simulate=_simulate,
)  # fmt: skip
