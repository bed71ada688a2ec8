"""One turn of Farkle as a page: when to bank, and which dice to set aside of every roll."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from pymc_games.games.farkle import play
from pymc_games.report import pages

#: First and last turn total of a run, in points.
Range = tuple[int, int]


def turn_page(turn: play.Turn) -> str:
    """Return the strategy of a turn as one HTML file that refers to no other."""
    dice = range(turn.rules.dice, 0, -1)
    return (
        pages.environment()
        .get_template("farkle_turn.html")
        .render(
            style=(pages.FOLDER / "style.css").read_text("utf-8"),
            position=turn.position,
            rules=turn.rules,
            win=turn.options(0, turn.rules.dice)[0].win.value,
            banking=[(count, play.bank_totals(turn, count)) for count in dice],
            keeping=keeping(turn),
        )
    )


def keeping(turn: play.Turn) -> list[tuple[int, list[tuple[str, list[tuple[list[Range], str, str]]]]]]:
    """Return by number of dice, and by roll that scores, the turn totals with what to set aside and to do there."""
    rows = (row for row in play.strategy(turn) if row["roll"] and row["action"] != "farkle")
    found: dict[int, list[tuple[str, list[tuple[list[Range], str, str]]]]] = {}
    for (dice, roll), group in itertools.groupby(rows, operator.itemgetter("dice", "roll")):
        found.setdefault(dice, []).append((roll, _by_action(list(group), turn.rules.step)))
    return sorted(found.items(), reverse=True)


def _by_action(rows: Sequence[dict[str, Any]], step: int) -> list[tuple[list[Range], str, str]]:
    """Return each way to play with its turn totals, in the order of the first."""
    totals: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        totals.setdefault((row["set_aside"], row["action"]), []).append(row["turn"])
    return [(_runs(found, step), aside, action) for (aside, action), found in totals.items()]


def _runs(totals: Iterable[int], step: int) -> list[Range]:
    """Return rising totals as runs of neighbours."""
    runs: list[Range] = []
    for total in totals:
        if runs and total == runs[-1][1] + step:
            runs[-1] = (runs[-1][0], total)
        else:
            runs.append((total, total))
    return runs
