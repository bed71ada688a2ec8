"""The project as others get it: the wheel away from the checkout, the lock file, make's targets."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

from pymc_games import games

ROOT = Path(__file__).resolve().parent.parent


def output_of(*command: str | Path, folder: Path, status: int = 0) -> str:
    """Run a command away from the checkout and return its standard output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == status, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it into a fresh environment and return that environment's commands.

    Nothing is downloaded: the dependencies are those of the running environment, which a path file makes visible.
    """
    folder = tmp_path_factory.mktemp("wheel")
    output_of(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=ROOT)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    output_of(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, folder=folder)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def test_the_wheel_is_imported_from_where_it_was_installed(installed: Path, tmp_path: Path) -> None:
    code = (
        "import pymc_games.paths as p; print(p.__file__); print(*map(p.data_folder, ('templates', 'models', 'verify')))"
    )
    places = output_of(installed / "python", "-c", code, folder=tmp_path).split()
    assert len(places) == 4
    for place in places:
        assert Path(place).exists()
        assert installed.parent in Path(place).parents


def test_the_wheel_lists_and_renders_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    listing = output_of(installed / "pymc-games", "list", folder=tmp_path)
    for name in games.names():
        assert name in listing
    output_of(installed / "pymc-games", "generate", "pig", "-o", tmp_path, folder=tmp_path)
    rendered = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert rendered == {path.name: path.read_text() for path in (ROOT / "models" / "pig").iterdir()}


@pytest.mark.full
def test_the_wheel_reproduces_the_figures_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    command = (installed / "pymc-games", "verify", "--quick", "--game", "pig", "--json", "-")
    figures = json.loads(output_of(*command, folder=tmp_path))["figures"]
    assert "reproduced" in {figure["verdict"] for figure in figures}


def test_the_wheel_carries_the_checker(installed: Path, tmp_path: Path) -> None:
    code = "from pymc_games.paths import data_folder; print(data_folder('verify') / 'checker.py')"
    checker = Path(output_of(installed / "python", "-c", code, folder=tmp_path).strip())
    assert checker.read_bytes() == (ROOT / "verify" / "checker.py").read_bytes()


def test_the_lock_file_pins_every_dependency_and_names_no_registry() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    for pin in pins:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.+]*", pin), pin
    locked = {_normal(pin.split("==")[0]) for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for requirement in (*project["dependencies"], *extras["dev"], *extras["plot"]):
        assert _normal(re.split(r"[<>=!~\[; ]", requirement)[0]) in locked


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize(
    "target",
    ["verify", "test", "verify-full", "lint", "format", "models", "docs", "notebooks", "bench", "lock", "clean"],
)
def test_make_knows_its_targets(target: str, tmp_path: Path) -> None:
    assert output_of("make", "--dry-run", "-C", ROOT, target, folder=tmp_path)


def test_the_continuous_integration_script_is_sound(tmp_path: Path) -> None:
    script = ROOT / ".ci" / "run"
    output_of("bash", "-n", script, folder=tmp_path)
    text = script.read_text()
    assert text.index("make lint") < text.index("make test")
    assert "set -euo pipefail" in text
