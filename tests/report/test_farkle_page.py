"""Farkle's page: what its pictures say, against the explicit model, by the path and to the last point."""

import csv
import dataclasses
import json
import re
from pathlib import Path

import click.testing
import numpy as np
import pytest

from pymc_games import games, witness
from pymc_games.cli.main import cli
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.games.farkle import model, rules, scoring, solution, values
from pymc_games.games.farkle.constants import rules_of
from pymc_games.games.farkle.play import Position
from pymc_games.report.site import build, farkle


@pytest.fixture(scope="module")
def tiny() -> rules.Rules:
    """Two dice to 300 points: small enough for an explicit model of the whole game."""
    return rules_of(games.get("farkle").bind([]))


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solution") / "game.farkle"
    solution.save(values.solve(rules.load(goal=1000, bound=-500)), path)
    return path


def test_banking_is_what_the_engine_chooses_in_the_explicit_model(tiny: rules.Rules) -> None:
    """The engine solves the game for two state by state, and knows neither sweeps by sum nor turns."""
    policy = model.optimal_policy(tiny, 1)
    found = values.solve(tiny)
    compared = 0
    for state, choice in policy.items():
        if state.turn != 1 or state.roll or len(list(model.moves(tiny, state))) == 1:
            continue
        position = Position(state.score1, state.score2, state.farkles1, state.farkles2)
        runs = farkle.banking(found, position).bank[state.left - 1]
        banks = any(low <= state.points <= high for low, high in runs)
        turn = farkle.play.turn(found, position)
        close = abs(np.subtract(*(one.win.value for one in turn.options(state.points, state.left)))) < 1e-12
        assert close or banks == (choice == 1), state
        compared += not close
    assert compared > 100


def test_bars_cover_just_their_totals() -> None:
    bars = farkle._bars([[(0, 100), (200, 200)], [], [(300, 950)]], 50, 600)
    covered = {
        (round(float(row) + 0.4), 50 * (int(low) + step))
        for low, row, wide in re.findall(r"M(\d+) ([\d.]+)h(\d+)v\.8h-\d+z", bars)
        for step in range(int(wide))
    }
    assert covered == {(1, 0), (1, 50), (1, 100), (1, 200)} | {(3, total) for total in range(300, 600, 50)}


def test_what_scores_is_what_the_scoring_says() -> None:
    """Each line of the table of scores, as a roll: its points are the most that the roll scores."""
    for name in rules.shipped():
        game = rules.load(name)
        for text, points in farkle.rules_shown(game):
            number = re.match(r"(each single|three) (\d)", text)
            if number:
                roll = (int(number[2]),) * (1 if "single" in text else 3)
            else:
                rolls = {"one": (1, 2, 3, 4, 5, 6), "three": (2, 2, 3, 3, 4, 4), "six": (2, 2, 3, 3, 4, 6)}
                roll = rolls[text.split()[0]]
            assert max(gain for _, gain in scoring.options(game, roll)) == int(points.replace(",", ""))


@pytest.mark.parametrize("goal", [300, 350, 1000, 3050, 10_000])
def test_the_score_map_is_even_and_small(goal: int) -> None:
    game = rules.load(goal=goal)
    apart = farkle.spacing(game)
    assert apart % game.step == 0
    assert len(range(0, goal, apart)) <= 40


def test_situations_are_positions_of_the_game(tiny: rules.Rules) -> None:
    for game in (tiny, rules.load(), rules.load(goal=300), rules.load("no-penalty")):
        named = farkle.situations(game)
        assert len({name for name, _ in named}) == len(named)
        for _, position in named:
            values.Values(game, np.empty(0), np.empty(0)).index(*position)


def test_bounds_by_sweep_enclose_the_value_and_close_in() -> None:
    found, (lower, upper) = farkle.solve_small()
    first = found.at(0, 0)
    assert (lower[0], upper[0]) == (0, 1)
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()
    assert (lower[-1], upper[-1]) == (first.lower, first.upper)
    assert len(lower) == found.sweeps + 1


@pytest.mark.parametrize("name", ["free-bank", "no-penalty", "zilch"])
def test_the_page_is_written_for_other_rules(name: str, tmp_path: Path) -> None:
    """Small solutions of rules with each kind of exception: no minimum, no penalty, other scores."""
    bound = 0 if name == "no-penalty" else -500
    path = tmp_path / "game.farkle"
    solution.save(values.solve(rules.load(name, goal=1000, bound=bound)), path)
    shown = farkle.context(path)
    assert shown["sound"]
    frames = json.loads(re.search(r'json">(.*?)</script>', shown["turn_map"])[1])  # type: ignore[index]
    assert len(frames) == (9 if name == "no-penalty" else 10)
    rows = [row for name in ("situations", "scores") for row in shown["tables"][name]]
    least = min(int(low) for row in rows for low in re.findall(r"(\d+)-", str(row["bank"])))
    assert (least < 300) == (name == "free-bank")  # the other rules let nobody bank less than 300


