"""Where shards of work run: here one after another, or in local processes, by concurrent.futures."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from pymc_games.errors import UsageError

Shard = TypeVar("Shard")
Done = TypeVar("Done")

EXECUTORS = ("local", "serial")


def completed(
    function: Callable[[Shard], Done], shards: Sequence[Shard], executor: str = "local"
) -> Iterator[tuple[Shard, Done]]:
    """Yield each shard with its result, as they finish.

    Parameters
    ----------
    executor : {'local', 'serial'}
        One process for each core, or this process alone.

    Raises
    ------
    UsageError
        If there is no such executor.
    """
    if executor == "serial":
        for shard in shards:
            yield shard, function(shard)
    elif executor == "local":
        pool = concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count())
        try:
            futures = {pool.submit(function, shard): shard for shard in shards}
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    else:
        raise UsageError(f"there is no executor '{executor}'; there are {', '.join(EXECUTORS)}")
