"""Producers that compute from their indices alone, and their costs.

```mlir
%t = linalg.generic {… "parallel"} outs(%e : tensor<?xf32>) {
  %i = linalg.index 0 : index
  %k = arith.index_cast %i : index to i64
  %f = arith.sitofp %k : i64 to f32
  linalg.yield %f : f32
}
```

Such a producer reads no memory. A few operations on integers are as cheap as a load of their result. Anything else, a conversion to
floats above all, may take a call on a processor without floats. It is taken in only where the consumer's outermost loops give its
indices: `lower-linalg-to-loops` then computes it outside of the inner loops, no more often than the producer did.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineMap

from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free

_FREE = (arith.ConstantOp, arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, IndexOp, YieldOp)
_LINEAR = (arith.AddiOp, arith.SubiOp, arith.MuliOp)

_FEW = 4
"""Sums and products of integers that cost as little as a load."""


def computes_only(producer: GenericOp) -> bool:
    """Return True if a body reads no memory, and runs anywhere."""
    return all(
        isinstance(op, IndexOp | YieldOp)
        or (
            not op.regions
            and is_side_effect_free(op)
            and speculatable(op)
            and not any(isinstance(operand.type, TensorType) for operand in op.operands)
        )
        for op in producer.body.block.ops
    )


def counts(producer: GenericOp) -> bool:
    """Return True if a producer computes from its indices and scalars alone."""
    return not any(isinstance(value.type, TensorType) for value in producer.inputs) and computes_only(
        producer
    )


def chains(block: Block) -> list[GenericOp]:
    """Return the generics of a block that compute from such producers alone.

    They are in the order of the block. The producers themselves are not among them.
    """
    known: set[SSAValue] = set()
    found: list[GenericOp] = []
    for op in block.ops:
        if not isinstance(op, GenericOp):
            continue
        tensors = [value for value in op.inputs if isinstance(value.type, TensorType)]
        if all(value in known for value in tensors) and computes_only(op):
            known.update(op.results)
            if tensors:
                found.append(op)
    return found


def costs_a_load(producer: GenericOp, dims: AffineMap) -> bool:
    """Return True if computing an element is as cheap as loading it.

    `dims` are the producer's loops in terms of the consumer's.
    """
    operations = [op for op in producer.body.block.ops if not isinstance(op, _FREE)]
    read = {op.dim.value.data for op in producer.body.block.ops if isinstance(op, IndexOp)}
    steps = [e for dim in read for e in dims.results[dim].dfs() if isinstance(e, AffineBinaryOpExpr)]
    return (
        all(map(_is_linear, operations))
        and all(e.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul) for e in steps)
        and len(operations) + len(steps) <= _FEW
    )


def _is_linear(op: Operation) -> bool:
    """Return True for a sum or product of one or two instructions.

    They are those of a 32-bit processor.
    """
    if not isinstance(op, _LINEAR):
        return False
    type_ = op.result.type
    narrow = isinstance(type_, IndexType) or (isinstance(type_, IntegerType) and type_.width.data <= 32)
    return narrow or not isinstance(op, arith.MuliOp)


def outer_loops(producer: GenericOp, dims: AffineMap, order: Sequence[int]) -> int | None:
    """Return how many outermost loops give all indices of a producer.

    `dims` are the producer's loops in terms of the consumer's; `order` are the consumer's loops of more than one iteration,
    outermost first. Return None if the indices skip an outer loop: in its iterations, everything would be computed again.
    """
    read = {op.dim.value.data for op in producer.body.block.ops if isinstance(op, IndexOp)}
    used = {dim for index in read for dim in dims.results[index].used_dims()} & set(order)
    return len(used) if used and used == set(order[: len(used)]) else None
