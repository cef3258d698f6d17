"""Separation of the results of `main` into tensors of their own.

OpenVINO has one name for a tensor, that of its last Result. An input that is an output, and one value that is two
outputs, would lose their names when a model is compiled. A Reshape to the existing shape creates another tensor. Types
that OpenVINO computes in 32 bits, or not at all, are excepted: their values stay unchanged only if no layer touches
them, and the writer assigns all names of the tensor to such inputs and outputs.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import bf16, f16, f32, i1, i8, i16, i32, ui8, ui16, ui32
from loomir.dialects.interface import results_of
from loomir.dialects.locations import location_of_layer
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.tensors import AnyTensor

_EXACT = frozenset({i1, i8, i16, i32, ui8, ui16, ui32, f16, bf16, f32})
"""Element types whose numbers every layer hands on as they are."""


def separate_results(module: ModuleOp) -> None:
    """Copy results of `main` that are arguments or other results."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data == "main" and function.body.blocks:
            _separate(function)


def _separate(function: FuncOp) -> None:
    end = function.body.block.last_op
    assert end is not None
    returned: set[SSAValue] = set()
    for index, (value, entry) in enumerate(zip(end.operands, results_of(function))):
        if entry.state is not None or not isinstance(value.type, AnyTensor):
            continue
        fact = fact_of(value)
        if fact.element in _EXACT and (isinstance(value, BlockArgument) or value in returned):
            name = entry.names[0] if entry.names else f"result{index}"
            build = GraphBuilder(InsertPoint.before(end), location_of_layer(name, []))
            same = (
                build.make(ShapeOfOp, value)
                if fact.rank is None
                else build.constant(np.zeros(fact.rank, np.int64))
            )
            attributes = {"special_zero": fact.rank is not None}
            end.operands[index] = build.make(ReshapeOp, value, same, attributes=attributes)
        returned.add(value)
