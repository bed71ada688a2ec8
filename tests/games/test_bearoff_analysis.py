"""Rules of thumb by hand, and the searches for their worst cases against brute force."""

from __future__ import annotations

import math

import pytest

from pymc_games.games.bearoff import analysis, figures, heuristics, one_sided, race
from pymc_games.games.bearoff.moves import after_roll
from pymc_games.games.bearoff.positions import Position, index


@pytest.mark.parametrize(
    ("counts", "keith", "thorp"),
    [
        ((0, 0, 0, 5, 5, 5), 75, 75 + 30 - 3),
        ((4, 3, 5, 0, 1, 0), 30 + 6 + 2 + 2 + 2, 30 + 26 + 4 - 4),
        ((1, 0, 0, 0, 0, 0), 1 + 3, 1 + 2 + 1 - 1),
    ],
)
def test_counts(counts: Position, keith: int, thorp: int) -> None:
    assert heuristics.keith_count(counts) == keith
    assert heuristics.thorp_count(counts) == thorp


def test_ward_counts_against_the_other_side() -> None:
    own, other = (4, 0, 0, 0, 1, 0), (0, 0, 0, 1, 1, 1)
    # 9 pips, two checkers more, two too many on the ace point, gaps on four and six where the other side stands.
    assert heuristics.ward_count(own, other) == 9 + 4 + 4 + 2
    assert heuristics.ward_count(other, own) == 15


def test_ties_count_for_the_double() -> None:
    # 20 pips and a tenth are 22, just 2 above 20.
    assert heuristics.ward((0, 0, 0, 5, 0, 0), (0, 0, 0, 5, 0, 0)).double
    assert not heuristics.ward((0, 0, 0, 5, 0, 0), (0, 0, 0, 5, 0, 0)).redouble


def test_eight_nine_twelve() -> None:
    own = (0, 0, 0, 0, 10, 0)
    thresholds = {53: (False, False, True), 54: (True, False, True), 55: (True, True, True), 56: (True, True, True)}
    for total, (double, redouble, take) in {**thresholds, 57: (True, True, False)}.items():
        other = (0, 0, 0, 0, 0, 0)
        sixes, rest = divmod(total, 6)
        other = tuple(int(p == rest) + (sixes if p == 6 else 0) for p in range(1, 7))
        advice = heuristics.eight_nine_twelve(own, other)
        assert (advice.double, advice.redouble, advice.take) == (double, redouble, take)


def test_kleinman() -> None:
    own, other = (0, 0, 0, 0, 10, 0), (0, 0, 0, 0, 0, 9)
    assert heuristics.kleinman_metric(own, other) == 64 / 100
    assert heuristics.kleinman_probability(own, other) == pytest.approx(0.5 * (1 + math.erf(0.4)))
    assert heuristics.kleinman_probability((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)) == 1.0


def test_effective_pips_of_13_on_the_ace_point() -> None:
    assert round(float(figures.effective_pips("13,0,0,0,0,0")), 4) == 50.0


def test_the_plays_that_bear_off_nothing() -> None:
    found = analysis.plays_that_bear_off_nothing(15)
    assert len(found) == 3825
    assert [case for case in found if sum(case[0]) == 2] == [((0, 0, 0, 1, 0, 1), (5, 2))]
    mean = one_sided.solve(2).mean
    plays = after_roll((0, 0, 0, 1, 0, 1), 5, 2)
    assert sum(min(plays, key=lambda after: mean[index(after)])) == 2


def test_worst_closed_form_by_single_races() -> None:
    own, other, gap = analysis.worst_closed_form(4)
    assert gap == pytest.approx(race.optimal(own, other).value - race.independent(own, other).value, abs=1e-12)
    assert (own, other) == ((0, 0, 0, 2, 0, 2), (2, 0, 0, 0, 1, 0))
    assert round(gap, 6) == 0.009499


def test_worst_play_by_single_races() -> None:
    worst = analysis.worst_play(4)
    assert worst.solo_play in after_roll(worst.own, *worst.roll)
    assert worst.best_play in after_roll(worst.own, *worst.roll)
    chances = [race.optimal(worst.other, after).value for after in (worst.solo_play, worst.best_play)]
    assert worst.cost == pytest.approx(chances[0] - chances[1], abs=1e-12)
    assert round(worst.cost, 6) == 0.048954


def test_worst_of_rules() -> None:
    cases = {case.rule: case for case in analysis.worst_of_rules(2)}
    assert {"keith, double", "ward, take", "kleinman", "pips", "effective pips"} <= set(cases)
    kleinman = cases["kleinman"]
    truth = race.optimal(kleinman.own, kleinman.other).value
    assert kleinman.error == pytest.approx(abs(truth - heuristics.kleinman_probability(kleinman.own, kleinman.other)))


def test_last_roll_a_double() -> None:
    # One roll each: both dice alike in 1 of 6.
    assert figures.last_roll_is_double("2,0,0,0,0,0", "1,0,0,0,0,0") * 6 == 1
    assert round(float(figures.last_roll_is_double("15,0,0,0,0,0", "15,0,0,0,0,0")), 4) == 0.3417
