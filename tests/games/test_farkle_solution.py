"""Solution files: what is written is what was solved; everything damaged or for other rules is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pymc_games import arrayfile
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.games.farkle import solution, values
from pymc_games.games.farkle.rules import Rules

RULES = Rules(goal=500, bound=-100, penalty=100)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solutions") / "small.farkle"
    solution.solve_to_file(RULES, path)
    return path


def test_a_file_holds_the_bounds(finished: Path) -> None:
    found, solved = solution.load(finished, RULES), values.solve(RULES)
    assert found.rules == RULES
    assert (found.lower == solved.lower).all()
    assert (found.upper == solved.upper).all()
    assert (found.sweeps, found.changed) == (solved.sweeps, 0)
    assert isinstance(found.lower.base, np.memmap | np.ndarray)
    assert not found.lower.flags.writeable
    assert [path.name for path in finished.parent.iterdir()] == [finished.name]


def test_an_interrupted_solve_goes_on_to_the_same_bits(finished: Path, tmp_path: Path) -> None:
    path = tmp_path / "small.farkle"

    def interrupt(sweep: int, done: int, levels: int, gap: float) -> None:
        if sweep == 4 and done == levels // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solution.solve_to_file(RULES, path, progress=interrupt)
    assert [found.name for found in tmp_path.iterdir()] == ["small.farkle.part"]
    assert solution.load(tmp_path / "small.farkle.part").sweeps == 3
    with pytest.raises(UsageError, match="unfinished solve; go on with --resume"):
        solution.solve_to_file(RULES, path)
    with pytest.raises(FileFormatError, match="for other rules: penalty is 100, not 150"):
        solution.solve_to_file(replace(RULES, penalty=150), path, resume=True)
    found = solution.solve_to_file(RULES, path, resume=True)
    whole = solution.load(finished)
    assert found.sweeps == whole.sweeps
    assert (found.lower == whole.lower).all()
    assert (found.upper == whole.upper).all()
    assert not (tmp_path / "small.farkle.part").exists()


def test_a_coarse_solution_can_be_refined(finished: Path, tmp_path: Path) -> None:
    path = tmp_path / "coarse.farkle"
    assert solution.solve_to_file(RULES, path, gap=1e-3).changed > 0
    refined = solution.solve_to_file(RULES, path, resume=True)
    assert (refined.lower == solution.load(finished).lower).all()


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no unfinished solve"):
        solution.solve_to_file(RULES, tmp_path / "none.farkle", resume=True)


def test_other_rules_are_refused(finished: Path) -> None:
    with pytest.raises(FileFormatError, match="three_pairs is 750, not 1500"):
        solution.load(finished, replace(RULES, three_pairs=1500))


@pytest.mark.parametrize("place", [3, 60, 400, arrayfile.HEADER_BYTES + 1000, -1])
def test_a_changed_byte_is_noticed(finished: Path, tmp_path: Path, place: int) -> None:
    data = bytearray(finished.read_bytes())
    data[place] ^= 1
    path = tmp_path / "damaged.farkle"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=r"corrupt|is no farkle solution|version"):
        solution.load(path)


def test_a_truncated_file_is_noticed(finished: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.farkle"
    path.write_bytes(finished.read_bytes()[:-8])
    with pytest.raises(FileFormatError, match="truncated"):
        solution.load(path)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rules": None}, "says nothing that makes sense"),
        ({"rules": {"goal": "high"}}, "says nothing that makes sense"),
        ({"sweeps": None}, "says nothing that makes sense"),
        ({"rules": {"goal": 10**12}}, "not those of its rules"),
        ({"arrays": [{"name": "lower", "dtype": "O", "shape": [1], "offset": 0}]}, "not those of its rules"),
        ({"arrays": None}, "not those of its rules"),
    ],
)
def test_a_header_that_lies_is_refused(
    finished: Path, tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    path = tmp_path / "lying.farkle"
    path.write_bytes(finished.read_bytes())
    header = arrayfile.read_header(path, solution.KIND)
    data = np.memmap(path, np.uint8, "r+")
    arrayfile.write_header(data, solution.KIND, header | changes)
    with pytest.raises(FileFormatError, match=complaint):
        solution.load(path)


def test_a_table_of_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.table"
    path.write_bytes(b"pymc-games bearoff table 1 00000000\n{}".ljust(arrayfile.HEADER_BYTES))
    with pytest.raises(FileFormatError, match="is no farkle solution; make one with 'pymc-games farkle solve'"):
        solution.load(path)
