"""Calling Storm: its errors in our words, and a main thread that stays awake for Ctrl-C."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import stormpy

from pymc_games.errors import GamesError, PropertyError

Returned = TypeVar("Returned")

# Storm writes its errors to standard error too; the exception carries the same words.
stormpy.developer.set_log_level(stormpy.developer.LogLevel.OFF)


def interruptible(call: Callable[[], Returned]) -> Returned:
    """Run ``call`` beside the main thread, which stays awake for Ctrl-C; Storm itself cannot be interrupted."""
    outcome: list[Returned] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            failure.append(error)

    worker = threading.Thread(target=run, daemon=True, name="storm")
    worker.start()
    while worker.is_alive():
        worker.join(0.1)
    if failure:
        raise failure[0]
    return outcome[0]


@contextmanager
def translating(source: str, kind: type[GamesError]) -> Iterator[None]:
    """Turn Storm's exceptions into one sentence of ours, which begins with ``source``."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError, IndexError, stormpy.exceptions.StormError) as error:
        raw = str(error) or str(getattr(error, "message", ""))
        message = raw.partition("Exception: ")[2] or raw
        if raw.startswith("InvalidPropertyException"):
            kind = PropertyError
        place = re.match(r"Parsing error at (\d+):(\d+):\s+expecting (.+?), here:\s*(.*)", message)
        if place:
            found = f", found '{place[4].strip()}'" if place[4].strip() else ", found the end"
            sentence = f"line {place[1]}, column {place[2]}: expected {place[3]}{found[:90]}"
        else:
            # Storm repeats the file's path where it knows the line.
            sentence = re.sub(r"^Error in .*, line (\d+): ", r"line \1: ", message.strip().partition("\n")[0]).rstrip(
                "."
            )
        raise kind(f"{source}: {sentence}") from error
