"""The entry point ``pymc-games``: finds commands, and turns errors into one sentence and an exit status."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import threading
from collections.abc import Sequence

import click

from pymc_games import __version__
from pymc_games.errors import GamesError, nearest

# Command modules are imported when they are called, so that each command pays only for what it uses.
COMMANDS = {
    "bearoff": "pymc_games.cli.bearoff:bearoff",
    "bingo": "pymc_games.cli.bingo:bingo",
    "certify": "pymc_games.cli.certify:certify",
    "check": "pymc_games.cli.check:check",
    "compare": "pymc_games.cli.check:compare",
    "completion": "pymc_games.cli.completion:completion",
    "explain": "pymc_games.cli.explain:explain",
    "farkle": "pymc_games.cli.farkle:farkle",
    "generate": "pymc_games.cli.generate:generate",
    "list": "pymc_games.cli.generate:list_games",
    "new": "pymc_games.cli.new:new",
    "pig": "pymc_games.cli.pig:pig",
    "report": "pymc_games.cli.report:report",
    "serve": "pymc_games.cli.serve:serve",
    "simulate": "pymc_games.cli.simulate:simulate",
    "verify": "pymc_games.cli.verify:verify",
}


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands whose modules are there."""
        return sorted(name for name, target in COMMANDS.items() if importlib.util.find_spec(target.split(":")[0]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pymc-games")
@click.option("--games", "folders", multiple=True, type=click.Path(), envvar="PYMC_GAMES_PATH", metavar="DIR",
              help="A folder with games of your own; may be given several times. Also $PYMC_GAMES_PATH.")  # fmt: skip
def cli(folders: Sequence[str]) -> None:
    """Solve games beyond doubt: PRISM models, Storm's answer, the engine's answer, and proof that both are right."""
    from pymc_games import games  # loads numpy, which --help does without

    games.use(folders)


def main() -> None:
    """Run the command line; every foreseen error is one sentence on standard error and exit status 2."""
    try:
        status = cli.main(prog_name="pymc-games", standalone_mode=False)
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        status = 2
    except click.ClickException as error:
        click.echo(_sentence(error), err=True)
        status = 2
    except GamesError as error:
        click.echo(f"pymc-games: {error}", err=True)
        status = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("pymc-games: interrupted; nothing was left half-written", err=True)
        status = 130
        if any(thread.name == "storm" for thread in threading.enumerate()):
            # Storm is still at work, and an ordinary exit would tear its thread down with a crash.
            os._exit(status)
    sys.exit(status if isinstance(status, int) else 0)


def _sentence(error: click.ClickException) -> str:
    """Return click's complaint in one line that suggests the nearest name or says where to read on."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "pymc-games"
    message, near = error.format_message().rstrip("."), _nearest(error, context)
    if near:
        message = f"{message.partition('. Did you mean')[0].partition(' (')[0].rstrip('.')}; did you mean {near}?"
        return f"{command}: {message} See '{command} --help'"
    return f"{command}: {message}; see '{command} --help'"


def _nearest(error: click.ClickException, context: click.Context | None) -> str | None:
    """Return the command or option that was probably meant."""
    if context is None:
        return None
    if isinstance(error, click.NoSuchOption):
        asked = error.option_name
        known = [name for option in context.command.get_params(context) for name in option.opts if name[0] == "-"]
    else:
        found = re.match(r"No such command '(.+?)'", error.format_message())
        if found is None or not isinstance(context.command, click.Group):
            return None
        asked, known = found[1], context.command.list_commands(context)
    return nearest(asked, known)
