"""Reductions whose iterations may run in any order.

Each output combines the values of the iterations by one operation:

    acc + a·b        max(acc, a)        acc · a

Except for rounding, the result is the same for any order, and for one or several accumulators.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.index_builder import INDEX
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter

_GATHERING = (
    arith.AddfOp,
    arith.MulfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.AddiOp,
    arith.MuliOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.MinSIOp,
    arith.MinUIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
"""Operations that are associative and commutative, except for rounding."""


_FEW = 4
"""Lanes that are gathered one by one."""


def gathering(generic: GenericOp) -> list[Operation] | None:
    """Return the operation that combines the values of each output, or None.

    Return None if an output is computed otherwise, or depends on the iteration number.
    """
    if any(isinstance(op, IndexOp) or op.regions for op in generic.body.block.ops):
        return None
    end = generic.body.block.last_op
    assert isinstance(end, YieldOp)
    found: list[Operation] = []
    for argument, yielded in zip(generic.body.block.args[len(generic.inputs) :], end.operands, strict=True):
        op = yielded.owner
        if not isinstance(op, _GATHERING) or argument not in op.operands:
            return None
        if not argument.has_one_use() or not yielded.has_one_use():
            return None
        found.append(op)
    return found


def gathered(op: Operation, first: SSAValue, vectors: Sequence[SSAValue], emitter: IndexEmitter) -> SSAValue:
    """Combine a number and all lanes of vectors by an operation.

    Vectors are combined first, then the halves of one vector through memory, until few lanes are left, which are combined
    one by one.
    """
    total, *others = vectors
    for other in others:
        total = emitter.insert(_again(op, total, other)).results[0]
    assert isinstance(total.type, VectorType)
    (width,), element = total.type.get_shape(), total.type.element_type
    row = emitter.allocate(MemRefType(element, [width]))
    emitter.insert(vector.StoreOp(total, row, [emitter.index(0)]))
    while width > _FEW:
        width //= 2
        type_ = VectorType(element, [width])
        halves = [
            emitter.insert(vector.LoadOp(row, [emitter.index(n)], type_)).results[0] for n in (0, width)
        ]
        total = emitter.insert(_again(op, *halves)).results[0]
        emitter.insert(vector.StoreOp(total, row, [emitter.index(0)]))
    block = Block(arg_types=[INDEX, first.type])
    for argument in block.args:
        argument.location = emitter.location
    with emitter.at(block):
        lane = emitter.insert(memref.LoadOp.get(row, [block.args[0]])).results[0]
        emitter.insert(scf.YieldOp(emitter.insert(_again(op, block.args[1], lane)).results[0]))
    bounds = emitter.index(0), emitter.index(width), emitter.index(1)
    return emitter.insert(scf.ForOp(*bounds, [first], block)).results[0]


def _again(op: Operation, a: SSAValue, b: SSAValue) -> Operation:
    """The same operation of two other operands, of the same type."""
    return op.create(operands=[a, b], result_types=[a.type], properties=dict(op.properties))
