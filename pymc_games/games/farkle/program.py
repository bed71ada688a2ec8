"""The expectation over rolls as a short program: maxima that option sets share are computed once.

A roll of ``d`` dice at turn total ``t`` is worth ``sum over option sets of chance * max over their options of
Q(t + points, dice left)``, plus the chance of a farkle times its value. Written out, the option sets have hundreds of
maxima, and many pairs of options occur in several of them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pymc_games.games.farkle.rules import Rules
from pymc_games.games.farkle.scoring import option_sets

#: First rows of a turn's buffer: the value of a farkle, then the rounding factors for each number of dice.
FARKLE_ROW = 0
FACTOR_ROW = 1

_Node = tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Instructions for each number of dice; operands are rows of a turn's buffer.

    Operands below ``fixed`` are rows themselves; others are relative to the turn total: at ``t`` steps they name the
    row ``operand + t * dice``, so that ``fixed + points * dice + left - 1`` is the decision with ``points`` more
    steps and ``left`` dice to roll.

    Attributes
    ----------
    maxima : int array [m, 3]
        Target, left and right operand of each shared maximum.
    terms : int array [k, 2]
        Operands of each option set's last maximum (twice the same for a single option).
    weights : float array [k]
        Chances of the option sets.
    maxima_from, terms_from : int array [dice + 1]
        Where the instructions of 1, 2, ... dice begin.
    factors : float array [dice, 2]
        What moves a computed expectation below and above the true one.
    fixed, reach : int
        Number of fixed rows, and the most steps that one roll scores.
    """

    dice: int
    maxima: NDArray[np.int64]
    terms: NDArray[np.int64]
    weights: NDArray[np.float64]
    maxima_from: NDArray[np.int64]
    terms_from: NDArray[np.int64]
    factors: NDArray[np.float64]
    fixed: int
    reach: int


@cache
def compile_rolls(rules: Rules) -> Program:
    """Return the program for all numbers of dice; its arrays are shared and never written to.

    Sums of ``k`` products, with weights that are rounded themselves, have a relative error below ``(k + 2) u``,
    ``u = 2**-53``; the factors ``1 - (k + 4) u`` and ``1 + (k + 4) u`` cover their own rounding as well (Higham,
    Accuracy and Stability of Numerical Algorithms, section 3.1).
    """
    shared = {dice: _share(rules, dice) for dice in range(1, rules.dice + 1)}
    first = FACTOR_ROW + rules.dice
    fixed = first + max(len(pairs) for pairs, _ in shared.values())

    def operand(node: _Node) -> int:
        if len(node) == 1:
            return first + node[0]
        left, points = node
        return fixed + points // rules.step * rules.dice + left - 1

    maxima, terms, weights, factors = [], [], [], []
    maxima_from, terms_from, reach = [0], [0], 0
    for dice, (pairs, sets) in shared.items():
        maxima += [(first + target, operand(left), operand(right)) for target, (left, right) in enumerate(pairs)]
        for nodes, chance in sets:
            terms.append((operand(nodes[0]), operand(nodes[-1])) if nodes else (FARKLE_ROW, FARKLE_ROW))
            weights.append(float(chance))
        slack = (len(sets) + 4) * 2.0**-53
        factors.append((1 - slack, 1 + slack))
        maxima_from.append(len(maxima))
        terms_from.append(len(terms))
        points = [points for ways in option_sets(rules, dice) for _, points in ways]
        reach = max(reach, *points) if points else reach
    return Program(
        rules.dice, np.array(maxima, np.int64).reshape(-1, 3), np.array(terms, np.int64), np.array(weights),
        np.array(maxima_from), np.array(terms_from), np.array(factors), fixed, reach // rules.step,
    )  # fmt: skip


def _share(rules: Rules, dice: int) -> tuple[list[tuple[_Node, _Node]], list[tuple[list[_Node], Fraction]]]:
    """Return the shared maxima, and for each option set its last one or two operands with its chance.

    Options are nodes ``(dice left, points)``; the maximum number ``i`` is the node ``(i,)``. The pair that occurs in
    most sets is replaced until no set has more than two nodes.
    """
    sets: list[tuple[set[_Node], Fraction]] = [
        ({(dice - used or rules.dice, points) for used, points in ways}, chance)
        for ways, chance in option_sets(rules, dice).items()
    ]
    pairs: list[tuple[_Node, _Node]] = []
    while True:
        found = Counter(
            pair for nodes, _ in sets if len(nodes) > 2 for pair in itertools.combinations(sorted(nodes), 2)
        )
        if not found:
            return pairs, [(sorted(nodes), chance) for nodes, chance in sets]
        pair = max(sorted(found), key=found.__getitem__)
        for nodes, _ in sets:
            if nodes.issuperset(pair) and len(nodes) > 2:
                nodes -= set(pair)
                nodes.add((len(pairs),))
        pairs.append(pair)
