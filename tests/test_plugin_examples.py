"""The games in ``examples/``: each one's own tests, run as its reader would run them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GAMES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/game.py"))


@pytest.mark.parametrize("name", GAMES)
def test_an_example_s_own_tests_pass(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "examples" / name]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    listing = [sys.executable, "-m", "pymc_games", "--games", ROOT / "examples", "list", name, "--json", "-"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert json.loads(listed)["games"][0]["name"] == name


def test_the_document_names_every_example() -> None:
    text = (ROOT / "examples" / "README.md").read_text()
    assert len(GAMES) >= 2
    assert all(f"[{name}]({name}/game.py)" in text for name in GAMES)
