"""Vector instructions for rows of 16 lanes, for kernels whose arrays may overlap and so would not be vectorised.

A buffer is a flat float64 array; its row ``r`` is the elements ``16 r`` to ``16 r + 15``. Lanes never mix.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: Lanes in a row. Sixteen doubles are two to eight vector registers, and a row is two cache lines.
LANES = 16

_ROW = ir.VectorType(ir.DoubleType(), LANES)
_INDICES = ir.VectorType(ir.IntType(32), LANES)
_ALIGNMENT = 8


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, row: int) -> Any:
    """Return the address of the row that argument ``row`` names, in the buffer that is the first argument."""
    array: Any = cgutils.create_struct_proxy(signature.args[0])  # type: ignore[no-untyped-call]
    data = array(context, builder, arguments[0]).data
    offset = builder.mul(arguments[row], ir.Constant(arguments[row].type, LANES))
    return builder.bitcast(builder.gep(data, [offset]), _ROW.as_pointer())


def _load(context: Any, builder: Any, signature: Any, arguments: Any, row: int) -> Any:
    return builder.load(_pointer(context, builder, signature, arguments, row), align=_ALIGNMENT)


def _larger(builder: Any, left: Any, right: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", left, right), left, right)


def _broadcast(builder: Any, number: Any) -> Any:
    undefined = ir.Constant(_ROW, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_INDICES, [0] * LANES))


def _maximum(_typing: Any, buffer: Any, target: Any, left: Any, right: Any) -> Any:
    """``buffer[target] = max(buffer[left], buffer[right])``."""
    signature = types.void(buffer, types.intp, types.intp, types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        larger = _larger(builder, *(_load(context, builder, signature, arguments, row) for row in (2, 3)))
        builder.store(larger, _pointer(context, builder, signature, arguments, 1), align=_ALIGNMENT)
        return context.get_dummy_value()

    return signature, generate


def _add_maximum(_typing: Any, buffer: Any, target: Any, left: Any, right: Any, weight: Any) -> Any:
    """``buffer[target] += weight * max(buffer[left], buffer[right])``."""
    signature = types.void(buffer, types.intp, types.intp, types.intp, types.float64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        larger = _larger(builder, *(_load(context, builder, signature, arguments, row) for row in (2, 3)))
        term = builder.fmul(_broadcast(builder, arguments[4]), larger)
        place = _pointer(context, builder, signature, arguments, 1)
        builder.store(builder.fadd(builder.load(place, align=_ALIGNMENT), term), place, align=_ALIGNMENT)
        return context.get_dummy_value()

    return signature, generate


def _multiply(_typing: Any, buffer: Any, target: Any, factor: Any) -> Any:
    """``buffer[target] *= buffer[factor]``."""
    signature = types.void(buffer, types.intp, types.intp)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        product = builder.fmul(*(_load(context, builder, signature, arguments, row) for row in (1, 2)))
        builder.store(product, _pointer(context, builder, signature, arguments, 1), align=_ALIGNMENT)
        return context.get_dummy_value()

    return signature, generate


# Typed loosely: a compiled caller does not pass the first argument.
maximum: Any = intrinsic(_maximum)
add_maximum: Any = intrinsic(_add_maximum)
multiply: Any = intrinsic(_multiply)
