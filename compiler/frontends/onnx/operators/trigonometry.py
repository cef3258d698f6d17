"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.trigonometry import (
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CoshOp,
    CosOp,
    SinhOp,
    SinOp,
    TanOp,
)


def _function(operator: str, op_class: type[OvOperation], *versions: int) -> None:
    @translates(operator, *versions)
    def translate(node: Node) -> Results:
        return node.op(op_class, node.input(0))


_function("Sin", SinOp, 7, 22)
_function("Cos", CosOp, 7, 22)
_function("Tan", TanOp, 7, 22)
_function("Asin", AsinOp, 7, 22)
_function("Acos", AcosOp, 7, 22)
_function("Atan", AtanOp, 7, 22)
_function("Sinh", SinhOp, 9, 22)
_function("Cosh", CoshOp, 9, 22)
_function("Asinh", AsinhOp, 9, 22)
_function("Acosh", AcoshOp, 9, 22)
_function("Atanh", AtanhOp, 9, 22)
