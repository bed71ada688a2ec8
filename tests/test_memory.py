"""Estimates against models that are really built, and the refusal of what does not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from pymc_games import games, memory, storm
from pymc_games.cli.main import cli
from pymc_games.errors import MemoryEstimateError
from pymc_games.games.exploring import explore
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


#: A counter with 100 million states, of which no more than a few million fit in the memory left in the tests.
LONG = """dtmc
const int N;
module counter
  x : [0..N] init 0;
  [] x<N -> 1/2 : (x'=x+1) + 1/2 : (x'=0);
  [] x=N -> true;
endmodule
label "end" = x=N;
"""


@pytest.mark.parametrize("exact", [False, True])
def test_storm_stops_exploring_when_the_memory_would_not_do(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 140_000_000)
    with pytest.raises(MemoryEstimateError) as refused:
        storm.build(storm.parse_text(LONG, {"N": 10**8}, "long.prism"), exact=exact)
    told = re.fullmatch(
        r"long.prism has more than ([\d,]+) states; so many, with ([\d,]+) choices and ([\d,]+) branches, would take "
        r"about ([\d.]+) GB of memory, and 0.14 GB were left; choose smaller constants, or go ahead with --force",
        str(refused.value),
    )
    assert told is not None
    states, choices, branches = (int(number.replace(",", "")) for number in told.groups()[:3])
    # One choice and two branches a state; the count stops where the estimate has used up nearly everything.
    assert (choices, branches) == (states, 2 * states)
    assert 50_000 <= states < 300_000
    assert exact or 0.9 * 0.14 <= float(told[4]) <= 0.14


@pytest.mark.parametrize("states", [49_999, 50_000, 50_001, 150_000])
def test_a_model_that_fits_is_explored_to_its_end(states: int) -> None:
    built = storm.build(storm.parse_text(LONG, {"N": states - 1}))
    assert built.handle.nr_states == states
    assert built.handle.nr_transitions == 2 * states - 1
    assert "unexplored" not in built.handle.labeling.get_labels()


def test_a_model_may_have_a_label_that_storm_uses_for_what_it_has_not_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    built = storm.build(storm.parse_text(f'{LONG}label "unexplored" = x=7;', {"N": 60_000}))
    assert built.handle.nr_states == 60_001
    assert built.handle.labeling.get_states("unexplored").get_number_of_set_bits() == 1


def test_rules_stop_exploring_when_the_memory_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(state: tuple[int, ...]) -> Iterator[tuple[str, dict[tuple[int, ...], Fraction]]]:
        yield "on", {(state[0] + 1,): Fraction(1)}  # for ever

    monkeypatch.setattr(memory, "available_bytes", lambda: 100_000_000)
    with pytest.raises(MemoryEstimateError, match=r"the model by the Python rules has more than [0-9]+,[0-9]+ states"):
        explore("dtmc", [(0,)], ["x"], moves)


def test_force_reaches_files_and_ends_with_its_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "long.prism"
    path.write_text(LONG)
    command = ["check", str(path), "-c", "N=60000", "--prop", 'P=? [ F<=2 "end" ]', "--engine", "storm", "--json", "-"]
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000)
    assert isinstance(CliRunner().invoke(cli, command).exception, MemoryEstimateError)
    forced = CliRunner().invoke(cli, [*command, "--force"], standalone_mode=False)
    assert json.loads(forced.stdout)["model"]["states"] == 60_001
    assert memory.room() == 1_000_000
