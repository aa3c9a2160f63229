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
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def _row(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), "llvm.fma.v8f64"
    )
    return builder.call(function, [a, b, c])


@intrinsic
def add_scaled(typingctx: Any, target: Any, at: Any, scale: Any, source: Any, start: Any) -> Any:
    """target[at : at + 8] += scale * source[start : start + 8]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _row(context, builder, signature.args[0], args[0], args[1])
        row = _row(context, builder, signature.args[3], args[3], args[4])
        single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), args[2], _zero())
        spread = builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), _broadcast())
        old = builder.load(place, align=8)
        new = _fma(builder, spread, builder.load(row, align=8), old)
        builder.store(new, place, align=8)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.float64, source, types.int64), codegen


@intrinsic
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


def _zero() -> Any:
    return ir.Constant(ir.IntType(32), 0)


def _broadcast() -> Any:
    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
