"""Dice Bingo: the search over all boards against the published procedure, both on one core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.records import OURS
from pymc_games.games.bingo import kernels, match, patterns, search, solo
from pymc_games.games.bingo.board import parse_board

PUBLISHED = "the published procedure, compiled"


def best_of(some: Sequence[patterns.Pattern]) -> float:
    """Return the least expected rolls among all classes of some equality patterns."""
    return min(float(kernels.evaluate(pattern, patterns.weights(pattern)).min()) for pattern in some)


@pytest.mark.parametrize("by", [OURS, PUBLISHED])
def test_all_boards(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    task = f"Dice Bingo: the best of all {search.BOARDS:,} boards, on one core"
    if by == OURS:
        every = patterns.patterns()
        some = every[:: len(every) // 20] if tiny else every
        measure(task, by, lambda: best_of(some), rounds=2, warmup=False, scale=len(every) / len(some))
        return
    sample = 10 if tiny else 500
    boards = np.random.default_rng(1).integers(2, 13, (sample, 9))
    peers.bingo_procedure(boards[0])  # compiles
    measure(
        task, by, lambda: [peers.bingo_procedure(board) for board in boards], rounds=3, scale=search.BOARDS / sample
    )


def test_a_match(measure: Callable[..., Any]) -> None:
    first, second = (solo.solve(parse_board(text)) for text in ("7,7,7/6,6,6/6,7,6", "7,5,9/9,7,5/5,9,7"))
    measure("Dice Bingo: a match of two boards, in fractions", OURS, lambda: match.Match(first, second).outcome())
