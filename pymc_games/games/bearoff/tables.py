"""Table files: building, resuming, opening.

A table is a file of arrays as ``arrayfile`` describes, of the kind ``bearoff table``. Its header adds

``kind``, ``checkers``
    ``one-sided`` or ``two-sided``, and the largest number of checkers a side.
``arrays``
    One-sided: ``mean``, ``variance``, ``pmf`` and ``best`` by
    position number. Two-sided: ``numbers``, the position numbers in the table's order (by pips, then by number), and
    ``win``, at ``[j, i]`` the win probability of the player on roll with position ``i`` against ``j``; row 0 is a lost
    game, column 0 is not used.
``error``
    Proven bound on the absolute error of ``win``, or of ``mean``.
``levels``
    How many levels of pips are done; a finished table has them all.

A two-sided table is built in place in ``FILE.part``, which is allocated whole at the start and renamed when it is
finished.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pymc_games import arrayfile, files, notebook, plotting
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.games.bearoff import one_sided
from pymc_games.games.bearoff.positions import Position, count_positions, index
from pymc_games.games.bearoff.two_sided import NO_DOUBLING, Side, induce, whole_side
from pymc_games.memory import peak_memory_bytes
from pymc_games.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = arrayfile.Kind("bearoff table", 1, "pymc-games bearoff build")

#: A turn rounds a probability to single precision, by at most 2**-25; a game has at most 92 turns; doubles add less
#: than one more such rounding to all of them.
SINGLE_ERROR = 93 * 2.0**-25

#: Writing back costs time, and so does losing work: an unfinished build is saved whenever so many pairs are new.
PAIRS_BETWEEN_SAVES = 200_000_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Table:
    """An opened table file; arrays are mapped, not read. Blocks are checked when `check` or a lookup touches them."""

    path: Path
    header: dict[str, Any]
    data: NDArray[np.uint8]

    @property
    def checkers(self) -> int:
        """Largest number of checkers a side."""
        return int(self.header["checkers"])

    def array(self, name: str) -> NDArray:
        """Return one array, mapped read-only, without checking its blocks.

        Raises
        ------
        FileFormatError
            If the table has no such array.
        """
        for entry in self.header["arrays"]:
            if entry["name"] == name:
                return arrayfile.view(self.data, entry)
        raise FileFormatError(f"{self.path} is a {self.header['kind']} table and has no '{name}'")

    def check(self, start: int = 0, stop: int | None = None) -> None:
        """Compare the checksums of the blocks that hold bytes ``start:stop`` of what follows the header.

        Raises
        ------
        FileFormatError
            If one differs.
        """
        arrayfile.check_blocks(self.path, self.header, self.data, start, stop)

    def _row(self, row: int) -> int:
        """Return where a row of a two-sided table begins after the header."""
        width = int(self.array("win").strides[0])
        return int(self.header["arrays"][1]["offset"]) - arrayfile.HEADER_BYTES + row * width

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw expected rolls against pips, or win probabilities of pairs; blocks that are read are checked."""
        if self.header["kind"] == "one-sided":
            self.check()
            return one_sided.plot_means(self.checkers, self.array("mean"), ax)
        win = self.array("win")
        step = -(-len(win) // plotting.MOST_CELLS)
        for row in range(0, len(win), step):
            self.check(self._row(row), self._row(row + 1))
        return plotting.heat_map(
            win, ax, rows="position of the other, by pips", columns="position on roll, by pips",
            meaning="chance to win",
        )  # fmt: skip

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("file", self.path.name), ("checkers", self.checkers),
            ("positions", f"{count_positions(self.checkers):,}"), ("proven error", self.header["error"]),
        ]  # fmt: skip
        rows += [(f"array {one['name']}", " x ".join(map(str, one["shape"]))) for one in self.header["arrays"]]
        return notebook.facts(f"A {self.header['kind']} bearoff table", rows)

    def win(self, own: Position, other: Position) -> Result:
        """Return the win probability of ``own``, on roll, from a two-sided table.

        Raises
        ------
        UsageError
            If a position has more checkers than the table.
        FileFormatError
            If the table is not two-sided, or the block that is read has a wrong checksum.
        """
        table = self.array("win")
        if max(sum(own), sum(other)) > self.checkers:
            raise UsageError(f"{self.path} has at most {self.checkers} checkers a side; build a larger table")
        numbers = self.array("numbers")
        row, column = (int(np.flatnonzero(numbers == index(side))[0]) for side in (other, own))
        place = self._row(row) + column * table.itemsize
        self.check(place, place + table.itemsize)
        value, error = float(table[row, column]), float(self.header["error"])
        return Result(value, max(0.0, value - error), min(1.0, value + error), method=f"table {self.path.name}")


