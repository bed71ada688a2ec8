"""Bearoff tables from nothing, moves generated each time, beside GNU Backgammon's ``makebearoff``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import peers
from benchmarks.records import OURS
from pymc_games.games.bearoff import one_sided, positions, successors, two_sided

PEER = "GNU Backgammon's makebearoff"


def forget() -> None:
    """Empty the caches, so that nothing is ready."""
    for cached in (positions.all_positions, one_sided.solve, successors.successors):
        cached.cache_clear()


@pytest.mark.parametrize("by", [OURS, PEER])
def test_one_sided(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    task = "bearoff, one-sided, 15 checkers: means, variances, distributions, plays"
    if by == OURS:
        measure(task, by, lambda: one_sided.solve(15), prepare=forget, rounds=7)
    else:
        measure(task, by, peers.makebearoff("-o", "1" if tiny else "6"), rounds=2, warmup=False)


@pytest.mark.parametrize("by", [OURS, PEER])
def test_two_sided(measure: Callable[..., Any], tiny: bool, by: str) -> None:
    checkers = 2 if tiny else 6
    task = f"bearoff, two-sided, {checkers} x {checkers} checkers, four equities"

    def ours() -> None:
        side = two_sided.whole_side(checkers)
        two_sided.solve(side, side)

    if by == OURS:
        measure(task, by, ours, prepare=forget, rounds=7)
    else:
        arguments = ("-t", f"6x{checkers}")
        measure(task, by, peers.makebearoff(*arguments), rounds=1, warmup=False)
