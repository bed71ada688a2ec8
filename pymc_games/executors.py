"""Where shards of work run: here one after another, in local processes, or on Dask's workers.

Processes and Dask's workers stand behind one interface, `concurrent.futures.Executor`. Scheduling, queues and retries
are theirs.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import importlib
import logging
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, TypeVar

from pymc_games.errors import UsageError, WorkError

Shard = TypeVar("Shard")
Done = TypeVar("Done")

EXECUTORS = ("local", "serial", "dask")

#: How often Dask runs a shard again whose worker died or that failed.
RETRIES = 3
#: Seconds within which a Dask scheduler must answer.
_PATIENCE = 10


@dataclass(frozen=True)
class Place:
    """Where shards run.

    Attributes
    ----------
    executor : {'local', 'serial', 'dask'}
        One process for each core, this process alone, or Dask's workers.
    scheduler : str, optional
        The address of a Dask scheduler; without one, Dask's workers are started on this machine.

    Raises
    ------
    UsageError
        If there is no such executor, or it takes no scheduler.
    """

    executor: str = "local"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.executor not in EXECUTORS:
            raise UsageError(f"there is no executor '{self.executor}'; there are {', '.join(EXECUTORS)}")
        if self.scheduler is not None and self.executor != "dask":
            raise UsageError(f"--scheduler {self.scheduler}: only --executor dask has a scheduler")


def completed(
    function: Callable[[Shard], Done], shards: Sequence[Shard], place: Place | str = "local"
) -> Iterator[tuple[Shard, Done]]:
    """Yield each shard with its result, as they finish.

    Raises
    ------
    UsageError
        If there is no such executor, the scheduler does not answer, or Dask is not installed.
    WorkError
        If a process died, or Dask lost its scheduler or one worker after the other.
    """
    if isinstance(place, str):
        place = Place(place)
    if place.executor == "serial" or (place.executor == "local" and len(shards) <= 1):
        for shard in shards:
            yield shard, function(shard)
        return
    with _opened(place, len(shards)) as executor:
        futures = {executor.submit(function, shard): shard for shard in shards}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], _result(future, place)


def _result(future: concurrent.futures.Future[Done], place: Place) -> Done:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise WorkError("a process that worked on a shard was killed, perhaps for want of memory") from error
    except concurrent.futures.CancelledError as error:
        raise WorkError(
            f"the Dask scheduler {place.scheduler or 'of this machine'} does not answer any more"
        ) from error
    except Exception as error:
        # Known by its name, because Dask is not imported where it is not used.
        if type(error).__name__ != "KilledWorker":
            raise
        raise WorkError("Dask gave up on a shard that cost one worker after the other") from error


@contextlib.contextmanager
def _opened(place: Place, shards: int) -> Iterator[concurrent.futures.Executor]:
    """Give an executor, and drop what it has not finished when the block ends."""
    if place.executor == "dask":
        with _client(place, shards) as client:
            executor = client.get_executor(retries=RETRIES, pure=False)
            try:
                yield executor
            finally:
                if client.status == "running":
                    executor.shutdown(wait=False)
        return
    cores = os.cpu_count() or 1
    workers = min(cores, shards)
    pool = concurrent.futures.ProcessPoolExecutor(workers, initializer=_begin, initargs=(max(cores // workers, 1),))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _client(place: Place, shards: int) -> Iterator[Any]:
    """Give a client of Dask's, of a scheduler's address or of workers on this machine."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise UsageError("--executor dask needs Dask; install pymc-games[dask]") from error
    # Its complaints about lost connections would stand beside the one sentence that says so.
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        address = place.scheduler
        if address is None:
            cores = os.cpu_count() or 1
            workers = min(cores, shards)
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL,
                env={"NUMBA_NUM_THREADS": str(max(cores // workers, 1))},
            )  # fmt: skip
            client = stack.enter_context(distributed.Client(stack.enter_context(cluster), timeout=_PATIENCE))
        else:
            try:
                client = stack.enter_context(distributed.Client(address, timeout=_PATIENCE))
            except (OSError, ValueError) as error:
                raise UsageError(
                    f"--scheduler {address}: no Dask scheduler answers there; start one with 'dask scheduler'"
                ) from error
        yield client


def _begin(cores: int) -> None:
    """Prepare a local process: it ends when the one that started it does, and takes its share of the cores."""
    import numba

    threading.Thread(target=_end_with_parent, daemon=True).start()
    numba.set_num_threads(min(cores, numba.get_num_threads()))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
