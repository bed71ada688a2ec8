"""The page on larger games says what the code computes, from rates that other pages report."""

from itertools import product
from pathlib import Path

import pytest

from benchmarks import scale
from pymc_games.games.bearoff.positions import count_positions
from pymc_games.games.bingo.board import TRANSIENT
from pymc_games.games.bingo.patterns import count_classes

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_page_has_the_tables_as_computed():
    page = (DOCS / "scale.md").read_text()
    for table in scale.tables().split("\n\n"):
        assert table in page


def test_counts_of_boards_are_those_of_the_search_for_three_rows():
    assert scale.classes(3) == count_classes() == 18_645_336
    assert scale.sets_without_line(3) == len(TRANSIENT) == 230
    assert scale.partitions(9, 9) == 21_147  # Bell's number


def test_orbits_of_two_rows_are_those_met_by_enumeration():
    swaps = [dict(zip(range(2, 13), range(2, 13), strict=True)) for _ in range(32)]
    for on, swap in zip(product((False, True), repeat=5), swaps, strict=True):
        for low, swapped in zip(range(2, 7), on, strict=True):
            if swapped:
                swap[low], swap[14 - low] = 14 - low, low
    least = set()
    for board in product(range(2, 13), repeat=4):
        if board[0] <= 7:  # one of each class begins so
            moved = [tuple(board[cell] for cell in image) for image in scale.symmetries(2)]
            least.add(min(tuple(swap[value] for value in image) for image in moved for swap in swaps))
    assert scale.classes(2) == len(least)


def test_counts_of_the_other_games_follow_from_published_ones():
    farkle, bearoff = dict(scale.farkle()), dict(scale.bearoff())
    assert farkle["states with a given player on move"] == f"{423_765_000 * 250 * 3:,}"
    assert farkle["turn starts with a given player on move"] == f"{562_500 * 250 * 3:,}"
    # Positions of seven points: those of six, for each number of checkers on the seventh.
    assert bearoff["positions; with six points"].startswith(f"{sum(count_positions(n) for n in range(16)):,};")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("bingo", f"{scale.BINGO_SECONDS} s of processor time"),
        ("farkle", f"{scale.FARKLE_SECONDS} s on two cores"),
        ("farkle", f"│ sweeps                           │ {scale.FARKLE_SWEEPS} "),
        ("bearoff", "282 s of processor time, and 33 s of the system's"),
    ],
)
def test_rates_are_those_reported(page, text):
    assert text in (DOCS / "games" / f"{page}.md").read_text()
