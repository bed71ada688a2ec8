"""Table files: building, resuming, opening.

A file is a header of 65,536 bytes and arrays, each as the bytes of a little-endian C-ordered numpy array at an offset
that the header gives. The header is the line ``pymc-games bearoff table 1 CRC``, then JSON, then spaces; CRC is the
CRC-32 of the JSON as 8 hexadecimal digits. The JSON has

``kind``, ``checkers``
    ``one-sided`` or ``two-sided``, and the largest number of checkers a side.
``arrays``
    ``name``, ``dtype``, ``shape`` and ``offset`` of each. One-sided: ``mean``, ``variance``, ``pmf`` and ``best`` by
    position number. Two-sided: ``numbers``, the position numbers in the table's order (by pips, then by number), and
    ``win``, at ``[j, i]`` the win probability of the player on roll with position ``i`` against ``j``; row 0 is a lost
    game, column 0 is not used.
``error``
    Proven bound on the absolute error of ``win``, or of ``mean``.
``levels``
    How many levels of pips are done; a finished table has them all.
``block``, ``crc32``
    Checksums: one CRC-32 for each block of so many bytes of what follows the header.

A two-sided table is built in place in ``FILE.part``, which is allocated whole at the start and renamed when it is
finished.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games import files
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.games.bearoff import one_sided
from pymc_games.games.bearoff.positions import Position, count_positions, index
from pymc_games.games.bearoff.two_sided import NO_DOUBLING, Side, induce, whole_side
from pymc_games.result import Result

VERSION = 1
HEADER_BYTES = 65536
BLOCK_BYTES = 1 << 24

#: A turn rounds a probability to single precision, by at most 2**-25; a game has at most 92 turns; doubles add less
#: than one more such rounding to all of them.
SINGLE_ERROR = 93 * 2.0**-25

#: Writing back costs time, and so does losing work: an unfinished build is saved whenever so many pairs are new.
PAIRS_BETWEEN_SAVES = 200_000_000

_MAGIC = b"pymc-games bearoff table "

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
                return _view(self.data, entry)
        raise FileFormatError(f"{self.path} is a {self.header['kind']} table and has no '{name}'")

    def check(self, start: int = 0, stop: int | None = None) -> None:
        """Compare the checksums of the blocks that hold bytes ``start:stop`` of what follows the header.

        Raises
        ------
        FileFormatError
            If one differs.
        """
        body = self.data[HEADER_BYTES:]
        stop = len(body) if stop is None else stop
        for block in range(start // BLOCK_BYTES, (stop + BLOCK_BYTES - 1) // BLOCK_BYTES):
            found = _crc(body[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES].data)
            if found != self.header["crc32"][block]:
                raise FileFormatError(f"{self.path} is corrupt: block {block} has a wrong checksum; build it anew")

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
        place = self.header["arrays"][1]["offset"] - HEADER_BYTES + (row * len(numbers) + column) * table.itemsize
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
    header = _read_header(path)
    if "crc32" not in header:
        raise FileFormatError(f"{path} is not finished; go on with 'bearoff build --resume'")
    size = _end(header["arrays"])
    if path.stat().st_size != size:
        raise FileFormatError(
            f"{path} has {path.stat().st_size:,} bytes where its header says {size:,}; it is truncated"
        )
    return Table(path, header, np.memmap(path, np.uint8, "r"))


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
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def build_one_sided(checkers: int, path: Path) -> None:
    """Solve one side and write the table, whole or not at all."""
    table = one_sided.solve(checkers)
    arrays: dict[str, NDArray] = {"mean": table.mean, "variance": table.variance, "pmf": table.pmf, "best": table.best}
    header = _header("one-sided", checkers, {name: (a.dtype.str, a.shape) for name, a in arrays.items()})
    header |= {"error": one_sided.MEAN_ERROR, "levels": 0}
    _refuse_if_too_large(path, _end(header["arrays"]))
    with files.replacing(path) as beside, _mapped(beside, _end(header["arrays"])) as data:
        for entry in header["arrays"]:
            _view(data, entry)[...] = arrays[entry["name"]]
        _write_header(data, header | _checksums(data))


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
        _refuse_if_too_large(path, _end(header["arrays"]))
    with _mapped(part, _end(header["arrays"])) as data:
        numbers, win = (_view(data, entry) for entry in header["arrays"])
        numbers[:] = side.numbers
        _fill(side, win, data, header, progress)
        _write_header(data, header | _checksums(data))
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
            _write_header(data, header)
        if progress is not None:
            progress(level, last)


def _unfinished(part: Path, expected: dict[str, Any]) -> dict[str, Any]:
    """Return the header of an unfinished build, after checking that it is the one to go on with."""
    if not part.exists():
        raise UsageError(f"there is no unfinished build {part}; start one without --resume")
    header = _read_header(part)
    if any(header[key] != expected[key] for key in ("kind", "checkers", "arrays")):
        raise FileFormatError(
            f"{part} is a build of {header['checkers']} checkers, not {expected['checkers']}; delete it"
        )
    if part.stat().st_size != _end(header["arrays"]):
        raise FileFormatError(f"{part} is truncated; delete it and start again")
    return header


def _header(kind: str, checkers: int, shapes: dict[str, tuple[str, tuple[int, ...]]]) -> dict[str, Any]:
    """Return a header in which arrays follow each other at multiples of 4096 bytes."""
    arrays: list[dict[str, Any]] = []
    offset = HEADER_BYTES
    for name, (dtype, shape) in shapes.items():
        arrays.append({"name": name, "dtype": dtype, "shape": list(shape), "offset": offset})
        offset = -(-_end(arrays) // 4096) * 4096
    return {"kind": kind, "checkers": checkers, "arrays": arrays}


def _end(arrays: list[dict[str, Any]]) -> int:
    """Return where the last array ends, which is the size of the file."""
    last = arrays[-1]
    return int(last["offset"]) + int(np.prod(last["shape"], dtype=np.int64)) * np.dtype(last["dtype"]).itemsize


def _view(data: NDArray[np.uint8], entry: dict[str, Any]) -> NDArray:
    """Return one array of a mapped file."""
    begin = entry["offset"]
    return data[begin : _end([entry])].view(entry["dtype"]).reshape(entry["shape"])


def _checksums(data: NDArray[np.uint8]) -> dict[str, Any]:
    body = data[HEADER_BYTES:]
    return {
        "block": BLOCK_BYTES,
        "crc32": [_crc(body[at : at + BLOCK_BYTES].data) for at in range(0, len(body), BLOCK_BYTES)],
    }


def _crc(data: bytes | memoryview) -> str:
    return f"{zlib.crc32(data):08x}"


def _read_header(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(HEADER_BYTES)
    except OSError as error:
        raise FileFormatError(f"cannot read the table {path}: {error.strerror}") from error
    line, _, text = raw.partition(b"\n")
    if not line.startswith(_MAGIC):
        raise FileFormatError(f"{path} is no bearoff table; make one with 'pymc-games bearoff build'")
    version, _, crc = line[len(_MAGIC) :].decode("latin-1").partition(" ")
    if version != str(VERSION):
        raise FileFormatError(
            f"{path} is a table of version {version}; this program reads version {VERSION}: build it anew"
        )
    if len(raw) < HEADER_BYTES or _crc(text.rstrip(b" ")) != crc:
        raise FileFormatError(f"{path} has a corrupt or truncated header; build it anew")
    header: dict[str, Any] = json.loads(text)
    return header


def _write_header(data: NDArray[np.uint8], header: dict[str, Any]) -> None:
    """Make the arrays durable, and then the header that speaks of them."""
    flush = getattr(data, "flush", None)
    if flush is not None:
        flush()
    text = json.dumps(header).encode()
    raw = (_MAGIC + f"{VERSION} {_crc(text)}\n".encode() + text).ljust(HEADER_BYTES)
    data[:HEADER_BYTES] = np.frombuffer(raw, np.uint8)
    if flush is not None:
        flush()


def _refuse_if_too_large(path: Path, size: int) -> None:
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}")
    free = shutil.disk_usage(folder).free
    if free < size:
        raise UsageError(
            f"{path} needs {size:,} bytes and the disk has {free:,} free; make room or choose another disk"
        )


@contextlib.contextmanager
def _mapped(path: Path, size: int) -> Iterator[NDArray[np.uint8]]:
    """Map a file for writing, its space reserved beforehand so that a full disk shows at once and not in the middle."""
    new = not path.exists() or path.stat().st_size < size
    try:
        with path.open("ab") as file:
            if new:
                os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}; {size:,} bytes are needed") from error
    try:
        data = np.memmap(path, np.uint8, "r+")
        yield data
        data.flush()
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}; 'bearoff build --resume' goes on from here"
        ) from error
