r"""Backups in twice the precision: numbers as unevaluated sums ``high + low`` of two floats.

Error bounds are those of Joldes, Muller and Popescu, *Tight and rigorous error bounds for basic building blocks of
double-word arithmetic* (ACM TOMS 44(2), 2017), with :math:`u = 2^{-53}`: a sum errs by at most :math:`3u^2 + 13u^3`,
a product by at most :math:`8u^2`, relative to non-negative results.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SPLIT = 134217729.0  # 2^27 + 1
_UNIT_SQUARED = 2.0**-106


@njit(cache=True, inline="always")
def two_sum(a, b):  # type: ignore[no-untyped-def]
    """Return ``a + b`` as nearest float and exact error."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@njit(cache=True, inline="always")
def _fast_two_sum(a, b):  # type: ignore[no-untyped-def]
    total = a + b
    return total, b - (total - a)


@njit(cache=True, inline="always")
def _two_product(a, b):  # type: ignore[no-untyped-def]
    product = a * b
    wide = _SPLIT * a
    a_high = wide - (wide - a)
    a_low = a - a_high
    wide = _SPLIT * b
    b_high = wide - (wide - b)
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@njit(cache=True, inline="always")
def add(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """Return the sum of two double words."""
    sh, sl = two_sum(ah, bh)
    th, tl = two_sum(al, bl)
    vh, vl = _fast_two_sum(sh, sl + th)
    return _fast_two_sum(vh, tl + vl)


@njit(cache=True, inline="always")
def multiply(ah, al, bh, bl):  # type: ignore[no-untyped-def]
    """Return the product of two double words."""
    ch, cl = _two_product(ah, bh)
    return _fast_two_sum(ch, cl + (ah * bl + al * bh))


@njit(cache=True)
def backup_choices(starts, targets, p_high, p_low, constant_high, constant_low, x_high, x_low):  # type: ignore[no-untyped-def]
    r"""Return :math:`c_a + \sum_i p_{a,i} x_{t(a,i)}` for every choice ``a``, as two arrays."""
    high = constant_high.copy()
    low = constant_low.copy()
    for choice in range(len(starts) - 1):
        sh, sl = high[choice], low[choice]
        for branch in range(starts[choice], starts[choice + 1]):
            t = targets[branch]
            ph, pl = multiply(p_high[branch], p_low[branch], x_high[t], x_low[t])
            sh, sl = add(sh, sl, ph, pl)
        high[choice], low[choice] = sh, sl
    return high, low


@njit(cache=True)
def excess(terms, owners, high, low, x_high, x_low, sign):  # type: ignore[no-untyped-def]
    """Return, for every choice, a proven lower bound on ``sign * (backup - x[owner])``.

    ``high, low`` are the backups of ``backup_choices``; all of their terms must be non-negative. The margin covers the
    rounding of representation, products, sums and of this difference; ``terms`` counts the branches of each choice.
    """
    result = np.empty(len(owners))
    for choice in range(len(owners)):
        state = owners[choice]
        dh, dl = add(high[choice], low[choice], -x_high[state], -x_low[state])
        margin = (32.0 + 6.0 * terms[choice]) * _UNIT_SQUARED
        result[choice] = sign * (dh + dl) - margin * (abs(high[choice]) + abs(x_high[state]))
    return result
