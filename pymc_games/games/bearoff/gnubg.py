"""Reading GNU Backgammon's bearoff databases, which its program ``makebearoff`` writes.

The format, as worked out from files of version 1.07:

* 40 bytes of text, filled with ``x`` and closed by a newline: ``gnubg-OS-06-15-1-1-0`` is one-sided, 6 points, 15
  checkers, with gammon distributions, compressed, no normal approximation; ``gnubg-TS-06-06-1`` is two-sided, 6 points,
  6 checkers, with cube. Numbers are little-endian, positions have the same numbers as here.
* One-sided, compressed: 8 bytes a position: a 32-bit offset, then four bytes: how many entries the distribution has and
  its first number of rolls, and both for the gammon distribution (rolls to bear off the first checker). Then all
  entries, 16 bits each; the offset counts entries. A distribution sums to 65,535.
* Two-sided: four 16-bit numbers a pair, the player on roll first, ``i * positions + j``: equities with 0 for -1 and
  65,535 for 1: cubeless, cube owned by the player on roll, centred, owned by the opponent, all without an immediate
  double.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import FileFormatError
from pymc_games.games.bearoff.positions import count_positions

_HEADER = 40

#: Probability 1 in a one-sided database.
ONE = 65535


def read_one_sided(path: Path) -> NDArray[np.uint16]:
    """Return the distributions of a one-sided database of six points, shape (positions, 32), in units of 1 / 65,535.

    Raises
    ------
    FileFormatError
        If the file is not a compressed one-sided database of six points, or is truncated.
    """
    data, checkers = _read(path, r"gnubg-OS-06-(\d\d)-[01]-1-0")
    positions = count_positions(checkers)
    if len(data) < _HEADER + positions * 8:
        raise FileFormatError(f"{path} is truncated: it ends within the index of its {positions:,} positions")
    index = np.frombuffer(data, [("offset", "<u4"), ("sizes", "u1", 4)], positions, _HEADER)
    entries = np.frombuffer(data, "<u2", offset=_HEADER + index.nbytes)
    size, first = index["sizes"][:, 0].astype(np.int64), index["sizes"][:, 1].astype(np.int64)
    if (index["offset"] + size + index["sizes"][:, 2]).max() > len(entries):
        raise FileFormatError(f"{path} is truncated: it has fewer entries than its index says")
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    table = np.zeros((positions, 32), dtype=np.uint16)
    rows = np.repeat(np.arange(positions), size)
    table[rows, np.repeat(first, size) + within] = entries[np.repeat(index["offset"], size) + within]
    return table


def read_two_sided(path: Path) -> NDArray[np.uint16]:
    """Return the equities of a two-sided database of six points, shape (positions, positions, 4), as stored.

    The player on roll has the position of the first axis. `equity` turns them into equities.

    Raises
    ------
    FileFormatError
        If the file is not a two-sided database of six points with the cube, or is truncated.
    """
    data, checkers = _read(path, r"gnubg-TS-06-(\d\d)-1")
    positions = count_positions(checkers)
    if len(data) != _HEADER + positions**2 * 8:
        raise FileFormatError(f"{path} has {len(data)} bytes where {_HEADER + positions**2 * 8} are expected")
    return np.frombuffer(data, "<u2", offset=_HEADER).reshape(positions, positions, 4)


def equity(stored: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return equities from stored numbers: 0 is -1, 65,535 is 1."""
    return stored / (ONE / 2) - 1


def _read(path: Path, header: str) -> tuple[bytes, int]:
    """Return the bytes of a database and its number of checkers, the group in the header's pattern."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror}") from error
    match = re.fullmatch(header + r"x*\n", data[:_HEADER].decode("latin-1"))
    if match is None:
        raise FileFormatError(f"{path} is no database of this kind: its header is {data[:24]!r}")
    return data, int(match[1])
