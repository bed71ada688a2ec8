"""Questions that the static pages answer themselves: small tables, packed into the page for a script to look up.

A table holds chances as fixed-point numbers of 32 bits. The scripts work out one turn of Pig, or one roll of the
bearoff, from the rules and the packed chances of the turns after it. Averages and best choices of such chances never
enlarge an error, so that what the page shows is as near to the solver as its table.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games.games.bearoff import analysis, race
from pymc_games.games.bearoff.positions import Position, all_positions, show
from pymc_games.games.pig import advice
from pymc_games.games.pig.rules import Rules
from pymc_games.games.pig.values import Duel
from pymc_games.report.site import parts
from pymc_games.result import Result

#: What stands for the chance 1; a packed chance is off by at most half of a unit.
SCALE = 2**32 - 1

#: Own score, opponent's score and turn total of the examples; the form begins with the first.
PIG_EXAMPLES = ((0, 0, 21), (0, 0, 20), (20, 80, 25), (60, 40, 22), (75, 75, 24), (85, 95, 14), (98, 99, 0))

#: Checkers a side in the bearoff's table; position on roll, opponent's position and roll of its examples.
CHECKERS = 3
BEAROFF_EXAMPLES: tuple[tuple[Position, Position, tuple[int, int]], ...] = (
    ((0, 0, 1, 0, 1, 1), (0, 1, 1, 0, 0, 1), (4, 1)),
    ((0, 0, 0, 0, 0, 3), (2, 0, 0, 0, 1, 0), (1, 1)),
    ((2, 0, 0, 1, 0, 0), (2, 0, 0, 0, 1, 0), (2, 1)),
    ((0, 0, 0, 0, 1, 1), (0, 0, 0, 1, 0, 1), (3, 1)),
)


def packed(chances: NDArray[np.float64]) -> str:
    """Return chances, row by row, as text: multiples of ``1 / SCALE`` in four bytes, the lowest first, in base 64."""
    return base64.b64encode(np.rint(chances * SCALE).astype("<u4").tobytes()).decode("ascii")


def pig(duel: Duel) -> dict[str, Any]:
    """Return what the page of Pig asks: the chances at the start of a turn by own and other score, and examples."""
    rules = duel.value.rules
    starts = duel.value.moving[:, :, 0]
    data = {"goal": rules.goal, "die": rules.die, "bust": rules.bust, "scale": SCALE, "chances": packed(starts)}
    return {"data": parts.embedded(data), "first": tuple(map(str, PIG_EXAMPLES[0])), "examples": list(_turns(rules))}


def _turns(rules: Rules) -> Iterator[tuple[str, ...]]:
    for own, other, total in PIG_EXAMPLES:
        found = advice.advise(rules, own, other, total)
        hold = "not allowed" if found.hold is None else _percent(found.hold)
        yield f"{own} to {other}, turn total {total}", _percent(found.roll), hold, found.action


def bearoff() -> dict[str, Any]:
    """Return what the page of the bearoff asks: the chance of each position on roll against each, and examples."""
    positions = [show(tuple(counts)) for counts in all_positions(CHECKERS)[1:].tolist()]
    on_roll = analysis.optimal_play(CHECKERS)[1:, 1:].T
    data = {"checkers": CHECKERS, "positions": positions, "scale": SCALE, "chances": packed(on_roll)}
    rolls = list(_rolls())
    return {"data": parts.embedded(data), "checkers": CHECKERS, "first": rolls[0][:3], "examples": rolls}


def _rolls() -> Iterator[tuple[str, ...]]:
    for own, other, roll in BEAROFF_EXAMPLES:
        best, second, *_ = race.plays(own, other, roll)
        following = f"{second.text}: {_percent(second.win)}"
        yield show(own), show(other), "{}-{}".format(*roll), best.text, _percent(best.win), following


def _percent(chance: Result) -> str:
    return f"{100 * chance.value:.6f} %"
