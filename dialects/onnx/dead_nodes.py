"""Removal of nodes in FRONT whose results no output needs.

A node of a model's file has no effect besides its results.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from loomir.dialects.onnx.operations import ConstantOp, FunctionOp, NodeOp, NoneOp


def remove_dead_nodes(module: ModuleOp) -> None:
    """Remove unused nodes, constants and placeholders for omitted inputs.

    Subgraphs are processed too.
    """
    for function in module.ops:
        if isinstance(function, FuncOp | FunctionOp) and function.body.blocks:
            _remove(function.body.block)


def _remove(block: Block) -> None:
    """Remove dead operations of a block, from the last to the first.

    In this order, an operation whose only users were dead is itself dead when it is reached.
    """
    op: Operation | None = block.last_op
    while op is not None:
        before = op.prev_op
        if isinstance(op, NodeOp | ConstantOp | NoneOp) and not any(r.first_use for r in op.results):
            op.detach()
            op.erase()
        else:
            for region in op.regions:
                _remove(region.block)
        op = before
