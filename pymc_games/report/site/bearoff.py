"""The bearoff's pictures: what a pip count hides, distributions of rolls, and where simple play goes wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from pymc_games.games.bearoff import analysis, heuristics, one_sided
from pymc_games.games.bearoff.analysis import WorstCase
from pymc_games.games.bearoff.one_sided import OneSidedTable
from pymc_games.games.bearoff.positions import MAX_CHECKERS, POINTS, Position, all_positions, pips, position, show
from pymc_games.report.site import asking, parts, svg
from pymc_games.report.site.svg import Axis, Series

#: Pip counts that can be stepped through, the first shown, and checkers a side in the search for the worst races.
_COUNTS = range(3, 81)
_START = 30
_RACE_CHECKERS = 4
_PLAY_CHECKERS = 6


def context() -> dict[str, Any]:
    """Return what ``bearoff.html`` shows."""
    table = one_sided.solve(MAX_CHECKERS)
    counts = all_positions(MAX_CHECKERS) @ np.arange(1, POINTS + 1)
    slowest = int(table.mean.argmax())
    play = analysis.worst_play(_PLAY_CHECKERS)
    return {
        "facts_shown": [
            ("Positions of up to 15 checkers", f"{len(table.mean):,}"),
            ("The slowest takes", f"{table.mean[slowest]:.6f} rolls"),
            ("Fifteen on the ace point take", f"{table.mean[_number((15, 0, 0, 0, 0, 0))]:.6f}"),
            ("Pips of an average roll", "49/6"),
        ],
        "ask": asking.bearoff(),
        "spread": spread(table, counts),
        "same_count": same_count(table, counts),
        "rules_checkers": _RACE_CHECKERS,
        "rules": [_row(case) for case in analysis.worst_of_rules(_RACE_CHECKERS)],
        "play_checkers": _PLAY_CHECKERS,
        "play": {
            "roll": f"{play.roll[0]}-{play.roll[1]}",
            "cost": f"{play.cost:.6f}",
            "boards": [
                (caption, draw_position(where, f"{caption}: {show(where)}"), show(where))
                for caption, where in (
                    ("On roll", play.own), ("The opponent", play.other),
                    ("Fewest expected rolls", play.solo_play), ("Most wins", play.best_play),
                )
            ],
        },
        "tables": {
            "pips": list(_pip_rows(table, counts)),
            "distributions": list(_distribution_rows(table, counts)),
        },
    }  # fmt: skip


def spread(table: OneSidedTable, counts: np.ndarray) -> Markup:
    """Return the least and the greatest number of expected rolls by pip count."""
    pip_counts = np.array(_COUNTS)
    least = [float(table.mean[counts == count].min()) for count in pip_counts]
    most = [float(table.mean[counts == count].max()) for count in pip_counts]
    return svg.chart(
        "Expected rolls by pip count",
        "The slowest position of a count needs up to five rolls more than the fastest one. Both need more than the "
        "count promises.",
        [Series("slowest", pip_counts, most), Series("fastest", pip_counts, least),
         Series("pips / (49/6)", pip_counts, pip_counts / float(heuristics.PIPS_A_ROLL))],
        Axis("pips", 0, _COUNTS[-1]), Axis("expected rolls", 0, math.ceil(max(most))),
    )  # fmt: skip


def same_count(table: OneSidedTable, counts: np.ndarray) -> Markup:
    """Return the fastest and the slowest position of every pip count, and their distributions, to step through."""
    rolls = np.arange(16)
    frame = svg.Frame(Axis("rolls", 0, 15), Axis("chance to be off at this roll", 0, 1, percent=True), 440, 326, 60)
    frames = []
    for count in _COUNTS:
        pair = _extremes(table, counts, count)
        entry = {"told": _told(count, table, pair)}
        for side, number in zip(("fast", "slow"), pair, strict=True):
            entry[f"{side}-checkers"] = _checkers(position(number))
            entry[f"{side}-line"] = frame.path(rolls, table.pmf[number][:16])
        frames.append(entry)
    first = frames[_START - _COUNTS[0]]
    boards = []
    for side, style, x in (("fast", "s1", 10), ("slow", "s2", 230)):
        key = f"{side}-checkers"
        checkers = svg.tag("path", "", class_=f"checker {style}", data_set=key, d=first[key])
        boards.append(svg.tag("g", Markup("").join([*_points(), checkers]), transform=f"translate({x} 4)"))
    lines = [
        svg.tag("path", "", class_=f"line {style}", data_set=f"{side}-line", d=first[f"{side}-line"])
        for side, style in (("fast", "s1"), ("slow", "s2"))
    ]
    chart = svg.tag(
        "g", Markup("").join([frame.axes(), *lines, svg.legend([("fastest", False), ("slowest", False)])]),
        transform="translate(0 150)",
    )  # fmt: skip
    drawn = svg.picture(
        "Two positions of one pip count, and how many rolls they take",
        "Above, the position of fewest expected rolls on the left and that of most on the right; below, the chance "
        "that each is off at exactly so many rolls.",
        440, 478, [*boards, chart],
    )  # fmt: skip
    return parts.stepper("same-count", drawn, "Pips", _COUNTS, _START - _COUNTS[0], frames)


def _extremes(table: OneSidedTable, counts: np.ndarray, count: int) -> list[int]:
    """Return the fastest and the slowest position of a pip count."""
    among = np.flatnonzero(counts == count)
    return [int(among[table.mean[among].argmin()]), int(among[table.mean[among].argmax()])]


def _pip_rows(table: OneSidedTable, counts: np.ndarray) -> Iterator[dict[str, object]]:
    for count in _COUNTS:
        row: dict[str, object] = {"pips": count}
        for side, number in zip(("fastest", "slowest"), _extremes(table, counts, count), strict=True):
            row |= {side: show(position(number)), f"{side}_expected_rolls": float(table.mean[number])}
        yield row | {"pips_by_average_roll": count / float(heuristics.PIPS_A_ROLL)}


def _distribution_rows(table: OneSidedTable, counts: np.ndarray) -> Iterator[dict[str, object]]:
    for count in _COUNTS:
        pair = _extremes(table, counts, count)
        for roll in range(table.pmf.shape[1]):
            fast, slow = (float(table.pmf[number][roll]) for number in pair)
            if fast or slow:
                yield {"pips": count, "roll": roll, "fastest": fast, "slowest": slow}


def draw_position(counts: Position, title: str) -> Markup:
    """Return a home board with its checkers, the six point on the left."""
    checkers = svg.tag("path", "", class_="checker s1", d=_checkers(counts))
    return svg.picture(title, f"{pips(counts)} pips.", 200, 132, [*_points(), checkers])


def _points() -> Iterator[Markup]:
    """Yield the six points of a home board, numbered."""
    for point in range(1, POINTS + 1):
        left = (POINTS - point) * 33
        shade = "point odd" if point % 2 else "point"
        yield svg.tag("path", "", class_=shade, d=f"M{left + 3} 110h27l-13.5 -104z")
        yield svg.tag("text", str(point), x=left + 16.5, y=127, text_anchor="middle")


def _checkers(counts: Position) -> str:
    """Return the path of the checkers; tall stacks overlap."""
    radius, room = 9.0, 104.0
    pieces = []
    for point, count in enumerate(counts, start=1):
        x = (POINTS - point) * 33 + 16.5
        step = min(2 * radius, (room - 2 * radius) / max(count - 1, 1))
        for place in range(count):
            y = 109 - radius - place * step
            pieces.append(
                f"M{svg.number(x - radius)} {svg.number(y)}a{radius:g} {radius:g} 0 1 0 {2 * radius:g} 0"
                f"a{radius:g} {radius:g} 0 1 0 {-2 * radius:g} 0z"
            )
    return "".join(pieces)


def _told(count: int, table: OneSidedTable, pair: list[int]) -> str:
    fast, slow = (
        f"{show(position(number))} takes {table.mean[number]:.3f} rolls, worth "
        f"{heuristics.effective_pips(float(table.mean[number])):.2f} pips"
        for number in pair
    )
    return f"{count} pips: at best {fast}; at worst {slow}."


def _row(case: WorstCase) -> dict[str, str]:
    return {
        "rule": case.rule, "own": show(case.own), "other": show(case.other), "says": case.says, "truth": case.truth,
        "error": f"{case.error:.6f}" if case.error > 0 else "never wrong",
    }  # fmt: skip


def _number(counts: Position) -> int:
    return int(np.flatnonzero((all_positions(MAX_CHECKERS) == counts).all(axis=1))[0])
