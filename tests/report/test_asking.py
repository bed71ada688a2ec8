"""Questions that static pages answer themselves: the packed tables against the solvers, and what a browser shows."""

import base64
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click.testing
import numpy as np
import pytest

from pymc_games.cli.main import cli
from pymc_games.games.bearoff import race
from pymc_games.games.bearoff.moves import ROLLS
from pymc_games.games.bearoff.positions import all_positions
from pymc_games.games.bearoff.positions import show as written
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.report.site import asking, build
from tests.browsing import POOR_CONTRAST, enter, find, show, unnamed

#: By how much a packed chance, and one shown in per cent with six decimals, is off at most.
PACKED = 0.51 / (2**32 - 1)
SHOWN = 0.5e-8 + PACKED

ANSWER = "[data-answer]"


def unpacked(data: str) -> np.ndarray:
    document = json.loads(data)
    octets = base64.b64decode(document["chances"])
    whole = [int.from_bytes(octets[k : k + 4], "little") for k in range(0, len(octets), 4)]
    return np.array(whole) / document["scale"]


def test_the_packed_table_of_pig_is_the_solver_s_and_decides_every_turn_as_it_does() -> None:
    duel = values.solve(Rules())
    starts = unpacked(asking.pig(duel)["data"]).reshape(100, 100)
    assert np.abs(starts - duel.value.moving[:, :, 0]).max() <= PACKED
    # Two chances from the table are off by less than the narrowest decision of the game, so no action is told wrongly.
    own, _, total = np.indices((100, 100, 100))
    open_ = (own + total < 100) & (total > 0)
    narrowest = np.abs(duel.value.after_holds() - duel.value.after_rolls())[open_].min()
    assert narrowest > 4 * PACKED


def test_the_packed_table_of_the_bearoff_is_the_solver_s() -> None:
    data = asking.bearoff()["data"]
    positions = json.loads(data)["positions"]
    assert positions == [written(tuple(counts)) for counts in all_positions(asking.CHECKERS).tolist()[1:]]
    on_roll = unpacked(data).reshape(len(positions), -1)
    for own, other in ((0, 0), (82, 5), (40, 71), (17, 82), (66, 66)):
        ours, theirs = (tuple(map(int, positions[place].split(","))) for place in (own, other))
        assert abs(on_roll[own, other] - race.optimal(ours, theirs).value) <= PACKED


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages with their pictures and questions, and without the evidence."""
    folder = tmp_path_factory.mktemp("asking") / "site"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("models", "figures"):
            patch.setattr(build.evidence, name, lambda *_, **__: [])
        build.build(folder, ("bearoff", "pig"), quick=True, started=lambda _: None)
    return folder


def advised(*arguments: str) -> dict[str, Any]:
    """Return what a command says as JSON."""
    run = click.testing.CliRunner().invoke(cli, [*arguments, "--json", "-"], catch_exceptions=False)
    return dict(json.loads(run.stdout))


def shown(browser: Any) -> dict[str, float]:
    """Return the chances in the answer, by choice, the best first."""
    rows = browser.execute_script(
        """return [...document.querySelectorAll("[data-answer] tbody tr")]
             .map(row => [...row.children].map(cell => cell.textContent))"""
    )
    return {choice: float(chance.removesuffix(" %")) / 100 for choice, chance in rows}


def turns() -> Iterator[tuple[int, int, int]]:
    """Yield positions from all over the game, its edges among them."""
    yield from ((0, 0, 0), (0, 0, 20), (0, 0, 21), (99, 99, 0), (0, 99, 99), (98, 0, 1), (0, 0, 99))
    drawn = random.Random(7)
    for _ in range(15):
        own, other = drawn.randrange(100), drawn.randrange(100)
        yield own, other, drawn.randrange(100 - own)


def test_pig_answers_as_the_command(browser: Any, site: Path) -> None:
    show(browser, site / "pig.html")
    for own, other, turn in turns():
        enter(browser, own=own, other=other, turn=turn)
        told = advised("pig", "advise", "--own", str(own), "--other", str(other), "--turn", str(turn))
        chances = shown(browser)
        assert next(iter(chances)) == told["action"]
        assert set(chances) == ({"roll", "hold"} if turn else {"roll"})
        for choice, chance in chances.items():
            assert abs(chance - told[choice]["value"]) <= SHOWN, (own, other, turn, choice)
        text = find(browser, ANSWER).text
        assert f"{own} to {other}, turn total {turn}" in text
        assert f"Best: {told['action']}" in text
        if turn:
            lead = re.search(r"by ([\d.]+) percentage points", text)
            assert lead is not None
            assert abs(float(lead[1]) / 100 - told["margin"]["value"]) <= SHOWN + PACKED
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(
    ("fields", "at", "says"),
    [
        ({"own": "x"}, "own", "own score 'x': write a whole number"),
        ({"own": "1.5"}, "own", "own score '1.5': write a whole number"),
        ({"other": ""}, "other", "opponent's score '': write a whole number"),
        ({"own": "NaN"}, "own", "own score 'NaN': write a whole number"),
        ({"own": "-1"}, "own", "own score -1: must lie between 0 and 99"),
        ({"other": "100"}, "other", "opponent's score 100: must lie between 0 and 99"),
        ({"turn": "1e3"}, "turn", "turn total '1e3': write a whole number"),
        ({"turn": "9" * 60}, "turn", f"turn total '{'9' * 40}…': write a whole number"),
        ({"own": "90", "turn": "10"}, "turn", "own score 90 and turn total 10 make the goal of 100: the game is won"),
        ({"own": "<b>"}, "own", "own score '<b>': write a whole number"),
    ],
)
def test_pig_refuses_nonsense_in_a_sentence(
    browser: Any, site: Path, fields: dict[str, str], at: str, says: str
) -> None:
    show(browser, site / "pig.html")
    enter(browser, **({"own": "0", "other": "0", "turn": "20"} | fields))
    refused(browser, at, says)
    if at == "turn":
        assert browser.execute_script(POOR_CONTRAST) == []
    enter(browser, own=0, other=0, turn=21)
    assert "Best: hold" in find(browser, ANSWER).text
    assert browser.find_elements("css selector", "[aria-invalid]") == []


def refused(browser: Any, at: str, says: str) -> None:
    """Check that a sentence stands in the answer's place and the field has the focus and is marked."""
    assert find(browser, ANSWER).text == says
    field = find(browser, f"#{at}")
    assert field.get_attribute("aria-invalid") == "true"
    assert browser.switch_to.active_element == field
    assert browser.get_log("browser") == []


