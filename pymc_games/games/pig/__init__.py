"""The dice game Pig.

``rules`` has the rules, ``values`` the solution with bounds, ``exact`` the one in fractions, ``solitaire`` the game
alone. ``model`` and ``templates`` describe the game twice, for the engine and as PRISM text. ``policies`` knows ways to
play, ``simulation`` plays, ``figures`` has what has been published.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from pymc_games.games.base import Constants, Game, Variant
from pymc_games.games.pig import model, simulation, sizes, templates
from pymc_games.games.pig.rules import BUST, DIE, GOAL, Rules


def _variant(
    name: str, kind: Literal["dtmc", "mdp", "smg"], fixed: tuple[int, ...], description: str, explicit: model.Builder
) -> Variant:
    return Variant(
        name=name,
        type=kind,
        description=description,
        template="pig/game.prism.j2",
        properties=f"pig/{name}.props.j2",
        context=partial(templates.game, kind=kind, fixed=fixed, description=description),
        explicit=explicit,
        estimate=partial(sizes.duel, fixed=fixed),
    )


def _check(constants: Constants) -> None:
    Rules.of(constants)


GAME = Game(
    name="pig",
    title="Pig",
    description="Roll a die as often as you dare; one face forfeits the turn. First to the goal wins.",
    constants=(GOAL, DIE, BUST),
    variants=(
        _variant("mdp", "mdp", (2,), "player 1 is free, player 2 plays optimally", model.first_free),
        _variant("mdp2", "mdp", (1,), "player 1 plays optimally, player 2 is free", model.second_free),
        _variant("smg", "smg", (), "both players are free", model.game),
        _variant("dtmc", "dtmc", (1, 2), "both players play optimally", model.both_fixed),
        Variant(
            name="solitaire",
            type="mdp",
            description="one player alone, who wants to reach the goal in few turns",
            template="pig/solitaire.prism.j2",
            properties="pig/solitaire.props.j2",
            context=templates.solitaire,
            explicit=model.alone,
            estimate=sizes.alone,
        ),
    ),
    check=_check,
    simulate=simulation.simulate,
)
