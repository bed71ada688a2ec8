"""The site of documents: it builds without a warning, covers every command and module, and no link in it is dead."""

import html.parser
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

import pymc_games
from pymc_games.cli.main import cli

pytest.importorskip("sphinx")

from sphinx.util.inventory import InventoryFile

ROOT = Path(__file__).resolve().parent.parent


class Page(html.parser.HTMLParser):
    """The links, the anchors and what a browser would load of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in ("script", "img") and "src" in found:
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") == "stylesheet":
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does, elsewhere."""
    folder = tmp_path_factory.mktemp("docs")
    options = ("-q", "-W", "--keep-going", "-E", "-d", folder / "trees", "-c", "docs")
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, ".", folder / "site"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_public_module_is_in_the_reference(site: Path) -> None:
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    described = set(inventory["py:module"])
    modules = {module.name for module in pkgutil.walk_packages(pymc_games.__path__, "pymc_games.")}
    public = {name for name in modules if "._" not in name and "pymc_games.cli" not in name}
    assert public
    assert public <= described, f"add a block to docs/reference/ for {sorted(public - described)}"
    functions = set(inventory["py:function"])
    assert {"pymc_games.engine.solve.solve", "pymc_games.games.pig.values.solve"} <= functions


def commands(group: click.Group, path: str) -> list[str]:
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found.append(f"{path} {name}")
        if isinstance(command, click.Group):
            found += commands(command, f"{path} {name}")
    return found


def test_every_command_is_in_the_reference(site: Path, pages: dict[Path, Page]) -> None:
    anchors = pages[site / "docs" / "reference" / "commands.html"].anchors
    every = commands(cli, "pymc-games")
    assert "pymc-games pig solve" in every
    for command in every:
        assert command.replace(" ", "-") in anchors, command


def test_no_link_is_dead(site: Path, pages: dict[Path, Page]) -> None:
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.relative_to(site)}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.relative_to(site)}: {link}"
            checked += 1
    assert checked > 1000


def test_the_site_loads_nothing_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for source in page.loaded:
            parts = urlsplit(source)
            assert parts.scheme in ("", "data"), source
            assert not parts.netloc, source
            assert parts.scheme or (path.parent / parts.path).is_file(), source


def test_formulas_are_drawn_by_the_browser(site: Path) -> None:
    text = (site / "docs" / "reference" / "pig.html").read_text()
    assert "<math" in text
    assert "tfrac" not in text
    assert str(ROOT) not in text


def test_the_site_s_address_leads_to_the_index(site: Path, pages: dict[Path, Page]) -> None:
    assert "docs/index.html" in pages[site / "index.html"].links
