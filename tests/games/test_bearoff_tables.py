"""Table files: what is written is what was solved; everything damaged or unfinished is refused in one sentence."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from pymc_games import arrayfile
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.games.bearoff import one_sided, race, tables, two_sided

CHECKERS = 4


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "two.table"
    tables.build_two_sided(CHECKERS, path)
    return path


def test_two_sided_table_holds_the_optimum_within_its_bound(finished: Path) -> None:
    table = tables.open_table(finished)
    table.check()
    side = two_sided.whole_side(CHECKERS)
    truth, _ = two_sided.solve_cubeless(side, side)
    assert np.abs(table.array("win") - truth).max() < table.header["error"] / 10
    assert (table.array("numbers") == side.numbers).all()
    own, other = (0, 1, 0, 1, 0, 1), (1, 1, 1, 0, 1, 0)
    found, expected = table.win(own, other), race.optimal(own, other)
    assert found.overlaps(expected)
    assert not found.overlaps(race.optimal(other, own))
    assert not list(finished.parent.glob("*.part"))


def test_one_sided_table(tmp_path: Path) -> None:
    path = tmp_path / "one.table"
    report = tables.build(5, path)
    table = tables.open_table(path)
    table.check()
    for name in ("mean", "variance", "pmf", "best"):
        assert (table.array(name) == getattr(one_sided.solve(5), name)).all()
    assert report["positions"] == 462
    assert report["bytes"] == path.stat().st_size
    with pytest.raises(FileFormatError, match="one-sided table and has no 'win'"):
        table.win((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0))


def test_an_interrupted_build_goes_on(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PAIRS_BETWEEN_SAVES", 1)
    path = tmp_path / "two.table"

    def interrupt(done: int, total: int) -> None:
        if done == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tables.build_two_sided(CHECKERS, path, progress=interrupt)
    assert not path.exists()
    with pytest.raises(UsageError, match="unfinished build; go on with --resume"):
        tables.build_two_sided(CHECKERS, path)
    with pytest.raises(FileFormatError, match="build of 4 checkers, not 3"):
        tables.build_two_sided(3, path, resume=True)
    with pytest.raises(FileFormatError, match="is not finished"):
        tables.open_table(path.with_name("two.table.part"))
    levels: list[int] = []
    tables.build_two_sided(CHECKERS, path, resume=True, progress=lambda done, _: levels.append(done))
    assert levels[0] == 11
    assert path.read_bytes() == finished.read_bytes()


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no unfinished build"):
        tables.build_two_sided(CHECKERS, tmp_path / "two.table", resume=True)


def test_a_truncated_unfinished_build(tmp_path: Path, finished: Path) -> None:
    path = tmp_path / "two.table"
    path.with_name("two.table.part").write_bytes(finished.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match="truncated"):
        tables.build_two_sided(CHECKERS, path, resume=True)


class Usage(NamedTuple):
    free: int


@pytest.mark.parametrize("build", [tables.build_one_sided, tables.build_two_sided])
def test_a_disk_that_is_too_small(build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000))
    with pytest.raises(UsageError, match="bytes and the disk has 1,000 free"):
        build(CHECKERS, tmp_path / "x.table")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("build", [tables.build_one_sided, tables.build_two_sided])
def test_a_disk_that_fills_up_meanwhile(build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(UsageError, match="No space left on device"):
        build(CHECKERS, tmp_path / "x.table")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_in_the_middle_can_be_resumed(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "two.table"
    monkeypatch.setattr(tables, "PAIRS_BETWEEN_SAVES", 1)
    writes = iter(range(1000))
    write = arrayfile.write_header

    def fail_once(*arguments) -> None:
        if next(writes) == 7:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(*arguments)

    monkeypatch.setattr(arrayfile, "write_header", fail_once)
    with pytest.raises(UsageError, match=r"No space left on device; .*--resume"):
        tables.build_two_sided(CHECKERS, path)
    assert not path.exists()
    tables.build_two_sided(CHECKERS, path, resume=True)
    assert path.read_bytes() == finished.read_bytes()


def damaged(finished: Path, folder: Path, place: int, byte: bytes) -> Path:
    path = folder / "damaged.table"
    data = bytearray(finished.read_bytes())
    data[place : place + 1] = byte
    path.write_bytes(data)
    return path


def test_a_table_of_another_version(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="version 9; this program reads version 1"):
        tables.open_table(damaged(finished, tmp_path, 25, b"9"))


def test_a_corrupt_header(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="corrupt or truncated header"):
        tables.open_table(damaged(finished, tmp_path, 60, b"\x00"))


def test_a_wrong_checksum(finished: Path, tmp_path: Path) -> None:
    table = tables.open_table(damaged(finished, tmp_path, finished.stat().st_size - 5, b"\x99"))
    with pytest.raises(FileFormatError, match="wrong checksum"):
        table.check()
    with pytest.raises(FileFormatError, match="wrong checksum"):
        table.win((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0))


@pytest.mark.parametrize("size", [0, 30, 5000, 70000])
def test_a_truncated_table(finished: Path, tmp_path: Path, size: int) -> None:
    path = tmp_path / "short.table"
    path.write_bytes(finished.read_bytes()[:size])
    with pytest.raises(FileFormatError, match=r"truncated|no bearoff table"):
        tables.open_table(path)


def test_a_missing_table(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot read the table"):
        tables.open_table(tmp_path / "missing.table")


def test_positions_beyond_the_table(finished: Path) -> None:
    with pytest.raises(UsageError, match="at most 4 checkers"):
        tables.open_table(finished).win((5, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0))
