"""Estimates against models that are really built, and the refusal of what does not fit."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pymc_games import games, memory
from pymc_games.cli.main import cli
from pymc_games.errors import MemoryEstimateError
from pymc_games.games.farkle import values
from pymc_games.games.farkle.rules import Rules


@pytest.mark.parametrize(
    ("game", "variant", "constants"),
    [
        ("pig", "smg", "goal=30"), ("pig", "smg", "goal=20,die=100"), ("pig", "smg", "goal=30,die=2"),
        ("pig", "mdp", "goal=50"), ("pig", "mdp2", "goal=40,die=8"), ("pig", "dtmc", "goal=50"),
        ("pig", "solitaire", "goal=100"), ("pig", "solitaire", "goal=40,die=2"),
        ("farkle", "smg", "goal=300"), ("farkle", "mdp", "goal=200,dice=3"), ("farkle", "mdp2", "goal=300,bound=0"),
    ],
)  # fmt: skip
def test_estimates_are_within_a_factor_of_two_of_what_is_built(game: str, variant: str, constants: str) -> None:
    chosen = games.get(game).variant(variant)
    bound = games.get(game).bind([constants])
    assert chosen.estimate is not None
    assert chosen.explicit is not None
    estimate, built = chosen.estimate(bound), chosen.explicit(bound)
    for guess, truth in (
        (estimate.states, built.states), (estimate.choices, built.choices), (estimate.branches, built.branches),
    ):  # fmt: skip
        assert truth / 2 <= guess <= truth * 2


@pytest.mark.parametrize(
    "command",
    [
        ["check", "pig", "-c", "goal=10"], ["compare", "pig", "-c", "goal=10"],
        ["explain", "pig", "-c", "goal=10"], ["generate", "pig", "-c", "goal=10", "--type", "mdp", "--format", "drn"],
        ["certify", "pig", "-c", "goal=10", "--prop", 'Pmax=? [ F "win1" ]', "-o", "x.cert"],
        ["farkle", "solve", "--goal", "300", "--bound", "0"],
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_unless_forced(
    command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000)
    refused = CliRunner().invoke(cli, command)
    assert isinstance(refused.exception, MemoryEstimateError)
    assert "of memory, and 1.00 MB are left" in str(refused.exception)
    assert CliRunner().invoke(cli, [*command, "--force"], standalone_mode=False).exception is None


def test_bounds_of_farkle_take_what_their_arrays_take() -> None:
    rules = Rules(goal=1000, bound=-500)
    small = Rules(goal=500, bound=-500)
    arrays = [sum(array.nbytes for array in (v.lower, v.upper)) for v in map(values.start, (rules, small))]
    # Once in memory and once in the mapped file; the rest is the same for all rules.
    assert values.needed_bytes(rules) - values.needed_bytes(small) == 2 * (arrays[0] - arrays[1])
