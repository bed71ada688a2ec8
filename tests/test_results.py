"""Every public class that holds an answer draws itself and shows itself in a notebook: found, not listed."""

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq

import pymc_games
from pymc_games import campaign, certificate, joining, memory, notebook, plotting, storm, witness
from pymc_games.compare import Checked, Options, Session
from pymc_games.engine import Query, bimatrix, solve
from pymc_games.engine.query import Solution, all_states
from pymc_games.engine.trace import Trace, bounds_by_sweep
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.explaining import Explanation, explain
from pymc_games.explicit import ExactNumbers, ExplicitModel
from pymc_games.games.bearoff import advice as bearoff_advice
from pymc_games.games.bearoff import analysis, chain, cube, heuristics, one_sided, race, summary, tables, two_sided
from pymc_games.games.bearoff.positions import all_positions, pips
from pymc_games.games.bingo import match, nash, search, solo, strategic, tournament
from pymc_games.games.bingo.board import parse_board
from pymc_games.games.farkle import advice as farkle_advice
from pymc_games.games.farkle import average, fewest_turns, play, reference
from pymc_games.games.farkle import rules as farkle_rules
from pymc_games.games.farkle import study as farkle_study
from pymc_games.games.farkle import values as farkle_values
from pymc_games.games.pig import advice as pig_advice
from pymc_games.games.pig import study as pig_study
from pymc_games.games.pig import values as pig_values
from pymc_games.games.pig.rules import Rules
from pymc_games.loading import explicit_model, load_target
from pymc_games.pipeline import Comparison
from pymc_games.result import Result
from pymc_games.study import Study
from tests.test_plotting import BOARDS, Cells, heights, line

pytest.importorskip("matplotlib")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: Packages that show results to people already.
SHOWS = ("cli", "report", "skeleton", "web")

#: Classes that hold no answer: what is asked and given, what answers are computed with, and rows that the answer
#: beside them draws and shows. A name that is gone, or that draws itself, fails.
NO_ANSWER = {
    "campaign.Figure", "campaign.StormQuery", "published.Published", "compare.Options", "compare.Session",
    "compare.Answers", "executors.Place", "jobs.Job", "jobs.Keeping", "loading.Target", "queries.Question",
    "properties.Property", "properties.Until", "properties.Globally", "engine.query.Query", "games.base.Constant",
    "games.base.Game", "games.base.Variant", "games.plugins.Plugin", "games.pig.rules.Rules",
    "games.farkle.rules.Rules", "games.farkle.play.Position", "storm.programs.Program",

    "arrayfile.Kind", "expressions.Token", "expressions.Literal", "expressions.Name", "expressions.Label",
    "expressions.Operation", "expressions.Reader", "explicit.ExactNumbers", "explicit.RewardModel",
    "engine.bounds.Bounds", "engine.component.Component", "engine.graph.Graph", "engine.local.Folder",
    "engine.problem.Problem", "engine.quotient.Quotient", "engine.sweeps.Rows", "memory.Growth",
    "games.bearoff.successors.Successors", "games.bearoff.two_sided.Side", "games.farkle.fewest_turns.Rolls",
    "games.farkle.model.State", "games.farkle.program.Program", "storm.models.StormModel", "storm.outline.Command",
    "storm.outline.Module", "storm.outline.Outline", "storm.outline.Variable", "umb.reader.Reader",
    "umb.writer.Writer",

    "explaining.Finding", "games.bingo.search.Leader", "games.bingo.search.ShardResult",
}  # fmt: skip


def name_of(one: type) -> str:
    return f"{one.__module__}.{one.__name__}".removeprefix("pymc_games.")


def public_classes() -> dict[str, type]:
    found = {}
    for module in pkgutil.walk_packages(pymc_games.__path__, "pymc_games."):
        if module.name.split(".")[1] in (*SHOWS, "__main__"):
            continue
        for name, one in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(one) and one.__module__ == module.name and not name.startswith("_"):
                found[name_of(one)] = one
    return {name: one for name, one in found.items() if not issubclass(one, Exception)}


