"""The dice game Farkle.

``rules`` reads rules files, ``scoring`` says what a roll may score, ``turn`` is one turn alone, as a model and in
fractions.
"""

from __future__ import annotations

from pymc_games.games.base import Game, Variant, integer
from pymc_games.games.farkle import turn

GAME = Game(
    name="farkle",
    title="Farkle",
    description="Set scoring dice aside and roll the rest, as often as you dare; a roll without any loses the turn.",
    constants=(
        integer("goal", 500, "points to collect in the turn", 50, 10_000),
        integer("dice", 3, "dice rolled", 1, 6),
    ),
    variants=(
        Variant(
            name="turn",
            type="mdp",
            description="one turn alone, played to collect a number of points",
            template="farkle/turn.prism.j2",
            properties="farkle/turn.props.j2",
            context=turn.context,
        ),
    ),
    check=turn.check,
)
