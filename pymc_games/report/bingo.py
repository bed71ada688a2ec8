"""Pictures of Dice Bingo, drawn with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games import files
from pymc_games.errors import UsageError
from pymc_games.games.bingo.board import VALUES, show_board
from pymc_games.games.bingo.match import Match
from pymc_games.games.bingo.solo import Solo


def draw_solo(path: str | os.PathLike[str], solo: Solo, rolls: int = 40) -> None:
    """Draw a board with the first cell of each sum, and the distribution of its completion time."""
    figure, (left, right) = _pyplot().subplots(1, 2, figsize=(9, 4))
    _board(left, solo)
    pmf = solo.pmf(rolls)
    right.bar(np.arange(rolls + 1), pmf, color="tab:blue", label="done at this roll")
    right.step(np.arange(rolls + 1), np.cumsum(pmf), where="mid", color="tab:orange", label="done by then")
    right.axvline(float(solo.expected_rolls), color="gray", linestyle=":", label="expected")
    right.set(xlabel="rolls", ylabel="probability", title=show_board(solo.board))
    right.legend()
    _save(figure, path)


def draw_match(path: str | os.PathLike[str], match: Match, rolls: int = 40) -> None:
    """Draw two boards alone and head to head: done at each roll, and done or won by then."""
    figure, axes = _pyplot().subplots(2, 2, figsize=(10, 7), sharex=True)
    k = np.arange(rolls + 1)
    timing = match.timing(rolls)
    alone = (match.a.pmf(rolls), match.b.pmf(rolls))
    for row, (title, (a, b)) in enumerate((("alone", alone), ("head to head", (timing.a_wins, timing.b_wins)))):
        for column, (kind, curves) in enumerate(
            (("at this roll", (a, b)), ("by this roll", (np.cumsum(a), np.cumsum(b))))
        ):
            axis = axes[row, column]
            axis.plot(k, curves[0], "o-", markersize=3, label=f"a: {show_board(match.a.board)}")
            axis.plot(k, curves[1], "s-", markersize=3, label=f"b: {show_board(match.b.board)}")
            axis.set(title=f"{title}, {kind}", ylabel="probability")
            axis.legend(fontsize="small")
    for axis in axes[1]:
        axis.set_xlabel("rolls")
    _save(figure, path)


def draw_tournament(path: str | os.PathLike[str], boards: Sequence[str], wins: NDArray[np.float64]) -> None:
    """Draw by how much each board (row) beats each other one (column)."""
    figure, axis = _pyplot().subplots(figsize=(8, 7))
    margin = wins - wins.T
    limit = float(np.abs(margin).max()) or 1.0
    picture = axis.imshow(margin, cmap="RdBu", vmin=-limit, vmax=limit)
    figure.colorbar(picture, label="wins minus losses of the row's board")
    if len(boards) <= 30:
        axis.set_xticks(range(len(boards)), boards, rotation=90, fontsize="small")
        axis.set_yticks(range(len(boards)), boards, fontsize="small")
    _save(figure, path)


def _board(axis: Any, solo: Solo) -> None:
    first = {int(solo.choice[0, value]) for value in VALUES if solo.choice[0, value] >= 0}
    for cell, value in enumerate(solo.board):
        row, column = divmod(cell, 3)
        shade = "#cde6c7" if cell in first else "white"
        axis.add_patch(_pyplot().Rectangle((column, 2 - row), 1, 1, facecolor=shade, edgecolor="black"))
        axis.text(column + 0.5, 2.5 - row, str(value), ha="center", va="center", fontsize=20)
    axis.set(xlim=(0, 3), ylim=(0, 3), xticks=[], yticks=[], aspect="equal", title="marked first for its number: green")


def _pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError("pictures need matplotlib; install the extra with: pip install 'pymc-games[plot]'") from error
    mpl.use("agg")
    import matplotlib.pyplot as plt

    return plt


def _save(figure: Any, path: str | os.PathLike[str]) -> None:
    kind = os.path.splitext(path)[1].lstrip(".").lower()
    if kind not in ("png", "svg", "pdf"):
        raise UsageError(f"{path}: a picture is .png, .svg or .pdf")
    figure.tight_layout()
    with files.replacing(path) as beside:
        figure.savefig(beside, format=kind, metadata={"Date": None} if kind == "svg" else None)
    _pyplot().close(figure)