ANSWERS = {name: one for name, one in public_classes().items() if name not in NO_ANSWER}

WALK = """mdp
module walk
  x : [0..3] init 0;
  [go] x=0 -> 1/2:(x'=1) + 1/2:(x'=2);
  [back] x=1 -> (x'=0);
  [on] x=1 -> 1/4:(x'=2) + 3/4:(x'=3);
  [end] x>1 -> true;
endmodule
label "won" = x=3;
"""


@cache
def walk() -> ExplicitModel:
    return explicit_model(storm.parse_text(WALK), exact=True)


@cache
def session() -> Session:
    target = load_target("pig", ["goal=8"], "mdp")
    return Session(target, target.properties, Options())


@cache
def boards() -> list[solo.Solo]:
    return [solo.solve(parse_board(board)) for board in BOARDS]


@cache
def farkle() -> farkle_values.Values:
    return farkle_values.solve(FARKLE)


def query() -> Query:
    return Query("probability", walk().labels["won"], all_states(walk(), True))


def certified(folder: Path) -> certificate.Certificate:
    return certificate.write(folder / "c", walk(), query(), solve(walk(), query()), property_text='Pmax=? [F "won"]')


def opened(folder: Path, two: bool = True) -> tables.Table:
    path = folder / f"table{two}"
    if not path.exists():
        tables.build(2, path, two_sided=two)
    return tables.open_table(path)


def both_choose() -> strategic.StrategicGame:
    game = strategic.StrategicGame(boards()[1], boards()[1])
    game.value((0b010101011, 0b010101011))
    return game


def played() -> strategic.Play:
    found = both_choose().play((0b010101011, 0b010101011), 7)
    assert found is not None
    return found


def outcome() -> campaign.Outcome:
    figure = next(one for one in campaign.load(game="pig") if one.published.text == "0.530593")
    return campaign.Outcome(figure, Result(0.5, 0.4, 0.6), None, "reproduced", True)


ONE, SIX = (1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1)
START, FARKLE = play.Position(0, 0), farkle_rules.Rules(goal=500, bound=-100)

