"""Dice Bingo's pictures: boards to mark, when they are done, alone and against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from pymc_games import games
from pymc_games.engine.query import Query, all_states
from pymc_games.engine.trace import Trace, bounds_by_sweep
from pymc_games.games.bingo import A, B, match, model, solo
from pymc_games.games.bingo.board import TRANSIENT, VALUES, WAYS, parse_board, show_board
from pymc_games.games.bingo.solo import Solo
from pymc_games.report.site import parts, svg
from pymc_games.report.site.svg import Axis, Series

#: The board of fewest expected rolls among all boards, as `pymc-games bingo search` proves.
BEST = parse_board("8,8,9/7,6,10/7,4,5")
PLACES = (
    "top left", "top", "top right", "left", "centre", "right", "bottom left", "bottom", "bottom right",
)  # fmt: skip
#: Rolls that the charts show.
_ROLLS = 24


def context() -> dict[str, Any]:
    """Return what ``bingo.html`` shows."""
    best, a, b = (solo.solve(board) for board in (BEST, A, B))
    race = match.Match(best, a)
    outcome, trace = race.outcome(), closing_in()
    three = (("best", best), ("A", a), ("B", b))
    return {
        "facts_shown": [
            ("The best board needs", f"{float(best.expected_rolls):.6f} rolls"),
            ("Its standard deviation", f"{math.sqrt(best.variance):.4f}"),
            ("It beats board A with chance", f"{float(outcome.a_wins):.6f}"),
            ("Sets of cells without a line", str(len(TRANSIENT))),
        ],
        "boards": [_described(name, one) for name, one in (("The best", best), ("Board A", a), ("Board B", b))],
        "best": best.board,
        "places": PLACES,
        "chosen": sorted(int(cell) for cell in set(best.choice[0].tolist()) if cell >= 0),
        "rolls": _rolls(best),
        "data": parts.embedded(_data(best)),
        "expected": f"{float(best.expected_rolls):.4f}",
        "alone": alone(three),
        "against": against(race),
        "convergence": parts.convergence("A against B", trace),
        "tables": {
            "alone": list(_by_roll(_alone(three))),
            "against": list(_by_roll(_ends(race))),
            "convergence": list(parts.sweep_rows(trace)),
        },
    }


def draw_board(board: Solo) -> Markup:
    """Return a board with the cells coloured that the first roll may mark."""
    first = {int(cell) for cell in board.choice[0] if cell >= 0}
    shapes = []
    for cell, value in enumerate(board.board):
        row, column = divmod(cell, 3)
        kind = "cell chosen" if cell in first else "cell"
        shapes.append(svg.tag("rect", "", x=3 + 62 * column, y=3 + 62 * row, width=58, height=58, rx=8, class_=kind))
        shapes.append(svg.tag("text", str(value), x=32 + 62 * column, y=41 + 62 * row, text_anchor="middle",
                              class_=f"face {kind}"))  # fmt: skip
    chosen = ", ".join(f"{board.board[cell]} {PLACES[cell]}" for cell in sorted(first))
    return svg.picture(f"The board {show_board(board.board)}", f"Marked first: {chosen}.", 188, 188, shapes)


def alone(boards: tuple[tuple[str, Solo], ...]) -> Markup:
    """Return when boards alone are done: the chance at each roll, and by each roll."""
    return _two_charts("Alone", _alone(boards))


def against(race: match.Match) -> Markup:
    """Return when a match ends, and how."""
    return _two_charts("Against each other", _ends(race))


def closing_in() -> Trace:
    """Return how the bounds of the match of the boards A and B close in."""
    chain = model.match_model(games.get("bingo").bind([]))
    query = Query("probability", chain.labels["a_wins"], all_states(chain, True))
    return bounds_by_sweep(chain, query, 60)


def _alone(boards: tuple[tuple[str, Solo], ...]) -> list[tuple[str, Any]]:
    return [(name, board.pmf(_ROLLS)) for name, board in boards]


def _ends(race: match.Match) -> list[tuple[str, Any]]:
    timing = race.timing(_ROLLS)
    return [("best wins", timing.a_wins), ("A wins", timing.b_wins), ("tie", timing.tie)]


def _by_roll(pmfs: list[tuple[str, Any]]) -> Iterator[dict[str, object]]:
    """Yield the chances at each roll as rows of a table."""
    for roll in range(_ROLLS + 1):
        yield {"roll": roll, **{name: float(pmf[roll]) for name, pmf in pmfs}}


def _two_charts(title: str, pmfs: list[tuple[str, Any]]) -> Markup:
    rolls = np.arange(_ROLLS + 1)
    highest = math.ceil(max(float(pmf.max()) for _, pmf in pmfs) * 20) / 20
    at = svg.chart(
        f"{title}: the chance that it ends at exactly so many rolls",
        "; ".join(f"{name} is most likely at {int(pmf.argmax())}" for name, pmf in pmfs) + ".",
        [Series(name, rolls, pmf) for name, pmf in pmfs],
        Axis("rolls", 0, _ROLLS), Axis("chance at this roll", 0, highest, percent=True),
    )  # fmt: skip
    by = svg.chart(
        f"{title}: the chance that it has ended by then",
        "; ".join(f"{name} reaches {pmf.sum():.3f} at roll {_ROLLS}" for name, pmf in pmfs) + ".",
        [Series(name, rolls, pmf.cumsum()) for name, pmf in pmfs],
        Axis("rolls", 0, _ROLLS), Axis("chance by this roll", 0, 1, percent=True),
    )  # fmt: skip
    return Markup('<div class="pair">{}{}</div>').format(at, by)


def _described(name: str, board: Solo) -> dict[str, Any]:
    return {
        "name": name,
        "text": show_board(board.board),
        "picture": draw_board(board),
        "expected": f"{float(board.expected_rolls):.6f}",
        "exact": str(board.expected_rolls),
        "deviation": f"{math.sqrt(board.variance):.4f}",
    }


def _rolls(board: Solo) -> list[dict[str, str]]:
    """Return what each roll marks on the empty board, and the expected rolls that remain."""
    rows = []
    for value in VALUES:
        cell = int(board.choice[0, value])
        if cell >= 0:
            left = float(board.expected[1 << cell])
            rows.append(
                {"roll": str(value), "chance": f"{WAYS[value]}/36", "cell": PLACES[cell], "left": f"{left:.4f}"}
            )
    return rows


def _data(board: Solo) -> dict[str, Any]:
    """Return what the script needs: for every set of cells the expected rolls, and what each roll marks."""
    return {
        "values": list(board.board),
        "places": list(PLACES),
        "rolls": [value for value in VALUES if value in board.board],
        "expected": [round(float(value), 4) for value in board.expected],
        "choice": [[int(row[value]) for value in VALUES if value in board.board] for row in board.choice],
    }
