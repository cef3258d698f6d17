"""Lowering of CTCGreedyDecoderSeqLen.

One walk through each sequence writes the elements that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.ctc import CTCGreedyDecoderSeqLenOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import only_element, read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sorts import Cells, both, buffer_for, packed, truth


@lowers(CTCGreedyDecoderSeqLenOp)
def ctc_greedy_decoder_seq_len(op: CTCGreedyDecoderSeqLenOp, low: Lowering) -> list[Shaped]:
    """Sequence by sequence, step by step."""
    x, lengths = low.operand(op.data), low.operand(op.sequence_length)
    n, t, classes = x.dims
    low.assert_(low.compare("sge", classes, 1), "shape: sequences without classes")
    blank: Extent = low.sub(classes, 1)
    if op.blank_index is not None:
        given = low.operand(op.blank_index)
        blank = low.to_index(only_element(low, given, "blank_index"), unsigned=given.unsigned)
    _ = x.value, lengths.value  # constants are made here, not inside of the loops
    found, found_type, bounds = buffer_for(low, op.classes)
    counts, count_type, count_bounds = buffer_for(low, op.lengths)

    def best(k: SSAValue, step: SSAValue) -> SSAValue:
        """The best class; NaN is, if there is one."""

        def better(c: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            value, _ = now
            element = read(low, x, [k, step, c])
            above = low.insert(arith.CmpfOp(element, value, "ugt")).result
            takes = both(low, above, low.insert(arith.CmpfOp(value, value, "ord")).result)
            chosen = low.insert(arith.SelectOp(takes, element, value)).result
            return [chosen, low.index(low.select(takes, c, now[1]))]

        return low.for_(1, classes, [read(low, x, [k, step, 0]), low.index(0)], better)[1]

    def sequence(k: SSAValue, buffers: Sequence[SSAValue]) -> Sequence[SSAValue]:
        row = Cells(low, found_type, low.mul(k, t))
        length = low.to_index(read(low, lengths, [k]), unsigned=lengths.unsigned)
        length = low.min(low.max(length, 0), t)

        def step(at: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            before, number, flat = now
            class_ = best(k, at)
            kept = truth(low, low.compare("ne", class_, blank))
            if to_bool(op.merge_repeated):
                kept = both(low, kept, low.compare("ne", class_, before))
            number, flat = low.if_(
                kept,
                [number.type, flat.type],
                lambda: [low.index(low.add(number, 1)), row.store(flat, number, class_)],
                lambda: [number, flat],
            )
            return [class_, number, flat]

        _, number, flat = low.for_(0, length, [low.index(-1), low.index(0), buffers[0]], step)
        (flat,) = low.for_(number, t, [flat], lambda at, now: [row.store(now[0], at, -1)])
        value = low.from_index(number, count_type)
        return [flat, low.insert(tensor.InsertOp(value, buffers[1], [k])).result]

    found, counts = low.for_(0, n, [found, counts], sequence)
    return [
        packed(low, found, found_type, [n, t], bounds),
        packed(low, counts, count_type, [n], count_bounds),
    ]
