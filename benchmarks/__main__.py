"""Measure, and write ``docs/benchmarks.md``: ``python -m benchmarks [NAME]… [--tiny] [--full] [-o FOLDER]``.

With names (of modules here: engine, pig, bingo, …) only those are measured, and the table is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import pytest

from benchmarks import growth, records

HERE = Path(__file__).resolve().parent
NAMES = ("engine", "discounted", "pig", "bingo", "bearoff", "farkle", "checker")
TEXT = """# Benchmarks

Written by `make bench`, which measures everything anew: {machine}. The
machine was shared: its load was {load:.1f} when the measurements began, and whatever else runs makes times longer.

Times are the least of several, after compilation. A task is done by everybody in one run on the same machine; the
ratio is somebody's time divided by ours, and only ratios carry over to other machines. Memory, where it is given, is
the peak beyond the model while solving, in units of the bytes of the model's arrays.

{absent}

{table}

The engine's answers are proven bounds and Storm's are sound; value iteration, over a dictionary or by QuantEcon, stops
when values change little, and GNU Backgammon rounds to 16 bits. The published procedure is timed on a sample of 500
boards, and counts for all.

## Farkle: states a second, by goal and bound

From the bounds 0 and 1 to fixpoints, under the published rules but for goal and bound on scores; a state is evaluated
once in every sweep, for both bounds at once. Least squares in logarithms give time as states to the {power:.2f}; the
number of sweeps changes with the game, and from a million states on all cores share a sweep.

{rates}

## Growth

The generic engine on games that grow by four orders of magnitude, built from rules in Python and solved to the last
bit. Peak memory is that of all arrays, the model's own included.

![time and memory against states](growth.svg)

Least squares in logarithms give

{fits}

Small models take a fixed time of about a millisecond, which flattens the curve of time at its left end.

{points}
"""


def run_suite(names: list[str], *, tiny: bool, full: bool = False) -> list[records.Record]:
    """Run benchmark modules by pytest-benchmark and return what they measured.

    Raises
    ------
    SystemExit
        If a benchmark fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder, "times.json")
        arguments = [
            *(str(HERE / f"{name}.py") for name in names),
            f"--benchmark-json={times}",
            "-p",
            "no:cacheprovider",
        ]
        sizes = [flag for flag, on in (("--tiny", tiny), ("--full", full)) if on]
        status = pytest.main([*arguments, "--benchmark-quiet", *sizes])
        if status != pytest.ExitCode.OK:
            sys.exit(int(status))
        return records.records(json.loads(times.read_text()))


def machine() -> str:
    """Return what kind of machine this is, and the versions of what is compared."""
    peers = ("stormpy", "quantecon", "numba", "numpy")
    versions = [f"{name} {metadata.version(name)}" for name in peers if _is_installed(name)]
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {', '.join(versions)}"


def _is_installed(name: str) -> bool:
    return any(metadata.distributions(name=name))


def write(folder: Path, *, tiny: bool, full: bool) -> None:
    """Measure everything and write the document and its picture."""
    load = os.getloadavg()[0]
    found = run_suite(list(NAMES), tiny=tiny, full=full)
    rated = [(r.states, r.seconds) for r in found if r.states is not None and r.seconds is not None]
    points = growth.curves(tiny)
    missing = "; ".join(records.absent(found))
    text = TEXT.format(
        machine=machine(), load=load, rates=records.rates(found), power=growth.exponent(*zip(*rated, strict=True))[0],
        table=records.table(found), fits=growth.fits(points), points=growth.table(points),
        absent=f"Not on this machine: {missing}." if missing else "No peer was missing.",
    )  # fmt: skip
    growth.draw(points, folder / "growth.svg")
    (folder / "benchmarks.md").write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition(":")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--tiny", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--full", action="store_true", help="what takes minutes, too: all of Farkle")
    parser.add_argument("-o", dest="folder", type=Path, default=HERE.parent / "docs", help="where the document goes")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            parser.error(f"there is no benchmark '{name}'; there are {', '.join(NAMES)}")
    if options.names:
        found = run_suite(options.names, tiny=options.tiny, full=options.full)
        print(records.table(found), records.rates(found), sep="\n\n")
    else:
        write(options.folder, tiny=options.tiny, full=options.full)


if __name__ == "__main__":
    main()
