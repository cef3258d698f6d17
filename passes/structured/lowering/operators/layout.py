"""Lowering of ReverseSequence: a generic that reads data at the mirrored place."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.layout import ReverseSequenceOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.indices import inside
from loomir.passes.structured.lowering.places import coordinates, projection, read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped


@lowers(ReverseSequenceOp)
def reverse_sequence(op: ReverseSequenceOp, low: Lowering) -> Shaped:
    """Check the lengths, then emit the reversal.

    Element t is read from `length - 1 - t` if t is below the length.
    """
    x, lengths = low.operand(op.data), low.operand(op.seq_lengths)
    batch, sequence = op.axes(x.rank)
    _ = lengths.splat or lengths.value
    _ = x.splat or x.value
    limit = low.add(x.dims[sequence], 1)

    def check(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        length = low.to_index(read(low, lengths, [i]), unsigned=lengths.unsigned)
        low.assert_(inside(low, length, limit), "index: a sequence is longer than its axis")
        return carried

    low.for_(0, lengths.dims[0], [], check)
    out = low.destination(op.output, x.dims)
    if 0 in out.dims:
        return out
    rank = x.rank

    def element(raw: SSAValue) -> SSAValue:
        at: list[Extent] = [*coordinates(low, rank)]
        length = low.to_index(raw, unsigned=lengths.unsigned)
        mirrored = low.sub(low.sub(length, 1), at[sequence])
        at[sequence] = low.select(low.compare("slt", at[sequence], length), mirrored, at[sequence])
        return read(low, x, at)

    return low.each([lengths], out, element, [projection(rank, [batch])])
