"""Files appear whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from pymc_games import files
from pymc_games.errors import UsageError


def test_text_is_written_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    files.write_text(tmp_path / "model.prism", "dtmc\n// 5 ≤ 6\n")
    assert (tmp_path / "model.prism").read_bytes() == "dtmc\n// 5 ≤ 6\n".encode()
    assert os.listdir(tmp_path) == ["model.prism"]


@pytest.mark.parametrize("reason", [ValueError, KeyboardInterrupt])
def test_an_interrupted_write_leaves_the_earlier_file(tmp_path: Path, reason: type[BaseException]) -> None:
    target = tmp_path / "table.bin"
    target.write_text("earlier")

    def write_half() -> None:
        with files.replacing(target) as beside:
            beside.write_text("half")
            raise reason

    with pytest.raises(reason):
        write_half()
    assert target.read_text() == "earlier"
    assert os.listdir(tmp_path) == ["table.bin"]


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    earlier = os.umask(0o027)
    try:
        files.write_text(tmp_path / "a", "")
    finally:
        os.umask(earlier)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    files.write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        files.write_text(pipe, "through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("place", ["missing/model.prism", "file/model.prism", "."])
def test_an_impossible_place_is_one_clear_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^cannot write .*: [A-Z][a-z ]+") as error:
        files.write_text(tmp_path / place, "")
    assert "\n" not in str(error.value)
    assert os.listdir(tmp_path) == ["file"]


def test_folders_are_made_with_their_parents(tmp_path: Path) -> None:
    assert files.make_folder(tmp_path / "a" / "b").is_dir()
    assert files.make_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot create the folder .*file/a"):
        files.make_folder(tmp_path / "file" / "a")


def refuse(folder: Path) -> None:
    if folder.exists():
        raise UsageError(f"{folder} exists")


def test_a_folder_appears_whole_and_never_in_place_of_one_that_is_refused(tmp_path: Path) -> None:
    with files.replacing_folder(tmp_path / "new", refuse) as beside:
        (beside / "one").write_text("1")
        assert not (tmp_path / "new").exists()
    assert (tmp_path / "new" / "one").read_text() == "1"
    with pytest.raises(UsageError, match="exists"), files.replacing_folder(tmp_path / "late", refuse):
        (tmp_path / "late").mkdir()  # somebody else's, while ours is written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["late", "new"]
