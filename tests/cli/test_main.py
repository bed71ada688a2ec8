"""The command line as a whole: exit statuses, one sentence an error, clean standard output."""

import subprocess
import sys
from collections.abc import Callable
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
PARTS = {"__init__", "bingo_jobs", "farkle_solo", "jobs", "main", "output", "studies"}


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
