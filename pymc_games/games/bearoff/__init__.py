"""Backgammon bearoff: one side alone, races of two, and the doubling cube.

``positions`` numbers the positions, ``moves`` has the rules, ``successors`` the same compiled for all positions.
``one_sided``, ``exact`` and ``chain`` solve one side; ``race``, ``two_sided`` and ``cube`` two.
"""

from __future__ import annotations

from pymc_games.games.base import Constant, Game, Variant
from pymc_games.games.bearoff import model, positions, simulation

GAME = Game(
    name="bearoff",
    title="Backgammon bearoff",
    description="Bear off up to 15 checkers from a home board of six points in as few rolls as possible.",
    constants=(
        Constant("position", (0, 0, 0, 1, 1, 1), "six counts of checkers, the ace point first", positions.parse),
    ),
    variants=(
        Variant(
            name="solo",
            type="mdp",
            description="one side alone: roll, then play die by die",
            template="bearoff/solo.prism.j2",
            properties="bearoff/solo.props.j2",
            context=model.solo_context,
            explicit=model.solo,
        ),
        Variant(
            name="chain",
            type="dtmc",
            description="one side alone under the policy of fewest expected rolls, a roll a step",
            template="bearoff/chain.prism.j2",
            properties="bearoff/chain.props.j2",
            context=model.chain_context,
            explicit=model.chain,
        ),
    ),
    simulate=simulation.simulate,
)