def before_roll(browser: Any) -> float:
    """Return the chance to win before the roll, as shown."""
    found = re.search(r"Before the roll your chance to win is ([\d.]+) %", find(browser, ANSWER).text)
    assert found is not None
    return float(found[1]) / 100


def test_bearoff_answers_as_the_solver(browser: Any, site: Path) -> None:
    show(browser, site / "bearoff.html")
    drawn = random.Random(5)
    everything = [tuple(counts) for counts in all_positions(asking.CHECKERS).tolist()[1:]]
    asked = [(drawn.choice(everything), drawn.choice(everything), drawn.choice(ROLLS)) for _ in range(15)]
    for own, other, roll in [*asked, *asking.BEAROFF_EXAMPLES]:
        dice = "{}-{}".format(*(roll if drawn.random() < 0.5 else roll[::-1]))
        enter(browser, position=written(own), opponent=written(other), roll=dice)
        plays, chances = race.plays(own, other, roll), shown(browser)
        assert set(chances) == {play.text for play in plays}
        for play in plays:
            assert abs(chances[play.text] - play.win.value) <= SHOWN, (own, other, roll, play.text)
        text = find(browser, ANSWER).text
        if len(plays) == 1:
            assert f"Best: {plays[0].text}, the only choice" in text
        elif plays[0].win.value - plays[1].win.value < 1e-11:
            assert "cannot tell it from" in text
        else:
            assert f"Best: {plays[0].text}, ahead of" in text
        assert abs(before_roll(browser) - race.optimal(own, other).value) <= SHOWN
    enter(browser, position="0,1,0,0,1,0", opponent="0,1,1,0,0,0", roll="")
    # The GNU Backgammon manual's example, 5 and 2 on roll against 3 and 2: 67.1 %.
    assert f"{100 * before_roll(browser):.1f}" == "67.1"
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(
    ("fields", "at", "says"),
    [
        ({"position": "1,2"}, "position", "position '1,2' has 2 counts; write six, the ace point first"),
        ({"position": "1,x,0,0,0,0"}, "position", "position '1,x,0,0,0,0': write six whole numbers"),
        ({"opponent": "0,0,0,0,0,0"}, "opponent", "position '0,0,0,0,0,0' is empty: this player has won"),
        ({"opponent": "0,-1,0,0,0,2"}, "opponent", "position '0,-1,0,0,0,2' has a negative count"),
        ({"position": "0,0,0,0,0,4"}, "position", "position '0,0,0,0,0,4' has 4 checkers"),
        ({"roll": "7-1"}, "roll", "roll '7-1': write two dice with faces 1 to 6, as in 6-5, or leave it empty"),
        ({"roll": "6"}, "roll", "roll '6': write two dice"),
    ],
)
def test_bearoff_refuses_nonsense_in_a_sentence(
    browser: Any, site: Path, fields: dict[str, str], at: str, says: str
) -> None:
    show(browser, site / "bearoff.html")
    enter(browser, **({"position": "0,0,0,0,0,1", "opponent": "1,0,0,0,0,0", "roll": "1-1"} | fields))
    told = find(browser, ANSWER).text
    assert told.startswith(says)
    refused(browser, at, told)


@pytest.mark.parametrize("name", ["bearoff", "pig"])
def test_a_screen_reader_is_told_the_answer_and_the_names_of_fields(browser: Any, site: Path, name: str) -> None:
    show(browser, site / f"{name}.html")
    assert find(browser, ANSWER).get_attribute("aria-live") == "polite"
    assert find(browser, f"{ANSWER} h3").text
    assert unnamed(browser) == []


@pytest.mark.parametrize("name", ["bearoff", "pig"])
def test_examples_read_without_a_script_and_there_is_no_dead_form(browser: Any, site: Path, name: str) -> None:
    show(browser, site / f"{name}.html", scripts=False)
    assert not find(browser, "form.ask").is_displayed()
    text = find(browser, "main").text
    if name == "pig":
        told = advised("pig", "advise", "--own", "0", "--other", "0", "--turn", "21")
        expected = ["0 to 0, turn total 21", *(f"{100 * told[choice]['value']:.6f} %" for choice in ("roll", "hold"))]
    else:
        best = race.plays((0, 0, 0, 0, 0, 3), (2, 0, 0, 0, 1, 0), (1, 1))[0]
        expected = ["0,0,0,0,0,3 2,0,0,0,1,0 1-1", best.text, f"{100 * best.win.value:.6f} %"]
    for piece in expected:
        assert piece in text


def test_what_is_embedded_stays_small(site: Path) -> None:
    for name, most in (("pig", 54_000), ("bearoff", 40_000)):
        text = (site / f"{name}.html").read_text()
        found = re.search(r'"chances":"([^"]+)"', text)
        assert found is not None
        assert len(found[1]) < most
