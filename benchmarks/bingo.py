"""Dice Bingo: the search over all boards against the published procedure: ``python -m benchmarks.bingo``.

The published procedure takes one board after another, by value iteration over all mark sets and all 11 sums from 20.0
until no value changes by more than 1e-12. It is timed here, compiled, on a sample of boards.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from numba import njit

from pymc_games.games.bingo import match, search, solo
from pymc_games.games.bingo.board import TRANSIENT, WAYS, parse_board

_WAYS = np.array([WAYS.get(value, 0) for value in range(13)], dtype=np.float64)
_ORDER = np.array(sorted(TRANSIENT), dtype=np.int64)


@njit(cache=True)
def value_iteration(board, transient, ways):  # type: ignore[no-untyped-def]
    """Return the expected rolls of a board by value iteration, and the sweeps."""
    values = np.zeros(512)
    for mask in transient:
        values[mask] = 20.0
    sweeps, change = 0, 1.0
    while change > 1e-12:
        old = values.copy()
        change = 0.0
        for mask in transient:
            total = 1.0
            for value in range(2, 13):
                best = old[mask]
                for cell in range(9):
                    if board[cell] == value and not (mask >> cell) & 1:
                        best = min(best, old[mask | (1 << cell)])
                total += ways[value] / 36.0 * best
            values[mask] = total
            change = max(change, abs(total - old[mask]))
        sweeps += 1
    return values[0], sweeps


def main() -> None:
    """Time the search, the published procedure on a sample, and a match; print ratios of processor time."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--sample", type=int, default=1_000)
    sample = parser.parse_args().sample
    generator = np.random.default_rng(1)
    boards = generator.integers(2, 13, (sample, 9))
    value_iteration(boards[0], _ORDER, _WAYS)
    started = time.process_time()
    results = [value_iteration(board, _ORDER, _WAYS)[0] for board in boards]
    one = (time.process_time() - started) / sample
    exact = [float(solo.solve(tuple(board)).expected_rolls) for board in boards[:20].tolist()]
    worst = max(abs(x - y) for x, y in zip(results, exact, strict=False))
    print(f"published procedure: {one * 1e3:.3f} ms a board (worst error on 20 boards {worst:.1e})")
    before = os.times()
    found = search.search(2)
    after = os.times()
    processor = sum(after[:4]) - sum(before[:4])
    each = processor / found.classes * 1e6
    print(f"search: {found.boards:,} boards in {found.classes:,} classes, {found.seconds:.1f} s")
    print(f"        {processor:.1f} s of processor time, {each:.2f} microseconds a class")
    whole = one * found.boards
    print(f"the published procedure for all boards: {whole / 3600:,.0f} hours; ratio {whole / processor:,.0f}")
    started = time.perf_counter()
    played = match.Match(solo.solve(parse_board("7,7,7/6,6,6/6,7,6")), solo.solve(parse_board("7,5,9/9,7,5/5,9,7")))
    played.outcome()
    middle = time.perf_counter()
    played.timing(200)
    ended = time.perf_counter()
    print(f"match: exact in {middle - started:.3f} s, distribution to 200 rolls in {ended - middle:.3f} s")


if __name__ == "__main__":
    main()
