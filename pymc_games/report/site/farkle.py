"""Farkle's pictures: when to bank a turn total, by dice and by both scores, why, and how the bounds close in."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from pymc_games import witness
from pymc_games.engine.trace import Trace
from pymc_games.games.farkle import play, rules, scoring, solution, values
from pymc_games.games.farkle.play import Position, Turn
from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.values import Values
from pymc_games.report.site import parts, svg
from pymc_games.report.site.svg import Axis, Series

#: The game that is solved for the page: its bounds are shown closing in, and its play where no solution file is given.
SMALL = rules.load(goal=3000, bound=-500)
#: Turn totals that maps and charts show at most, in points.
_HIGHEST, _HIGHEST_OF_CHOICE = 6000, 3000
#: Score pairs of the map of both scores: so many scores of either player, evenly spaced.
_SCORES = 40
#: Lower ends of the classes of turn totals that have a colour each, after the first.
_CLASSES = (400, 500, 750, 1000, 1500, 2000, 3000)
#: Turns that Storm solves for the page.
_WITNESSED = 8

#: First and last turn total of a run, in points.
Range = tuple[int, int]


class Banking(NamedTuple):
    """One turn's start, the mover's chance, and by number of dice the turn totals at which banking is best."""

    position: Position
    win: float
    bank: list[list[Range]]


def context(path: Path | None = None) -> dict[str, Any]:
    """Return what ``farkle.html`` shows: the play of a solution file, or else of a small game solved now."""
    small, trace = solve_small()
    with tempfile.TemporaryDirectory() as folder:
        if path is None:
            path = Path(folder) / "small.farkle"
            solution.save(small, path)
        solved = solution.load(path)
        statements = _statements(path) if solved.changed == 0 else []
        turns = [(name, banking(solved, position)) for name, position in situations(solved.rules)]
        grid = score_grid(solved)
        start = play.turn(solved, Position(0, 0))
        agrees = all(one.difference <= witness.WITHIN for one in statements)
        return {
            **_rules(solved.rules),
            "facts_shown": _facts(solved, start),
            "turn_map": turn_map(solved.rules, turns),
            "score_map": score_map(solved.rules, grid),
            "spacing": spacing(solved.rules),
            "by_lead": _by_lead(solved),
            "choice": choice(start),
            "small_goal": f"{SMALL.goal:,}",
            "convergence": parts.convergence("Farkle", trace),
            "witnessed": [_statement(one) for one in statements],
            "witness_within": svg.power(witness.WITHIN),
            "sound": agrees,
            "tables": {
                "situations": list(_rows(found for _, found in turns)),
                "scores": list(_rows(grid)),
                "choice": list(_choice_rows(start)),
                "convergence": list(parts.sweep_rows(trace)),
            },
        }


def _statements(path: Path) -> list[witness.Statement]:
    """Return what Storm says of turns of a solution, the start of the game first."""
    found = witness.statements(path, _WITNESSED, seed=1)
    return sorted(found, key=lambda one: (one.position != Position(0, 0), one.position))


def solve_small() -> tuple[Values, Trace]:
    """Return the small game solved, and the bounds at its start after each sweep."""
    bounds = [(0.0, 1.0)]

    def keep(found: Values) -> None:
        first = found.at(0, 0)
        bounds.append((first.lower, first.upper))

    found = values.solve(SMALL, keep=keep)
    lower, upper = np.array(bounds).T
    return found, Trace(lower, upper)


def banking(solved: Values, position: Position) -> Banking:
    """Return when to bank in the turn that starts at a position."""
    turn = play.turn(solved, position)
    found = [play.bank_totals(turn, dice) for dice in range(1, solved.rules.dice + 1)]
    return Banking(position, float(turn.best[0, -1].mean()), found)


def situations(game: Rules) -> list[tuple[str, Position]]:
    """Return the situations that the map of one turn steps through, with their names."""

    def share(part: float) -> int:
        return math.floor(part * game.goal / game.step) * game.step

    close = game.goal - max(game.minimum, game.step)
    threatened = (f"the start, after {game.farkles - 1} farkles in a row", Position(0, 0, game.farkles - 1))
    return [
        ("the start", Position(0, 0)),
        *([threatened] if game.farkles > 1 else []),
        ("level", Position(share(0.5), share(0.5))),
        ("trailing", Position(share(0.5), share(0.75))),
        ("far behind", Position(share(0.25), share(0.75))),
        ("leading", Position(share(0.5), share(0.25))),
        ("far ahead", Position(share(0.75), share(0.25))),
        ("opponent near the goal", Position(share(0.5), close)),
        ("both near the goal", Position(share(0.9), share(0.9))),
        ("near the goal yourself", Position(share(0.9), share(0.5))),
    ]


def rules_shown(game: Rules) -> list[tuple[str, str]]:
    """Return what scores, in words, and its points."""
    rows = [(f"each single {face}", game.singles[face - 1]) for face in range(1, 7)]
    rows += [(f"three {face}s", game.triples[face - 1]) for face in range(1, 7)]
    rows += [
        ("one die of each face", game.straight),
        ("three pairs" + (", or four of a kind and a pair" if game.four_and_two else ""), game.three_pairs),
        ("six dice none of which scores", game.nothing),
    ]  # fmt: skip
    return [(name, f"{points:,}") for name, points in rows if points]


def turn_map(game: Rules, turns: Sequence[tuple[str, Banking]]) -> Markup:
    """Return when to bank and when to roll, by turn total and dice, in named situations to be stepped through."""
    top = min(game.goal, _HIGHEST)
    rows = Axis("dice left to roll", 0.5, game.dice + 0.5, tuple(range(1, game.dice + 1)))
    frame = svg.Frame(Axis("turn total", 0, top), rows, 440, 300)
    frames = []
    for name, found in turns:
        missing = max(game.goal - found.position.own, game.minimum)
        cells = {dice: _bank_text(game, found.position, runs) for dice, runs in enumerate(found.bank, 1)}
        whole = [[(0, missing - game.step)]] * game.dice
        frames.append({
            "at": name, "told": _told(game, found), "banked": _bars(found.bank, game.step, top),
            "ground": _bars(whole, game.step, top), **{f"dice-{dice}": text for dice, text in cells.items()},
        })  # fmt: skip
    first = frames[0]
    shapes = [
        svg.tag("path", "", class_="ground", data_set="ground", d=first["ground"]),
        svg.tag("path", "", class_="fill s1", data_set="banked", d=first["banked"]),
    ]
    drawn = svg.picture(
        "Bank or roll, by turn total and dice left",
        "Turn totals to the right, a row for each number of dice left to roll. Optimal play banks in the coloured "
        "region and rolls in the pale one; where a row ends, banking wins.",
        440, 300, [frame.axes(), frame.cells(shapes, (game.step, 1)), parts.area_key("bank", "roll")],
    )  # fmt: skip
    table = parts.table(
        "Turn totals at which to bank rather than roll",
        ("Dice left", "Bank"),
        [
            (str(dice), svg.tag("span", first[f"dice-{dice}"], data_set=f"dice-{dice}"))
            for dice in range(1, game.dice + 1)
        ],
    )
    return parts.stepper("situations", drawn, "Situation", range(1, len(frames) + 1), 0, frames, below=table)


def score_grid(solved: Values) -> list[Banking]:
    """Return when to bank at evenly spaced scores of both, none below 0."""
    scores = range(0, solved.rules.goal, spacing(solved.rules))
    return [banking(solved, Position(own, other)) for own, other in itertools.product(scores, scores)]


def spacing(game: Rules) -> int:
    """Return the points between the scores of the map of both scores."""
    return max(math.ceil(game.goal / _SCORES / game.step), 1) * game.step


def score_map(game: Rules, grid: Sequence[Banking]) -> Markup:
    """Return the least turn total at which to bank, by both scores, for each number of dice to be stepped through."""
    wide = spacing(game)
    size = len(range(0, game.goal, wide))
    frame = svg.Frame(Axis("own score", 0, size * wide), Axis("opponent’s score", 0, size * wide), 440, 440)
    first = max(game.minimum, game.step)
    classes = [first, *(low for low in _CLASSES if first < low < game.goal)]
    frames = []
    for dice in range(1, game.dice + 1):
        least = np.array([one.bank[dice - 1][0][0] if one.bank[dice - 1] else -1 for one in grid]).reshape(size, size)
        place = np.where(least < 0, -1, np.searchsorted(classes, least, "right") - 1)
        gaps = sum(len(one.bank[dice - 1]) > 1 for one in grid)
        paths = {f"class-{k}": svg.cells_path(place == k) for k in range(-1, len(classes))}
        frames.append({"told": _told_of_map(dice, least, gaps), **paths})
    start = min(3, game.dice) - 1
    looks = [("only to win", {"class_": "fill s2"})]
    looks += [
        (f"from {low:,}", {"style": svg.shade(place / max(len(classes) - 1, 1))}) for place, low in enumerate(classes)
    ]
    layers = [
        svg.tag("path", svg.tag("title", name), data_set=f"class-{k}", d=frames[start][f"class-{k}"], **look)
        for k, (name, look) in enumerate(looks, -1)
    ]
    drawn = svg.picture(
        "The least turn total at which to bank, by both scores",
        "Own score to the right, the opponent’s upwards. With a lead, below the diagonal, less is enough; far behind, "
        "and where the opponent is about to win, only a total that wins is banked.",
        440, 440, [frame.axes(), frame.cells(layers, (wide, wide))],
    )  # fmt: skip
    key = parts.key(looks)
    return parts.stepper("scores", drawn + key, "Dice left", range(1, game.dice + 1), start, frames)


def choice(turn: Turn) -> Markup:
    """Return the winning chances of banking and of rolling at the start of the game, by turn total."""
    game = turn.rules
    totals = np.arange(0, min(game.goal, _HIGHEST_OF_CHOICE), game.step)
    steps = totals // game.step
    bank = np.where([turn.may_bank(int(total)) for total in totals], turn.bank[steps].mean(axis=-1), np.nan)
    series = [Series("bank", totals, bank)]
    series += [
        Series(f"roll {_dice(dice)}", totals, turn.roll[steps, dice - 1].mean(axis=-1))
        for dice in sorted({(game.dice + 1) // 2, (2 * game.dice + 2) // 3})
    ]
    drawn = np.concatenate([np.asarray(one.y) for one in series])
    low, high = math.floor(20 * np.nanmin(drawn)) / 20, math.ceil(20 * np.nanmax(drawn)) / 20
    return svg.chart(
        "The chance to win at 0 to 0, by turn total",
        "Rolling so many dice is better where its line is above that of banking.",
        series,
        Axis("turn total", 0, min(game.goal, _HIGHEST_OF_CHOICE)),
        Axis("chance to win", low, max(high, low + 0.05), percent=True),
    )


def _rules(game: Rules) -> dict[str, Any]:
    return {
        "rules": game,
        "dice": _dice(game.dice),
        "bound": _minus(f"{game.bound:,}"),
        "scores": rules_shown(game),
        "farkle_chance": scoring.option_sets(game, game.dice).get((), 0),
        "highest": f"{_HIGHEST:,}" if game.goal > _HIGHEST else "",
    }


def _facts(solved: Values, start: Turn) -> list[tuple[str, str]]:
    first, dice = solved.at(0, 0), min(3, solved.rules.dice)
    least = play.bank_totals(start, dice)
    return [
        ("The first player wins", f"{first.value:.9f}"),
        ("Proven to within", svg.power(first.width)),
        ("Positions between rolls", f"{solved.rules.states():,}"),
        ("Sweeps", f"{solved.sweeps}, " + ("to the fixpoints" if solved.changed == 0 else "short of the fixpoints")),
        (f"At the start, {_dice(dice)} left, bank", f"from {least[0][0]:,}" if least else "only to win"),
    ]


def _by_lead(solved: Values) -> Markup:
    """Return when to bank at half the goal, by the opponent's score, as a table."""
    game = solved.rules
    own = game.goal // 2 // game.step * game.step
    rows = []
    for part in (0.0, 0.25, 0.5, 0.75, 0.9):
        position = Position(own, math.floor(part * game.goal / game.step) * game.step)
        found = banking(solved, position)
        cells = [_bank_text(game, position, runs) for runs in found.bank]
        rows.append((f"{position.other:,}", f"{100 * found.win:.2f} %", *cells))
    heads = ("Opponent", "You win", *(f"{dice} left" for dice in range(1, game.dice + 1)))
    return parts.table(f"When to bank at an own score of {own:,}, by the opponent’s score and dice left", heads, rows)


