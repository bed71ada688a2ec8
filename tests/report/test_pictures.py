"""What pictures say, against the solvers, brute force, and properties that every picture has."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pymc_games import games
from pymc_games.engine import Query, solve
from pymc_games.engine.trace import bounds_by_sweep
from pymc_games.errors import UnsupportedError
from pymc_games.games.bearoff import exact, one_sided
from pymc_games.games.bearoff.positions import all_positions
from pymc_games.games.bingo.solo import solve as solve_board
from pymc_games.games.pig import model, policies, values
from pymc_games.games.pig.rules import Rules
from pymc_games.report.site import bearoff, bingo, parts, pig, svg


@given(arrays.arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 8))))
def test_a_path_of_cells_covers_just_these(mask: np.ndarray) -> None:
    covered = np.zeros_like(mask)
    for column, low, height in re.findall(r"M(\d+) (\d+)h1v(\d+)h-1z", svg.cells_path(mask)):
        covered[int(column), int(low) : int(low) + int(height)] = True
    assert (covered == mask).all()


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_inside(low: float, length: float) -> None:
    marks = svg.ticks(low, low + length)
    assert 2 <= len(marks) <= 7
    assert all(low - 1e-6 * length <= mark <= low + length + 1e-6 * length for mark in marks)


@pytest.mark.parametrize(("value", "text"), [(6e-14, "6 × 10⁻¹⁴"), (0.02, "2 × 10⁻²")])
def test_small_numbers_are_written_as_powers(value: float, text: str) -> None:
    assert svg.power(value) == text


def test_nothing_that_is_embedded_ends_a_script() -> None:
    text = parts.embedded({"a": "</script><b>"})
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><b>"}


def test_pig_s_thresholds_are_the_solver_s() -> None:
    policy = values.optimal_policy(Rules())
    least = pig.first_holds(policy)
    for own, other in ((0, 0), (0, 99), (50, 30), (78, 10), (99, 99)):
        assert least[own, other] == values.first_hold(policy, own, other)


def test_pig_holds_by_a_threshold_except_at_2503_score_pairs() -> None:
    assert pig.without_threshold(values.optimal_policy(Rules())) == 2503
    assert pig.without_threshold(policies.parse("hold-at-20", Rules())) == 0


def test_a_slice_a_score_of_the_opponent() -> None:
    frames = json.loads(re.search(r'json">(.*?)</script>', pig.slices(values.optimal_policy(Rules())))[1])  # type: ignore[index]
    assert len(frames) == 100
    # At 0 to 0 optimal play holds from 21 on; the column goes up to the goal.
    assert frames[0]["held"].startswith("M0 21h1v79h-1z")
    assert "With own score at 0, hold from 21" in frames[0]["told"]


def test_the_marked_cells_are_the_solver_s() -> None:
    board = solve_board(bingo.BEST)
    data = json.loads(bingo.context()["data"])
    assert data["expected"][0] == pytest.approx(6.3094, abs=5e-5)
    for mask in (0, 0b000010001, 0b111000000):
        for roll, cell in zip(data["rolls"], data["choice"][mask], strict=True):
            assert cell == board.choice[mask, roll]


def test_the_positions_of_one_count_are_its_extremes() -> None:
    table, counts = one_sided.solve(15), all_positions(15) @ np.arange(1, 7)
    drawn = bearoff.same_count(table, counts)
    told = json.loads(re.search(r'json">(.*?)</script>', drawn)[1])[1]["told"]  # type: ignore[index]
    # Four pips, by brute force over the partitions of 4; several positions can be equally fast or slow.
    four = [(4, 0, 0, 0, 0, 0), (2, 1, 0, 0, 0, 0), (0, 2, 0, 0, 0, 0), (1, 0, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0)]
    rolls = [exact.expected_rolls(counts) for counts in four]
    assert re.match(
        rf"4 pips: at best \S+ takes {float(min(rolls)):.3f} .* at worst \S+ takes {float(max(rolls)):.3f} ", told
    )


def test_bounds_by_sweep_enclose_the_value_and_close_in() -> None:
    game = model.build(Rules(goal=10), "smg", None, None)
    query = Query("probability", game.labels["win1"], np.equal(game.variables["turn"], 1))
    lower, upper = bounds_by_sweep(game, query, 100)
    truth = solve(game, query).at(game.initial_state)
    assert (lower[0], upper[0]) == (0, 1)
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()
    assert (lower <= truth.upper).all()
    assert (upper >= truth.lower).all()
    assert upper[-1] - lower[-1] < 1e-6
    # The other player's query is another game: its bounds do not enclose this value.
    other = Query("probability", game.labels["win2"], ~query.maximise)
    assert bounds_by_sweep(game, other, 100)[1][-1] < truth.lower


def test_bounds_by_sweep_are_for_probabilities() -> None:
    alone = games.get("pig").variant("solitaire").explicit
    assert alone is not None
    chain = alone(games.get("pig").bind(["goal=10"]))
    query = Query("reward", chain.labels["goal"], np.zeros(chain.states, bool), reward=chain.rewards["turns"].choice)
    with pytest.raises(UnsupportedError, match="probabilities only"):
        bounds_by_sweep(chain, query, 3)
