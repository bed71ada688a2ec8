"""Files of arrays that are mapped, not read: a header that says what they are, and checksums.

A file is a header of 65,536 bytes and arrays, each as the bytes of a little-endian C-ordered numpy array at an offset
that the header gives. The header is the line ``pymc-games KIND VERSION CRC``, then JSON, then spaces; CRC is the CRC-32
of the JSON as 8 hexadecimal digits. The JSON has ``arrays``: ``name``, ``dtype``, ``shape`` and ``offset`` of each;
``block`` and ``crc32``, one CRC-32 for each block of so many bytes of what follows the header; and what the kind adds.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import FileFormatError, UsageError

HEADER_BYTES = 65536
BLOCK_BYTES = 1 << 24

Entry = dict[str, Any]
Header = dict[str, Any]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Kind:
    """What a file holds, the version of its layout, and the command that makes such files."""

    name: str
    version: int
    command: str

    @property
    def noun(self) -> str:
        """Last word of the name."""
        return self.name.split()[-1]


def layout(shapes: dict[str, tuple[str, tuple[int, ...]]]) -> list[Entry]:
    """Return the entries of arrays, given as ``(dtype, shape)``, that follow each other at multiples of 4096 bytes."""
    arrays: list[Entry] = []
    offset = HEADER_BYTES
    for name, (dtype, shape) in shapes.items():
        arrays.append({"name": name, "dtype": dtype, "shape": list(shape), "offset": offset})
        offset = -(-file_size(arrays) // 4096) * 4096
    return arrays


def file_size(arrays: list[Entry]) -> int:
    """Return where the last array ends, which is the size of the file."""
    last = arrays[-1]
    return int(last["offset"]) + int(np.prod(last["shape"], dtype=np.int64)) * np.dtype(last["dtype"]).itemsize


def view(data: Bytes, entry: Entry) -> NDArray:
    """Return one array of a mapped file."""
    return data[entry["offset"] : file_size([entry])].view(entry["dtype"]).reshape(entry["shape"])


def checksums(data: Bytes) -> Header:
    """Return the header's fields about the checksums of what follows it."""
    body = data[HEADER_BYTES:]
    return {
        "block": BLOCK_BYTES,
        "crc32": [_crc(body[at : at + BLOCK_BYTES].data) for at in range(0, len(body), BLOCK_BYTES)],
    }


def check_blocks(path: Path, header: Header, data: Bytes, start: int = 0, stop: int | None = None) -> None:
    """Compare the checksums of the blocks that hold bytes ``start:stop`` of what follows the header.

    Raises
    ------
    FileFormatError
        If one differs.
    """
    body = data[HEADER_BYTES:]
    stop = len(body) if stop is None else stop
    for block in range(start // BLOCK_BYTES, (stop + BLOCK_BYTES - 1) // BLOCK_BYTES):
        if _crc(body[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES].data) != header["crc32"][block]:
            raise FileFormatError(f"{path} is corrupt: block {block} has a wrong checksum; build it anew")


def map_finished(path: Path, header: Header) -> Bytes:
    """Map a finished file read-only.

    Raises
    ------
    FileFormatError
        If its size is not what the header says.
    """
    size = file_size(header["arrays"])
    if path.stat().st_size != size:
        raise FileFormatError(
            f"{path} has {path.stat().st_size:,} bytes where its header says {size:,}; it is truncated"
        )
    return np.memmap(path, np.uint8, "r")


def read_header(path: Path, kind: Kind) -> Header:
    """Return the header of a file.

    Raises
    ------
    FileFormatError
        If the file cannot be read, is of another kind or version, or its header is corrupt.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(HEADER_BYTES)
    except OSError as error:
        raise FileFormatError(f"cannot read the {kind.noun} {path}: {error.strerror}") from error
    line, _, text = raw.partition(b"\n")
    magic = _magic(kind)
    if not line.startswith(magic):
        raise FileFormatError(f"{path} is no {kind.name}; make one with '{kind.command}'")
    version, _, crc = line[len(magic) :].decode("latin-1").partition(" ")
    if version != str(kind.version):
        raise FileFormatError(
            f"{path} is a {kind.noun} of version {version}; this program reads version {kind.version}: build it anew"
        )
    if len(raw) < HEADER_BYTES or _crc(text.rstrip(b" ")) != crc:
        raise FileFormatError(f"{path} has a corrupt or truncated header; build it anew")
    header: Header = json.loads(text)
    return header


def write_header(data: Bytes, kind: Kind, header: Header) -> None:
    """Make the arrays durable, and then the header that speaks of them."""
    flush = getattr(data, "flush", None)
    if flush is not None:
        flush()
    text = json.dumps(header).encode()
    raw = (_magic(kind) + f"{kind.version} {_crc(text)}\n".encode() + text).ljust(HEADER_BYTES)
    data[:HEADER_BYTES] = np.frombuffer(raw, np.uint8)
    if flush is not None:
        flush()


def refuse_if_too_large(path: Path, size: int) -> None:
    """Refuse to write where the folder is missing or the disk has too little room."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}")
    free = shutil.disk_usage(folder).free
    if free < size:
        raise UsageError(
            f"{path} needs {size:,} bytes and the disk has {free:,} free; make room or choose another disk"
        )


@contextlib.contextmanager
def mapped(path: Path, size: int, kind: Kind) -> Iterator[Bytes]:
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
            f"cannot write {path}: {error.strerror}; '{kind.command} --resume' goes on from here"
        ) from error


def _crc(data: bytes | memoryview) -> str:
    return f"{zlib.crc32(data):08x}"


def _magic(kind: Kind) -> bytes:
    return f"pymc-games {kind.name} ".encode()
