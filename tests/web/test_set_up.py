"""What ``pymc-games serve`` stands on: the extra that may be missing, and a solution file of Farkle."""

import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask")
pytest.importorskip("waitress")
import flask
from click.testing import CliRunner

import pymc_games
from pymc_games.cli.main import cli
from pymc_games.games.farkle import solution
from pymc_games.web import app
from pymc_games.web.answers import Desk

#: A farkle costs nothing and any score may be banked, so that at one step from the goal each roll wins or passes.
RULES = "goal = 500\nbound = 0\nminimum = 50\nfarkles = 1\npenalty = 0\n"


@pytest.mark.parametrize("missing", [("flask",), ("waitress",), ("flask", "waitress")])
def test_without_the_extra_one_sentence_says_what_to_install(tmp_path: Path, missing: tuple[str, ...]) -> None:
    """Run with a folder of packages that lacks what is missing, and nothing else."""
    packages = Path(flask.__file__).parent.parent
    for entry in packages.iterdir():
        if not entry.name.lower().startswith(missing):
            (tmp_path / entry.name).symlink_to(entry)
    path = os.pathsep.join([str(Path(pymc_games.__file__).parent.parent), str(tmp_path)])
    # -S: no other folder of packages. Compiled loops are kept where the suite keeps them.
    command = [sys.executable, "-S", "-m", "pymc_games"]
    environment = {**os.environ, "PYTHONPATH": path}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *arguments], env=environment, capture_output=True, text=True, check=False)

    refused = run("serve", "--port", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    named = " and ".join(missing)
    assert refused.stderr == f"pymc-games: serve needs {named}; install with: pip install 'pymc-games[serve]'\n"
    assert run("--version").returncode == 0


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Solve a game to 500 by the command and return its file."""
    folder = tmp_path_factory.mktemp("farkle")
    (folder / "rules.toml").write_text(RULES)
    path = folder / "small.farkle"
    arguments = ["farkle", "solve", "--rules", str(folder / "rules.toml"), "-o", str(path)]
    assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
    return path


@pytest.fixture(scope="module")
def client(solved: Path) -> Any:
    return app.create(Desk(solution.load(solved))).test_client()


def scores(roll: tuple[int, ...]) -> bool:
    """Return whether six dice score by the shipped rules: a 1, a 5, three of a kind, or three pairs."""
    counts = Counter(roll)
    return bool({1, 5} & counts.keys()) or max(counts.values()) >= 3 or sorted(counts.values()) == [2, 2, 2]


def test_a_solution_file_answers_one_step_from_the_goal_as_worked_out_by_hand(client: Any) -> None:
    """With the farkle probability f, x = (1 - f) + f (1 - x), hence x = 1 / (1 + f)."""
    farkle = Fraction(sum(not scores(roll) for roll in itertools.product(range(1, 7), repeat=6)), 6**6)
    truth = 1 / (1 + farkle)
    document = client.get("/api/farkle?own=450&other=450").json
    assert (document["goal"], document["bound"], document["small_game"]) == (500, 0, False)
    (option,) = document["options"]
    assert option["action"] == "roll"
    assert option["lower"] <= truth <= option["upper"]
    assert option["upper"] - option["lower"] < 1e-9
    lost = client.get("/api/farkle?own=450&other=450&roll=2,2,3,4,6,6").json
    assert lost["action"] == "farkle"
    assert lost["farkle"]["lower"] <= 1 - truth <= lost["farkle"]["upper"]


def test_a_solution_file_answers_as_the_command_and_says_which_game(client: Any, solved: Path) -> None:
    asked = ["--own", "100", "--other", "250", "--turn", "50", "--roll", "1,5,5,2"]
    told = CliRunner().invoke(
        cli, ["farkle", "advise", "--solution", str(solved), *asked, "--dice", "4", "--json", "-"]
    )
    document = client.get("/api/farkle?own=100&other=250&turn=50&roll=1,5,5,2").json
    assert len(document["options"]) > 4
    assert document["options"] == json.loads(told.stdout)["options"]
    page = client.get("/farkle?own=100&other=250&turn=50&roll=1,5,5,2").text
    assert "The game to 500 points" in page
    assert "small game" not in page
    assert "from 0 to below 500" in client.get("/api/farkle?own=500&other=0").json["error"]
