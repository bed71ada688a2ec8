"""``pymc-games bingo``: the JSON that others rely on, and bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import pytest

A, B = "9,6,7/7,9,6/6,7,9", "6,7,6/7,7,7/6,6,6"


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "pymc_games", "bingo", *arguments], capture_output=True, text=True, check=False
    )


def answer(*arguments):
    done = run(*arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def exact(number):
    return Fraction(int(number["num"]), int(number["den"]))


def test_solo():
    document = answer("solo", "8,8,9/7,6,10/7,4,5")
    assert exact(document["expected_rolls"]["exact"]) == Fraction(47546657067260786722139, 7535828431282951800000)
    assert (document["states"], document["transient_states"]) == (512, 230)
    assert document["pmf"][:3] == [0, 0, 0]
    assert document["best_cells"]["none"]["8"] == 0


def test_match():
    document = answer("match", A, B)
    assert exact(document["a_wins"]["exact"]) == Fraction(134528, 253125)
    assert exact(document["tie"]["exact"]) == 0
    assert document["reachable_states"] == 21
    assert len(document["pmf_a"]) == len(document["pmf_b"]) == len(document["pmf_tie"]) == 201


def test_nash():
    document = answer("nash", "7,4,6/5,7,8/6,5,9", "6,2,8/5,9,3/10,9,6", "--marked-b", "1,5,6", "--roll", "6")
    assert (document["rows"], document["columns"], document["pure"]) == ([2, 6], [0, 8], [])
    assert [exact(x) for x in document["payoffs"][0][0]] == [Fraction(17279, 86184), Fraction(10186789, 13961808)]
    assert exact(document["mixed"][0]["rows"][0]) == Fraction(29891145, 56555767)


def test_game():
    document = answer("game", A, B)
    assert exact(document["value"]["exact"]) == Fraction(-26009, 11390625)
    assert exact(document["solo_optimal"]) == Fraction(134528 - 118597, 253125)
    assert set(document["start"]) == {"6", "7", "9"}


def test_tournament(tmp_path):
    picture = tmp_path / "t.png"
    document = answer(
        "tournament", "7,7,7/6,6,6/6,7,6", "7,5,9/9,7,5/5,9,7", "9,7,9/9,9,9/9,6,7", "--plot", str(picture)
    )
    assert document["nontransitive"] == 1
    assert document["wins"][2][0] == pytest.approx(676384 / 1366875)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_advice():
    document = answer("advise", A, "--roll", "7", "--marked", "0")
    assert document["cell"] in {option["cell"] for option in document["options"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("solo", "8,8,9/7,6,10/7,4"),
        ("solo", "8,8,9/7,6,10/7,4,1"),
        ("solo", "8,8,9/7,6,10/7,4,x"),
        ("nash", A, B, "--marked-a", "9", "--roll", "6"),
        ("nash", A, B, "--marked-a", "0,1,2", "--roll", "6"),
        ("nash", A, B, "--roll", "2"),
        ("nash", A, B, "--roll", "13"),
        ("advise", A, "--roll", "2"),
        ("tournament", A, "--top", "5"),
        ("tournament",),
        ("search", "--top", "0"),
        ("solo", A, "--plot", "picture.xyz"),
        ("match", A, B, "--tie-break", "middle"),
    ],
)
def test_bad_input_is_one_sentence(arguments, tmp_path):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
