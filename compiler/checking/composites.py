"""Semantics of a composite operation: its decomposition, made for the operands that it is given.

What a program computes before `ov-decompose` is so found without running that pass on the program: each operation is taken out
alone, with operands of their true shapes, and the constants among its operands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.mlir.context import make_context
from loomir.dialects.element_types import element_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.passes.graph.ov_decompose import OvDecomposePass


class Composites:
    """Decompositions by operation and by the shapes of its operands."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[Any, ...], tuple[ModuleOp, Region, tuple[int, ...]]] = {}
        self._context = make_context()

    def body(self, op: Operation, args: Sequence[Any]) -> tuple[Region, tuple[int, ...]]:
        """A region that computes the operation, and the positions of those operands that it takes."""
        types = tuple(_type_of(arg, operand.type) for arg, operand in zip(args, op.operands, strict=True))
        key = (op, types)
        if key not in self._bodies:
            self._bodies[key] = self._decomposed(op, types)
        _, region, order = self._bodies[key]
        return region, order

    def _decomposed(
        self, op: Operation, types: Sequence[Attribute]
    ) -> tuple[ModuleOp, Region, tuple[int, ...]]:
        order = tuple(k for k, v in enumerate(op.operands) if not isinstance(v.owner, ConstantOp))
        block = Block(arg_types=[types[k] for k in order])
        values: dict[SSAValue, SSAValue] = {}
        arguments = iter(block.args)
        operands: list[SSAValue] = []
        for value in op.operands:
            if isinstance(value.owner, ConstantOp):
                if value not in values:
                    constant = value.owner.clone()
                    block.add_op(constant)
                    values[value] = constant.output
                operands.append(values[value])
            else:
                operands.append(next(arguments))
        alone = op.clone(dict(zip(op.operands, operands)))
        # An operand that occurs twice has two arguments: the clone is to use each where it stands.
        for k, operand in enumerate(operands):
            alone.operands[k] = operand
        block.add_op(alone)
        block.add_op(ReturnOp(*alone.results))
        function = FuncOp(
            "main", ([a.type for a in block.args], [r.type for r in alone.results]), Region([block])
        )
        module = ModuleOp([function])
        OvDecomposePass().apply(self._context, module)
        return module, function.body, order


def _type_of(value: Any, declared: Attribute) -> Attribute:
    """The type that the value really has."""
    if isinstance(value, np.ndarray) and isinstance(declared, Attribute):
        return TensorType(element_of(value.dtype), value.shape)
    return declared
