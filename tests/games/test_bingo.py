"""Dice Bingo: published fractions, plain enumeration, and properties that must hold."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games import games
from pymc_games.engine.bimatrix import mixed_equilibria, pure_equilibria, zero_sum
from pymc_games.errors import UsageError
from pymc_games.games.bingo import kernels, match, nash, patterns, search, solo, strategic, tournament
from pymc_games.games.bingo.board import (
    CELLS,
    LINES,
    MASKS,
    TRANSIENT,
    VALUES,
    WAYS,
    WINNING,
    parse_board,
    parse_cells,
    show_board,
)
from pymc_games.jobs import Keeping

A, B = parse_board("9,6,7/7,9,6/6,7,9"), parse_board("6,7,6/7,7,7/6,6,6")
C, D, E = (parse_board(b) for b in ("7,7,7/6,6,6/6,7,6", "7,5,9/9,7,5/5,9,7", "9,7,9/9,9,9/9,6,7"))
BEST = parse_board("8,8,9/7,6,10/7,4,5")

boards = st.lists(st.integers(2, 12), min_size=9, max_size=9).map(tuple)


def test_the_board():
    assert sum(WAYS.values()) == 36
    assert len(TRANSIENT) == 230
    assert len(LINES) == 8
    assert all(WINNING[line] for line in LINES)
    assert show_board(BEST) == "8,8,9/7,6,10/7,4,5"
    assert parse_cells("1,5,6") == 0b1100010
    assert parse_cells("none") == 0


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        (BEST, Fraction(47546657067260786722139, 7535828431282951800000)),
        ((7,) * 9, Fraction(18)),
        (A, Fraction(129329, 10125)),
        (B, Fraction(166428, 14641)),
        (C, Fraction(1368, 121)),
        (D, Fraction(486102, 42875)),
        (E, Fraction(69709, 5625)),
    ],
)
def test_published_expectations(board, expected):
    assert solo.solve(board).expected_rolls == expected
    assert solo.solve(board, "largest").expected_rolls == expected


@settings(max_examples=5, deadline=None)
@given(boards)
def test_solo_play_satisfies_the_optimality_equation(board):
    """One Bellman backup of every mask, roll by roll, over all choices including to mark nothing useful."""
    solved = solo.solve(board)
    for mask in TRANSIENT:
        backup = Fraction(1)
        for value in VALUES:
            cells = [c for c in range(CELLS) if board[c] == value and not mask >> c & 1]
            options = [solo.to_fraction(solved.expected[mask | 1 << c]) for c in cells]
            backup += Fraction(WAYS[value], 36) * min(options, default=solo.to_fraction(solved.expected[mask]))
        assert backup == solo.to_fraction(solved.expected[mask])


@settings(max_examples=5, deadline=None)
@given(boards)
def test_moments_agree_with_the_distribution(board):
    solved = solo.solve(board)
    pmf = solved.pmf(6000)
    k = np.arange(len(pmf))
    assert pmf.sum() == pytest.approx(1, abs=1e-9)
    assert k @ pmf == pytest.approx(float(solved.expected_rolls), rel=1e-6)
    assert (k * k) @ pmf - (k @ pmf) ** 2 == pytest.approx(float(solved.variance), rel=1e-4)
    assert pmf[:3].sum() == 0


def test_nine_sevens_are_three_rolls_of_one_chance_in_six_or_more():
    """Every 7 marks a cell, and optimal play needs exactly three of them: a sum of three geometric times."""
    solved = solo.solve((7,) * 9)
    assert solved.variance == 3 * 30
    pmf = solved.pmf(10)
    assert pmf[5] == pytest.approx(math.comb(4, 2) * 5**2 / 6**5)


@pytest.mark.parametrize(
    ("a", "b", "outcome", "states"),
    [
        (A, B, ("134528/253125", "118597/253125", "0"), 21),
        (C, D, ("183798269857/429306696225", "19582511104/53219838375", "1313142551936/6439600443375"), 99),
        (E, C, ("676384/1366875", "574979/1366875", "38504/455625"), 27),
    ],
)
def test_published_matches(a, b, outcome, states):
    played = match.Match(solo.solve(a), solo.solve(b))
    assert played.outcome() == tuple(map(Fraction, outcome))
    assert len(played.reachable()) == states
    swapped = match.Match(solo.solve(b), solo.solve(a)).outcome()
    assert swapped == (played.outcome().b_wins, played.outcome().a_wins, played.outcome().tie)
    timing = played.timing(600)
    assert timing.a_wins.sum() == pytest.approx(float(played.outcome().a_wins), abs=1e-9)


def test_worse_alone_but_better_head_to_head():
    a, b = solo.solve(A), solo.solve(B)
    assert a.expected_rolls > b.expected_rolls
    apart = match.independent(a, b)
    together = match.Match(a, b).outcome()
    assert apart.a_wins < apart.b_wins
    assert together.a_wins > together.b_wins
    assert sum(apart) == pytest.approx(1, abs=1e-9)


def test_the_published_nash_position():
    played = match.Match(solo.solve(parse_board("7,4,6/5,7,8/6,5,9")), solo.solve(parse_board("6,2,8/5,9,3/10,9,6")))
    decision = nash.decide(played, (0, parse_cells("1,5,6")), 6)
    assert (decision.rows, decision.columns) == ([2, 6], [0, 8])
    assert decision.a == [
        [fmpq(17279, 86184), fmpq(656700799, 3411916830)],
        [fmpq(155, 912), fmpq(22214689, 114686280)],
    ]
    assert decision.pure() == []
    (equilibrium,) = decision.mixed()
    assert equilibrium.rows[0] == fmpq(29891145, 56555767)
    assert equilibrium.columns[0] == fmpq(352522, 9125389)
    assert equilibrium.payoffs == (fmpq(4165278151, 21606113340), fmpq(12148068808972, 16450432503057))


matrices = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.fractions(-3, 3, max_denominator=5), min_size=width, max_size=width), min_size=1, max_size=4
    )
)


@settings(max_examples=200, deadline=None)
@given(matrices)
def test_zero_sum_strategies_guarantee_the_value(matrix):
    exact = [[fmpq(x.numerator, x.denominator) for x in row] for row in matrix]
    solution = zero_sum(exact)
    value = solution.payoffs[0]
    assert sum(solution.rows) == sum(solution.columns) == 1
    assert min(*solution.rows, *solution.columns) >= 0
    assert (
        min(sum(x * row[j] for x, row in zip(solution.rows, exact, strict=True)) for j in range(len(exact[0]))) >= value
    )
    assert max(sum(x * y for x, y in zip(row, solution.columns, strict=True)) for row in exact) <= value


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=8, max_size=8, unique=True))
def test_equilibria_are_mutual_best_responses(numbers):
    a = [[fmpq(x) for x in numbers[:2]], [fmpq(x) for x in numbers[2:4]]]
    b = [[fmpq(x) for x in numbers[4:6]], [fmpq(x) for x in numbers[6:]]]
    found = mixed_equilibria(a, b)
    assert len(found) % 2 == 1  # a nondegenerate game has an odd number (Wilson, 1971)
    for e in found:
        for i in range(2):
            assert sum(a[i][j] * e.columns[j] for j in range(2)) <= e.payoffs[0]
            assert sum(b[k][i] * e.rows[k] for k in range(2)) <= e.payoffs[1]
    pure = {(e.rows.index(1), e.columns.index(1)) for e in found if 1 in e.rows and 1 in e.columns}
    assert pure == set(pure_equilibria(a, b))


def test_adapting_cannot_hurt_and_the_game_is_fair_to_itself():
    a, b = solo.solve(A), solo.solve(B)
    fixed = match.Match(a, b).outcome()
    ahead = fmpq(fixed.a_wins.numerator, fixed.a_wins.denominator) - fmpq(
        fixed.b_wins.numerator, fixed.b_wins.denominator
    )
    both = strategic.StrategicGame(a, b)
    only_a, only_b = strategic.StrategicGame(a, b, "a").value(), strategic.StrategicGame(a, b, "b").value()
    assert only_b <= ahead <= only_a
    assert only_b <= both.value() <= only_a
    mirrored = strategic.StrategicGame(b, a)
    assert mirrored.value() == -both.value()
    assert strategic.StrategicGame(a, a).value() == 0
    for joint in itertools.islice(both.values, 0, None, 97):
        total, ways = fmpq(0), 0
        for value in VALUES:
            play = both.play(joint, value)
            if play is not None:
                total += WAYS[value] * play.equilibrium.payoffs[0]
                ways += WAYS[value]
        assert total / ways == both.values[joint]


def test_every_class_is_counted_and_met_once():
    """One pattern: its classes from the enumeration, against all its boards counted one by one."""
    pattern = (0, 0, 0, 0, 0, 0, 0, 0, 1)
    mine = {patterns.board_of(pattern, w) for w in patterns.weights(pattern)}
    every = {tuple([x] * 8 + [y]) for x in VALUES for y in VALUES if x != y}
    assert {patterns.canonical(board) for board in every} == mine
    assert sum(patterns.class_size(board) for board in mine) == 4 * len(every)  # the odd cell in any of four corners


@settings(max_examples=60, deadline=None)
@given(boards, st.sampled_from(patterns.SYMMETRIES), st.sets(st.sampled_from([2, 3, 4, 5, 6])))
def test_equal_boards_have_one_representative(board, image, swapped):
    moved = [0] * CELLS
    for cell, to in enumerate(image):
        moved[to] = 14 - board[cell] if min(board[cell], 14 - board[cell]) in swapped else board[cell]
    assert patterns.canonical(tuple(moved)) == patterns.canonical(board)


def test_symmetries_keep_lines():
    assert len(patterns.SYMMETRIES) == 8
    for image in patterns.SYMMETRIES:
        moved = {sum(1 << image[cell] for cell in range(CELLS) if line >> cell & 1) for line in LINES}
        assert moved == set(LINES)


@settings(max_examples=20, deadline=None)
@given(boards)
def test_the_kernel_is_within_its_error(board):
    representative = patterns.canonical(board)
    order = list(dict.fromkeys(representative))
    pattern = tuple(order.index(value) for value in representative)
    block_weights = np.array([[WAYS[value] for value in order]])
    (value,) = kernels.evaluate(pattern, block_weights)
    exact = solo.solve(representative).expected_rolls
    assert abs(Fraction(float(value)) - exact) <= exact * Fraction(kernels.RELATIVE_ERROR)
    assert exact == solo.solve(board).expected_rolls


def test_the_tournament_agrees_with_exact_matches():
    solved = [solo.solve(board) for board in (A, B, C, D, E)]
    wins = tournament.tournament([one.board for one in solved]).wins
    for i, j in itertools.permutations(range(5), 2):
        exact = match.Match(solved[i], solved[j]).outcome().a_wins
        assert abs(Fraction(float(wins[i, j])) - exact) <= Fraction(tournament.ERROR)
    count, triples = tournament.nontransitive(wins)
    by_hand = [
        t for t in itertools.permutations(range(5), 3)
        if t[0] == min(t) and all(wins[x, y] > wins[y, x] for x, y in zip(t, (*t[1:], t[0]), strict=True))
    ]  # fmt: skip
    assert count == len(by_hand) == len(triples)
    assert {t.boards for t in triples} == set(by_hand)
    assert (2, 3, 4) in {t.boards for t in triples}


def small_search(monkeypatch, keep=3):
    every = patterns.patterns()[:keep]
    monkeypatch.setattr(patterns, "patterns", lambda: every)
    monkeypatch.setattr(search, "_PATTERNS_A_SHARD", 1)
    return every


def test_a_stopped_search_goes_on(tmp_path, monkeypatch):
    every = small_search(monkeypatch)
    whole = search.search(5, "serial")
    assert whole.classes == sum(len(patterns.weights(p)) for p in every)

    class StoppedError(Exception):
        pass

    def stop(done, total):
        if done == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        search.search(5, "serial", Keeping(tmp_path), stop)
    assert len(list(tmp_path.glob("shard-*.json"))) == 2
    seen = []
    again = search.search(5, "serial", Keeping(tmp_path, resume=True), lambda done, total: seen.append(done))
    assert seen == [2, 3]
    assert (again.classes, again.leaders, again.gap) == (whole.classes, whole.leaders, whole.gap)
    with pytest.raises(UsageError, match="has other inputs: classes kept is 6 and was 5"):
        search.search(6, "serial", Keeping(tmp_path, resume=True))


def test_a_tournament_in_shards_is_the_one_in_one_piece(tmp_path, monkeypatch):
    boards = [A, B, C, D, E]
    whole = tournament.tournament(boards, place="serial")
    monkeypatch.setattr(tournament, "_PAIRS_A_SHARD", 3)
    assert tournament._shards(5) == [(0, 1), (1, 2), (2, 4), (4, 5)]
    parts = tournament.tournament(boards, "smallest", "local", Keeping(tmp_path))
    assert np.array_equal(whole.wins, parts.wins)
    rows = list(parts.table())
    assert len(rows) == 10
    assert rows[4]["board"] == show_board(B)
    assert rows[4]["against"] == show_board(C)
    assert (rows[4]["wins"], rows[4]["losses"]) == (whole.wins[1, 2], whole.wins[2, 1])
    with pytest.raises(UsageError, match="has other inputs: boards is"):
        tournament.tournament([B, A, C, D, E], "smallest", "local", Keeping(tmp_path, resume=True))


@pytest.mark.full
def test_the_whole_search_finds_the_published_board():
    found = search.search(2)
    assert found.boards == 11**9
    assert found.classes == patterns.count_classes()
    assert found.leaders[0].board == patterns.canonical(BEST)
    assert found.leaders[0].boards == 64
    assert found.gap > 0


def test_orbits_are_counted():
    """Orbit counting against orbits: the classes of boards made of 2, 12 and 7 alone, met one by one."""
    lengths = [patterns._cycle_lengths(image) for image in patterns.SYMMETRIES]
    # Burnside by hand for the numbers 2, 7, 12 with one swap: 3 numbers are free, or 1 where a swap must keep it.
    fixed = sum(3 ** len(cycle) + math.prod(3 if k % 2 == 0 else 1 for k in cycle) for cycle in lengths)
    corners = list(itertools.product((2, 7, 12), repeat=9))
    representatives = {patterns.canonical(board) for board in corners[::1]}
    within = {board for board in representatives if set(board) <= {2, 7, 12}}
    assert len(within) == len(representatives) == fixed // 16
    assert patterns.count_classes() == 18_645_336


@pytest.mark.parametrize(
    "text", ["8,8,9/7,6,10/7,4", "1,2,3/4,5,6/7,8,9", "13,2,3/4,5,6/7,8,9", "a,2,3/4,5,6/7,8,9", ""]
)
def test_bad_boards_are_refused(text):
    with pytest.raises(UsageError):
        parse_board(text)


@pytest.mark.parametrize("text", ["9", "x", "0,1,2", "-1"])
def test_bad_cells_are_refused(text):
    with pytest.raises(UsageError):
        parse_cells(text)


def test_simulation_agrees_with_the_expectation():
    game = games.get("bingo")
    rolls = game.simulate(game.bind([]), 20_000, 7)
    deviation = rolls.std() / math.sqrt(len(rolls))
    assert abs(rolls.mean() - 129329 / 10125) < 4 * deviation
    assert MASKS == 512
