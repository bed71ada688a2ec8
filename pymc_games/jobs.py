"""Long work in shards, each finished one kept in a folder, so that a job that was killed goes on.

A folder holds ``job.json``, which says what the job is, and a file for each finished shard. Both appear whole or not
at all. A job goes on only where its inputs, the source it runs and the libraries below are still the same, so that the
results are bit for bit those of a job that was never disturbed. Workers elsewhere are asked for the same.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import json
import platform
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pymc_games import __version__, executors, files
from pymc_games.errors import UsageError, WorkError

Shard = TypeVar("Shard")

_FORMAT = 1
_LIBRARIES = ("numpy", "numba", "scipy", "python-flint")
#: Folders of the package that no result depends on.
_WITHOUT_RESULTS = ("cli", "report")
# Compiled kernels have threads of their own and suffer one caller at a time; a Dask worker may have several.
_ALONE = threading.Lock()


@dataclass(frozen=True)
class Job(Generic[Shard]):
    """Work in shards.

    Attributes
    ----------
    name : str
        What it is, in a few words.
    inputs : mapping
        Everything that the results depend on but the code, as JSON takes it.
    function : callable
        From a shard to its result as JSON takes it; it must be importable, because it is sent to other processes.
    shards : sequence
    """

    name: str
    inputs: Mapping[str, Any]
    function: Callable[[Shard], Any]
    shards: Sequence[Shard]


@dataclass(frozen=True)
class Keeping:
    """Where finished shards are kept: nowhere, in a folder to begin in, or in one to go on in."""

    folder: Path | None = None
    resume: bool = False


def run(
    job: Job[Shard],
    place: executors.Place | str = "local",
    keeping: Keeping | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Any]:
    """Return the results of all shards, in their order.

    Parameters
    ----------
    keeping : Keeping, optional
        A job goes on in a folder that is empty or missing by beginning there.
    progress : callable, optional
        Called with finished and all shards.

    Raises
    ------
    UsageError
        If the folder holds unfinished work and is not to be resumed, or work with other inputs or code, or is damaged.
    WorkError
        If a process, a worker or the scheduler died.
    """
    keeping = keeping or Keeping()
    total = len(job.shards)
    with _store(job, keeping) as store:
        results = {} if store is None else store.finished(total)
        if progress is not None:
            progress(len(results), total)
        missing = [(number, job.shards[number]) for number in range(total) if number not in results]
        try:
            for (number, _), text in executors.completed(_Work(job.function, versions()), missing, place):
                if store is not None:
                    store.save(number, text)
                results[number] = json.loads(text)
                if progress is not None:
                    progress(len(results), total)
        except WorkError as error:
            kept = (
                "nothing was kept; begin again with --keep DIR"
                if store is None
                else f"{len(results)} of {total} shards are kept; go on with --resume {store.folder}"
            )
            raise WorkError(f"{error}; {kept}") from error
    return [results[number] for number in range(total)]


@functools.cache
def versions() -> dict[str, str]:
    """Return what the results of a job depend on besides its inputs: a digest of the source, and the libraries."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] not in _WITHOUT_RESULTS:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    libraries = {name: importlib.metadata.version(name) for name in _LIBRARIES}
    return {
        "pymc-games": f"{__version__} ({digest.hexdigest()[:16]})", "python": platform.python_version(),
        "machine": platform.machine(), **libraries,
    }  # fmt: skip


@dataclass(frozen=True)
class _Work(Generic[Shard]):
    """Do one shard, after a look at whether this process runs what the one that asks runs."""

    function: Callable[[Shard], Any]
    versions: Mapping[str, str]

    def __call__(self, numbered: tuple[int, Shard]) -> str:
        other = _differences(self.versions, versions())
        if other:
            raise UsageError(f"a worker on {platform.node()} runs something else: {other}; install the same there")
        with _ALONE:
            return json.dumps(self.function(numbered[1]), allow_nan=False)


def _differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} is {_short(found.get(key))} and was {_short(expected.get(key))}"
        for key in dict.fromkeys([*expected, *found])
        if expected.get(key) != found.get(key)
    )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:40]}… ({hashlib.sha256(text.encode()).hexdigest()[:8]})"


@contextlib.contextmanager
def _store(job: Job[Any], keeping: Keeping) -> Iterator[_Store | None]:
    """Give the store of a folder, which no other process may use at the same time."""
    if keeping.folder is None:
        yield None
        return
    folder = files.make_folder(keeping.folder)
    try:
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise UsageError(f"cannot write to the folder {folder}: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(f"another process works in the folder {folder}; wait for it, or choose another") from error
        yield _Store(folder, job, resume=keeping.resume)


class _Store:
    """Finished shards in a folder, each a file that appears whole, with a digest of what it depends on."""

    def __init__(self, folder: Path, job: Job[Any], *, resume: bool) -> None:
        self.folder = folder
        # As JSON gives it back, where a tuple is a list.
        description = {"format": _FORMAT, "job": job.name, "shards": len(job.shards)}
        expected: dict[str, Any] = json.loads(
            json.dumps({"job": description, "inputs": job.inputs, "versions": versions()})
        )
        self._digest = hashlib.sha256(json.dumps(expected, sort_keys=True).encode()).hexdigest()
        path = folder / "job.json"
        if path.exists():
            if not resume:
                raise UsageError(f"{folder} holds work already; go on with --resume {folder}, or choose another folder")
            self._refuse_other(path, expected)
        elif any(folder.glob("shard-*.json")):
            raise UsageError(f"{folder} holds shards without the job that they belong to; choose another folder")
        else:
            files.write_text(path, json.dumps(expected, indent=2))
        for left in folder.glob(".*.part"):  # of a process that was killed while it wrote
            left.unlink(missing_ok=True)

    def _refuse_other(self, path: Path, expected: dict[str, Any]) -> None:
        try:
            found = json.loads(path.read_text("utf-8"))
            parts = {key: dict(found[key]) for key in expected}
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"{path} is damaged; choose another folder") from error
        for key, what in (("job", "is another job's"), ("inputs", "has other inputs"), ("versions", "has other code")):
            other = _differences(parts[key], expected[key])
            if other:
                raise UsageError(f"the work in {self.folder} {what}: {other}; choose another folder with --keep")

    def finished(self, shards: int) -> dict[int, Any]:
        """Return the shards that are there already.

        Raises
        ------
        UsageError
            If a file is damaged or belongs to another job.
        """
        results = {}
        for number in range(shards):
            path = self._path(number)
            if not path.exists():
                continue
            try:
                document = json.loads(path.read_text("utf-8"))
                text = document["result"]
                if document["sha256"] != self._checksum(number, text):
                    raise ValueError("checksum")  # noqa: TRY301
                results[number] = json.loads(text)
            except OSError as error:
                raise UsageError(f"cannot read {path}: {error.strerror}") from error
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise UsageError(f"{path} is damaged or of another job; delete it and go on with --resume") from error
        return results

    def save(self, number: int, text: str) -> None:
        """Keep a finished shard."""
        files.write_text(self._path(number), json.dumps({"sha256": self._checksum(number, text), "result": text}))

    def _checksum(self, number: int, text: str) -> str:
        """Return a digest of a result and of where it belongs: another shard's file under this name is noticed."""
        return hashlib.sha256(f"{self._digest} {number} {text}".encode()).hexdigest()

    def _path(self, number: int) -> Path:
        return self.folder / f"shard-{number:05d}.json"
