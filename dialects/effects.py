"""Memory effects of upstream operations of which xDSL declares none, and which its dead-code elimination therefore keeps.

Importing this module declares them. Operations of linalg on tensors are values of their operands, and of what is in their bodies; on
buffers they read and write. What stops a program (`cf.assert`) stays without: nothing removes it, nor what it is in.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from xdsl.dialects import arith, linalg, tensor
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, NoMemoryEffect, RecursiveMemoryEffect


class StructuredEffects(MemoryEffect):
    """What is in the body, reads of buffers, and writes to those that are destinations."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance] | None:
        inside = RecursiveMemoryEffect.get_effects(op)
        if inside is None or not any(isinstance(v.type, MemRefType) for v in op.operands):
            return inside
        # Of buffers an operation has no results, and at least one destination.
        kinds = MemoryEffectKind.READ, MemoryEffectKind.WRITE
        return {*inside, *(EffectInstance(kind) for kind in kinds)}


for _op in linalg.Linalg.operations:
    if issubclass(_op, LinalgStructuredOperation):
        _op.traits.add_trait(StructuredEffects())
for _op in (linalg.ops.IndexOp, linalg.ops.YieldOp, tensor.YieldOp, arith.RemUIOp, arith.ExtSIOp):
    _op.traits.add_trait(NoMemoryEffect())
