"""Explicit models: exact numbers, exact row sums, validation, digests."""

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pymc_games.errors import ModelError, PropertyError
from pymc_games.explicit import ExactNumbers, ExplicitModel, RewardModel, exact_row_sums

numbers = st.lists(st.fractions(min_value=-5, max_value=5, max_denominator=30), max_size=30)


def coin_game(**changes: Any) -> ExplicitModel:
    """Return a game of three states: one throws a coin or stops, the other two are ends."""
    model = ExplicitModel(
        type="smg",
        state_to_choices=np.array([0, 2, 3, 4]),
        choice_to_branches=np.array([0, 2, 3, 4, 5]),
        branch_to_target=np.array([1, 2, 2, 1, 2]),
        probabilities=ExactNumbers.of([Fraction(1, 2), Fraction(1, 2), Fraction(1), Fraction(1), Fraction(1)]),
        labels={"won": np.array([False, True, False])},
        rewards={"": RewardModel(choice=ExactNumbers.of([Fraction(1), Fraction(0), Fraction(0), Fraction(0)]))},
        variables={"turn": np.array([1, 0, 0]), "done": np.array([False, True, True])},
        state_to_player=np.array([0, -1, -1]),
        players=("p1",),
        choice_to_action=("throw", "stop", "", ""),
    )
    return replace(model, **changes)


@given(numbers)
def test_exact_numbers_are_the_numbers_with_few_distinct_ones(values: list[Fraction]) -> None:
    vector = ExactNumbers.of(values)
    assert [vector[i] for i in range(len(vector))] == values
    assert len(vector.table) == len(set(values))
    assert vector.floats().tolist() == [float(x) for x in values]


@given(numbers, st.lists(st.integers(0, 30), max_size=8))
def test_row_sums_are_exact(values: list[Fraction], cuts: list[int]) -> None:
    starts = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    sums, scale = exact_row_sums(ExactNumbers.of(values), np.array(starts))
    expected = [sum(values[a:b], Fraction(0)) for a, b in itertools.pairwise(starts)]
    assert [Fraction(int(x), scale) for x in sums] == expected


def test_row_sums_outgrow_64_bits() -> None:
    # Denominators of this size occur: 36 to the 15th power has 78 bits.
    small = Fraction(1, 36**15)
    sums, scale = exact_row_sums(ExactNumbers.of([1 - small, small, 1 - small]), np.array([0, 2, 3]))
    assert [Fraction(int(x), scale) for x in sums] == [1, 1 - small]


def test_a_row_that_is_short_by_one_part_in_10_to_the_30_is_found() -> None:
    almost = Fraction(1, 2) - Fraction(1, 10**30)
    model = coin_game(probabilities=ExactNumbers.of([Fraction(1, 2), almost, *[Fraction(1)] * 3]))
    with pytest.raises(ModelError, match=r"choice 0 in turn=1, done=false sum to 9+/10+ \(about 1\), not 1"):
        model.validate()


def test_a_sound_model_passes() -> None:
    model = coin_game()
    model.validate()
    assert (model.states, model.choices, model.branches) == (3, 4, 5)
    assert model.branch_to_probability.tolist() == [0.5, 0.5, 1, 1, 1]
    assert model.describe_state(1) == "turn=0, done=true"
    assert replace(model, variables={}).describe_state(1) == "state 1"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"state_to_choices": np.array([0, 2, 1, 4])}, "state_to_choices must rise from 0 to 4"),
        ({"state_to_choices": np.array([0, 2, 3, 9])}, "state_to_choices must rise from 0 to 4"),
        ({"choice_to_branches": np.array([1, 2, 3, 4, 5])}, "choice_to_branches must rise from 0 to 5"),
        ({"branch_to_target": np.array([1, 2, 2, 1, 3])}, "a branch leads outside the 3 states"),
        ({"branch_to_target": np.array([1, 2, 2, -1, 2])}, "a branch leads outside the 3 states"),
        ({"initial_state": 3}, "the initial state 3 is not one of the 3 states"),
        ({"state_to_choices": np.array([0, 3, 3, 4])}, "deadlock: no choice in turn=0, done=true"),
        ({"choice_to_branches": np.array([0, 3, 3, 4, 5])}, "sum to 2"),
        ({"type": "dtmc"}, "a dtmc has exactly one choice in each state"),
        ({"state_to_player": None}, "an smg needs one of its 1 players"),
        ({"state_to_player": np.array([1, -1, -1])}, "an smg needs one of its 1 players"),
        ({"state_to_player": np.array([0, -1])}, "one owner per state: 2 for 3"),
        ({"labels": {"won": np.array([True])}}, 'one value of label "won" per state: 1 for 3'),
        ({"variables": {"turn": np.array([1, 2, 3, 4])}}, "one value of variable turn per state: 4 for 3"),
        ({"choice_to_action": ("throw",)}, "one action per choice: 1 for 4"),
        (
            {"rewards": {"cost": RewardModel(state=ExactNumbers.of([]))}},
            'one state reward of "cost" per state: 0 for 3',
        ),
        ({"probabilities": ExactNumbers.of([Fraction(1)])}, "one probability per branch: 1 for 5"),
        (
            {"probabilities": ExactNumbers((Fraction(1),), np.array([0, 0, 0, 0, 1], dtype=np.int32))},
            "a probability refers to none of the 1 distinct numbers",
        ),
        (
            {"probabilities": ExactNumbers.of([Fraction(3, 2), Fraction(-1, 2), *[Fraction(1)] * 3])},
            r"a probability is 3/2; it must lie in \(0, 1\]",
        ),
    ],
)
def test_a_broken_model_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        coin_game(**changes).validate()


def test_an_unknown_label_names_the_known_ones() -> None:
    assert coin_game().label("won").tolist() == [False, True, False]
    with pytest.raises(PropertyError, match='no label "lost"; its labels: "won"'):
        coin_game().label("lost")
    with pytest.raises(PropertyError, match="its labels: none"):
        coin_game(labels={}).label("lost")


def test_the_digest_depends_on_the_model_and_not_on_how_its_numbers_are_stored() -> None:
    model = coin_game()
    one, half = Fraction(1), Fraction(1, 2)
    other_order = ExactNumbers((one, half), np.array([1, 1, 0, 0, 0], dtype=np.int32))
    assert coin_game(probabilities=other_order).digest() == model.digest()
    third = ExactNumbers.of([Fraction(1, 3), Fraction(2, 3), one, one, one])
    changed = [
        coin_game(probabilities=third),
        coin_game(initial_state=1),
        coin_game(branch_to_target=np.array([2, 1, 2, 1, 2])),
        coin_game(state_to_player=np.array([-1, -1, -1])),
        coin_game(players=("p2",)),
    ]
    assert len({model.digest(), *(other.digest() for other in changed)}) == 1 + len(changed)
