"""Storm as witness: it confirms what is right, and finds out what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pymc_games import witness
from pymc_games.games.farkle import rules as house
from pymc_games.games.farkle import solution
from pymc_games.games.farkle.play import Position
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.values import Values

RULES = Rules(goal=500, bound=-100, penalty=100)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solutions") / "small.farkle"
    solution.solve_to_file(RULES, path)
    return path


def test_storm_agrees_all_over_the_game(solved: Path) -> None:
    found = list(witness.statements(solved, 6, seed=3, place="serial"))
    assert sorted(statement.position for statement in found) == sorted(witness.positions(RULES, 6, seed=3))
    assert all(statement.difference < 1e-12 for statement in found)
    assert all(statement.states > 500 for statement in found)
    document = witness.summary(found, 1.0)
    assert document["agree"]
    assert document["models"] == 6
    assert document["worst"]["difference"] == document["largest_difference"]


def test_a_solution_that_is_wrong_by_little_is_found_out(solved: Path, tmp_path: Path) -> None:
    right = solution.load(solved)
    lower, upper = (np.array(bounds) for bounds in (right.lower, right.upper))
    # One turn start of the level below its true value by 1e-6.
    place = right.index(150, 200, 1, 0)
    lower[place] -= 1e-6
    upper[place] -= 1e-6
    path = tmp_path / "wrong.farkle"
    solution.save(Values(RULES, lower, upper, right.sweeps, 0), path)
    statement = witness.ask((path, Position(150, 200, 1, 0)))
    assert statement.difference == pytest.approx(1e-6, rel=1e-3)
    assert not witness.summary([statement], 1.0)["agree"]


def test_positions_go_round_all_strata() -> None:
    rules = house.load()
    drawn = witness.positions(rules, 1000, seed=1)
    assert drawn[0] == Position(0, 0)
    assert witness.positions(rules, 1000, seed=1) == drawn
    assert witness.positions(rules, 1000, seed=2) != drawn
    width = rules.scores // witness.BANDS * rules.step
    strata = {
        (min((own - rules.bound) // width, 2), min((other - rules.bound) // width, 2), *farkles)
        for own, other, *farkles in drawn
    }
    assert len(strata) == 81
    assert all(rules.bound <= score < rules.goal and score % 50 == 0 for turn in drawn for score in turn[:2])


def test_few_scores_leave_no_band_empty_handed() -> None:
    rules = Rules(goal=100, minimum=50, bound=0, farkles=1, penalty=0)
    assert {(turn.own, turn.other) for turn in witness.positions(rules, 9, seed=1)} <= {
        (own, other) for own in (0, 50) for other in (0, 50)
    }