def _rows(found: Iterable[Banking]) -> Iterator[dict[str, object]]:
    for one in found:
        for dice, runs in enumerate(one.bank, 1):
            yield {
                **one.position._asdict(), "win_probability": one.win, "dice": dice,
                "bank": " ".join(f"{low}-{high}" for low, high in runs),
            }  # fmt: skip


def _choice_rows(turn: Turn) -> Iterator[dict[str, object]]:
    for total, (bank, rolls) in enumerate(zip(turn.bank.mean(axis=-1), turn.roll.mean(axis=-1), strict=True)):
        points = total * turn.rules.step
        yield {
            "turn": points, "bank": float(bank) if turn.may_bank(points) else "",
            **{f"roll_{dice}": float(value) for dice, value in enumerate(rolls, 1)},
        }  # fmt: skip


def _statement(one: witness.Statement) -> dict[str, str]:
    position = one.position
    return {
        "scores": _minus(f"{position.own:,} to {position.other:,}"),
        "farkles": f"{position.own_farkles}, {position.other_farkles}",
        "states": f"{one.states:,}",
        "solved": f"{one.solved.value:.12f}",
        "storm": f"{one.storm.value:.12f}",
        "difference": svg.power(one.difference),
    }


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")


def _bars(bank: Sequence[Sequence[Range]], step: int, top: int) -> str:
    """Return the path of bars, one row for each number of dice, that ends at the turn total ``top``."""
    pieces = []
    for dice, runs in enumerate(bank, 1):
        for low, high in runs:
            end = min(high + step, top)
            if low < end:
                pieces.append(f"M{low // step} {dice - 0.4:g}h{(end - low) // step}v.8h{(low - end) // step}z")
    return "".join(pieces)


def _bank_text(game: Rules, position: Position, runs: Sequence[Range]) -> str:
    """Return in words at which turn totals to bank; those that win are banked anyway."""
    last = max(game.goal - position.own, game.minimum) - game.step
    texts = [
        f"from {low:,}" if high == last else f"at {low:,}" if low == high else f"{low:,} to {high:,}"
        for low, high in runs
    ]
    return ", ".join(texts) or "only to win"


def _told(game: Rules, found: Banking) -> str:
    position = found.position
    return (
        f"You have {position.own:,}, the opponent {position.other:,}: before your first roll you win with chance "
        f"{100 * found.win:.2f} %. {max(game.goal - position.own, game.minimum):,} points in this turn win the game."
    )


def _told_of_map(dice: int, least: np.ndarray, gaps: int) -> str:
    start = "only to win" if least[0, 0] < 0 else f"from {least[0, 0]:,}"
    never = int((least < 0).sum())
    holes = f"; at {gaps:,} some total above the least is rolled again" if gaps else ""
    return (
        f"With {_dice(dice)} left: at 0 to 0 bank {start}. At {never:,} of {least.size:,} "
        f"score pairs only a win is banked{holes}."
    )
