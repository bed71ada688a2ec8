"""Every ``console`` block in the documents is run, and prints what the document says.

A line that begins with ``$`` is a command, the lines below it what it prints. ``...`` stands for anything: alone on a
line for any lines, within a line for any text. ``<!-- slow -->`` above a block has it run with the long tests only.

A document with ``<!-- file: PATH -->`` above a block is a tutorial: that block is the file, and all its blocks are
steps in one folder, one after the other.
"""

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pymc_games import campaign, storm
from pymc_games.games import plugins
from pymc_games.games.farkle import rules

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?P<slow><!-- slow -->\n)?^```console\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- file: (?P<path>\S+) -->\n```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    text: str
    expected: list[str] = field(default_factory=list)


def commands(block: str) -> list[Command]:
    """Split a block into commands with their expected output; a trailing backslash continues a command."""
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif found and found[-1].text.endswith("\\"):
            found[-1].text += "\n" + line
        else:
            found[-1].expected.append(line)
    return found


def pattern(expected: list[str]) -> str:
    """Return the regular expression of the expected lines; blanks at a line's end do not count."""
    lines = []
    for line in expected:
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(re.escape(line.rstrip()).replace(re.escape("..."), ".*") + r"[ ]*\n")
    return "".join(lines)


def blocks() -> list[object]:
    """Return every block of every document as a test case."""
    found: list[object] = []
    for document in DOCUMENTS:
        for match in [] if FILE.search(document.read_text()) else BLOCK.finditer(document.read_text()):
            line = document.read_text()[: match.start("text")].count("\n") + 1
            marks = [pytest.mark.full] if match["slow"] else []
            found.append(pytest.param(match["text"], id=f"{document.relative_to(ROOT)}:{line}", marks=marks))
    return found


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """Prepare a folder with the checkout's data and an environment whose ``pymc-games`` is the one under test."""
    for name in ("docs", "models", "templates", "verify", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / ".programs"
    programs.mkdir()
    for name, arguments in (("pymc-games", "-m pymc_games"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "TERM": "dumb", "LC_ALL": "C.UTF-8"}


@pytest.mark.parametrize("block", blocks())
def test_a_document_s_commands_print_what_it_says(block: str, shell: dict[str, str], tmp_path: Path) -> None:
    run_block(block, shell, tmp_path)


TUTORIALS = [document for document in DOCUMENTS if FILE.search(document.read_text())]


@pytest.mark.parametrize("document", TUTORIALS, ids=lambda document: document.name)
def test_a_tutorial_s_steps_do_what_it_says(document: Path, shell: dict[str, str], tmp_path: Path) -> None:
    text = document.read_text()
    steps = sorted([*FILE.finditer(text), *BLOCK.finditer(text)], key=lambda step: step.start())
    for step in steps:
        if step.re is FILE:
            (tmp_path / step["path"]).write_text(step["text"])
        else:
            run_block(step["text"], shell, tmp_path)


def run_block(block: str, shell: dict[str, str], tmp_path: Path) -> None:
    """Run a block's commands in a folder and compare what they print."""
    status = 0
    for command in commands(block):
        script = f"(exit {status})\n{command.text}\n"
        run = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, check=False,
        )  # fmt: skip
        status = run.returncode
        assert re.fullmatch(pattern(command.expected), run.stdout), f"$ {command.text}\n{run.stdout}"


def test_setting_up_uses_targets_that_make_knows() -> None:
    for document in DOCUMENTS:
        for match in SHELL.finditer(document.read_text()):
            for line in match["text"].splitlines():
                command = line.split("#")[0].split()
                assert command[0] in {"make", "git", "cd"}, f"{document.name}: {line}"
                if command[0] == "make":
                    dry = subprocess.run(["make", "-n", *command[1:]], cwd=ROOT, capture_output=True, check=False)
                    assert dry.returncode == 0, f"{document.name}: {line}"


def fences(document: Path) -> list[tuple[str, str]]:
    """Return the language and the text of every block but a tutorial's files, which its commands use."""
    text = FILE.sub("", document.read_text())
    return [(match["language"], match["text"]) for match in FENCE.finditer(text)]


def with_language(*languages: str) -> list[object]:
    """Return the documents that have blocks of these languages, with the blocks' texts in order."""
    found: list[object] = []
    for document in DOCUMENTS:
        texts = [text for language, text in fences(document) if language in languages]
        if texts:
            found.append(pytest.param(texts, id=str(document.relative_to(ROOT))))
    return found


def test_every_block_has_a_language_that_something_checks() -> None:
    # console and sh: above. python, toml, prism: below. text: diagrams and grammars, nothing that runs.
    # modules and {eval-rst}: expanded by the site, which a test builds.
    known = {"console", "sh", "python", "toml", "prism", "text", "modules", "{eval-rst}"}
    for document in DOCUMENTS:
        for language, _ in fences(document):
            assert language in known, f"{document.relative_to(ROOT)}: a block of language '{language}'"


@pytest.mark.parametrize("texts", with_language("python"))
def test_python_blocks_run_one_after_the_other(texts: list[str], shell: dict[str, str], tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(texts)], cwd=tmp_path, env=shell, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("texts", with_language("toml"))
def test_toml_blocks_are_figures_rules_or_entry_points(texts: list[str], tmp_path: Path) -> None:
    for text in texts:
        content = tomllib.loads(text)
        if "figure" in content:
            (tmp_path / f"{content['game']}.toml").write_text(text)
            assert campaign.load(tmp_path)
        elif "project" in content:
            assert list(content["project"]["entry-points"]) == [plugins.GROUP]
        else:
            assert rules.parse(content)


@pytest.mark.parametrize("texts", with_language("prism"))
def test_prism_blocks_are_read_by_storm_and_the_same_as_the_examples(texts: list[str]) -> None:
    examples = {path.read_text() for path in (ROOT / "docs" / "examples").glob("*.prism")}
    for text in texts:
        assert text in examples
        assert storm.parse_text(text, source="block")


def anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as code hosts and the site make them."""
    text = FENCE.sub("", document.read_text())
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_inside_the_project_lead_somewhere() -> None:
    for document in DOCUMENTS:
        text = FENCE.sub("", document.read_text())
        for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
            target = document.parent / link if link else document
            assert target.exists(), f"{document.name}: {link}"
            assert not anchor or anchor in anchors(target), f"{document.name}: {link}#{anchor}"


def test_the_index_names_every_document() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for document in sorted(path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".ipynb")):
        name = document.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or f"]({name})" in index, name


def test_the_runner_notices_a_wrong_output() -> None:
    (one, two) = commands("$ echo a \\\n  b\na b\n$ seq 3\n1\n...\n")
    assert (one.text, one.expected) == ("echo a \\\n  b", ["a b"])
    assert re.fullmatch(pattern(one.expected), "a b\n")
    assert not re.fullmatch(pattern(one.expected), "a c\n")
    assert re.fullmatch(pattern(two.expected), "1\n2\n3\n")
    assert not re.fullmatch(pattern(two.expected), "2\n3\n")
    assert re.fullmatch(pattern(["took ... s"]), "took 1.5 s\n")
