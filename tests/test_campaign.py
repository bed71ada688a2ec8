"""The campaign on figures of our own: reading, verdicts, exit status, and the JSON document."""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from pymc_games import campaign, prism
from pymc_games.campaign import Figure, Outcome, StormQuery
from pymc_games.cli.verify import verify
from pymc_games.errors import FileFormatError, StormError, UsageError
from pymc_games.games.base import Game, Variant, integer
from pymc_games.published import Published
from pymc_games.result import Result

FIGURE = """
game = "pig"
[[figure]]
id = "pig.first"
source = "A book"
published = "0.5"
native = "half"
"""


def half(*, of: int = 1) -> Fraction:
    return Fraction(of, 2)


def bold_claim() -> bool:
    return False


def broken() -> Result:
    raise UsageError("the goal must be positive")


def measured() -> Result:
    return Result(0.5, 0.4999, 0.5001, method="float")


def nonsense() -> str:
    return "half"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this file's functions be Pig's native figures."""
    module = ModuleType("pymc_games.games.pig.figures")
    for function in (half, bold_claim, broken, measured, nonsense):
        setattr(module, function.__name__, function)
    monkeypatch.setitem(sys.modules, module.__name__, module)


def figure(published: str, native: str | None = "half", **more: Any) -> Figure:
    return Figure("pig", "pig.first", "A book", Published.parse(published), native, **more)


def outcome_of(figure: Figure, *, quick: bool = False) -> Outcome:
    (outcome,) = campaign.run([figure], quick=quick)
    return outcome


@pytest.fixture
def storm_says(monkeypatch: pytest.MonkeyPatch) -> Callable[[Result], None]:
    def install(result: Result) -> None:
        monkeypatch.setattr(campaign, "_ask_storm", lambda figure: result)

    return install


QUERY = StormQuery("mdp", 'Pmax=? [ F "win1" ]')


@pytest.mark.usefixtures("computed")
class TestVerdicts:
    @pytest.mark.parametrize("published", ["0.5", "50 %", "1/2", "0.500000"])
    def test_reproduced(self, published: str) -> None:
        outcome = outcome_of(figure(published))
        assert (outcome.verdict, outcome.as_expected) == ("reproduced", True)
        assert outcome.native is not None
        assert outcome.native.exact == Fraction(1, 2)

    @pytest.mark.parametrize("published", ["0.51", "1/3", "0.500001", "1"])
    def test_a_wrong_figure_differs_unexpectedly(self, published: str) -> None:
        outcome = outcome_of(figure(published))
        assert (outcome.verdict, outcome.as_expected) == ("differs", False)

    def test_a_figure_known_not_to_hold_is_expected_to_differ(self) -> None:
        assert outcome_of(figure("0.51", holds=False, note="it is 0.5")).as_expected
        assert not outcome_of(figure("0.5", holds=False, note="it is not")).as_expected

    def test_claims_are_true_or_false(self) -> None:
        assert outcome_of(figure("true", "bold_claim")).verdict == "differs"
        assert outcome_of(figure("false", "bold_claim")).verdict == "reproduced"

    def test_arguments_reach_the_function(self) -> None:
        assert outcome_of(figure("3/2", arguments={"of": 3})).verdict == "reproduced"

    @pytest.mark.parametrize(
        ("native", "arguments", "reason"),
        [
            ("broken", {}, "the goal must be positive"),
            ("absent", {}, "has no function 'absent'"),
            ("half", {"goal": 3}, "unexpected keyword argument 'goal'"),
            ("nonsense", {}, "returned 'half'"),
        ],
    )
    def test_what_cannot_be_computed_is_not_run_and_says_why(
        self, native: str, arguments: dict[str, int], reason: str
    ) -> None:
        outcome = outcome_of(figure("0.5", native, arguments=arguments))
        assert (outcome.verdict, outcome.as_expected) == ("not run", False)
        assert reason in outcome.reason

    def test_long_figures_are_left_out_by_quick_only(self) -> None:
        quick = outcome_of(figure("0.5", long=True), quick=True)
        assert (quick.verdict, quick.as_expected, quick.native) == ("not run", True, None)
        assert outcome_of(figure("0.5", long=True)).verdict == "reproduced"

    def test_storm_must_agree_with_the_native_answer(self, storm_says: Callable[[Result], None]) -> None:
        storm_says(Result(0.5, 0.4999999, 0.5000001))
        assert outcome_of(figure("0.5", storm=QUERY)).as_expected
        storm_says(Result(0.5001, 0.50005, 0.50015))
        outcome = outcome_of(figure("0.5", storm=QUERY))
        assert (outcome.verdict, outcome.as_expected) == ("reproduced", False)
        assert "are apart" in outcome.reason

    @pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, math.inf)])
    def test_storm_s_useless_bounds_are_no_agreement(
        self, storm_says: Callable[[Result], None], bounds: tuple[float, float]
    ) -> None:
        storm_says(Result(0.5, *bounds))
        outcome = outcome_of(figure("0.5", storm=QUERY))
        assert not outcome.as_expected
        assert "too wide to tell" in outcome.reason

    def test_storm_alone_decides_where_nothing_native_is_named(self, storm_says: Callable[[Result], None]) -> None:
        storm_says(Result(0.5, 0.4999999, 0.5000001))
        assert outcome_of(figure("0.500", None, storm=QUERY)).verdict == "reproduced"
        assert outcome_of(figure("0.501", None, storm=QUERY)).verdict == "differs"

    def test_storm_s_failure_is_not_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(figure: Figure) -> Result:
            raise StormError("Storm gave no answer")

        monkeypatch.setattr(campaign, "_ask_storm", fail)
        outcome = outcome_of(figure("0.5", storm=QUERY))
        assert (outcome.verdict, outcome.as_expected) == ("not run", False)
        assert outcome.native is not None
        assert outcome.reason == "Storm gave no answer"


COIN = """
dtmc
const int goal = {goal};
module coin
  heads : [0..goal] init 0; // in a row
  tails : bool init false;
  [] heads<goal & !tails -> 1/2 : (heads'=heads+1) + 1/2 : (tails'=true);
  [] heads=goal | tails -> true;
