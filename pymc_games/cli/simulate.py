"""``pymc-games simulate``: Monte Carlo by the Python rules, a cross-check of what is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import click
import numpy as np
from rich.console import Console

from pymc_games import games
from pymc_games.cli.output import json_option, write_json
from pymc_games.errors import UsageError

CONFIDENCE = 0.99
NOTE = "a cross-check by random play, not a proof"


@click.command(short_help="Play a game with random numbers, by the Python rules.")
@click.argument("game_name", metavar="GAME")
@click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants.")
@click.option("--games", "number", type=click.IntRange(2, 10**8), default=100_000, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True)
@json_option
def simulate(game_name: str, definitions: Sequence[str], number: int, seed: int, json_path: str | None) -> None:
    """Play GAME many times and give the mean outcome with a confidence interval.

    It is a cross-check: the interval holds with a probability of 99 %, by the normal approximation.

    Example: pymc-games simulate pig -c goal=20 --games 10000 --seed 1
    """
    game = games.get(game_name)
    constants = game.bind(definitions)
    if game.simulate is None:
        raise UsageError(f"{game_name} cannot be simulated; use check or compare")
    outcomes = np.asarray(game.simulate(constants, number, seed), dtype=np.float64)
    mean = float(outcomes.mean())
    error = float(outcomes.std(ddof=1)) / math.sqrt(len(outcomes))
    margin = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error
    if json_path is not None:
        document = {
            "game": game_name, "games": number, "seed": seed, "mean": mean, "standard_error": error,
            "confidence": CONFIDENCE, "lower": mean - margin, "upper": mean + margin, "note": NOTE,
        }  # fmt: skip
        write_json(document, json_path)
        return
    console = Console()
    console.print(f"{number:,} games of {game.title}: mean {mean:.6f}")
    console.print(f"99 % confidence interval {mean - margin:.6f} to {mean + margin:.6f}; {NOTE}")