#: One answer of each class; the folder is for those that are made of files.
SAMPLES: dict[type, Callable[[Path], Any]] = {
    campaign.Outcome: lambda _: outcome(),
    certificate.Certificate: certified,
    Checked: lambda _: session().check(session().properties[0]),
    bimatrix.Equilibrium: lambda _: bimatrix.mixed_equilibria(*([[fmpq(1), fmpq(0)], [fmpq(0), fmpq(2)]],) * 2)[2],
    Solution: lambda _: solve(walk(), query()),
    Trace: lambda _: bounds_by_sweep(walk(), query(), 9),
    Explanation: lambda _: explain(storm.parse_text(WALK)),
    ExplicitModel: lambda _: walk(),
    analysis.WorstCase: lambda _: analysis.worst_of_rules(2)[0],
    analysis.WorstPlay: lambda _: analysis.worst_play(2),
    chain.AbsorbingChain: lambda _: chain.bearoff_chain(2),
    bearoff_advice.Advice: lambda _: bearoff_advice.advise((0, 0, 0, 0, 1, 1), ONE, (2, 1)),
    cube.CubeDecision: lambda _: cube.solve(SIX, ONE),
    heuristics.Advice: lambda _: heuristics.keith(SIX, ONE),
    one_sided.OneSidedTable: lambda _: one_sided.solve(2),
    race.Play: lambda _: race.plays((0, 0, 0, 0, 1, 1), ONE, (2, 1))[0],
    summary.Race: lambda _: summary.race(SIX, ONE),
    summary.Solo: lambda _: summary.solo(SIX),
    tables.Table: opened,
    two_sided.Equities: lambda _: two_sided.solve(*(two_sided.whole_side(2),) * 2)[0],
    match.Match: lambda _: match.Match(*boards()[:2]),
    match.Outcome: lambda _: match.Match(*boards()[:2]).outcome(),
    match.Timing: lambda _: match.Match(*boards()[:2]).timing(20),
    nash.Decision: lambda _: nash.decide(match.Match(*boards()[:2]), (0, 0), 7),
    search.Search: lambda _: search.Search(1, 1, [search.Leader((7,) * 9, 1, Fraction(6))], Fraction(1), 0.0),
    solo.Solo: lambda _: boards()[0],
    strategic.Play: lambda _: played(),
    strategic.StrategicGame: lambda _: both_choose(),
    tournament.Tournament: lambda _: tournament.tournament([one.board for one in boards()], place="serial"),
    tournament.Triple: lambda _: tournament.Triple((4, 7, 9), (0.25, 0.125, 0.0625)),
    farkle_advice.Advice: lambda _: farkle_advice.advise(farkle(), START, 0, 6, (1, 1, 5, 2, 3, 3)),
    average.Turn: lambda _: average.best_turn(FARKLE, fmpq(0)),
    fewest_turns.Solitaire: lambda _: fewest_turns.fewest_turns(FARKLE),
    play.Option: lambda _: play.turn(farkle(), START).options(0, 6, (1, 1, 5, 2, 3, 3))[0],
    play.Turn: lambda _: play.turn(farkle(), START),
    reference.Reference: lambda _: reference.Reference(Result(0.5, 0.4, 0.6), {(0, 0, 0, 0): Result(0.5, 0.4, 0.6)}),
    farkle_values.Values: lambda _: farkle(),
    pig_advice.Advice: lambda _: pig_advice.advise(Rules(goal=20), 3, 4, 5),
    pig_values.Chances: lambda _: pig_values.solve(Rules(goal=20)).value,
    pig_values.Duel: lambda _: pig_values.solve(Rules(goal=20)),
    joining.Join: lambda _: joining.Join(np.arange(3), np.arange(3), np.arange(2), np.arange(0)),
    memory.Estimate: lambda _: memory.Estimate(1000, 2000, 7000),
    Comparison: lambda _: Comparison(session().describe(), [session().check(one) for one in session().properties]),
    Result: lambda _: Result(0.5, 0.4, 0.6),
    storm.Answer: lambda _: storm.check(storm.build(storm.parse_text(WALK)), 'Pmax=? [F "won"]'),
    Study: lambda _: pig_study.study([10, 20], [4, 6], place="serial"),
    witness.Statement: lambda _: witness.Statement(START, Result(0.5, 0.4, 0.6), Result(0.5, 0.45, 0.55), 7),
}


@pytest.fixture
def ax() -> Axes:
    """Give Axes of a figure that needs no screen."""
    drawn: Axes = Figure().subplots()
    return drawn


def widths(ax: Axes) -> list[float]:
    return [patch.get_width() for patch in ax.patches]


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def image(ax: Axes) -> np.ma.MaskedArray:
    return np.ma.asarray(ax.images[0].get_array())


def test_every_public_class_with_an_answer_draws_and_shows_itself() -> None:
    assert len(ANSWERS) > 40
    assert [name for name, one in ANSWERS.items() if not hasattr(one, "plot")] == []
    assert [name for name, one in ANSWERS.items() if not hasattr(one, "_repr_html_")] == []
    assert {name_of(one) for one in SAMPLES} == set(ANSWERS)


def test_what_is_excused_exists_and_draws_nothing() -> None:
    for name in NO_ANSWER:
        assert not hasattr(public_classes()[name], "plot")
        assert not hasattr(public_classes()[name], "_repr_html_")


@pytest.mark.parametrize("kind", SAMPLES, ids=name_of)
def test_an_answer_draws_into_axes_and_shows_a_table(kind: type, ax: Axes, tmp_path: Path) -> None:
    answer = SAMPLES[kind](tmp_path)
    assert type(answer) is kind
    assert answer.plot(ax) is ax
    assert ax.lines or ax.patches or ax.images
    ax.figure.canvas.draw()
    tables = re.findall(r"<table>.*?</table>", answer._repr_html_(), re.DOTALL)
    assert "".join(tables) == answer._repr_html_()
    assert all(Cells(table).rows for table in tables)


