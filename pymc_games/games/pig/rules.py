"""The rules of Pig, for any goal, die and bust face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import UsageError
from pymc_games.games.base import Constants, integer

GOAL = integer("goal", 100, "points that win", 1, 200)
DIE = integer("die", 6, "faces of the die", 2, 100)
BUST = integer("bust", 1, "the face that ends the turn without points", 1, 100)


@dataclass(frozen=True)
class Rules:
    """Pig: on their turn players roll until they hold or bust.

    A face other than ``bust`` adds to the turn total; ``bust`` forfeits it and passes the turn. Holding adds the turn
    total to the score and passes the turn; it is allowed after the first roll. A roll that brings score and turn total
    to ``goal`` wins at once.

    Since a roll scores with probability at least 1/2, a turn cannot last for ever, and a hold brings points, every play
    ends with probability 1.

    Raises
    ------
    UsageError
        If a number is out of its range, or the die has no face ``bust``.
    """

    goal: int = 100
    die: int = 6
    bust: int = 1

    def __post_init__(self) -> None:
        for constant in (GOAL, DIE, BUST):
            constant.parse(str(getattr(self, constant.name)))
        if self.bust > self.die:
            raise UsageError(f"bust={self.bust}: a die of {self.die} faces has no such face; choose 1 to {self.die}")

    @property
    def scoring(self) -> NDArray[np.int64]:
        """The faces that score, the highest first."""
        return np.array([face for face in range(self.die, 0, -1) if face != self.bust], dtype=np.int64)

    @classmethod
    def of(cls, constants: Constants) -> Rules:
        """Return the rules that the game's constants describe."""
        return cls(constants["goal"], constants["die"], constants["bust"])
