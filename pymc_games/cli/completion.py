"""``completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command(short_help="Print a shell's completion script.")
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for SHELL that completes commands and options of pymc-games.

    Load it with: eval "$(pymc-games completion bash)", or with fish: pymc-games completion fish | source

    Example: pymc-games completion bash
    """
    script = _SHELLS[shell](context.find_root().command, {}, "pymc-games", "_PYMC_GAMES_COMPLETE")
    # The script itself, and not source(), which runs bash to look at its version.
    click.echo(script.source_template % script.source_vars())
