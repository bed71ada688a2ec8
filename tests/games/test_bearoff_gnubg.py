"""GNU Backgammon's own databases, which share no code with ours: every entry follows from its neighbours.

Its entries are rounded to 16 bits at every step, and rounded means choose the plays, so its tables drift from the exact
ones. Each entry is therefore compared with one exact backup of its own successors' entries, by our rules: that checks
numbering, moves and equations to the last unit. The drift from our tables is bounded besides.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pymc_games.errors import FileFormatError
from pymc_games.games.bearoff import gnubg, moves, one_sided, two_sided
from pymc_games.games.bearoff.positions import count_positions
from pymc_games.games.bearoff.successors import successors

READY = Path("/usr/share/gnubg/gnubg_os0.bd")
MAKEBEAROFF = shutil.which("makebearoff") or shutil.which("makebearoff", path="/usr/games")

needs_database = pytest.mark.skipif(not READY.is_file(), reason=f"{READY} is missing: install Debian's package gnubg")
needs_makebearoff = pytest.mark.skipif(MAKEBEAROFF is None, reason="no makebearoff: install Debian's package gnubg")


def least_rows(values: NDArray, checkers: int) -> NDArray:
    """Return, for each position and roll, one successor of least value."""
    found = successors(checkers)
    lengths = np.diff(found.starts)
    least = np.minimum.reduceat(values[found.to], found.starts[21:-1])
    attained = np.flatnonzero(values[found.to] == np.repeat(np.concatenate([np.zeros(21, int), least]), lengths))
    rows, first = np.unique(np.repeat(np.arange(len(lengths)), lengths)[attained], return_index=True)
    best = np.zeros(len(lengths), dtype=np.int64)
    best[rows] = found.to[attained[first]]
    return best.reshape(-1, 21)


@needs_database
def test_all_54264_one_sided_distributions() -> None:
    theirs = gnubg.read_one_sided(READY).astype(np.int64)
    assert len(theirs) == 54264
    assert (theirs.sum(axis=1) == gnubg.ONE).all()
    best = least_rows(theirs @ np.arange(32), 15)
    backup = np.zeros(theirs.shape)
    for roll, weight in enumerate(moves.WEIGHTS):
        backup[1:, 1:] += weight / 36 * theirs[best[1:, roll], :-1]
    backup[0, 0] = gnubg.ONE
    difference = np.abs(theirs - backup)
    # The largest entry of a row takes up what rounding has left, so that the row sums to 65,535.
    difference[np.arange(len(theirs)), theirs.argmax(axis=1)] = 0
    exactly_rounded = difference.max(axis=1) < 0.5 + 1e-9
    # In 51 positions two plays have the same rounded mean, and theirs is the other one.
    assert (~exactly_rounded).sum() == 51


@needs_database
def test_one_sided_tables_agree_up_to_accumulated_rounding() -> None:
    theirs = gnubg.read_one_sided(READY) / gnubg.ONE
    ours = one_sided.solve(15)
    rolls = np.arange(32)
    assert np.abs(theirs @ rolls - ours.mean).max() < 2e-4
    padded = np.pad(ours.pmf, ((0, 0), (0, 32 - ours.pmf.shape[1])))
    worst = np.abs(theirs - padded).max(axis=1) * gnubg.ONE
    assert (worst > 10).sum() == 127  # near-ties decided the other way
    assert np.median(worst) < 1


def check_two_sided(path: Path, checkers: int) -> None:
    stored = gnubg.read_two_sided(path).astype(np.int64)
    positions = count_positions(checkers)
    assert stored.shape == (positions, positions, 4)
    # Doubling turns an equity e into 2 e, so a stored number x into 2 x - 32767.5, at most 65535.
    doubled = np.minimum(2 * stored[..., 3] - gnubg.ONE / 2, gnubg.ONE)
    sources = (stored[..., 0], stored[..., 3], np.maximum(stored[..., 2], doubled), np.maximum(stored[..., 1], doubled))
    found = successors(checkers)
    for kind, (plane, units) in enumerate(zip(sources, (1.0, 1.0, 1.5, 1.5), strict=True)):
        lost = plane.astype(float)
        lost[:, 0] = 0
        for i in range(1, positions):
            least = [lost[1:, found.of(i, roll)].min(axis=1) for roll in range(21)]
            backup = gnubg.ONE - np.dot(moves.WEIGHTS, least) / 36
            assert np.abs(stored[i, 1:, kind] - backup).max() < units
    side = two_sided.whole_side(checkers)
    equities, _ = two_sided.solve(side, side)
    for kind, plane in enumerate(equities.planes()):
        ours = np.empty_like(plane)
        ours[np.ix_(side.numbers, side.numbers)] = plane.T
        assert np.abs(gnubg.equity(stored[1:, 1:, kind]) - ours[1:, 1:]).max() < 5 / 32767.5


@needs_makebearoff
def test_all_853776_two_sided_positions_of_six_checkers(tmp_path: Path) -> None:
    path = tmp_path / "ts.bd"
    subprocess.run([str(MAKEBEAROFF), "-t", "6x6", "-f", str(path)], check=True, capture_output=True)
    check_two_sided(path, 6)


def test_files_that_are_no_databases(tmp_path: Path) -> None:
    path = tmp_path / "x.bd"
    with pytest.raises(FileFormatError, match="cannot read"):
        gnubg.read_one_sided(path)
    path.write_bytes(b"gnubg-TS-06-06-1" + b"x" * 23 + b"\n")
    with pytest.raises(FileFormatError, match="its header is"):
        gnubg.read_one_sided(path)
    with pytest.raises(FileFormatError, match="bytes where"):
        gnubg.read_two_sided(path)


@needs_database
def test_a_truncated_one_sided_database(tmp_path: Path) -> None:
    path = tmp_path / "short.bd"
    path.write_bytes(READY.read_bytes()[:-10])
    with pytest.raises(FileFormatError, match="truncated"):
        gnubg.read_one_sided(path)
    path.write_bytes(READY.read_bytes()[:1000])
    with pytest.raises(FileFormatError, match="truncated"):
        gnubg.read_one_sided(path)
