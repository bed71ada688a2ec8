"""What larger games would take on many cores: ``python -m benchmarks.scale`` prints the tables of ``docs/scale.md``.

Counts are exact. Times follow from measured rates, under assumptions that the document names.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb

from pymc_games.games.bearoff.positions import MAX_CHECKERS, count_positions
from pymc_games.games.bingo.board import TRANSIENT
from pymc_games.games.bingo.patterns import count_classes
from pymc_games.games.farkle.rules import Rules

CORES, NODES = 1_000, 16
#: Bytes a second into a node, of a link of 10 Gbit/s.
LINK = 1.25e9
#: Measured: processor seconds of the search over all 3 x 3 boards.
BINGO_SECONDS = 33.5
#: Measured: seconds on two cores, and sweeps, of the whole of Farkle.
FARKLE_SECONDS, FARKLE_CORES, FARKLE_SWEEPS = 116, 2, 25
#: Measured: processor seconds, the system's included, of the bearoff of 15 against 15; and bytes a pair in its file.
BEAROFF_SECONDS, BEAROFF_BYTES = 282 + 33, 4


def symmetries(side: int) -> list[tuple[int, ...]]:
    """Return the eight permutations of the cells of a square."""
    cells = list(itertools.product(range(side), repeat=2))
    found = []
    for transposed, down, across in itertools.product((False, True), repeat=3):
        image = []
        for row, column in cells:
            a, b = (column, row) if transposed else (row, column)
            image.append(side * (side - 1 - a if down else a) + (side - 1 - b if across else b))
        found.append(tuple(image))
    return found


def cycles(permutation: tuple[int, ...]) -> list[int]:
    """Return the lengths of a permutation's cycles."""
    lengths, seen = [], set()
    for start in range(len(permutation)):
        length, cell = 0, start
        while cell not in seen:
            seen.add(cell)
            cell, length = permutation[cell], length + 1
        lengths += [length] if length else []
    return lengths


def classes(side: int) -> int:
    """Return the number of boards up to five swaps and eight symmetries, by counting orbits."""
    fixed = 0
    for permutation, swapped in itertools.product(symmetries(side), range(6)):
        boards = 1
        for length in cycles(permutation):
            boards *= 11 if length % 2 == 0 else 11 - 2 * swapped
        fixed += comb(5, swapped) * boards
    return fixed // (8 * 2**5)


def sets_without_line(side: int) -> int:
    """Return how many sets of marked cells have no complete row, column or diagonal."""
    cells = range(side)
    lines = [sum(1 << side * row + column for column in cells) for row in cells]
    lines += [sum(1 << side * row + column for row in cells) for column in cells]
    lines += [sum(1 << side * k + k for k in cells), sum(1 << side * k + side - 1 - k for k in cells)]
    return sum(all(marked & line != line for line in lines) for marked in range(1 << side**2))


def partitions(cells: int, blocks: int) -> int:
    """Return the number of partitions of cells into at most so many blocks (Stirling numbers)."""
    ways = [1] + [0] * blocks
    for _ in range(cells):
        ways = [0] + [k * ways[k] + ways[k - 1] for k in range(1, blocks + 1)]
    return sum(ways)


def bingo() -> Iterator[tuple[str, str]]:
    """Yield what there is to say of boards of 4 x 4."""
    each = BINGO_SECONDS / count_classes() * sets_without_line(4) / len(TRANSIENT)
    low = classes(4) * each
    yield "boards", f"{11**16:,}"
    yield "classes of boards", f"{classes(4):,}"
    yield "sets of marked cells without a line; 3 x 3", f"{sets_without_line(4):,}; {len(TRANSIENT)}"
    yield "equality patterns, symmetric ones apart", f"{partitions(16, 11):,}"
    yield "a class, in microseconds", f"{each * 1e6:,.0f} to {each * 16 / 9 * 1e6:,.0f}"
    years = low / CORES / 86400 / 365.25
    yield "all classes on a thousand cores, in years", f"{years:.1f} to {years * 16 / 9:.1f}"


def farkle() -> Iterator[tuple[str, str]]:
    """Yield what there is to say of three players, one of them against the other two together."""
    rules = Rules()
    starts = rules.scores**3 * rules.farkles**3
    states = rules.states() * rules.scores * rules.farkles
    rate = rules.states() * FARKLE_SWEEPS / FARKLE_SECONDS / FARKLE_CORES
    steps = (3 * rules.scores - 2) * (3 * (rules.farkles - 1) + 1)
    vector = 3 * starts * 2 * 8
    yield "states with a given player on move", f"{states:,}"
    yield "turn starts with a given player on move", f"{starts:,}"
    yield "two bounds for three players on move, in GB", f"{vector / 1e9:.1f}"
    yield "measured rate, in million states a second and core", f"{rate / 1e6:.1f}"
    yield "25 sweeps on a thousand cores, in minutes", f"{3 * states * FARKLE_SWEEPS / rate / CORES / 60:.1f}"
    yield "steps that wait for each other, a sweep", f"{steps:,}"
    yield "turn starts a step and core, on average", f"{3 * starts / steps / CORES:,.0f}"
    yield "network, all values to all nodes, 25 sweeps, in minutes", f"{FARKLE_SWEEPS * vector / LINK / 60:.1f}"
    yield "network, each value to one node, 25 sweeps, in minutes", f"{FARKLE_SWEEPS * vector / NODES / LINK / 60:.2f}"


def bearoff() -> Iterator[tuple[str, str]]:
    """Yield what there is to say of a home board of seven points."""
    positions = comb(MAX_CHECKERS + 7, 7)
    pairs, now = positions**2, count_positions(MAX_CHECKERS) ** 2
    size = pairs * BEAROFF_BYTES
    yield "positions; with six points", f"{positions:,}; {count_positions(MAX_CHECKERS):,}"
    yield "pairs", f"{pairs:,}"
    yield "pairs, to those with six points", f"{pairs / now:.2f}"
    yield "table, in GB", f"{size / 1e9:.0f}"
    yield "a thousand cores, in seconds", f"{BEAROFF_SECONDS * pairs / now / CORES:.1f}"
    yield "levels of pips, that wait for each other", f"{7 * MAX_CHECKERS}"
    yield "network, each value to one node, in seconds", f"{size / NODES / LINK:.1f}"
    yield "writing the table at 1 GB a second, in seconds", f"{size / 1e9:.0f}"


def tables() -> str:
    """Return all numbers as Markdown tables."""
    titles = {"4 x 4 Dice Bingo": bingo, "Farkle for three": farkle, "bearoff from seven points": bearoff}
    return "\n\n".join(
        "\n".join([f"| {title} | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows())])
        for title, rows in titles.items()
    )


if __name__ == "__main__":
    print(tables())
