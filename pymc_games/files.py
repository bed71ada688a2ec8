"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from pymc_games.errors import UsageError


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside ``path`` to write to, and rename it to ``path`` when the block ends well.

    If the block raises, nothing is left behind and an earlier file at ``path`` is untouched. A link stays a link; a
    device or a pipe, such as ``/dev/stdout``, is written to as it is.

    Raises
    ------
    UsageError
        If the folder does not exist or cannot be written, or the disk is full.
    """
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target
        return
    target = Path(os.path.realpath(target))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise UsageError(
            f"cannot write {target}: {error.strerror}; choose a folder that exists and is writable"
        ) from error
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        os.chmod(beside, 0o666 & ~umask())
        os.replace(beside, target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing_folder(path: str | os.PathLike[str], refuse: Callable[[Path], None]) -> Iterator[Path]:
    """Give a temporary folder beside ``path`` to fill, and rename it to ``path`` when the block ends well.

    Parameters
    ----------
    path : path
    refuse : callable
        Raises UsageError for a folder that must not be replaced; asked before the block and after it.

    Raises
    ------
    UsageError
        If ``path`` is refused, or its parent cannot be written.
    """
    target = Path(os.path.realpath(path))
    refuse(target)
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    except OSError as error:
        raise UsageError(
            f"cannot write {target}: {error.strerror}; choose a folder within one that exists and is writable"
        ) from error
    try:
        yield beside
        beside.chmod(0o777 & ~umask())
        refuse(target)
        old = beside.with_suffix(".old")
        if target.exists():
            target.rename(old)
        beside.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` as UTF-8 to ``path``, whole or not at all."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_csv(path: str | os.PathLike[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows that all have the same keys as comma-separated values under a line of names, whole or not at all."""
    with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        writer: csv.DictWriter[str] | None = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(file, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder ``path``, created with its parents where missing.

    Raises
    ------
    UsageError
        If it cannot be created.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot create the folder {folder}: {error.strerror}") from error
    return folder


def umask() -> int:
    """Return the mask that the process takes off the permissions of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
