"""Archives of named arrays: tar files, plain, gzip or xz, read in memory and with nothing taken on trust."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

from pymc_games import files
from pymc_games.errors import FileFormatError

#: Largest archive that is read, in bytes after decompression.
LIMIT = 8 * 2**30
_CHUNK = 2**24
_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"
_NAME = re.compile(r"(?!.*(?:^|/)\.{1,2}(?:/|$))[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")


def read(path: str | os.PathLike[str], limit: int = LIMIT) -> dict[str, memoryview]:
    """Return the members of an archive by name; nothing is written to disk.

    Parameters
    ----------
    path : path of a tar file, which may be compressed by gzip or xz
    limit : int
        Largest size after decompression, in bytes.

    Raises
    ------
    FileFormatError
        If the file is no archive, is truncated or larger than ``limit``, or has a member that is neither file nor
        folder, whose name leads elsewhere, or that occurs twice.
    """
    data = memoryview(_decompressed(path, limit))
    members: dict[str, memoryview] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                if member.isdir():
                    continue
                name = member.name
                if not member.isreg() or member.issparse():
                    raise FileFormatError(f"{path}: '{name}' is no plain file; links and devices are refused")
                if not _NAME.fullmatch(name):
                    raise FileFormatError(
                        f"{path}: the member name '{name}' is refused; it may lead outside the archive"
                    )
                if name in members:
                    raise FileFormatError(f"{path}: '{name}' occurs twice")
                end = member.offset_data + member.size
                if member.size < 0 or end > len(data):
                    raise FileFormatError(f"{path} is truncated: '{name}' claims {member.size} bytes")
                members[name] = data[member.offset_data : end]
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise FileFormatError(f"{path} is not a readable archive: {error}") from error
    return members


def write(path: str | os.PathLike[str], members: Mapping[str, bytes]) -> None:
    """Write an uncompressed archive, whole or not at all; equal members give equal bytes."""
    with files.replacing(path) as beside, tarfile.open(beside, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))


def _decompressed(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return the content of a file, unpacked where it is packed, chunk by chunk so that no bomb goes off."""
    try:
        with Path(path).open("rb") as stream:
            magic = stream.read(6)
            stream.seek(0)
            unpacked = _unpacked(stream, magic)
            too_large = FileFormatError(f"{path} is larger than {limit} bytes, the most that is read")
            if unpacked is stream:
                if Path(path).stat().st_size > limit:
                    raise too_large
                return stream.read()
            parts: list[bytes] = []
            left = limit
            while part := unpacked.read(min(_CHUNK, left + 1)):
                left -= len(part)
                if left < 0:
                    raise too_large
                parts.append(part)
    except EOFError as error:
        raise FileFormatError(f"{path} is truncated") from error
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FileFormatError(f"{path} is corrupt: {error}") from error
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror or error}") from error
    return b"".join(parts)


def _unpacked(stream: IO[bytes], magic: bytes) -> IO[bytes]:
    if magic[:2] == _GZIP:
        return cast(IO[bytes], gzip.GzipFile(fileobj=stream))
    if magic == _XZ:
        return lzma.open(stream)
    return stream
