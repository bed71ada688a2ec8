"""The layout's rules, read off the source: who may import whom, and how long things may be."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted([*(ROOT / "pymc_games").rglob("*.py"), *(ROOT / "verify").glob("*.py")])
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path) -> Iterator[str]:
    """Yield the full names that a module imports, at any depth of its source, typing-only imports left out."""
    tree = ast.parse(path.read_text())
    typing_only = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}
        for child in block.body
        for node in ast.walk(child)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


# Who may not import what. The command line stands above everything and is free.
FORBIDDEN = {
    "pymc_games.plotting": ("pymc_games.games", "pymc_games.engine", "pymc_games.storm", "pymc_games.report"),
    "pymc_games.notebook": ("pymc_games.games", "pymc_games.engine", "pymc_games.storm", "pymc_games.report"),
    "pymc_games.explicit": ("pymc_games.games", "pymc_games.engine", "pymc_games.storm", "pymc_games.cli"),
    "pymc_games.engine": ("pymc_games.games", "pymc_games.storm", "pymc_games.campaign", "pymc_games.compare"),
    "pymc_games.games": ("pymc_games.storm", "pymc_games.compare", "pymc_games.campaign", "pymc_games.report"),
    "pymc_games.storm": ("pymc_games.games", "pymc_games.engine", "pymc_games.compare", "pymc_games.campaign"),
    "pymc_games.certificate": ("pymc_games.games", "pymc_games.compare", "pymc_games.campaign", "pymc_games.report"),
    "pymc_games.compare": ("pymc_games.report", "pymc_games.cli"),
    "pymc_games.campaign": ("pymc_games.report", "pymc_games.cli"),
    "pymc_games.report": ("pymc_games.cli", "pymc_games.web"),
    "pymc_games.web": ("pymc_games.engine", "pymc_games.storm", "pymc_games.compare", "pymc_games.campaign"),
}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    name = name_of(path)
    for package, forbidden in FORBIDDEN.items():
        if within(name, package):
            for imported in imports_of(path):
                assert not any(within(imported, other) for other in (*forbidden, "pymc_games.cli")), imported


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_one_package_knows_storm(path: Path) -> None:
    if not within(name_of(path), "pymc_games.storm"):
        assert not any(within(imported, "stormpy") for imported in imports_of(path))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_one_module_knows_matplotlib(path: Path) -> None:
    if name_of(path) != "pymc_games.plotting":
        assert not any(within(imported, "matplotlib") for imported in imports_of(path))


def test_the_checker_stands_on_the_standard_library_alone() -> None:
    for imported in imports_of(ROOT / "verify" / "checker.py"):
        assert imported.split(".")[0] in sys.stdlib_module_names, imported


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_stay_short(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            body = node.end_lineno - node.lineno + 1
            documentation = len((ast.get_docstring(node, clean=False) or "").splitlines())
            assert body - documentation <= 50, f"{node.name} has {body - documentation} lines"


@pytest.mark.parametrize("path", [*MODULES, *TESTS], ids=name_of)
def test_nothing_is_imported_by_star_and_nothing_caught_bare(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names)
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None
