"""What all tests share: one numba cache a worker, a browser, and hypothesis without a clock."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests import browsing


def pytest_configure(config: pytest.Config) -> None:
    """Give each parallel worker a numba cache of its own: two processes writing one index can mix up entries."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(Path(config.cache.mkdir("numba")) / worker)


# Shared machines are slow at times, and a property is no less true for it.
hypothesis.settings.register_profile("project", deadline=None, print_blob=True)
hypothesis.settings.load_profile("project")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return the driver of a browser without a window."""
    yield from browsing.start(tmp_path_factory.mktemp("profile"))