@pytest.mark.parametrize("kind", SAMPLES, ids=name_of)
def test_without_matplotlib_every_answer_says_which_extra(
    kind: type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer = SAMPLES[kind](tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pictures need matplotlib; install the extra with: pip install 'pymc-games"):
        answer.plot()


def test_a_model_draws_how_many_branches_lead_where(ax: Axes) -> None:
    model = walk()
    drawn = image(model.plot(ax))
    counted = np.zeros((4, 4), dtype=int)
    for state in range(4):
        for choice in range(model.state_to_choices[state], model.state_to_choices[state + 1]):
            for branch in range(model.choice_to_branches[choice], model.choice_to_branches[choice + 1]):
                counted[state, model.branch_to_target[branch]] += 1
    assert (drawn.filled(0) == counted).all()
    assert counted.sum() == 7
    rows = Cells(model._repr_html_()).rows
    assert rows[1:4] == [["states", "4"], ["choices", "5"], ["branches", "7"]]
    assert ["most choices of a state", "2"] in rows
    assert ["variable x", "0 to 3"] in rows
    assert ['label "won"', "1 states"] in rows


def test_a_large_model_is_drawn_in_blocks_and_loses_no_branch(ax: Axes) -> None:
    states = 100_001
    rows = np.arange(states + 1)
    target = np.append(np.arange(1, states), states - 1)
    ones = ExactNumbers((Fraction(1),), np.zeros(states, dtype=np.int32))
    labels = {f"<b>{k}": np.zeros(states, dtype=bool) for k in range(1000)}
    model = ExplicitModel("dtmc", rows, rows, target, ones, labels=labels)
    drawn = image(model.plot(ax))
    assert max(drawn.shape) <= 200
    assert drawn.sum() == states
    shown = model._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;0" in shown
    assert len(shown) < 10_000


def test_a_certificate_draws_how_wide_its_bounds_are(ax: Axes, tmp_path: Path) -> None:
    proven = certified(tmp_path)
    solution = solve(walk(), query())
    widest = float((solution.upper - solution.lower).max())
    assert proven.gaps.tolist() == (solution.upper - solution.lower).tolist()
    assert sum(widths(proven.plot(ax))) == 4
    assert names(ax)[0] == "0"
    rows = dict(Cells(proven._repr_html_()).rows[0:])
    assert rows["proven"] == 'Pmax=? [F "won"] of the model, 4 states'
    assert float(rows["at least"]) <= 3 / 8 <= float(rows["at most"])  # going on, not back, from 1
    assert float(rows["widest bounds"]) == widest


def test_decades_count_every_number_once(ax: Axes) -> None:
    plotting.decades([0.0, 0.0, 2e-17, 9e-17, 1.5e-15, np.inf], ax, unit="states", meaning="gap")
    assert dict(zip(names(ax), widths(ax), strict=True)) == {
        "0": 2, "1e-17 to 1e-16": 2, "1e-16 to 1e-15": 0, "1e-15 to 1e-14": 1, "infinite": 1,
    }  # fmt: skip
    assert widths(plotting.decades([0.0], Figure().subplots(), unit="states", meaning="gap")) == [1]


def test_an_explanation_draws_what_the_model_contains_and_escapes_its_text(ax: Axes) -> None:
    found = explain(storm.parse_text(WALK.replace("3/4:(x'=3)", "3/4:(x'=2)")))
    found.plot(ax)
    assert dict(zip(names(ax), widths(ax), strict=True)) == {"all states": 3, "deadlocks": 0, '"won"': 0}
    shown = found._repr_html_()
    assert "no reachable state carries it" in shown
    evil = Explanation({**found.contents, "name": "<script>"}, [*found.findings])
    assert "<script>" not in evil._repr_html_()


def test_a_chain_draws_when_it_is_absorbed(ax: Axes) -> None:
    six = one_sided.solve(1)
    # One checker on the six point: 27 of 36 rolls bear it off at once, and any second roll does.
    chain.bearoff_chain(1).plot(ax)
    assert heights(ax)[:3] == pytest.approx([0, 27 / 36, 9 / 36])
    assert sum(heights(ax)) == pytest.approx(1)
    assert line(ax, f"expected: {six.mean[-1]:.4g}") is not None
    rows = dict(Cells(chain.bearoff_chain(1)._repr_html_()).rows)
    assert (rows["transient states"], float(rows["most expected steps"])) == ("6", pytest.approx(1.25))
    near = chain.bearoff_chain(1).plot(Figure().subplots(), start=0)
    assert sum(heights(near)[:2]) == pytest.approx(1)


def test_bearoff_draws_plays_rules_and_tables(ax: Axes, tmp_path: Path) -> None:
    worst = analysis.worst_play(3)
    worst.plot(ax)
    assert heights(ax) == [*worst.own, *worst.solo_play, *worst.best_play]
    case = next(one for one in analysis.worst_of_rules(2) if one.rule == "kleinman")
    assert heights(case.plot(Figure().subplots())) == [*case.own, *case.other]
    assert ["the truth", case.truth] in Cells(case._repr_html_()).rows
    advice = heuristics.keith(SIX, ONE)
    assert widths(advice.plot(Figure().subplots())) == [advice.own, advice.other]
    side = two_sided.whole_side(2)
    equities, _ = two_sided.solve(side, side)
    assert (image(equities.plot(Figure().subplots())) == equities.centred).all()
    two = opened(tmp_path)
    drawn = image(two.plot(Figure().subplots()))
    place = side.place(SIX)
    assert drawn[place, place] == pytest.approx(two.win(SIX, SIX).value)
    (points,) = opened(tmp_path, two=False).plot(Figure().subplots()).lines
    assert points.get_ydata().tolist() == one_sided.solve(2).mean.tolist()
    assert points.get_xdata().tolist() == [pips(tuple(counts)) for counts in all_positions(2).tolist()]


def test_a_table_that_was_damaged_is_not_drawn(ax: Axes, tmp_path: Path) -> None:
    for two in (True, False):
        path = opened(tmp_path, two).path
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        with pytest.raises(FileFormatError):
            tables.open_table(path).plot(ax)


def test_bingo_draws_ends_mixes_and_circles(ax: Axes) -> None:
    game = match.Match(*boards()[:2])
    ends = game.outcome()
    assert widths(ends.plot(ax)) == [float(end) for end in ends]
    assert [Fraction(row[2]) for row in Cells(ends._repr_html_()).rows[1:]] == list(ends)
    timing = game.timing(20)
    assert line(timing.plot(Figure().subplots()), "tie")[-1] == pytest.approx(timing.tie.sum())
    assert [row[0] for row in Cells(timing._repr_html_()).rows] == ["rolls", "0", "1", "2", "4", "8", "16", "20"]
    turn = played()
    assert len(turn.rows) == len(turn.columns) == 4
    drawn = widths(turn.plot(Figure().subplots()))
    assert sum(drawn[:4]) == sum(drawn[4:]) == 1
    both = both_choose()
    (rising,) = both.plot(Figure().subplots()).lines
    assert rising.get_ydata().tolist() == sorted(float(value) for value in both.values.values())
    assert strategic.StrategicGame(*boards()[:2]).plot(Figure().subplots()).get_title() == "0 joint states solved"
    triple = SAMPLES[tournament.Triple](Path())
    assert names(triple.plot(Figure().subplots())) == ["4 beats 7", "7 beats 9", "9 beats 4"]
    # Battle of the sexes: each plays the own favourite twice as often.
    a, b = [[fmpq(2), fmpq(0)], [fmpq(0), fmpq(1)]], [[fmpq(1), fmpq(0)], [fmpq(0), fmpq(2)]]
    mixed = bimatrix.mixed_equilibria(a, b)[2]
    assert widths(mixed.plot(Figure().subplots())) == pytest.approx([2 / 3, 1 / 3, 1 / 3, 2 / 3])
    assert Cells(mixed._repr_html_()).rows[1][2] == "2/3"


def test_advice_draws_the_chances_it_compares(ax: Axes) -> None:
    advice = pig_advice.advise(Rules(goal=20), 3, 4, 5)
    advice.plot(ax)
    assert names(ax) == ["roll", "hold"]
    assert ax.lines[3].get_xdata()[0] == pytest.approx(advice.hold.value - advice.roll.value, abs=1e-15)
    first = pig_advice.advise(Rules(goal=20), 3, 4, 0)
    assert [row[0] for row in Cells(first._repr_html_()).rows] == ["choice", "roll"]
    found = farkle_advice.advise(farkle(), START, 0, 6, (1, 1, 5, 2, 3, 3))
    found.plot(Figure().subplots())
    rows = Cells(found._repr_html_()).rows
    assert [row[0] for row in rows[1:]] == [*(option.said for option in found.options), "farkle"]
    plays = bearoff_advice.advise((2, 0, 0, 1, 0, 0), (2, 0, 0, 0, 1, 0), (2, 1))
    assert names(plays.plot(Figure().subplots())) == ["4/2 1/off", "4/2 2/1"]
    assert [row[:2] for row in Cells(plays._repr_html_()).rows[1:]] == [
        ["4/2 1/off", "1,1,0,0,0,0"], ["4/2 2/1", "3,0,0,0,0,0"],
    ]  # fmt: skip


def test_a_farkle_turn_and_its_reference_draw_their_numbers(ax: Axes) -> None:
    turn = average.best_turn(FARKLE, fmpq(0))
    assert widths(turn.plot(ax)) == [float(1 - turn.farkle), float(turn.farkle)]
    results = {(k, 0, 0, 0): Result(0.5 + k / 10, 0.5, 1.0) for k in range(3)}
    (rising,) = reference.Reference(results[0, 0, 0, 0], results).plot(Figure().subplots()).lines
    assert rising.get_ydata().tolist() == [0.5, 0.6, 0.7]


def test_a_study_is_a_list_that_draws_a_line_for_each_case(ax: Axes) -> None:
    found = pig_study.study([10, 15, 20], [4, 6], place="serial")
    assert len(found) == 6
    found.plot(ax)
    for die in (4, 6):
        chances = [pig_values.solve(Rules(goal, die)).start().value for goal in (10, 15, 20)]
        assert line(ax, f"die {die}, bust 1").tolist() == chances
    assert Cells(found._repr_html_()).rows[0][:3] == ["goal", "die", "bust"]
    many = Study(({"<i>": k, "value": 0.5} for k in range(10_000)), title="<b>", across="<i>", by=())
    assert "the first 100 of 10,000 rows" in many._repr_html_()
    assert len(Cells(many._repr_html_()).rows) == 101
    house = farkle_study.study(
        [("a", farkle_rules.Rules(goal=500, bound=bound)) for bound in (0, -100)], place="serial"
    )
    assert line(house.plot(Figure().subplots()), "rules a, goal 500").tolist() == [row["value"] for row in house]


def test_pictures_of_many_numbers_stay_small_and_keep_their_ends(ax: Axes) -> None:
    values = np.linspace(0, 1, 1_000_000)
    (rising,) = plotting.ranked(values, values, values, ax, unit="states").lines
    assert len(rising.get_ydata()) == plotting.MOST_POINTS
    assert (rising.get_xdata()[-1], rising.get_ydata()[-1]) == (999_999, 1)
    large = np.arange(1201 * 700, dtype=np.float64).reshape(1201, 700)
    drawn = plotting.heat_map(large, Figure().subplots(), rows="r", columns="c", meaning="m")
    assert max(image(drawn).shape) <= plotting.MOST_CELLS
    assert image(drawn)[100, 10] == large[300, 20]
    assert drawn.images[0].get_extent() == [-0.5, 699.5, -0.5, 1200.5]


def test_rows_that_a_notebook_shows_double_and_end_with_the_last() -> None:
    assert notebook.doubling(1) == [0]
    assert notebook.doubling(10) == [0, 1, 2, 4, 8, 9]
