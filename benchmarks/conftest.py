"""What every benchmark shares: one way to measure, and a record of the peers that are not on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

_ABSENT = pytest.StashKey[list[dict[str, str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tiny", action="store_true", help="sizes that only show that the benchmarks run")
    parser.addoption("--full", action="store_true", help="what takes minutes, too")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ABSENT] = []


def pytest_benchmark_update_json(config: pytest.Config, benchmarks: object, output_json: dict[str, Any]) -> None:
    """Keep with the times which peers were not there."""
    output_json["absent"] = config.stash[_ABSENT]


@pytest.fixture
def tiny(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--tiny"))


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full"))


@pytest.fixture
def measure(request: pytest.FixtureRequest, benchmark: Any, tiny: bool) -> Callable[..., Any]:
    """Return the function that measures ``work`` and returns what it returned.

    ``task`` and ``by`` say what was done and by whom. ``work`` is None where a peer is not installed. ``prepare`` is
    called before each round, outside of the time. ``scale`` multiplies the time of a sample to that of the whole.
    ``information`` is kept with the record: ``memory``, the peak while solving in units of the model's arrays;
    ``states`` and ``sweeps`` where it is the rate that matters.
    """

    def run(
        task: str, by: str, work: Callable[[], Any] | None, *, prepare: Callable[[], None] | None = None,
        rounds: int = 5, warmup: bool = True, scale: float = 1.0, **information: float,
    ) -> Any:  # fmt: skip
        if work is None:
            request.config.stash[_ABSENT].append({"task": task, "by": by})
            pytest.skip(f"not installed: {by}")
        benchmark.group = task
        benchmark.extra_info.update(by=by, scale=scale, **information)
        return benchmark.pedantic(
            work, setup=prepare, rounds=1 if tiny else rounds, warmup_rounds=int(warmup and not tiny)
        )

    return run
