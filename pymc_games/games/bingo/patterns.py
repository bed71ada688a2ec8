"""All boards up to symmetry, as equality patterns with weights.

Sums v and 14 - v are equally likely, so a board matters only through which cells share a number, and how many of the 36
rolls give each number. A *pattern* is a partition of the nine cells into blocks; a block's *weight* is 1 to 6. A weight
below 6 belongs to two numbers (v and 14 - v) and may occur twice, 6 belongs to 7 alone. The eight symmetries of the
square permute cells. Boards related by any of the 2^5 swaps and the 8 symmetries are equal in every respect.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pymc_games.games.bingo.board import CELLS, WAYS, Board

Pattern = tuple[int, ...]


def _symmetries() -> tuple[tuple[int, ...], ...]:
    """Return the eight permutations of cells: where each cell goes."""
    found = set()
    for flip, quarter in itertools.product((False, True), range(4)):
        image = []
        for cell in range(CELLS):
            row, column = divmod(cell, 3)
            if flip:
                column = 2 - column
            for _ in range(quarter):
                row, column = column, 2 - row
            image.append(3 * row + column)
        found.add(tuple(image))
    return tuple(sorted(found))


SYMMETRIES = _symmetries()
#: How often a weight may be used: by 7 once, by v and 14 - v otherwise.
USES = {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 1}


def count_classes() -> int:
    """Return the number of classes of boards, by counting orbits.

    A symmetry followed by swaps fixes the boards that are constant along its cycles: a cycle of even length admits all
    11 numbers, one of odd length only those that the swaps leave in place (Cauchy, Frobenius, 'Burnside').
    """
    total = 0
    for image in SYMMETRIES:
        lengths = _cycle_lengths(image)
        for swapped in range(6):
            subsets = (1, 5, 10, 10, 5, 1)[swapped]
            fixed = 1
            for length in lengths:
                fixed *= 11 if length % 2 == 0 else 11 - 2 * swapped
            total += subsets * fixed
    return total // (len(SYMMETRIES) * 32)


def patterns() -> list[Pattern]:
    """Return one partition of the cells of each symmetry class, as block numbers of the cells, numbered as met."""
    return [pattern for pattern in _partitions() if pattern == min(_images(pattern))]


def weights(pattern: Pattern) -> NDArray[np.int64]:
    """Return one weighting of the blocks of each class; shape (classes, blocks).

    The symmetries that map the pattern to itself permute its blocks; of weightings that become each other the least
    in lexicographic order is kept.
    """
    blocks = max(pattern) + 1
    all_weights = _all_weights(blocks)
    least = np.ones(len(all_weights), dtype=np.bool_)
    for permutation in _block_permutations(pattern):
        if permutation == sorted(permutation):
            continue
        image = all_weights[:, permutation]
        differs = image != all_weights
        first = differs.argmax(axis=1)
        row = np.arange(len(all_weights))
        smaller = differs.any(axis=1) & (image[row, first] < all_weights[row, first])
        least &= ~smaller
    return all_weights[least]


def board_of(pattern: Pattern, block_weights: NDArray[np.int64]) -> Board:
    """Return a board with this pattern and these weights."""
    used: dict[int, int] = {}
    numbers = []
    for weight in block_weights.tolist():
        used[weight] = used.get(weight, 0) + 1
        numbers.append(1 + weight if used[weight] == 1 else 13 - weight)
    return tuple(numbers[block] for block in pattern)


def class_size(board: Board) -> int:
    """Return how many boards are equal to one up to swaps and symmetries."""
    images = {tuple(_moved(board, image)) for image in SYMMETRIES}
    pairs = ((2, 12), (3, 11), (4, 10), (5, 9), (6, 8))
    every = set()
    for image in images:
        for swapped in itertools.product((False, True), repeat=5):
            swap = {v: w for pair, on in zip(pairs, swapped, strict=True) if on for v, w in (pair, pair[::-1])}
            every.add(tuple(swap.get(value, value) for value in image))
    return len(every)


def canonical(board: Board) -> Board:
    """Return the representative of a board's class that `board_of` gives."""
    images = []
    for image in SYMMETRIES:
        moved = _moved(board, image)
        images.append((_numbered(moved), tuple(WAYS[value] for value in dict.fromkeys(moved))))
    pattern, block_weights = min(images)
    return board_of(pattern, np.array(block_weights))


def _cycle_lengths(image: tuple[int, ...]) -> list[int]:
    lengths, seen = [], set()
    for cell in range(CELLS):
        length = 0
        while cell not in seen:
            seen.add(cell)
            cell = image[cell]  # noqa: PLW2901 - walking along the cycle
            length += 1
        if length:
            lengths.append(length)
    return lengths


def _partitions(prefix: Pattern = ()) -> Iterator[Pattern]:
    if len(prefix) == CELLS:
        yield prefix
        return
    for block in range(max(prefix, default=-1) + 2):
        yield from _partitions((*prefix, block))


def _moved(values: Sequence[int], image: tuple[int, ...]) -> list[int]:
    """Return what stands in each cell after a symmetry."""
    moved = [0] * CELLS
    for cell, to in enumerate(image):
        moved[to] = values[cell]
    return moved


def _numbered(values: list[int]) -> Pattern:
    """Return block numbers in the order in which values are met."""
    order: dict[int, int] = {}
    return tuple(order.setdefault(value, len(order)) for value in values)


def _images(pattern: Pattern) -> Iterator[Pattern]:
    for image in SYMMETRIES:
        yield _numbered(_moved(pattern, image))


def _block_permutations(pattern: Pattern) -> list[list[int]]:
    """Return, for each symmetry that keeps the pattern, the old number of each block of the image."""
    found = []
    for image in SYMMETRIES:
        moved = _moved(pattern, image)
        if _numbered(moved) == pattern:
            found.append(list(dict.fromkeys(moved)))
    return found


@functools.cache
def _all_weights(blocks: int) -> NDArray[np.int64]:
    return np.array(list(_weightings(blocks)), dtype=np.int64).reshape(-1, blocks)


def _weightings(blocks: int, prefix: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    if len(prefix) == blocks:
        yield prefix
        return
    for weight, uses in USES.items():
        if prefix.count(weight) < uses:
            yield from _weightings(blocks, (*prefix, weight))
