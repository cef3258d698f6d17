"""Elementwise operators: conversions, arithmetic, comparisons, bits, and activation functions.

Activation functions come in every version; those that are missing here have a definition in ONNX's own schema.

In operator sets 1 to 6 broadcasting is one-sided, and enabled only by an attribute (`two_inputs`).
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32, f64, is_float
from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.activation import EluOp, GeluOp, HardSigmoidOp, PReluOp, SeluOp, SwishOp
from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterOp,
    IsInfOp,
    IsNaNOp,
    LessOp,
    LogicalAndOp,
    LogicalOrOp,
    LogicalXorOp,
    SelectOp,
)
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BitCastOp,
    BitwiseLeftShiftOp,
    BitwiseRightShiftOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MultiplyOp,
    PowerOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Cast", 6, 9, 13, 19, 21, 23, 24, 25, 28)
def cast(node: Node) -> Results:
    """To the element type `to`."""
    target = element_type(node.int("to"))
    return node.op(ConvertOp, node.input(0), destination_type=target, **_options(node))


@translates("Cast", 1)
def cast_by_name(node: Node) -> Results:
    """Version 1 has the element type as a word."""
    name = node.string("to").upper()
    names: list[str] = list(TensorProto.DataType.keys())
    if name not in names:
        raise Error("invalid-onnx", f"there is no element type '{name}'")
    return node.op(ConvertOp, node.input(0), destination_type=element_type(TensorProto.DataType.Value(name)))


@translates("CastLike", 15, 19, 21, 23, 24, 25)
def cast_like(node: Node) -> Results:
    """To the element type of the second input."""
    return node.op(ConvertLikeOp, node.input(0), node.input(1), **_options(node))


def _options(node: Node) -> dict[str, bool | str]:
    """How floats of 8 bits are rounded."""
    return {"saturate": node.int("saturate", 1) != 0, "round_mode": node.string("round_mode", "up").lower()}


@translates("Reciprocal", 1, 6, 13)
def reciprocal(node: Node) -> Results:
    """1 / x."""
    x = node.input(0)
    return node.op(DivideOp, node.number(1, x), x, m_pythondiv=False)


@translates("LeakyRelu", 1, 6, 16)
def leaky_relu(node: Node) -> Results:
    """x < 0 ? alpha·x : x."""
    x = node.input(0)
    alpha = node.number(node.float("alpha", 0.01), x)
    if node.stays_a_layer:
        return node.op(PReluOp, x, alpha)
    slope = node.op(MultiplyOp, x, alpha)
    return node.op(SelectOp, node.op(LessOp, x, node.number(0, x)), slope, x)


@translates("Clip", 1, 6)
def clip_by_attributes(node: Node) -> Results:
    """Limits as attributes; one that is missing is no limit."""
    low, high = node.float("min", -math.inf), node.float("max", math.inf)
    x = node.input(0)
    if low <= high:
        return node.op(ClampOp, x, min=low, max=high)
    # The limits cross (the type allows floats only): the upper one wins.
    x = node.op(MaximumOp, x, node.number(low, x))
    return node.op(MinimumOp, x, node.number(high, x))


@translates("Clip", 11, 12, 13)
def clip_by_inputs(node: Node) -> Results:
    """min(max(x, low), high): where low > high, everything is high."""
    x, low, high = node.input(0), node.optional(1), node.optional(2)
    a = node.known(low) if low is not None else np.array(-np.inf)
    b = node.known(high) if high is not None else np.array(np.inf)
    if is_float(node.element(x)) and a is not None and b is not None and a.size == b.size == 1 and a <= b:
        return node.op(ClampOp, x, min=float(a.reshape(())), max=float(b.reshape(())))
    if low is not None:
        x = node.op(MaximumOp, x, node.scalar(low, "the lower limit"))
    if high is not None:
        x = node.op(MinimumOp, x, node.scalar(high, "the upper limit"))
    return x


def _float(node: Node) -> SSAValue:
    """Return the input, with 8-bit floats converted to f32.

    No operation computes in 8-bit floats.
    """
    x = node.input(0)
    return x if is_float(node.element(x)) else node.op(ConvertOp, x, destination_type=f32)


@translates("IsNaN", 9, 13, 20)
def is_nan(node: Node) -> Results:
    return node.op(IsNaNOp, _float(node))


@translates("IsInf", 10, 20)
def is_inf(node: Node) -> Results:
    negative, positive = node.int("detect_negative", 1), node.int("detect_positive", 1)
    return node.op(IsInfOp, _float(node), detect_negative=bool(negative), detect_positive=bool(positive))


@translates("BitShift", 11, 28)
def bit_shift(node: Node) -> Results:
    """Translate BitShift.

    The second input has the numbers of bits; signed numbers keep their sign.
    """
    direction = node.string("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Error("invalid-onnx", f"direction is '{direction}', expected LEFT or RIGHT")
    return node.op(
        BitwiseLeftShiftOp if direction == "LEFT" else BitwiseRightShiftOp, node.input(0), node.input(1)
    )


@translates("BitCast", 26)
def bit_cast(node: Node) -> Results:
    """The same bits as elements of the type `to`."""
    return node.op(BitCastOp, node.input(0), destination_type=element_type(node.int("to")))


NUMPY_SINCE = 7
"""The version from which on elementwise operators broadcast as numpy does."""


def two_inputs(node: Node) -> tuple[SSAValue, SSAValue]:
    """Both operands of an elementwise operator, ready for numpy's broadcasting.

    Before version 7 the second one's dimensions are those of the first from `axis` on, by default the last ones.
    Errors: `invalid-onnx`, `unknown-rank`, `axis-range`.
    """
    a, b = node.input(0), node.input(1)
    if node.version >= NUMPY_SINCE or not node.int("broadcast", 0) or not node.has("axis"):
        return a, b
    rank, inner = node.rank(a, "the first input"), node.rank(b, "the second input")
    behind = rank - normalise_axis(node.int("axis"), rank) - inner
    if behind < 0:
        raise Error(
            "axis-range", f"a tensor of rank {inner} does not fit axis {node.int('axis')} of rank {rank}"
        )
    if behind == 0:
        return a, b
    return a, node.op(UnsqueezeOp, b, node.vector(range(inner, inner + behind)))


def _before_numpy(op_class: type[OvOperation], *versions: int) -> None:
    """Register translators of versions that broadcast the second operand by attributes.

    Other versions are equivalent to the operation itself.
    """

    @translates(str(op_class.SOURCES.onnx[0]), *versions)
    def translate(node: Node) -> Results:
        return node.op(op_class, *two_inputs(node))


for _arithmetic in (AddOp, SubtractOp, MultiplyOp):
    _before_numpy(_arithmetic, 1, 6)
for _logic in (EqualOp, LessOp, GreaterOp, LogicalAndOp, LogicalOrOp, LogicalXorOp):
    _before_numpy(_logic, 1)


@translates("Div", 1, 6, 7, 13, 14)
def divide(node: Node) -> Results:
    """Integers are divided towards zero, unlike in Python."""
    return node.op(DivideOp, *two_inputs(node), m_pythondiv=False)


@translates("Mod", 10, 13, 28)
def modulo(node: Node) -> Results:
    """Translate Mod.

    fmod = 0: the sign of the divisor (integers only); fmod = 1: the sign of the dividend, as in C.
    """
    a, b = node.input(0), node.input(1)
    if node.int("fmod", 0):
        return node.op(ModOp, a, b)
    if is_float(node.element(a)) and node.version < 28:
        raise Error("invalid-onnx", "Mod of floats needs fmod = 1")
    return node.op(FloorModOp, a, b)


@translates("Pow", 1, 7, 12, 13, 15)
def power(node: Node) -> Results:
    """Translate Pow.

    The result has the base's type; the exponent may have another, and is not rounded to the base's type.
    """
    base, exponent = two_inputs(node)
    if node.element(base) == node.element(exponent):
        return node.op(PowerOp, base, exponent)
    if _holds(node, base, exponent):
        return node.op(PowerOp, base, node.op(ConvertOp, exponent, destination_type=node.element(base)))
    wide = [node.op(ConvertOp, v, destination_type=f64) for v in (base, exponent)]
    return node.op(ConvertOp, node.op(PowerOp, *wide), destination_type=node.element(base))


def _holds(node: Node, base: SSAValue, exponent: SSAValue) -> bool:
    """Return True if the exponent can be converted to the base's type.

    The conversion must not change the power.
    """
    a, b = dtype_of(node.element(base)), dtype_of(node.element(exponent))
    if is_float(node.element(base)):
        # Powers with integer exponents that f32 cannot hold are 0, 1 or infinite anyway, up to sign.
        return not is_float(node.element(exponent)) or b.itemsize <= a.itemsize
    return not is_float(node.element(exponent)) and b.itemsize <= a.itemsize and a.kind == b.kind


def _variadic(operator: str, op_class: type[OvOperation], *versions: int) -> None:
    @translates(operator, *versions)
    def translate(node: Node) -> Results:
        return reduce(lambda a, b: node.op(op_class, a, b), node.inputs())


_variadic("Sum", AddOp, 1, 6, 8, 13)
_variadic("Max", MaximumOp, 1, 6, 8, 12, 13)
_variadic("Min", MinimumOp, 1, 6, 8, 12, 13)


@translates("Mean", 1, 6, 8, 13)
def mean(node: Node) -> Results:
    """The sum divided by the number of inputs."""
    values = node.inputs()
    total = reduce(lambda a, b: node.op(AddOp, a, b), values)
    return node.op(DivideOp, total, node.number(len(values), total), m_pythondiv=False)


@translates("Elu", 1, 6, 22)
def elu(node: Node) -> Results:
    """x < 0 ? alpha·(exp(x) - 1) : x."""
    return node.op(EluOp, node.input(0), alpha=node.float("alpha", 1.0))


@translates("Selu", 1, 6, 22)
def selu(node: Node) -> Results:
    """gamma · elu(x); version 1 had shorter default constants."""
    exact = node.version >= 6
    alpha = node.float("alpha", 1.67326319217681884765625 if exact else 1.6732)
    gamma = node.float("gamma", 1.05070102214813232421875 if exact else 1.0507)
    x = node.input(0)
    return node.op(SeluOp, x, node.number(alpha, x), node.number(gamma, x))


@translates("Gelu", 20)
def gelu(node: Node) -> Results:
    """x · Φ(x), exact or approximated by a hyperbolic tangent."""
    mode = node.string("approximate", "none")
    if mode not in ("none", "tanh"):
        raise Error("invalid-onnx", f"approximate is '{mode}', expected none or tanh")
    return node.op(GeluOp, node.input(0), approximation_mode="tanh" if mode == "tanh" else "erf")


@translates("Swish", 24)
def swish(node: Node) -> Results:
    """x · sigmoid(alpha · x)."""
    x, alpha = node.input(0), node.float("alpha", 1.0)
    return node.op(SwishOp, x) if alpha == 1.0 else node.op(SwishOp, x, node.number(alpha, x))


@translates("HardSigmoid", 1, 6, 22)
def hard_sigmoid(node: Node) -> Results:
    """clamp(alpha·x + beta, 0, 1)."""
    x = node.input(0)
    alpha, beta = node.float("alpha", 0.2), node.float("beta", 0.5)
    return node.op(HardSigmoidOp, x, node.number(alpha, x), node.number(beta, x))


@translates("ThresholdedRelu", 10, 22)
def thresholded_relu(node: Node) -> Results:
    """x > alpha ? x : 0."""
    x = node.input(0)
    above = node.op(GreaterOp, x, node.number(node.float("alpha", 1.0), x))
    return node.op(SelectOp, above, x, node.number(0, x))


@translates("PRelu", 1, 6)
def prelu_per_channel(node: Node) -> Results:
    """Translate PRelu with one slope or one slope per channel.

    It computes x < 0 ? slope·x : x.
    """
    return node.op(PReluOp, node.input(0), node.input(1))


@translates("PRelu", 7, 9, 16)
def prelu(node: Node) -> Results:
    """Translate PRelu with a slope that is broadcast to x.

    It computes x < 0 ? slope·x : x; broadcasting is as in numpy.
    """
    x, slope = node.input(0), node.input(1)
    if node.shape(slope) is not None and node.rank(slope) == 1:
        # A slope of rank 1 would be taken for one per channel.
        slope = node.op(UnsqueezeOp, slope, node.vector([0])) if node.rank(x) > 2 else slope
    return node.op(PReluOp, x, slope)


@translates("Celu", 12, 28)
def celu(node: Node) -> Results:
    """Translate Celu.

    It computes x < 0 ? alpha·(exp(x / alpha) - 1) : x. Narrow floats are rounded once.
    """
    x, alpha = node.input(0), node.float("alpha", 1.0)
    element = node.element(x)
    wide = node.op(ConvertOp, x, destination_type=f32) if element in (f16, bf16) else x
    inner = node.op(DivideOp, wide, node.number(alpha, wide), m_pythondiv=False)
    value = node.op(MultiplyOp, node.op(EluOp, inner, alpha=1.0), node.number(alpha, wide))
    return value if wide is x else node.op(ConvertOp, value, destination_type=element)


@translates("Shrink", 9)
def shrink(node: Node) -> Results:
    """Translate Shrink.

    It computes x < -lambd ? x + bias : x > lambd ? x - bias : 0.

    Integers are compared and moved as doubles and rounded towards zero. The definition in ONNX's schema would convert lambd and
    bias to integers and negates unsigned numbers; ONNX's reference implementation and ONNX Runtime do not.
    """
    given = node.input(0)
    element = node.element(given)
    x = given if is_float(element) else node.op(ConvertOp, given, destination_type=f64)
    limit, bias = node.float("lambd", 0.5), node.number(node.float("bias", 0.0), x)
    above = node.op(GreaterOp, x, node.number(limit, x))
    below = node.op(LessOp, x, node.number(-limit, x))
    inner = node.op(SelectOp, above, node.op(SubtractOp, x, bias), node.number(0, x))
    value = node.op(SelectOp, below, node.op(AddOp, x, bias), inner)
    return value if x is given else node.op(ConvertOp, value, destination_type=element)
