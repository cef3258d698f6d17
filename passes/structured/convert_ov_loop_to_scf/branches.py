"""Lowering of `ov.if` to `scf.if`.

Only the chosen branch is evaluated; its values leave it in boundary form.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.ov.bounds import joined
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import (
    Boundaries,
    boundary_types,
    ranked,
)


def convert_if(op: IfOp, low: Boundaries, convert_block: Callable[[Block], None]) -> None:
    """Replace an `ov.if` (the cursor is before it).

    `convert_block` converts the contents of a branch.

    ```mlir
    %r = ov.if %c -> (tensor<?xf32>) {
      ov.yield %a : tensor<2xf32>
    } else {
      ov.yield %b : tensor<3xf32>
    }
    ```
    becomes
    ```mlir
    %r:2 = scf.if %s -> (tensor<3xf32>, index) {
      %e = tensor.empty() : tensor<3xf32>
      %f = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<3xf32>
      scf.yield %f, %c2 : tensor<3xf32>, index
    } else {
      scf.yield %b, %c3 : tensor<3xf32>, index
    }
    ```
    """
    known = constant_bool(op.cond)
    if known is not None:
        _inline(op, op.then_region.block if known else op.else_region.block, convert_block)
        return
    condition = low.scalar(op.cond)
    old_yields = (op.then_yield, op.else_yield)
    types = [ranked(r) for r in op.output]
    blocks = (Block(), Block())
    for block, region in zip(blocks, (op.then_region, op.else_region)):
        move_operations(region.block, block)
        convert_block(block)
    # The branches' own bounds are known once what is inside them has been converted.
    bounds = [
        joined(low.bounds(r), *(low.bounds(y.values[k]) for y in old_yields)) for k, r in enumerate(op.output)
    ]
    for block, old in zip(blocks, old_yields):
        with low.at(block), low.located(old.location):
            values = [v for o, t, b in zip(old.values, types, bounds) for v in low.boundary(o, t, b)]
            old.detach()
            old.erase()
            low.insert(scf.YieldOp(*values))
    flat = [t for type_, b in zip(types, bounds) for t in boundary_types(type_, b)]
    new = low.insert(scf.IfOp(condition, flat, Region(blocks[0]), Region(blocks[1])))
    results = iter(new.results)
    for old_result, type_, b in zip(op.output, types, bounds):
        values = [next(results) for _ in boundary_types(type_, b)]
        values[0].name_hint = old_result.name_hint
        low.bind(old_result, type_, values, b)


def _inline(op: IfOp, branch: Block, convert_block: Callable[[Block], None]) -> None:
    """Inline the one branch that runs in place of the `ov.if`."""
    convert_block(branch)
    end = branch.last_op
    assert isinstance(end, YieldOp)
    for result, value in zip(op.output, end.values):
        result.replace_all_uses_with(value)
    end.detach()
    end.erase()
    parent = op.parent
    assert parent is not None
    for inner in list(branch.ops):
        inner.detach()
        parent.insert_op_before(inner, op)


def constant_bool(value: SSAValue) -> bool | None:
    """The condition where an `ov.constant` gives it."""
    owner = value.owner
    return bool(owner.array.reshape(())) if isinstance(owner, ConstantOp) else None


def move_operations(source: Block, target: Block) -> None:
    """Move every operation of a block to the end of another."""
    for op in list(source.ops):
        op.detach()
        target.add_op(op)
