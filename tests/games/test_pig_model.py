"""Pig described twice: template and rules are one game, the tree is the policy, and Storm finds no better reply."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games import prism, storm
from pymc_games.compare import Options, Session
from pymc_games.games.pig import GAME, exact, templates, values
from pymc_games.games.pig.rules import Rules
from pymc_games.loading import load_target


def constants(goal: int, die: int = 6, bust: int = 1) -> list[str]:
    return [f"goal={goal},die={die},bust={bust}"]


@given(st.sampled_from(GAME.variants), st.integers(1, 7), st.integers(2, 6), st.data())
@settings(max_examples=25)
def test_template_and_rules_agree_exactly(variant, goal, die, data):  # type: ignore[no-untyped-def]
    bust = data.draw(st.integers(1, die))
    target = load_target("pig", constants(goal, die, bust), variant.name)
    session = Session(target, target.properties, Options(exact=True))
    for prop in target.properties:
        checked = session.compare(prop)
        assert checked.agree, checked.remarks
        assert checked.max_difference == 0
        assert checked.native is not None
        if prop.name == "first_player":
            assert checked.native.exact == exact.first_player(Rules(goal, die, bust))


@pytest.mark.parametrize(
    ("name", "size"),
    [("smg", (980_496, 1_921_788, 6_458_562)), ("solitaire", (4_952, 9_706, 32_619))],
)
def test_sizes_at_one_hundred_points(name: str, size: tuple[int, int, int]) -> None:
    variant = GAME.variant(name)
    assert variant.explicit is not None
    model = variant.explicit(GAME.bind([]))
    model.validate()
    assert (model.states, model.choices, model.branches) == size


def evaluate(expression: str, **numbers: int) -> bool:
    """Walk down a tree of conditionals ``(x<=4 ? a : b)``."""
    while (found := re.match(r"\((\w+)<=(\d+) \? ", expression)) is not None:
        rest = expression[found.end() : -1]
        depth, place = 0, 0
        while depth or rest[place] != ":":
            depth += (rest[place] == "(") - (rest[place] == ")")
            place += 1
        expression = rest[: place - 1] if numbers[found[1]] <= int(found[2]) else rest[place + 2 :]
    return {"true": True, "false": False}[expression]


def test_the_tree_is_the_policy_wherever_the_game_goes() -> None:
    rules = Rules(40)
    policy = values.optimal_policy(rules)
    expression = templates.tree(rules, policy, 2)
    met = np.argwhere(values.reachable(rules, None, policy)[1][:, :, : rules.goal])
    decided = [(i, j, k) for i, j, k in met.tolist() if k and j + k < rules.goal]
    assert len(decided) > 5000
    for i, j, k in decided[::7]:
        assert evaluate(expression, score1=i, score2=j, total=k) == policy[j, i, k]


@pytest.mark.parametrize("goal", [25, pytest.param(100, marks=pytest.mark.full)])
def test_storm_finds_no_better_reply_to_either_player(goal: int) -> None:
    chance = values.solve(Rules(goal)).start()
    for name, text, expected in (
        ("mdp", 'Pmax=? [ F "win1" ]', chance.value),
        ("mdp2", 'Pmax=? [ F "win2" ]', 1 - chance.value),
    ):
        variant = GAME.variant(name)
        rendered = prism.render(variant.template, variant.context(GAME.bind(constants(goal))))
        (result,) = storm.check_text(rendered, [text], precision=1e-10)
        assert result.value == pytest.approx(expected, abs=1e-9)
        assert result.lower - 1e-9 <= expected <= result.upper + 1e-9


def test_a_known_wrong_policy_is_found_out() -> None:
    """Against hold-at-20 the best reply wins more than the value of the game."""
    rules = Rules(25)
    variant = GAME.variant("mdp")
    context = variant.context(GAME.bind(constants(25)))
    context["policies"] = {2: "total>=5"}
    (result,) = storm.check_text(prism.render(variant.template, context), ['Pmax=? [ F "win1" ]'])
    assert result.lower > values.solve(rules).start().upper + 0.01
