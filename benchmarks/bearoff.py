"""Bearoff tables: seconds, and how many times faster than GNU Backgammon's ``makebearoff`` in the same run.

``python -m benchmarks.bearoff [--full FOLDER]``. ``--full`` also builds the table of all 15 x 15 pairs in FOLDER, which
needs 11.8 GB there, and deletes it. Our times are the least of several after compilation, moves generated each time.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pymc_games.games.bearoff import one_sided, positions, successors, tables, two_sided

REPEATS = 7


def one_sided_15() -> None:
    """Solve 54,264 positions from nothing: numbering, moves, means, variances, distributions, best plays."""
    positions.all_positions.cache_clear()
    one_sided.solve.cache_clear()
    one_sided.solve(15)


def two_sided_6() -> None:
    """Solve 853,776 pairs from nothing, with four equities."""
    positions.all_positions.cache_clear()
    successors.successors.cache_clear()
    side = two_sided.whole_side(6)
    two_sided.solve(side, side)


def least_seconds(task: Callable[[], None]) -> float:
    """Return the least time of several runs, after one that compiles."""
    task()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        task()
        times.append(time.perf_counter() - began)
    return min(times)


def makebearoff_seconds(*arguments: str) -> float | None:
    """Return how long ``makebearoff`` takes, or None where it is not installed."""
    program = shutil.which("makebearoff") or shutil.which("makebearoff", path="/usr/games")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run([program, *arguments, "-f", f"{folder}/x.bd"], check=True, capture_output=True)
        return time.perf_counter() - began


def main() -> None:
    """Run the benchmarks and print a table."""
    parser = argparse.ArgumentParser(description="Benchmark the bearoff tables.")
    parser.add_argument("--full", type=Path, metavar="FOLDER", help="also build the 15 x 15 table there")
    folder: Path | None = parser.parse_args().full
    rows = Table("table", "seconds", "makebearoff", "ratio", "aim")
    for name, task, arguments, aim in (
        ("one-sided, 15 checkers", one_sided_15, ("-o", "6"), "0.15 s, 25 times"),
        ("two-sided, 6 x 6, four equities", two_sided_6, ("-t", "6x6"), "100 times"),
    ):
        ours, theirs = least_seconds(task), makebearoff_seconds(*arguments)
        ratio = "-" if theirs is None else f"{theirs / ours:.0f}"
        rows.add_row(name, f"{ours:.4f}", "not installed" if theirs is None else f"{theirs:.2f}", ratio, aim)
    if folder is not None:
        path = folder / "benchmark.table"
        report = tables.build(15, path, two_sided=True)
        path.unlink()
        memory = f"{report['peak_memory_bytes'] / 1e9:.1f} GB"
        rows.add_row(f"two-sided, 15 x 15, {memory}", f"{report['seconds']:.0f}", "-", "-", "900 s, 14 GB")
    Console().print(rows)


if __name__ == "__main__":
    main()
