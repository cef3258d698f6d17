"""Arithmetic of two or more tensors, and comparisons before version 7."""

from __future__ import annotations

from functools import reduce

from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, f64, is_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterOp,
    LessOp,
    LogicalAndOp,
    LogicalOrOp,
    LogicalXorOp,
)
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MultiplyOp,
    PowerOp,
    SubtractOp,
)
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.broadcast import two_inputs
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


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
