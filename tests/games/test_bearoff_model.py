"""The templates against the Python rules, state by state, and both against Storm's exact answers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from pymc_games import games, prism, storm
from pymc_games.explicit import ExplicitModel
from pymc_games.games.base import Variant
from pymc_games.games.bearoff import exact
from pymc_games.games.bearoff.positions import Position, parse, show

GAME = games.get("bearoff")
START = "0,1,0,1,0,1"


def texts(variant: Variant, position: str = START) -> tuple[str, str]:
    context = variant.context(GAME.bind([f"position={position}"]))
    return prism.render(variant.template, context), prism.render(variant.properties, context)


def transitions(model: ExplicitModel) -> dict[Any, list[Any]]:
    """Map each state's valuation to its choices, each a sorted list of (target's valuation, probability)."""
    names = sorted(model.variables)
    values = [tuple(int(model.variables[name][state]) for name in names) for state in range(model.states)]
    probabilities = model.branch_to_probability
    rows = {}
    for state, valuation in enumerate(values):
        choices = []
        for choice in range(model.state_to_choices[state], model.state_to_choices[state + 1]):
            branches = range(model.choice_to_branches[choice], model.choice_to_branches[choice + 1])
            choices.append(sorted((values[model.branch_to_target[b]], float(probabilities[b])) for b in branches))
        rows[valuation] = sorted(choices)
    return rows


@pytest.mark.parametrize("name", ["solo", "chain"])
@pytest.mark.parametrize("position", [START, "0,0,0,0,0,2", "2,1,0,1,0,0"])
def test_template_and_rules_are_one_model(name: str, position: str) -> None:
    variant = GAME.variant(name)
    assert variant.explicit is not None
    ours = variant.explicit(GAME.bind([f"position={position}"]))
    ours.validate()
    theirs = storm.to_explicit(storm.build(storm.parse_text(texts(variant, position)[0])))
    assert transitions(ours) == transitions(theirs)
    assert ours.label("off").sum() == theirs.label("off").sum() == 1


def test_a_template_without_the_duty_to_use_both_dice_differs() -> None:
    variant = GAME.variant("solo")
    text = re.sub(r" & !\(checkers = 1 & other > 0 & other < \d\)", "", texts(variant)[0])
    assert variant.explicit is not None
    ours = variant.explicit(GAME.bind([f"position={START}"]))
    assert transitions(ours) != transitions(storm.to_explicit(storm.build(storm.parse_text(text))))


@pytest.mark.parametrize("name", ["solo", "chain"])
def test_storm_confirms_every_stated_result(name: str) -> None:
    text, properties = texts(GAME.variant(name))
    stated = re.findall(r'// RESULT: (\S+)\n("\w+": [^;]+);', properties)
    assert stated
    answers = storm.check_text(text, [prop.split(": ", 1)[1] for _, prop in stated], exact=True)
    assert [answer.exact for answer in answers] == [Fraction(result) for result, _ in stated]


@pytest.mark.parametrize(
    ("position", "rolls"), [((0, 0, 0, 0, 1, 1), Fraction(11431, 5832)), ((0, 0, 0, 0, 0, 2), Fraction(49213, 23328))]
)
def test_storm_reproduces_published_fractions(position: Position, rolls: Fraction) -> None:
    text, _ = texts(GAME.variant("solo"), show(position))
    (answer,) = storm.check_text(text, ['R{"rolls"}min=? [ F "off" ]'], exact=True)
    assert answer.exact == rolls


def test_simulated_games_take_as_long_as_expected() -> None:
    assert GAME.simulate is not None
    constants = GAME.bind([f"position={START}"])
    rolls = GAME.simulate(constants, 4000, 7)
    error = rolls.std(ddof=1) / len(rolls) ** 0.5
    assert abs(rolls.mean() - float(exact.expected_rolls(constants["position"]))) < 4 * error
    assert (rolls == GAME.simulate(constants, 4000, 7)).all()


@pytest.mark.full
def test_storm_solves_15_checkers() -> None:
    position = parse("0,0,0,0,0,15")
    text, _ = texts(GAME.variant("solo"), show(position))
    (answer,) = storm.check_text(text, ['R{"rolls"}min=? [ F "off" ]'])
    truth = exact.expected_rolls(position)
    assert Fraction(answer.lower) <= truth <= Fraction(answer.upper)
    assert answer.width < 1e-3