def open_table(path: Path) -> Table:
    """Open a finished table.

    Raises
    ------
    FileFormatError
        If the file is missing, no table, of another version, unfinished, truncated, or its header is corrupt.
    """
    header = arrayfile.read_header(path, KIND)
    if "crc32" not in header:
        raise FileFormatError(f"{path} is not finished; go on with 'bearoff build --resume'")
    return Table(path, header, arrayfile.map_finished(path, header))


def build(
    checkers: int, path: Path, *, two_sided: bool = False, resume: bool = False, progress: Progress | None = None
) -> dict[str, Any]:
    """Build a table and return what it took: positions, pairs (0 for one side), bytes, seconds, peak memory."""
    began = time.perf_counter()
    if two_sided:
        build_two_sided(checkers, path, resume=resume, progress=progress)
    else:
        build_one_sided(checkers, path)
    positions = count_positions(checkers)
    return {
        "file": str(path),
        "positions": positions,
        "pairs": positions**2 if two_sided else 0,
        "bytes": path.stat().st_size,
        "seconds": time.perf_counter() - began,
        "peak_memory_bytes": peak_memory_bytes(),
    }


def build_one_sided(checkers: int, path: Path) -> None:
    """Solve one side and write the table, whole or not at all."""
    table = one_sided.solve(checkers)
    arrays: dict[str, NDArray] = {"mean": table.mean, "variance": table.variance, "pmf": table.pmf, "best": table.best}
    header = _header("one-sided", checkers, {name: (a.dtype.str, a.shape) for name, a in arrays.items()})
    header |= {"error": one_sided.MEAN_ERROR, "levels": 0}
    arrayfile.refuse_if_too_large(path, arrayfile.file_size(header["arrays"]))
    with files.replacing(path) as beside, arrayfile.mapped(beside, arrayfile.file_size(header["arrays"]), KIND) as data:
        for entry in header["arrays"]:
            arrayfile.view(data, entry)[...] = arrays[entry["name"]]
        arrayfile.write_header(data, KIND, header | arrayfile.checksums(data))


def build_two_sided(checkers: int, path: Path, *, resume: bool = False, progress: Progress | None = None) -> None:
    """Build the table of win probabilities of all pairs, in single precision.

    Levels are kept in ``FILE.part`` as they are finished; with ``resume`` a build goes on from there.

    Raises
    ------
    UsageError
        If the disk is too small, or there is an unfinished build and ``resume`` is not given, or none and it is.
    FileFormatError
        If the unfinished build is of another size or corrupt.
    """
    side = whole_side(checkers)
    shapes = {"numbers": ("<i4", (len(side),)), "win": ("<f4", (len(side), len(side)))}
    header = _header("two-sided", checkers, shapes) | {"error": SINGLE_ERROR, "levels": 0}
    part = path.with_name(path.name + ".part")
    if resume:
        header = _unfinished(part, header)
    elif part.exists():
        raise UsageError(f"{part} is an unfinished build; go on with --resume, or delete it")
    else:
        arrayfile.refuse_if_too_large(path, arrayfile.file_size(header["arrays"]))
    with arrayfile.mapped(part, arrayfile.file_size(header["arrays"]), KIND) as data:
        numbers, win = (arrayfile.view(data, entry) for entry in header["arrays"])
        numbers[:] = side.numbers
        _fill(side, win, data, header, progress)
        arrayfile.write_header(data, KIND, header | arrayfile.checksums(data))
    os.replace(part, path)


def _fill(side: Side, win: NDArray, data: NDArray, header: dict[str, Any], progress: Progress | None) -> None:
    """Fill the levels that are missing, and record them in the header now and then."""
    last = len(side.levels) - 2
    kept = 0
    tables = win[..., np.newaxis], NO_DOUBLING
    for level in range(header["levels"] + 1, last + 1):
        induce(side, side, tables, tables, levels=range(level, level + 1))
        kept += int(side.levels[level + 1] - side.levels[level]) * int(side.levels[level + 1])
        if kept > PAIRS_BETWEEN_SAVES or level == last:
            kept = 0
            header["levels"] = level
            arrayfile.write_header(data, KIND, header)
        if progress is not None:
            progress(level, last)


def _unfinished(part: Path, expected: dict[str, Any]) -> dict[str, Any]:
    """Return the header of an unfinished build, after checking that it is the one to go on with."""
    if not part.exists():
        raise UsageError(f"there is no unfinished build {part}; start one without --resume")
    header = arrayfile.read_header(part, KIND)
    if any(header[key] != expected[key] for key in ("kind", "checkers", "arrays")):
        raise FileFormatError(
            f"{part} is a build of {header['checkers']} checkers, not {expected['checkers']}; delete it"
        )
    if part.stat().st_size != arrayfile.file_size(header["arrays"]):
        raise FileFormatError(f"{part} is truncated; delete it and start again")
    return header


def _header(kind: str, checkers: int, shapes: dict[str, tuple[str, tuple[int, ...]]]) -> dict[str, Any]:
    return {"kind": kind, "checkers": checkers, "arrays": arrayfile.layout(shapes)}
