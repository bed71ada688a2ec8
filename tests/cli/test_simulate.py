"""The command ``pymc-games simulate``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from pymc_games import games
from pymc_games.cli.simulate import simulate
from pymc_games.errors import UsageError
from pymc_games.games.base import Game
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules


def run(*arguments: str) -> dict:
    result = CliRunner().invoke(simulate, [*arguments, "--json", "-"], catch_exceptions=False)
    assert result.exit_code == 0
    document: dict = json.loads(result.stdout)
    return document


def test_pig_agrees_within_its_confidence_interval_and_says_what_that_is_worth() -> None:
    document = run("pig", "-c", "goal=25", "--games", "50000", "--seed", "11")
    assert document["lower"] <= values.solve(Rules(25)).start().value <= document["upper"]
    assert document["confidence"] == 0.99
    assert "cross-check" in document["note"]
    assert run("pig", "-c", "goal=25", "--games", "50000", "--seed", "11") == document


def test_the_interval_is_that_of_the_normal_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Game("toy", "Toy", "", (), (), simulate=lambda constants, number, seed: np.arange(number) % 2)
    monkeypatch.setattr(games, "get", {"toy": toy}.get)
    document = run("toy", "--games", "100")
    error = np.sqrt(0.25 / 99)
    assert document["mean"] == 0.5
    assert document["standard_error"] == pytest.approx(error)
    assert document["upper"] == pytest.approx(0.5 + 2.5758293035489 * error)


def test_the_text_says_it_is_a_cross_check() -> None:
    assert "cross-check" in CliRunner().invoke(simulate, ["pig", "-c", "goal=5", "--games", "100"]).stdout


def test_a_game_without_random_play_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "get", {"toy": Game("toy", "Toy", "", (), ())}.get)
    with pytest.raises(UsageError, match="cannot be simulated"):
        CliRunner().invoke(simulate, ["toy"], catch_exceptions=False)


def test_too_few_games_are_refused() -> None:
    assert CliRunner().invoke(simulate, ["pig", "--games", "1"]).exit_code == 2
