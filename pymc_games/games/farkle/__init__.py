"""The dice game Farkle.

``rules`` reads rules files, ``scoring`` says what a roll may score, ``turn`` is one turn alone, as a model and in
fractions. ``model`` and ``templates`` describe small games for two twice, for the engine and as PRISM text, with rules
from ``constants``; ``reference`` has their values. ``average`` and ``fewest_turns`` solve the game alone.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from pymc_games.games.base import Constants, Game, Variant
from pymc_games.games.farkle import model, sizes, templates, turn
from pymc_games.games.farkle.constants import CONSTANTS, rules_of


def _variant(
    name: str, kind: Literal["mdp", "smg"], fixed: tuple[int, ...], description: str, explicit: model.Builder
) -> Variant:
    return Variant(
        name=name,
        type=kind,
        description=description,
        template="farkle/game.prism.j2",
        properties=f"farkle/{name}.props.j2",
        context=partial(templates.game, kind=kind, fixed=fixed, description=description),
        explicit=explicit,
        estimate=sizes.duel,
        rendered_with={"goal": 200},
    )


def _check(constants: Constants) -> None:
    rules_of(constants)


GAME = Game(
    name="farkle",
    title="Farkle",
    description="Set scoring dice aside and roll the rest, as often as you dare; a roll without any loses the turn.",
    constants=CONSTANTS,
    variants=(
        _variant("mdp", "mdp", (2,), "player 1 is free, player 2 plays optimally", model.first_free),
        _variant("mdp2", "mdp", (1,), "player 1 plays optimally, player 2 is free", model.second_free),
        _variant("smg", "smg", (), "both players are free", model.game),
        Variant(
            name="solo",
            type="mdp",
            description="one player alone, who wants to reach the goal in few turns",
            template="farkle/solo.prism.j2",
            properties="farkle/solo.props.j2",
            context=templates.solo,
        ),
        Variant(
            name="average",
            type="mdp",
            description="one player alone and for ever, who wants many points a turn",
            template="farkle/average.prism.j2",
            properties="farkle/average.props.j2",
            context=templates.cycle,
        ),
        Variant(
            name="turn",
            type="mdp",
            description="one turn alone, played to collect a number of points",
            template="farkle/turn.prism.j2",
            properties="farkle/turn.props.j2",
            context=turn.context,
            rendered_with={"goal": 500, "dice": 3},
        ),
    ),
    check=_check,
)
