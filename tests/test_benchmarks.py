"""The benchmarks compare like with like, and their tables say what was measured; no time is tested."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import checker, discounted, farkle, growth, peers, pig, records
from pymc_games import storm
from pymc_games.engine import solve
from pymc_games.games.bingo import solo
from pymc_games.games.farkle import reference, values

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = {
    "benchmarks": [
        {"group": "b", "stats": {"min": 0.5}, "extra_info": {"by": "a peer", "scale": 10.0}},
        {"group": "b", "stats": {"min": 0.25}, "extra_info": {"by": "ours", "scale": 1.0, "memory": 3.04}},
        {"group": "a | c", "stats": {"min": 2e-4}, "extra_info": {"by": "ours", "scale": 1.0}},
    ],
    "absent": [{"task": "a | c", "by": "another"}],
}


def test_the_table_divides_a_peer_s_time_by_ours_and_names_who_is_absent():
    found = records.records(DOCUMENT)
    assert records.table(found).splitlines()[2:] == [
        "| b | ours | 0.250 | 3.0 |  |",
        "|  | a peer | 5.00 |  | 20.0 |",
        r"| a \| c | ours | 2.00e-04 |  |  |",
        "|  | another | absent |  |  |",
    ]
    assert list(records.absent(found)) == ["another"]


def test_a_rate_counts_a_state_once_a_sweep_and_has_a_table_of_its_own():
    information = {"by": "ours", "scale": 1.0, "states": 4_000_000, "sweeps": 3}
    entry = {"group": "game", "stats": {"min": 0.5}, "extra_info": information}
    found = records.records({"benchmarks": [*DOCUMENT["benchmarks"], entry], "absent": []})
    assert records.rates(found).splitlines()[2:] == ["| game | 4,000,000 | 3 | 0.500 | 24.0 |"]
    assert "game" not in records.table(found)


def test_a_task_without_our_time_is_refused():
    with pytest.raises(ValueError, match="b: ours is not among the times"):
        records.table(records.records(DOCUMENT)[:1])


@pytest.mark.parametrize(
    ("number", "text"),
    [(12345.6, "12,300"), (123.4, "123"), (99.96, "100"), (1.0, "1.00"), (0.00123, "0.00123"), (0.000123, "1.23e-04")],
)
def test_three_digits_are_shown(number, text):
    assert records.digits(number) == text


def test_the_fit_finds_the_power_and_the_factor():
    states = [100, 1_000, 10_000, 1_000_000]
    assert growth.exponent(states, [3 * n**1.5 for n in states]) == pytest.approx((1.5, 3.0))
    # Constant time beside the growing one flattens the curve.
    assert growth.exponent(states, [3 * n**1.5 + 1e4 for n in states])[0] < 1.5


def test_the_same_points_give_the_same_picture(tmp_path):
    pytest.importorskip("matplotlib")
    points = {"a": [growth.Point(10**k, 10**k, 0.1 * 10**k, 0.2 * 10**k, 100 * 10**k) for k in range(3)]}
    for name in ("one", "two"):
        growth.draw(points, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert "a: states^1.00" in (tmp_path / "one").read_text()
    assert "| a | 1.00 | 1.00 |" in growth.fits(points)
    assert "| a | 100 | 100 | 10.0000 | 20.0000 | 0.01 |" in growth.table(points)


def test_a_point_s_memory_holds_at_least_the_model():
    point = growth.measure(lambda: checker.random_game(1_000), patience=0.0)
    assert (point.states, point.branches) == (1_000, 8_000)
    assert point.bytes > 8_000 * 8
    assert point.seconds == point.build + point.solve > 0


def test_value_iteration_over_a_dictionary_finds_the_engine_s_values():
    model = pig.rules_model(6)
    query = pig.winning(model)
    found = peers.dictionary_value_iteration(model, query, 1e-10)
    bounds = solve(model, query)
    assert list(found) == [model.describe_state(state) for state in range(model.states)]
    assert np.abs(np.array(list(found.values())) - bounds.lower).max() < 1e-8


def test_the_published_procedure_finds_the_exact_expectation():
    for board in ((8, 8, 9, 7, 6, 10, 7, 4, 5), (2, 3, 4, 5, 6, 7, 8, 9, 10)):
        found = peers.bingo_procedure(np.array(board))
        assert found == pytest.approx(float(solo.solve(board).expected_rolls), abs=1e-9)


@pytest.mark.parametrize("method", discounted.METHODS.values())
def test_quantecon_solves_the_engine_s_process(method):
    targets, rewards = discounted.targets_and_rewards(50)
    run = discounted.by_quantecon(targets, rewards, method)
    if run is None:
        pytest.skip("QuantEcon is not installed")
    model, query = discounted.as_model(targets, rewards)
    model.validate()
    bounds = solve(model, query)
    assert np.abs(run() - bounds.lower[:-1]).max() < 1e-6


def test_all_who_solve_a_small_game_of_farkle_find_the_same():
    ours = values.solve(farkle.small(100)[1]).at(0, 0)
    plain = reference.reference(farkle.small(100)[1]).first
    by_storm = storm.check(farkle.built(100), 'Pmax=? [ F "win1" ]').value[farkle.built(100).initial_state]
    assert ours.lower <= plain.upper
    assert plain.lower <= ours.upper
    assert by_storm == pytest.approx(ours.value, abs=1e-6)


def test_a_program_that_is_not_installed_is_absent(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    assert peers.makebearoff("-o", "1") is None


def run(*arguments: str) -> str:
    # A worker of pytest-xdist tells of itself there, and pytest-benchmark measures nothing beside others.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    process = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_one_part_is_measured_and_an_absent_peer_is_named():
    hidden = "import sys; sys.modules['quantecon'] = None; from benchmarks import __main__ as b; "
    output = run("-c", hidden + "print(b.records.table(b.run_suite(['discounted'], tiny=True)))")
    rows = [line.split(" | ")[1:3] for line in output.splitlines() if line.startswith("|")][2:]
    assert [row[0] for row in rows] == ["ours", *discounted.METHODS]
    assert [row[1] for row in rows[1:]] == ["absent"] * 2


@pytest.mark.full
def test_one_command_writes_the_document(tmp_path):
    run("-m", "benchmarks", "--tiny", "-o", str(tmp_path))
    text = (tmp_path / "benchmarks.md").read_text()
    assert "growth.svg" in text
    assert (tmp_path / "growth.svg").exists()
    for peer in (
        "Storm, sound",
        "QuantEcon, value iteration",
        "over a dictionary",
        "makebearoff",
        "published procedure",
    ):
        assert peer in text
    assert str(ROOT) not in text


def test_an_unknown_part_is_refused():
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks", "nothing"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert "there is no benchmark 'nothing'" in process.stderr
