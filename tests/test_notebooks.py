"""The notebooks run, show what is stored in them, and print the figures that others have published."""

import copy
import importlib.util
import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "_extensions" / "notebooks.py")
notebooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(notebooks)

# What each notebook has to print or show: figures of verify/figures/, some with more digits than their sources print.
PUBLISHED = {
    "pig": ["12.636769", "0.530593", "0.534698", "0.587368", "first hold at 0 to 0: 21", "roll at [20, 21, 27]"],
    "bingo": ["47546657067260786722139/7535828431282951800000", "134528/253125", "118597/253125"],
    "bearoff": ["49213/23328", "2.109610768", "0.931340", "0.3441", "0.3210", "double/take"],
    "farkle": ["2/3 4/9 5/18 17/108 25/324 5/216", "620.855"],
}


def shown(notebook):
    """Return what each cell printed or showed, pictures as a word."""
    cells = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            cells.append(output.get("text") or data.get("text/html") or ("picture" if "image/png" in data else data))
    return cells


def test_there_is_a_notebook_a_game():
    games = {path.name for path in (ROOT / "pymc_games" / "games").iterdir() if (path / "__init__.py").exists()}
    assert {path.stem for path in notebooks.FOLDER.glob("*.ipynb")} == games == set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_notebook_shows_what_it_has_stored_and_what_is_published(name, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    stored = nbformat.read(notebooks.FOLDER / f"{name}.ipynb", as_version=4)
    fresh = notebooks.run(copy.deepcopy(stored))
    assert shown(fresh) == shown(stored), "run `make notebooks`"
    assert "picture" in shown(stored)
    text = "\n".join(map(str, shown(stored)))
    for figure in PUBLISHED[name]:
        assert figure in text


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_notebook_is_small_and_names_no_machine(name):
    path = notebooks.FOLDER / f"{name}.ipynb"
    assert path.stat().st_size < 300_000
    without_pictures = re.sub(r'"image/png": "[^"]*"', "", path.read_text())
    for word in ("/home", "/root", "/work", "0x", str(ROOT), "execution_info"):
        assert word not in without_pictures
    assert nbformat.read(path, as_version=4)["metadata"] == notebooks.METADATA


def test_a_notebook_becomes_markdown_with_its_outputs():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Title"),
            nbformat.v4.new_code_cell(
                "print(1)", outputs=[nbformat.v4.new_output("stream", text="1\n"),
                                     nbformat.v4.new_output("display_data", {"text/html": "<b>2</b>"})],
            ),
        ]
    )  # fmt: skip
    text = notebooks.to_markdown(nbformat.writes(notebook))
    assert text.startswith("# Title\n")
    assert "python\nprint(1)\n" in text
    assert "text\n1\n" in text
    assert "{raw} html" in text
    assert "<b>2</b>" in text
