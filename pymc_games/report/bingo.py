"""Pictures of Dice Bingo for files: what the results draw of themselves, put together."""

from __future__ import annotations

import os

import numpy as np

from pymc_games import plotting
from pymc_games.games.bingo.board import show_board
from pymc_games.games.bingo.match import Match
from pymc_games.games.bingo.solo import Solo
from pymc_games.games.bingo.tournament import Tournament


def draw_solo(path: str | os.PathLike[str], solo: Solo) -> None:
    """Draw a board with the first cell of each sum, and the distribution of its completion time."""
    figure = plotting.figure(9, 4)
    left, right = figure.subplots(1, 2)
    solo.plot_board(left)
    solo.plot(right)
    plotting.save(figure, path)


def draw_match(path: str | os.PathLike[str], match: Match, rolls: int = 40) -> None:
    """Draw two boards alone and head to head: done at each roll, and done or won by then."""
    figure = plotting.figure(10, 7)
    axes = figure.subplots(2, 2, sharex=True)
    timing = match.timing(rolls)
    alone = (match.a.pmf(rolls), match.b.pmf(rolls))
    names = [f"a: {show_board(match.a.board)}", f"b: {show_board(match.b.board)}"]
    for row, (title, pair) in enumerate((("alone", alone), ("head to head", (timing.a_wins, timing.b_wins)))):
        at = dict(zip(names, pair, strict=True))
        plotting.curves(at, axes[row, 0]).set_title(f"{title}, at this roll")
        by = {name: np.cumsum(values) for name, values in at.items()}
        plotting.curves(by, axes[row, 1]).set_title(f"{title}, by this roll")
    plotting.save(figure, path)


def draw_tournament(path: str | os.PathLike[str], tournament: Tournament) -> None:
    """Draw by how much each board (row) beats each other one (column)."""
    figure = plotting.figure(8, 7)
    tournament.plot(figure.subplots())
    plotting.save(figure, path)
