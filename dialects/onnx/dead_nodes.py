"""Removing nodes of FRONT of which no output needs a result: in a model's file a node is only there for its results."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from loomir.dialects.onnx.operations import ConstantOp, FunctionOp, NodeOp, NoneOp


def remove_dead_nodes(module: ModuleOp) -> None:
    """Remove nodes, constants and what stands for inputs that are left out, where nothing uses them; graphs are gone through too."""
    for function in module.ops:
        if isinstance(function, FuncOp | FunctionOp) and function.body.blocks:
            _remove(function.body.block)


def _remove(block: Block) -> None:
    """From the end to the beginning, so that what only something dead used is dead when it is reached."""
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
