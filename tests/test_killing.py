"""Work that is killed goes on: real processes, ended without warning, and the table of a run that nobody disturbed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

STUDY = ("pig", "study", "--goals", "20:10:100", "--dice", "4,6,8")
ROWS = 27
PATIENCE = 60
#: One thread of computing each, so that the runs are slow enough to be met in the middle.
ENVIRONMENT = {**os.environ, "NUMBA_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parent.parent)}


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def study(*arguments: str | Path) -> subprocess.Popen[str]:
    return start("pymc_games", *STUDY, *arguments)


def wait(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.005)


def kept(folder: Path) -> dict[str, int]:
    """Return the finished shards and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("shard-*.json")}


def children(process: int) -> list[int]:
    """Return a process's children, of all its threads."""
    return [
        int(child)
        for task in Path(f"/proc/{process}/task").glob("*/children")
        for child in task.read_text().split()
    ]  # fmt: skip


def running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    table = tmp_path_factory.mktemp("undisturbed") / "study.csv"
    process = study("--executor", "serial", "-o", table)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    return table.read_bytes()


def resumed(folder: Path, table: Path, *arguments: str | Path) -> dict[str, int]:
    """Let the work in a folder go on to its end; return the shards that were there before, which it must not touch."""
    before = kept(folder)
    process = study("--resume", folder, "-o", table, *arguments)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    after = kept(folder)
    assert len(after) == ROWS
    assert before.items() <= after.items()
    assert not list(folder.glob(".*.part"))
    return before


def test_the_command_is_killed(tmp_path: Path, undisturbed: bytes) -> None:
    folder, table = tmp_path / "work", tmp_path / "study.csv"
    process = study("--keep", folder, "-o", table)
    wait(lambda: len(kept(folder)) >= 2 or process.poll() is not None, "no shards")
    workers = children(process.pid)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert workers
    wait(lambda: not any(map(running, workers)), "processes stay behind")
    assert not table.exists()
    again = study("--keep", folder, "-o", table)
    _, errors = again.communicate(timeout=PATIENCE)
    assert (again.returncode, errors.count("\n")) == (2, 1)
    assert "holds work already; go on with --resume" in errors
    assert 2 <= len(resumed(folder, table)) < ROWS
    assert table.read_bytes() == undisturbed


def test_a_process_of_the_command_is_killed(tmp_path: Path, undisturbed: bytes) -> None:
    folder, table = tmp_path / "work", tmp_path / "study.csv"
    process = study("--keep", folder, "-o", table)
    wait(lambda: len(kept(folder)) >= 2 or process.poll() is not None, "no shards")
    os.kill(children(process.pid)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors.count("\n")) == (2, 1)
    assert f"shards are kept; go on with --resume {folder}" in errors
    assert 2 <= len(resumed(folder, table)) < ROWS
    assert table.read_bytes() == undisturbed


class Cluster:
    """A Dask scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        file = folder / f"scheduler-{time.monotonic_ns()}.json"
        self.file = file
        self.scheduler = start(
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", file,
        )  # fmt: skip
        wait(file.exists, "no scheduler")
        self.workers = [self.worker() for _ in range(2)]

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def worker(self) -> subprocess.Popen[str]:
        return start(
            "distributed.cli.dask_worker", "--scheduler-file", self.file, "--nthreads", "1", "--no-nanny",
            "--no-dashboard", "--death-timeout", "10", "--local-directory", self.file.parent,
        )  # fmt: skip


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    opened = Cluster(folder)
    try:
        yield opened
    finally:
        for process in (*opened.workers, opened.scheduler):
            process.kill()
            process.communicate()


def test_a_dask_worker_is_killed(tmp_path: Path, undisturbed: bytes) -> None:
    folder, table = tmp_path / "work", tmp_path / "study.csv"
    with cluster(tmp_path) as dask:
        process = study("--executor", "dask", "--scheduler", dask.address, "--keep", folder, "-o", table)
        wait(lambda: len(kept(folder)) >= 2 or process.poll() is not None, "no shards")
        dask.workers[0].kill()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert len(kept(folder)) == ROWS
    assert table.read_bytes() == undisturbed


def test_the_dask_scheduler_is_killed(tmp_path: Path, undisturbed: bytes) -> None:
    folder, table = tmp_path / "work", tmp_path / "study.csv"
    with cluster(tmp_path) as dask:
        process = study("--executor", "dask", "--scheduler", dask.address, "--keep", folder, "-o", table)
        wait(lambda: len(kept(folder)) >= 2 or process.poll() is not None, "no shards")
        dask.scheduler.kill()
        _, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, errors.count("\n")) == (2, 1), errors
        assert "does not answer any more" in errors
        assert f"--resume {folder}" in errors
    with cluster(tmp_path) as dask:
        assert 2 <= len(resumed(folder, table, "--executor", "dask", "--scheduler", dask.address)) < ROWS
    assert table.read_bytes() == undisturbed


def test_the_command_that_waits_for_dask_is_killed(tmp_path: Path, undisturbed: bytes) -> None:
    folder, table = tmp_path / "work", tmp_path / "study.csv"
    with cluster(tmp_path) as dask:
        process = study("--executor", "dask", "--scheduler", dask.address, "--keep", folder, "-o", table)
        wait(lambda: len(kept(folder)) >= 2 or process.poll() is not None, "no shards")
        process.kill()
        process.communicate()
        assert 2 <= len(resumed(folder, table, "--executor", "dask", "--scheduler", dask.address)) < ROWS
    assert table.read_bytes() == undisturbed