@pytest.mark.parametrize(("goal", "dice"), [(50, 1), (300, 6), (300, 2)])
def test_the_page_is_written_for_the_smallest_games(goal: int, dice: int, tmp_path: Path) -> None:
    """No total may be banked but those that win; one die only; the straight and the triples gone with the dice."""
    game = rules.Rules(
        goal=goal, bound=-50, penalty=50, minimum=min(goal, 300), dice=dice, straight=0, three_pairs=0,
        triples=(0,) * 6,
    )  # fmt: skip
    solution.save(values.solve(game), tmp_path / "game.farkle")
    shown = farkle.context(tmp_path / "game.farkle")
    assert shown["sound"]
    assert not any(row["bank"] for row in shown["tables"]["scores"])
    assert "nan" not in shown["choice"]


def test_of_an_unfinished_solution_storm_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "game.farkle"
    solution.save(values.solve(rules.load(goal=1000, bound=-500), gap=0.5), path)
    assert report(tmp_path / "site", "farkle", "--farkle", str(path)).exit_code == 0
    text = (tmp_path / "site" / "farkle.html").read_text()
    assert "short of the fixpoints" in text
    assert "Storm is not asked" in text


def report(folder: Path, *arguments: str) -> click.testing.Result:
    """Run the command on Farkle without its models and figures, which have tests of their own."""
    bare = dataclasses.replace(games.get("farkle"), variants=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "get", lambda _: bare)
        patch.setattr(build.evidence, "figures", lambda *_, **__: [])
        return click.testing.CliRunner().invoke(cli, ["report", "-o", str(folder), *arguments])


def test_a_solution_file_is_shown_with_its_data(solved: Path, tmp_path: Path) -> None:
    result = report(tmp_path / "site", "farkle", "--farkle", str(solved))
    assert result.exit_code == 0, result.output
    text = (tmp_path / "site" / "farkle.html").read_text()
    assert "the game to 1,000 points" in text
    assert f"{solution.load(solved).at(0, 0).value:.9f}" in text
    with (tmp_path / "site" / "data" / "farkle-scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = solution.load(solved)
    assert len(rows) == 6 * 20**2
    for row in rows[::97]:
        position = Position(int(row["own"]), int(row["other"]))
        one = farkle.banking(found, position)
        assert float(row["win_probability"]) == pytest.approx(found.at(*position).value, abs=1e-9)
        assert row["bank"] == " ".join(f"{low}-{high}" for low, high in one.bank[int(row["dice"]) - 1])
    with (tmp_path / "site" / "data" / "farkle-convergence.csv").open() as file:
        assert float(list(csv.DictReader(file))[-1]["upper"]) < 1


def test_the_same_solution_gives_the_same_page(solved: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert report(tmp_path / name, "farkle", "--farkle", str(solved)).exit_code == 0
    assert (tmp_path / "first" / "farkle.html").read_bytes() == (tmp_path / "second" / "farkle.html").read_bytes()


def test_storm_differing_is_shown_and_is_exit_status_1(
    solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "WITHIN", 1e-30)
    assert report(tmp_path / "site", "farkle", "--farkle", str(solved)).exit_code == 1
    assert '<span class="badge bad">differ</span>' in (tmp_path / "site" / "farkle.html").read_text()
    assert "something disagrees" in (tmp_path / "site" / "index.html").read_text()


def test_a_solution_of_no_use_is_refused_at_once(solved: Path, tmp_path: Path) -> None:
    missing = report(tmp_path / "site", "farkle", "--farkle", str(tmp_path / "none.farkle"))
    assert isinstance(missing.exception, FileFormatError)
    (tmp_path / "broken.farkle").write_bytes(solved.read_bytes()[:-4096])
    assert isinstance(report(tmp_path / "site", "--farkle", str(tmp_path / "broken.farkle")).exception, FileFormatError)
    other = report(tmp_path / "site", "pig", "--farkle", str(solved))
    assert isinstance(other.exception, UsageError)
    assert "name farkle" in str(other.exception)
    assert not (tmp_path / "site").exists()
