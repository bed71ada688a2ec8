"""``pymc-games certify``: files that the checker accepts, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from pymc_games.paths import data_folder

CHECKER = data_folder("verify") / "checker.py"
DIE = """dtmc
module die
  s : [0..6] init 0;
  [] s = 0 -> 1/6 : (s' = 1) + 1/6 : (s' = 2) + 1/6 : (s' = 3) + 1/6 : (s' = 4) + 1/6 : (s' = 5) + 1/6 : (s' = 6);
  [] s = 6 -> true;
  [] s > 0 & s < 6 -> (s' = 0);
endmodule
label "six" = s = 6;
label "low" = s < 4;
rewards
  s = 0 : 1;
endrewards
"""
GAME = """smg
player p1 [left],[right] endplayer
player p2 [swap],[stay] endplayer
module m
  s : [0..4] init 0;
  [left] s = 0 -> (s' = 1);
  [right] s = 0 -> 1/3 : (s' = 3) + 2/3 : (s' = 4);
  [swap] s = 1 -> (s' = 0);
  [stay] s = 1 -> 1/2 : (s' = 3) + 1/2 : (s' = 4);
  [swap] s > 2 -> true;
endmodule
label "win" = s = 3;
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pymc_games", "certify", *arguments], capture_output=True, text=True, check=False
    )


def certified(tmp_path: Path, text: str, prop: str) -> tuple[Fraction, Fraction]:
    """Return the interval that is proven, after the checker has run as a program of its own."""
    model, output = tmp_path / "model.prism", tmp_path / "c"
    model.write_text(text)
    done = run(str(model), "--prop", prop, "-o", str(output), "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    digest = document["model_digest"]
    checked = subprocess.run(
        [sys.executable, "-I", str(CHECKER), str(output), "--model-digest", digest],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.stdout.startswith("valid\n"), checked.stdout
    return tuple(Fraction(int(document[k]["num"]), int(document[k]["den"])) for k in ("lower", "upper"))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "prop", "value"),
    [
        (DIE, 'P=? [ F "six" ]', Fraction(1)),
        (DIE, 'P=? [ "low" U "six" ]', Fraction(1, 3)),
        (DIE, 'P=? [ G "low" ]', Fraction(0)),
        (DIE, 'R=? [ F "six" ]', Fraction(6)),
        (GAME, '<<p1>> Pmax=? [ F "win" ]', Fraction(1, 3)),
        (GAME, '<<p1,p2>> Pmax=? [ F "win" ]', Fraction(1, 2)),
        (GAME, '<<p2>> Pmin=? [ F "win" ]', Fraction(1, 3)),
    ],
)
def test_certificates_from_files(tmp_path: Path, text: str, prop: str, value: Fraction) -> None:
    lower, upper = certified(tmp_path, text, prop)
    assert lower <= value <= upper
    assert upper - lower < Fraction(1, 10**12)


def test_a_game_by_its_rules(tmp_path: Path) -> None:
    output = tmp_path / "pig"
    done = run("pig", "-c", "goal=5", "--type", "smg", "--prop", '<<p1>> Pmax=? [ F "win1" ]', "-o", str(output))
    assert done.returncode == 0, done.stderr
    assert output.is_file()


@pytest.mark.parametrize(
    ("prop", "reason"),
    [
        ('P=? [ F<=3 "six" ]', "step-bounded"),
        ('P=? [ F "seven" ]', "seven"),
        ("P=? [ F", ""),
        ('S=? [ "six" ]', "not supported"),
    ],
)
def test_what_cannot_be_certified_is_one_sentence(tmp_path: Path, prop: str, reason: str) -> None:
    model, output = tmp_path / "model.prism", tmp_path / "c"
    model.write_text(DIE)
    done = run(str(model), "--prop", prop, "-o", str(output))
    assert done.returncode == 2
    assert done.stderr.startswith("pymc-games: ")
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert not output.exists()


def test_an_unwritable_place_is_one_sentence(tmp_path: Path) -> None:
    done = run("pig", "-c", "goal=5", "--prop", 'Pmax=? [ F "win1" ]', "-o", str(tmp_path / "missing" / "c"))
    assert done.returncode == 2
    assert "missing" in done.stderr
    assert list(tmp_path.iterdir()) == []
