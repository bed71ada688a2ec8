"""Pictures and tables of results: what is drawn is what was computed, checked on the artists and the text."""

import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from pymc_games import campaign, notebook, plotting
from pymc_games.compare import Checked, Options, Session
from pymc_games.engine import Query, solve
from pymc_games.engine.query import all_states
from pymc_games.engine.trace import bounds_by_sweep
from pymc_games.errors import UsageError
from pymc_games.games.bearoff import cube, one_sided, summary
from pymc_games.games.bingo import match, nash, search, solo, tournament
from pymc_games.games.bingo.board import parse_board
from pymc_games.games.farkle import fewest_turns, play
from pymc_games.games.farkle import rules as farkle_rules
from pymc_games.games.farkle import values as farkle_values
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.loading import load_target
from pymc_games.pipeline import Comparison
from pymc_games.result import Result

pytest.importorskip("matplotlib")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

BOARDS = ("8,8,9/7,6,10/7,4,5", "7,7,7/7,7,7/7,7,7", "2,3,4/5,6,7/8,9,10")


@pytest.fixture
def ax() -> Axes:
    """Give Axes of a figure that needs no screen."""
    drawn: Axes = Figure().subplots()
    return drawn


class Cells(HTMLParser):
    """Collect a table's cells, row by row, and see that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def heights(ax: Axes) -> list[float]:
    return [patch.get_height() for patch in ax.patches]


def line(ax: Axes, label: str) -> np.ndarray:
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return np.asarray(found.get_ydata())


def test_two_checkers_on_the_ace_point_are_off_in_one_roll(ax: Axes) -> None:
    found = summary.solo((2, 0, 0, 0, 0, 0))
    assert found.plot(ax) is ax
    assert heights(ax) == [0, 1]
    assert line(ax, "done by then").tolist() == [0, 1]
    assert ["expected rolls", "1.000000000000"] in Cells(found._repr_html_()).rows


def test_a_distribution_shows_probabilities_and_their_sums(ax: Axes) -> None:
    plotting.distribution([0.0, 0.25, 0.75], ax, mean=1.75)
    assert heights(ax) == [0, 0.25, 0.75]
    assert line(ax, "done by then").tolist() == [0, 0.25, 1]
    assert line(ax, "expected: 1.75") is not None


def test_pig_draws_its_chances_and_where_it_holds(ax: Axes) -> None:
    duel = values.solve(Rules(goal=20))
    drawn = np.asarray(duel.plot(ax).images[0].get_array())
    assert drawn[0, 0] == duel.start().value
    assert drawn.shape == (20, 20)
    holds = np.ma.asarray(duel.plot_holds(5, Figure().subplots()).images[0].get_array())
    policy = values.optimal_policy(Rules(goal=20))
    assert all(holds[total, own] == policy[own, 5, total] for own in range(20) for total in range(20 - own))
    assert all(holds.mask[20 - own :, own].all() for own in range(20))
    with pytest.raises(UsageError, match="must lie between 0 and 19"):
        duel.plot_holds(20)
    assert ["residual", "0.0"] in Cells(duel._repr_html_()).rows


def test_bingo_draws_boards_and_matches(ax: Axes) -> None:
    solos = [solo.solve(parse_board(board)) for board in BOARDS]
    solos[0].plot(ax)
    assert sum(heights(ax)) == pytest.approx(solos[0].pmf(40).sum())
    board = solos[0].plot_board(Figure().subplots())
    assert [text.get_text() for text in board.texts] == ["8", "8", "9", "7", "6", "10", "7", "4", "5"]
    played = match.Match(solos[0], solos[1])
    drawn = played.plot(Figure().subplots(), rolls=60)
    assert line(drawn, f"a: {BOARDS[0]}")[-1] == pytest.approx(float(played.outcome().a_wins), abs=1e-2)
    exact = [Fraction(row[2]) for row in Cells(played._repr_html_()).rows[1:]]
    assert sum(exact) == 1
    found = tournament.tournament([one.board for one in solos])
    margins = np.asarray(found.plot(Figure().subplots()).images[0].get_array())
    assert (margins == -margins.T).all()
    assert margins[0, 1] == found.wins[0, 1] - found.wins[1, 0]
    assert Cells(found._repr_html_()).rows[0] == ["wins against", *BOARDS]


def test_bingo_draws_a_decision_and_a_search(ax: Axes) -> None:
    solos = [solo.solve(parse_board(BOARDS[0])) for _ in range(2)]
    decision = nash.decide(match.Match(*solos), (0, 0), 7)
    drawn = np.asarray(decision.plot(ax).images[0].get_array())
    assert drawn.tolist() == [[float(decision.a[i][j] - decision.b[i][j]) for j in range(2)] for i in range(2)]
    assert len(Cells(decision._repr_html_()).rows) == 3
    leaders = [search.Leader(one.board, 8, one.expected_rolls + k) for k, one in enumerate(solos)]
    found = search.Search(search.BOARDS, 2, leaders, Fraction(1), 0.0)
    assert [patch.get_width() for patch in found.plot(Figure().subplots()).patches] == [0, 1]
    assert Cells(found._repr_html_()).rows[1][1] == "8"


def test_bearoff_draws_races_cubes_and_tables(ax: Axes) -> None:
    race = summary.race((0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0))
    assert "0.7500" in race.plot(ax).get_title()  # 27 of 36 rolls take a checker off the six point
    assert Cells(race._repr_html_()).rows[1][1].startswith("0.7500000000")
    decision = cube.solve((0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0))
    bars = [patch.get_width() for patch in decision.plot(Figure().subplots()).patches]
    assert bars[0] == pytest.approx(0.5)
    assert bars[4] == 2 * bars[3]
    assert decision.action in decision._repr_html_()
    table = one_sided.solve(2)
    (points,) = table.plot(Figure().subplots()).lines
    assert (max(points.get_xdata()), max(points.get_ydata())) == (12, table.mean.max())
    assert ["positions", "28"] in Cells(table._repr_html_()).rows


def test_the_engine_and_the_comparison_draw_their_bounds(ax: Axes) -> None:
    target = load_target("pig", ["goal=8"], "mdp")
    session = Session(target, target.properties, Options())
    checked = session.compare(session.properties[0])
    assert [label.get_text() for label in checked.plot(ax).get_yticklabels()] == ["Storm", "engine"]
    assert Cells(checked._repr_html_()).rows[2][0] == "engine"
    assert "yes" in Comparison(session.describe(), [checked])._repr_html_()
    other = Checked(session.properties[1], Result(0.5, 0.25, 0.75), None)
    both = Comparison(session.describe(), [checked, other]).plot(Figure().subplots())
    texts = [one.property.text for one in (checked, other)]
    names = [f"{text}: {side}" for text in texts for side in ("Storm", "engine")]
    assert [label.get_text() for label in both.get_yticklabels()] == names
    assert [bar.get_xdata().tolist() for bar in both.lines[4::2]] == [[-0.25, 0.25]]  # two lines a known side
    assert {bar.get_ydata()[0] for bar in both.lines} == {0, 1, 2}
    model = session.native_model
    assert model is not None
    query = Query("probability", model.labels["win1"], all_states(model, True))
    solution = solve(model, query)
    (rising,) = solution.plot(Figure().subplots()).lines
    assert rising.get_ydata().tolist() == sorted(solution.value.tolist())
    assert ["residual", "0.0"] in Cells(solution._repr_html_()).rows
    trace = bounds_by_sweep(model, query, 30)
    drawn = trace.plot(Figure().subplots())
    gap = line(drawn, "upper bound") - line(drawn, "lower bound")
    assert (np.diff(gap) <= 0).all()
    assert 0 <= gap[-1] < gap[0] == 1


def test_farkle_draws_its_chances_a_turn_and_the_game_alone(ax: Axes) -> None:
    rules = farkle_rules.Rules(goal=500, bound=-100)
    solved = farkle_values.solve(rules)
    drawn = np.asarray(solved.plot(ax).images[0].get_array())
    assert drawn.shape == (10, 10)
    assert drawn[0, 0] == solved.at(0, 0).value
    assert ["states", f"{rules.states():,}"] in Cells(solved._repr_html_()).rows
    turn = play.turn(solved, play.Position(0, 0))
    gain = np.ma.asarray(turn.plot(Figure().subplots()).images[0].get_array())
    assert gain.mask[:, :6].all()  # less than 300 points may not be banked
    for dice, ranges in enumerate(Cells(turn._repr_html_()).rows[1:]):
        banked = sum((last - first) // 50 + 1 for first, last in play.bank_totals(turn, dice + 1))
        assert (gain[dice] >= 0).sum() == banked
        assert (ranges[1] == "never") == (banked == 0)
    alone = fewest_turns.fewest_turns(rules)
    lines = alone.plot(Figure().subplots()).lines
    assert len(lines) == rules.farkles
    assert lines[0].get_ydata()[2] == alone.at(0).lower
    assert ["residual", str(alone.residual)] in Cells(alone._repr_html_()).rows


def test_intervals_that_share_no_number_do_not_touch(ax: Axes) -> None:
    one, other = Result(0.5, 0.4, 0.6, method="one"), Result(0.8, 0.7, 0.9)
    plotting.intervals({"one": one, "none": None, "other": other}, ax)
    bars = [bar.get_xdata() for bar in ax.lines[::2]]
    assert bars[0][1] < bars[1][0]
    infinite = plotting.intervals({"infinite": Result(np.inf, np.inf, np.inf)}, Figure().subplots())
    assert infinite.get_xlabel() == "no finite bounds"
    assert len(one.plot(Figure().subplots()).lines) == 2
    exact = Result.from_exact(Fraction(1, 3), method="by hand")
    assert ["exactly", "1/3"] in Cells(exact._repr_html_()).rows


def test_a_published_figure_is_drawn_beside_its_answers(ax: Axes) -> None:
    figure = next(one for one in campaign.load(game="pig") if one.published.text == "0.530593")
    answer = values.solve(Rules()).start()
    outcome = campaign.Outcome(figure, answer, None, "reproduced", True)
    outcome.plot(ax)
    assert ax.lines[0].get_xdata()[0] < ax.lines[2].get_xdata()[0] < ax.lines[0].get_xdata()[1]
    assert ["published", "0.530593"] in Cells(outcome._repr_html_()).rows


def test_tables_are_escaped() -> None:
    text = notebook.facts("<script>", [("a & b", "<img>")]) + notebook.table("<b>", ["<i>"], [["</table>"]])
    assert "<script>" not in text
    assert "<img>" not in text
    assert text.count("</table>") == 2
    assert "a &amp; b" in text
    assert Cells(text).rows[0] == ["a & b", "<img>"]


def test_a_new_figure_is_opened_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    from matplotlib import pyplot as plt

    drawn = plotting.distribution([1.0])
    assert drawn.figure.number in plt.get_fignums()
    plt.close(drawn.figure)


@pytest.mark.parametrize("kind", plotting.FORMATS)
def test_a_picture_is_written_whole_and_the_same_twice(kind: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        figure = plotting.figure(3, 2)
        plotting.distribution([0.5, 0.5], figure.subplots())
        plotting.save(figure, tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    with pytest.raises(UsageError, match=r"a picture is \.png, \.svg or \.pdf"):
        plotting.save(figure, tmp_path / "picture.txt")
    assert len(list(tmp_path.iterdir())) == 2


def test_without_matplotlib_one_sentence_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pymc_games import plotting\n"
        "from pymc_games.errors import UsageError\n"
        "for draw in (plotting.axes, lambda: plotting.figure(1, 1)):\n"
        "    try:\n        draw()\n    except UsageError as error:\n        print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == 2 * [
        "pictures need matplotlib; install the extra with: pip install 'pymc-games[plot]'"
    ]


def test_results_are_computed_and_shown_without_matplotlib() -> None:
    code = (
        "import sys\nfrom pymc_games.games.pig import values\nfrom pymc_games.games.pig.rules import Rules\n"
        "print(values.solve(Rules(goal=10))._repr_html_()[:6], 'matplotlib' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "<table False\n"
