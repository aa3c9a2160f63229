"""Vectors of 8 doubles, written as LLVM instructions.

A compiler cannot know that two arrays do not overlap, and checks it before every short loop.
Written as instructions, an operation on 8 numbers takes one or two of them on any machine with
vector registers. Places in an array are the flat index of the first of 8 elements, in C order;
nothing is checked. numba has no public interface for such a register: a new release of numba may
need changes here, so pyproject.toml bounds its version.
"""

import inspect
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import PrimitiveModel, register_default
from numba.extending import intrinsic

LANES = 8


class _Eight(types.Type):
    """The type of eight doubles in a register."""

    def __init__(self) -> None:
        super().__init__(name="eight_doubles")


_EIGHT = _Eight()
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)


@register_default(_Eight)
class _EightModel(PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def instruction(function: Any) -> Any:
    """Wrap numba's intrinsic for type checkers: callers leave out the typing context."""
    return intrinsic(function)


def on_values(result: Any, *arguments: Any) -> Any:
    """Make an instruction of ``function(builder, *values)``, for values of these types."""

    def decorate(function: Any) -> Any:
        def typed(typingctx: Any, *_: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return function(builder, *args)

            return result(*arguments), codegen

        typed.__name__, typed.__doc__ = function.__name__, function.__doc__
        typed.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        return instruction(typed)

    return decorate


def _row(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


@on_values(_EIGHT, _EIGHT, _EIGHT, _EIGHT)
def fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a * b + c, lane by lane."""
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), "llvm.fma.v8f64"
    )
    return builder.call(function, [a, b, c])


def _spread(builder: Any, value: Any) -> Any:
    """Return a register with ``value`` in every lane."""
    # A number is put into one lane and shuffled into all: processors have one instruction for that.
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    single = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, nothing, lanes)


@on_values(types.float64, _EIGHT)
def total(builder: Any, vector: Any) -> Any:
    """Return the sum of the lanes."""
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _VECTOR]),
        "llvm.vector.reduce.fadd.v8f64",
    )
    # -0 changes no sum, not even one of negative zeros; reordered, lanes are added in pairs.
    start = ir.Constant(ir.DoubleType(), -0.0)
    return builder.call(function, [start, vector], fastmath=("reassoc",))


spread = on_values(_EIGHT, types.float64)(_spread)


@on_values(_EIGHT, _EIGHT, _EIGHT)
def add(builder: Any, a: Any, b: Any) -> Any:
    """Return a + b."""
    return builder.fadd(a, b)


@on_values(_EIGHT, _EIGHT, _EIGHT)
def subtract(builder: Any, a: Any, b: Any) -> Any:
    """Return a - b."""
    return builder.fsub(a, b)


@on_values(_EIGHT, _EIGHT, _EIGHT)
def multiply(builder: Any, a: Any, b: Any) -> Any:
    """Return a * b."""
    return builder.fmul(a, b)


@on_values(_EIGHT, _EIGHT, _EIGHT)
def divide(builder: Any, a: Any, b: Any) -> Any:
    """Return a / b."""
    return builder.fdiv(a, b)


@on_values(_EIGHT, _EIGHT, types.int64, types.float64)
def insert(builder: Any, a: Any, lane: Any, value: Any) -> Any:
    """Return the register ``a`` with ``value`` in one of its eight lanes."""
    return builder.insert_element(a, value, builder.trunc(lane, ir.IntType(32)))


@on_values(_EIGHT, _EIGHT, _EIGHT, _EIGHT)
def where_greater(builder: Any, a: Any, b: Any, value: Any) -> Any:
    """Return ``value`` in the lanes where a > b, else zero."""
    # Ordered: false where a lane is not a number.
    zero = ir.Constant(_VECTOR, [0.0] * LANES)
    return builder.select(builder.fcmp_ordered(">", a, b), value, zero)


@on_values(_EIGHT, _EIGHT, types.float64, types.float64)
def clip(builder: Any, a: Any, low: Any, high: Any) -> Any:
    """Return a, clipped to [``low``, ``high``]."""
    low_lanes, high_lanes = _spread(builder, low), _spread(builder, high)
    a = builder.select(builder.fcmp_ordered("<", a, low_lanes), low_lanes, a)
    return builder.select(builder.fcmp_ordered(">", a, high_lanes), high_lanes, a)


@on_values(_EIGHT, _EIGHT)
def power_of_two(builder: Any, exponent_bits: Any) -> Any:
    """Return 2^n for doubles whose low bits are the integer n."""
    # The integer n is shifted to where a double has its exponent, which is biased by 1023.
    bits = builder.bitcast(exponent_bits, _INTEGERS)
    bias = ir.Constant(_INTEGERS, [1023] * LANES)
    shift = ir.Constant(_INTEGERS, [52] * LANES)
    return builder.bitcast(builder.shl(builder.add(bits, bias), shift), _VECTOR)


@instruction
def load(typingctx: Any, array: Any, start: Any) -> Any:
    """Return array[start : start + 8]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_row(context, builder, signature.args[0], *args), align=8)

    return _EIGHT(array, types.int64), codegen


@instruction
def store(typingctx: Any, array: Any, start: Any, value: Any) -> Any:
    """Set array[start : start + 8] to ``value``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _row(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _EIGHT), codegen


@instruction
def add_where(typingctx: Any, a: Any, value: Any, codes: Any, start: Any, code: Any) -> Any:
    """Return a, plus ``value`` in the lanes where the byte codes[start : start + 8] is ``code``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        # Eight codes of a byte each are compared at once, and the result chooses lanes of doubles.
        bytes_ = ir.VectorType(ir.IntType(8), LANES)
        data = context.make_array(signature.args[2])(context, builder, args[2]).data
        place = builder.bitcast(builder.gep(data, [args[3]]), bytes_.as_pointer())
        nothing = ir.Constant(bytes_, ir.Undefined)
        single = builder.insert_element(
            nothing, builder.trunc(args[4], ir.IntType(8)), ir.Constant(ir.IntType(32), 0)
        )
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        wanted = builder.shuffle_vector(single, nothing, lanes)
        hit = builder.icmp_unsigned("==", builder.load(place, align=1), wanted)
        return builder.select(hit, builder.fadd(args[0], args[1]), args[0])

    return _EIGHT(_EIGHT, _EIGHT, codes, types.int64, types.int64), codegen
