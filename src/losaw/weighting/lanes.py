"""Vector operations on rows padded to a multiple of 8, written as LLVM instructions.

A compiler cannot know that two arrays do not overlap and checks it before every short loop; said
outright, a row of 8 is one or two instructions on any machine with vector registers. Rows are
given by array and flat index of their first element, in C order; nothing is checked.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8


def instruction(function: Any) -> Any:
    """numba's intrinsic, without a type: callers leave out the typing context."""
    return intrinsic(function)


_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def _row(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), "llvm.fma.v8f64"
    )
    return builder.call(function, [a, b, c])


def _spread(builder: Any, value: Any) -> Any:
    """A vector with ``value`` in every lane."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    single = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, nothing, lanes)


@instruction
def add_two_scaled(
    typingctx: Any, target: Any, at: Any, s: Any, t: Any, source: Any, first: Any, second: Any
) -> Any:
    """target[at : at + 8] += s * source[first : first + 8] + t * source[second : second + 8]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _row(context, builder, signature.args[0], args[0], args[1])
        total = builder.load(place, align=8)
        for scale, start in ((args[2], args[5]), (args[3], args[6])):
            row = _row(context, builder, signature.args[4], args[4], start)
            total = _fma(builder, _spread(builder, scale), builder.load(row, align=8), total)
        builder.store(total, place, align=8)
        return context.get_dummy_value()

    i, f = types.int64, types.float64
    return types.void(target, i, f, f, source, i, i), codegen


@instruction
def sum_products(
    typingctx: Any,
    target: Any,
    at: Any,
    factor: Any,
    source: Any,
    column: Any,
    start: Any,
    stride: Any,
    count: Any,
) -> Any:
    """target[at : at + 8] = sum_r factor[r] * source[column + r d] * source[start + r d : + 8].

    r runs from 0 to count - 1, d is ``stride``; the sum stays in a register.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _row(context, builder, signature.args[0], args[0], args[1])
        factors = context.make_array(signature.args[2])(context, builder, args[2]).data
        values = context.make_array(signature.args[3])(context, builder, args[3]).data
        total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        with cgutils.for_range(builder, args[7]) as loop:
            offset = builder.mul(loop.index, args[6])
            scale = builder.fmul(
                builder.load(builder.gep(factors, [loop.index])),
                builder.load(builder.gep(values, [builder.add(args[4], offset)])),
            )
            place_r = builder.gep(values, [builder.add(args[5], offset)])
            row = builder.load(builder.bitcast(place_r, _VECTOR.as_pointer()), align=8)
            builder.store(_fma(builder, _spread(builder, scale), row, builder.load(total)), total)
        builder.store(builder.load(total), place, align=8)
        return context.get_dummy_value()

    i = types.int64
    return types.void(target, i, factor, source, i, i, i, i), codegen


@instruction
def dot(typingctx: Any, a: Any, a_start: Any, b: Any, b_start: Any) -> Any:
    """Sum of a[a_start : a_start + 8] * b[b_start : b_start + 8]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x = builder.load(_row(context, builder, signature.args[0], args[0], args[1]), align=8)
        y = builder.load(_row(context, builder, signature.args[2], args[2], args[3]), align=8)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _VECTOR]),
            "llvm.vector.reduce.fadd.v8f64",
        )
        product = builder.fmul(x, y)
        start = ir.Constant(ir.DoubleType(), -0.0)
        return builder.call(function, [start, product], fastmath=("reassoc",))

    return types.float64(a, types.int64, b, types.int64), codegen
