"""Pig's pictures: the surface at which optimal play holds, a map of it, slices through it, and the choice itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from pymc_games.engine import Query
from pymc_games.engine.trace import Trace, bounds_by_sweep
from pymc_games.games.pig import model as game_model
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.games.pig.values import Policy
from pymc_games.report.site import asking, parts, svg
from pymc_games.report.site.svg import Axis, Series

#: Points between the lines of the surface.
_MESH = 4
_START = 30
#: The turn total of the last colour.
_DARKEST = 60
#: The game whose bounds are shown closing in.
_SMALL = Rules(goal=20)
_SWEEPS = 120


def context() -> dict[str, Any]:
    """Return what ``pig.html`` shows: facts about the game to 100, and its pictures."""
    rules = Rules()
    duel, policy = values.solve(rules), values.optimal_policy(rules)
    least = first_holds(policy)
    result, trace = duel.start(), closing_in()
    return {
        "goal": rules.goal,
        "facts_shown": [
            ("The first player wins", f"{result.value:.9f}"),
            ("Proven to within", svg.power(result.width)),
            ("Hold at the start from", str(int(least[0, 0]))),
            ("States that play can meet", f"{int(values.reachable(rules).sum()):,}"),
            ("Score pairs where no threshold is optimal", f"{without_threshold(policy):,} of {rules.goal**2:,}"),
        ],
        "ask": asking.pig(duel),
        "surface": surface(least),
        "map": threshold_map(least),
        "slices": slices(policy),
        "choice": choice(duel),
        "small_goal": _SMALL.goal,
        "convergence": parts.convergence("Both free", trace),
        "tables": {
            "thresholds": list(_threshold_rows(policy, least)),
            "choice": list(_choice_rows(duel)),
            "convergence": list(parts.sweep_rows(trace)),
        },
    }


def first_holds(policy: Policy) -> NDArray[np.int64]:
    """Return the least turn total at which a policy holds, by own and other score.

    Where it never holds: the points that are missing to the goal.
    """
    goal = len(policy)
    held = policy & (np.arange(goal)[None, None, :] < goal - np.arange(goal)[:, None, None])
    return np.where(held.any(axis=2), held.argmax(axis=2), goal - np.arange(goal)[:, None])


def without_threshold(policy: Policy) -> int:
    """Return at how many score pairs a policy rolls again at a larger turn total than one at which it holds."""
    goal = len(policy)
    open_ = np.arange(goal)[None, None, :] < goal - np.arange(goal)[:, None, None]
    rolls_later = (policy[:, :, :-1] & ~policy[:, :, 1:] & open_[:, :, 1:]).any(axis=2)
    return int(rolls_later.sum())


def surface(least: NDArray[np.int64]) -> Markup:
    """Return the thresholds as a surface over both scores, seen from above the corner where both are large."""
    goal = len(least)
    grid = [*range(0, goal - 1, _MESH), goal - 1]
    height = least[np.ix_(grid, grid)]
    shapes = [_polygon([(0, 0, 0), (goal, 0, 0), (goal, goal, 0), (0, goal, 0)], class_="floor")]
    tiles = [(a, b) for a in range(len(grid) - 1) for b in range(len(grid) - 1)]
    for a, b in sorted(tiles, key=sum):  # the nearer ones cover those behind
        corners = [(i, j) for i, j in ((a, b), (a + 1, b), (a + 1, b + 1), (a, b + 1))]
        share = float(np.mean([height[corner] for corner in corners])) / _DARKEST
        shapes.append(_polygon([(grid[i], grid[j], height[i, j]) for i, j in corners], style=svg.shade(share)))
    last = len(grid) - 1
    for wall in ([(i, last) for i in range(last + 1)], [(last, j) for j in range(last + 1)]):
        top = [(grid[i], grid[j], float(height[i, j])) for i, j in wall]
        shapes.append(_polygon([*top, *((x, y, 0) for x, y, _ in reversed(top))], class_="wall"))
    return svg.picture(
        "Where optimal play first holds, as a surface",
        "Height is the turn total. The surface is nearly flat, between 20 and 30, while both scores are below 70, and "
        "rises to what is missing to the goal where either player is about to win.",
        660, 372, [svg.tag("g", Markup("").join(shapes), class_="surface"), *_scales(goal)],
    )  # fmt: skip


def _spot(own: float, other: float, height: float) -> tuple[float, float]:
    """Return where a point of the surface lies in the picture."""
    return 330 + (own - other) * 2.7, 80 + (own + other) * 1.3 - height * 1.3


def _polygon(corners: Sequence[tuple[float, float, float]], **attributes: str) -> Markup:
    points = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in (_spot(*corner) for corner in corners))
    return svg.tag("polygon", "", points=points, **attributes)


def _scales(goal: int) -> Iterator[Markup]:
    """Yield the numbers along the three edges of the surface, and what they are."""
    for mark in range(0, goal + 1, 20):
        for corner, (dx, dy), anchor in (
            ((mark, goal, 0), (-8, 14), "end"), ((goal, mark, 0), (8, 14), "start"), ((0, goal, mark), (-10, 4), "end"),
        ):  # fmt: skip
            x, y = _spot(*corner)
            if corner != (0, goal, 0) or dy == 14:
                yield svg.tag("text", str(mark), x=svg.number(x + dx), y=svg.number(y + dy), text_anchor=anchor)
    yield svg.tag("text", "own score", x=130, y=340, text_anchor="middle")
    yield svg.tag("text", "opponent’s score", x=656, y=340, text_anchor="end")
    yield svg.tag("text", "turn total", x=20, y=56)


def threshold_map(least: NDArray[np.int64]) -> Markup:
    """Return the thresholds as a map: own score to the right, the opponent's upwards, colour the turn total."""
    goal = len(least)
    frame = svg.Frame(Axis("own score", 0, goal), Axis("opponent’s score", 0, goal), 440, 440)
    layers = [
        svg.tag("path", svg.tag("title", f"hold from {level} on"), style=svg.shade(level / _DARKEST),
                d=svg.cells_path(least == level))
        for level in np.unique(least).tolist()
    ]  # fmt: skip
    key = parts.colour_key("hold from", [(level, level / _DARKEST) for level in (0, 20, 40, 60)])
    return svg.picture(
        "Where optimal play first holds, as a map",
        "While both scores are below 70 holding begins between 20 and 30. Above a curve from (0, 80) to (80, 0) the "
        "player rolls until the game is won.",
        440, 440, [frame.axes(), frame.cells(layers), key],
    )  # fmt: skip


