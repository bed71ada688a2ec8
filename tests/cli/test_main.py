"""The command line as a whole: exit statuses, one sentence an error, clean standard output."""

import inspect
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from pymc_games import __version__
from pymc_games.cli import main as entry
from pymc_games.errors import ModelError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the entry point in this process, as ``(status, stdout, stderr)``."""

    def invoke(*arguments: str, command: Callable[[], object] | None = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["pymc-games", *arguments])
        if command is not None:
            table = {"try": click.Command("try", callback=command)}
            monkeypatch.setattr(entry.LazyGroup, "get_command", lambda self, ctx, name: table.get(name))
        with pytest.raises(SystemExit) as stop:
            entry.main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return invoke


def raising(error: BaseException) -> Callable[[], object]:
    def command() -> object:
        raise error

    return command


def test_the_version(run: Run) -> None:
    assert run("--version") == (0, f"pymc-games, version {__version__}\n", "")


def test_an_own_error_is_one_sentence_and_status_2(run: Run) -> None:
    status, out, err = run("try", command=raising(ModelError("deadlock: no choice in turn=1")))
    assert (status, out, err) == (2, "", "pymc-games: deadlock: no choice in turn=1\n")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_is_one_sentence_and_status_130(run: Run, interruption: BaseException) -> None:
    status, out, err = run("try", command=raising(interruption))
    assert (status, out) == (130, "")
    assert err.strip() == "pymc-games: interrupted; nothing was left half-written"


def test_a_disagreement_is_status_1(run: Run) -> None:
    assert run("try", command=lambda: click.get_current_context().exit(1))[0] == 1
    assert run("try", command=lambda: None)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["frobnicate"], "pymc-games: No such command 'frobnicate'"),
        (["verify", "--gaem", "pig"], "pymc-games verify: No such option"),
        (["verify", "pig"], "pymc-games verify: Got unexpected extra argument"),
        (["verify", "--game"], "pymc-games: Option '--game' requires an argument"),
    ],
)
def test_wrong_usage_is_one_sentence_that_says_where_to_read_on(run: Run, arguments: list[str], complaint: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(complaint)
    assert err.count("\n") == 1
    assert "--help'" in err


def test_an_unforeseen_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pymc-games", "try"])
    command = click.Command("try", callback=raising(ZeroDivisionError()))
    monkeypatch.setattr(entry.LazyGroup, "get_command", lambda self, ctx, name: command)
    with pytest.raises(ZeroDivisionError):
        entry.main()


#: Modules that others take commands or options from.
PARTS = {"__init__", "bingo_jobs", "experiment", "farkle_solo", "jobs", "main", "output", "studies"}


def test_help_names_every_command(run: Run) -> None:
    status, out, _ = run("--help")
    assert status == 0
    for module in (Path(entry.__file__).parent).glob("*.py"):
        names = [name for name, target in entry.COMMANDS.items() if f".{module.stem}:" in target]
        assert names or module.stem in PARTS, f"{module.name} has no command"
        assert all(name in out for name in names)


def test_the_command_line_starts_without_storm_and_numba() -> None:
    code = "import sys, pymc_games.cli.main; sys.exit(any(m in sys.modules for m in ('stormpy', 'numba', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def leaves(command: click.Command = entry.cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, with its full name."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from leaves(inner, (*path, name))


@pytest.mark.parametrize(("name", "command"), list(leaves()), ids=lambda part: part if isinstance(part, str) else "")
def test_every_command_s_help_ends_with_an_example_that_can_be_read(name: str, command: click.Command) -> None:
    paragraph = inspect.cleandoc(command.help or "").split("\n\n")[-1]
    assert paragraph.startswith("Example: pymc-games ")
    words = shlex.split(paragraph)[2:]
    path = name.split()
    assert words[: len(path)] == path
    # Parsing the arguments checks names and types, and runs nothing.
    assert command.make_context(name, words[len(path) :]).params


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["chek"], "check"),
        (["pig", "solv"], "solve"),
        (["check", "pig", "--exat"], "--exact"),
        (["check", "pig", "--goal", "9", "--enginee", "storm"], None),
        (["completion", "bsh"], None),
    ],
)
def test_a_misspelt_name_gets_the_nearest(run: Run, arguments: list[str], near: str | None) -> None:
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    if near is not None:
        assert f"; did you mean {near}?" in err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_s_completion_script_completes_commands(shell: str) -> None:
    command = [sys.executable, "-m", "pymc_games"]
    script = subprocess.run([*command, "completion", shell], capture_output=True, text=True, check=True).stdout
    assert f"_PYMC_GAMES_COMPLETE={shell}_complete" in script
    words = {"COMP_WORDS": "pymc-games gen", "COMP_CWORD": "gen" if shell == "fish" else "1"}
    asked = {**os.environ, **words, "_PYMC_GAMES_COMPLETE": f"{shell}_complete"}
    found = subprocess.run(command, env=asked, capture_output=True, text=True, check=False).stdout
    assert "generate" in found
    assert "bingo" not in found


def test_no_color_is_heeded_and_a_pipe_gets_no_colours(tmp_path: Path) -> None:
    code = (
        "from rich.console import Console; from pymc_games.cli.output import answer_console;"
        "answer_console().print('[bold red]word')"
    )
    for extra, coloured in (({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)):
        environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")} | extra
        environment["TERM"] = "xterm-256color"
        out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
        assert (b"31m" in out) is coloured