endmodule
label "won" = heads=goal;
"""


@pytest.mark.parametrize(("exact", "published"), [(True, "1/8"), (False, "0.125")])
def test_storm_is_asked_about_the_rendered_model(monkeypatch: pytest.MonkeyPatch, exact: bool, published: str) -> None:
    variant = Variant("chain", "dtmc", "", "coin.prism.j2", "coin.props.j2", dict)
    coin = Game("coin", "Coin", "", (integer("goal", 9, "", 1, 9),), (variant,))
    monkeypatch.setattr(campaign.games, "get", {"coin": coin}.get)
    monkeypatch.setattr(prism, "render", lambda template, context, folder: COIN.format(**context))
    query = StormQuery("chain", 'P=? [ F "won" ]', {"goal": 3}, exact)
    asked = Figure("coin", "coin.run", "By hand", Published.parse(published), storm=query)
    outcome = outcome_of(asked)
    assert (outcome.verdict, outcome.as_expected, outcome.reason) == ("reproduced", True, "")
    assert outcome.storm is not None
    assert (outcome.storm.exact == Fraction(1, 8)) is exact
    bad = Figure("coin", "coin.run", "By hand", asked.published, storm=replace(query, property='P=? [ F "lost" ]'))
    assert outcome_of(bad).verdict == "not run"
    assert "lost" in outcome_of(bad).reason


@pytest.mark.parametrize(
    ("answer", "value", "exact"),
    [(True, 1.0, 1), (np.bool_(False), 0.0, 0), (np.int64(7), 7.0, 7), (np.float64(0.5), 0.5, None), (3, 3.0, 3)],
)
def test_numbers_of_all_kinds_become_results(answer: object, value: float, exact: int | None) -> None:
    result = campaign._as_result(answer, "f", 0.0)
    assert (result.value, result.exact) == (value, exact)
    json.dumps(result.to_json())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"0.5"', '"a half"', r"figure 1 \(pig.first\): 'a half' is no printed number"),
        ('"0.5"', "0.5", "'published' must be of type str, not 0.5"),
        ("native =", "nativ =", "unknown key 'nativ'; did you mean native?"),
        ('source = "A book"', "", "the key 'source' is missing"),
        ('native = "half"', "", "give 'native', 'storm' or both"),
        ('"pig.first"', '"bingo.first"', "the id must begin with 'pig.'"),
        ('native = "half"', "holds = false\nnative = 'half'", "a 'note' must say what does"),
        ('native = "half"', "storm = { model = 'mdp' }", "storm: the key 'property' is missing"),
        ('native = "half"', "storm = { model = 'mdp', property = 'P', exakt = true }", "unknown key 'exakt'"),
        ('game = "pig"', "", "the key 'game' is missing"),
        ('game = "pig"', "game = ", "cannot be read as TOML"),
        ("[[figure]]", "[figure]", "'figure' must be of type list"),
    ],
)
def test_a_malformed_figure_is_refused_with_its_place(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    (tmp_path / "pig.toml").write_text(FIGURE.replace(old, new))
    with pytest.raises(FileFormatError, match=complaint) as error:
        campaign.load(tmp_path)
    assert str(tmp_path / "pig.toml") in str(error.value)


def test_a_figure_that_stands_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pig.toml").write_text(FIGURE + FIGURE.replace('game = "pig"', ""))
    with pytest.raises(FileFormatError, match=r"'pig.first' stands there twice"):
        campaign.load(tmp_path)


def test_figures_of_one_game_or_all(tmp_path: Path) -> None:
    (tmp_path / "pig.toml").write_text(FIGURE)
    (tmp_path / "bingo.toml").write_text(FIGURE.replace("pig", "bingo"))
    assert [f.id for f in campaign.load(tmp_path)] == ["bingo.first", "pig.first"]
    assert [f.id for f in campaign.load(tmp_path, "pig")] == ["pig.first"]
    with pytest.raises(UsageError, match="there is no game 'bearof'; did you mean bearoff"):
        campaign.load(tmp_path, "bearof")


def test_the_project_s_own_figures_are_well_formed() -> None:
    for entry in campaign.load():
        assert entry.source, entry.id


@pytest.mark.usefixtures("computed")
class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = tmp_path / "figures" / "pig.toml"
        self.path.parent.mkdir()
        self.path.write_text(FIGURE)
        monkeypatch.setattr(campaign, "data_folder", lambda name: tmp_path)

    def test_the_document(self) -> None:
        run = CliRunner().invoke(verify, ["--json", "-"])
        document = json.loads(run.stdout)
        assert run.exit_code == 0
        (entry,) = document["figures"]
        assert {"id", "source", "published", "storm", "native", "verdict", "note"} <= set(entry)
        assert (entry["id"], entry["published"], entry["storm"]) == ("pig.first", "0.5", None)
        assert (entry["verdict"], entry["native"]["exact"]["den"]) == ("reproduced", "2")
        assert document["seconds"] >= 0

    def test_the_table_names_figure_source_and_verdict(self) -> None:
        run = CliRunner().invoke(verify, [])
        assert run.exit_code == 0
        for word in ("pig", "first", "A book", "reproduced", "1/2", "all as expected"):
            assert word in run.stdout

    def test_a_figure_that_differs_is_exit_status_1(self) -> None:
        self.path.write_text(FIGURE.replace("0.5", "0.6"))
        run = CliRunner().invoke(verify, [])
        assert run.exit_code == 1
        assert "not as expected: pig.first" in run.stdout

    def test_a_document_in_a_file_leaves_the_table_on_the_screen(self, tmp_path: Path) -> None:
        run = CliRunner().invoke(verify, ["--json", str(tmp_path / "v.json")])
        assert "reproduced" in run.stdout
        assert json.loads((tmp_path / "v.json").read_text())["figures"][0]["verdict"] == "reproduced"