def slices(policy: Policy) -> Markup:
    """Return the slices at all scores of the opponent, to be stepped through."""
    goal = len(policy)
    frame = svg.Frame(Axis("own score", 0, goal), Axis("turn total", 0, goal), 440, 380)
    undecided = np.add.outer(np.arange(goal), np.arange(goal)) < goal
    frames = [
        {"held": svg.cells_path(policy[:, other, :] & undecided), "told": _told(policy, other)} for other in range(goal)
    ]
    shapes = [
        svg.tag("path", "", class_="ground", d=f"M0 0H{goal}L0 {goal}z"),
        svg.tag("path", "", class_="fill s1", data_set="held", d=frames[_START]["held"]),
    ]
    drawn = svg.picture(
        "Roll or hold, at one score of the opponent",
        "Own score to the right, turn total upwards. Optimal play holds in the coloured region and rolls below it; on "
        "the diagonal the turn reaches the goal.",
        440, 380, [frame.axes(), frame.cells(shapes), parts.area_key("hold", "roll")],
    )  # fmt: skip
    return parts.stepper("slices", drawn, "Opponent’s score", range(goal), _START, frames)


def choice(duel: values.Duel) -> Markup:
    """Return the winning chances of rolling and of holding at 0 to 0, by turn total."""
    rows = list(_choice_rows(duel))
    totals, roll, hold = ([row[name] for row in rows] for name in ("turn", "roll", "hold"))
    low, high = min(roll + hold), max(roll + hold)
    return svg.chart(
        "The chance to win at 0 to 0, by turn total",
        "Rolling is better below 21, holding from there on.",
        [Series("roll", totals, roll), Series("hold", totals, hold)],
        Axis("turn total", 0, 40),
        Axis("chance to win", math.floor(50 * low) / 50, math.ceil(50 * high) / 50, percent=True),
    )


def _choice_rows(duel: values.Duel) -> Iterator[dict[str, float]]:
    for total in range(1, 41):
        roll, hold = duel.value.after_roll(0, 0, total), float(duel.value.waiting[total, 0, 0])
        yield {"turn": total, "roll": roll, "hold": hold}


def _threshold_rows(policy: Policy, least: NDArray[np.int64]) -> Iterator[dict[str, object]]:
    """Yield for each score pair the least turn total to hold at, and all of them as runs."""
    for (own, other), first in np.ndenumerate(least):
        held = policy[own, other, : len(policy) - own].astype(np.int8)
        edges = np.flatnonzero(np.diff(held, prepend=0, append=0)).reshape(-1, 2)
        runs = " ".join(f"{low}-{high - 1}" for low, high in edges.tolist())
        yield {"own": own, "other": other, "hold_from": int(first), "hold": runs}


def closing_in() -> Trace:
    """Return how the bounds of a small game of two free players close in."""
    model = game_model.build(_SMALL, "smg", None, None)
    first = np.equal(model.variables["turn"], 1)
    return bounds_by_sweep(model, Query("probability", model.labels["win1"], first), _SWEEPS)


def _told(policy: Policy, other: int) -> str:
    least = first_holds(policy)[:, other]
    goal = len(policy)
    pieces = [
        f"at {own}, " + ("roll until the game is won" if least[own] == goal - own else f"hold from {least[own]}")
        for own in (0, 40, 80)
    ]
    return f"Opponent at {other}. With own score " + "; ".join(pieces) + "."
