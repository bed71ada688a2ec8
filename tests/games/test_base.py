"""Constants and variants, on a game of our own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pymc_games import games
from pymc_games.errors import UsageError
from pymc_games.games.base import Constant, Constants, Game, Variant, as_text, integer, split_definitions


def no_bust_above_die(constants: Constants) -> None:
    if constants["bust"] > constants["die"]:
        raise UsageError("the bust face is not on the die")


def variant(name: str, kind: str) -> Variant:
    return Variant(name, kind, "", "", "", dict)  # type: ignore[arg-type]


GAME = Game(
    name="toy",
    title="Toy",
    description="",
    constants=(
        integer("die", 6, "faces", 2, 100),
        integer("bust", 1, "the face that busts", 1, 100),
        Constant("board", "1,2", "cells", str),
    ),
    variants=(variant("smg", "smg"), variant("solo", "mdp"), variant("mdp", "mdp")),
    check=no_bust_above_die,
)


def test_defaults_stand_until_something_else_is_given() -> None:
    assert GAME.bind([]) == {"die": 6, "bust": 1, "board": "1,2"}
    assert GAME.bind(["die=8,bust=2"]) == GAME.bind(["bust=2", "die=8"]) == {"die": 8, "bust": 2, "board": "1,2"}
    assert GAME.bind([" die = 8 "])["die"] == 8


def test_a_comma_inside_a_value_stays_there() -> None:
    assert GAME.bind(["board=8,8,9/7,6,10,die=8"]) == {"die": 8, "bust": 1, "board": "8,8,9/7,6,10"}


@pytest.mark.parametrize(
    ("definitions", "complaint"),
    [
        (["die"], "'die' does not define a constant; write NAME=VALUE"),
        (["=6"], "'=6' does not define a constant"),
        (["die="], "'die=' does not define a constant"),
        ([""], "'' does not define a constant"),
        (["die=6,die=6"], "the constant 'die' is given twice"),
        (["die=6", "die=7"], "the constant 'die' is given twice"),
        (["dye=6"], "toy has no constant 'dye'; did you mean die?"),
        (["goal=6"], "toy has no constant 'goal'; it has die, bust, board"),
        (["die=0"], "die=0: must lie between 2 and 100"),
        (["die=6.5"], "die=6.5: a whole number is needed"),
        (["die=six"], "die=six: a whole number is needed"),
        (["bust=7"], "the bust face is not on the die"),
    ],
)
def test_a_bad_constant_is_one_clear_sentence(definitions: list[str], complaint: str) -> None:
    with pytest.raises(UsageError) as error:
        GAME.bind(definitions)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


names = st.text("abcdefgh_", min_size=1, max_size=6)
values = st.text("0123456789/,.", min_size=1, max_size=8).filter(lambda text: text.strip(",") == text)


@given(st.dictionaries(names, values, max_size=5))
def test_joined_and_separate_definitions_mean_the_same(definitions: dict[str, str]) -> None:
    texts = [f"{name}={value}" for name, value in definitions.items()]
    joined = [",".join(texts)] if texts else []
    assert split_definitions(joined) == split_definitions(texts) == list(definitions.items())


def test_a_variant_is_found_by_name_before_type() -> None:
    assert GAME.variant(None).name == "smg"
    assert GAME.variant("solo").name == "solo"
    assert GAME.variant("mdp").name == "mdp"
    with pytest.raises(UsageError, match="toy has no model 'ctmc'; it has smg, solo, mdp"):
        GAME.variant("ctmc")


def test_an_unknown_game_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="there is no game 'bearof'; did you mean bearoff"):
        games.get("bearof")
    with pytest.raises(UsageError, match=f"there is no game 'chess'; there are {', '.join(games.names())}"):
        games.get("chess")


def test_every_game_answers_to_its_name() -> None:
    assert "bearoff" in games.names()
    assert "base" not in games.names()
    for name in games.names():
        assert games.get(name).name == name


@pytest.mark.parametrize(
    ("value", "text"), [((0, 0, 2), "0,0,2"), ([True, False], "true,false"), (6, "6"), ("1,2/3", "1,2/3")]
)
def test_values_are_written_as_they_are_typed(value: object, text: str) -> None:
    assert as_text(value) == text
