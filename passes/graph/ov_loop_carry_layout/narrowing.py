"""Integers of which only low bits are read, in a narrow type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, is_integer, set_type, tensor_type_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.state import elements_at_most
from loomir.passes.graph.ov_loop_carry_layout.room import Room

_RING = (AddOp, SubtractOp, MultiplyOp)
"""Operations whose low bits depend only on low bits."""


@dataclass
class NarrowPart:
    """Operations of whose results only low bits are read.

    They read each other; `ends` narrow the rest to one type, `element`.
    """

    element: IntegerType
    operations: list[Operation] = field(default_factory=list)
    ends: list[ConvertOp] = field(default_factory=list)

    def reads(self) -> list[SSAValue]:
        """Return what the operations read beside each other."""
        own = set(self.operations)
        return list(dict.fromkeys(v for op in self.operations for v in op.operands if v.owner not in own))

    def from_outside(self, loop: LoopOp) -> list[SSAValue]:
        """Return what the operations read from outside of the loop, without constants."""
        values = self.reads()
        return [v for v in values if comes_from_outside(v, loop) and not isinstance(v.owner, ConstantOp)]

    def gain(self, loop: LoopOp) -> int:
        """Return how many conversions an iteration executes less in the narrow type."""
        block, own = loop.body.block, set(self.operations)
        gain = sum(end.parent is block for end in self.ends)
        for value in self.reads():
            op = value.owner
            if isinstance(op, ConstantOp) or comes_from_outside(value, loop):
                continue
            if not _is_widened(value):
                gain -= 1
                continue
            assert isinstance(op, ConvertOp)
            goes = op.parent is block and all(use.operation in own for use in value.uses)
            gain += goes - (_integer_type(op.data) != self.element)
        return gain


def parts_to_narrow(loop: LoopOp, *, grow: bool) -> list[NarrowPart]:
    """Return the parts of a body that pay to be narrow.

    Unless the program may `grow`, nothing is narrowed around the loop.
    """

    def pays(part: NarrowPart) -> bool:
        gain = part.gain(loop)
        return gain > 0 and (grow or not part.from_outside(loop))

    return [part for part in _parts(loop) if pays(part)]


def narrow_integers(loop: LoopOp, parts: Sequence[NarrowPart], inference: Inference, room: Room) -> int:
    """Compute parts of a body in their narrow types.

    Return how many operations an iteration executes less.
    """
    saved = 0
    for part in parts:
        sizes = [elements_at_most(v, inference) for v in part.from_outside(loop)]
        if room.take(sum(size or 0 for size in sizes) * part.element.width.data // 8):
            saved += part.gain(loop)
            _narrow(part, loop)
    return saved


def _parts(loop: LoopOp) -> list[NarrowPart]:
    """Return connected operations of which only low bits are read."""
    block = loop.body.block
    parts: dict[Operation, NarrowPart] = {}
    merged: dict[int, NarrowPart] = {}

    def part_of(op: Operation) -> NarrowPart:
        part = parts[op]
        while id(part) in merged:
            part = merged[id(part)]
        return part

    for op in reversed(list(block.ops)):
        element = _integer_type(op.results[0]) if isinstance(op, _RING) else None
        if element is None or op.results[0].first_use is None:
            continue
        readers: dict[Operation, IntegerType] = {}
        for use in op.results[0].uses:
            reader = use.operation
            if reader in parts:
                readers[reader] = part_of(reader).element
            elif isinstance(reader, ConvertOp) and (to := _integer_type(reader.output)) is not None:
                readers[reader] = to
            else:
                break
        else:
            narrow = set(readers.values())
            if len(narrow) != 1 or (to := narrow.pop()).width.data >= element.width.data:
                continue
            own = NarrowPart(to, [op])
            for reader in readers:
                if isinstance(reader, ConvertOp):
                    own.ends.append(reader)
                elif (other := part_of(reader)) is not own:
                    # The smaller part joins the larger one.
                    small, large = sorted((own, other), key=lambda part: len(part.operations))
                    large.operations += small.operations
                    large.ends += small.ends
                    merged[id(small)] = large
                    own = large
            parts[op] = own
    return list({id(part): part for part in map(part_of, parts)}.values())


def _integer_type(value: SSAValue) -> IntegerType | None:
    """Return the type of a tensor's integers, or None."""
    element = value.type.element_type if isinstance(value.type, TensorType) else None
    return element if element is not None and is_integer(element) else None


def _is_widened(value: SSAValue) -> bool:
    """Return True if a value is an integer of another type."""
    return isinstance(value.owner, ConvertOp) and _integer_type(value.owner.data) is not None


def _narrow(part: NarrowPart, loop: LoopOp) -> None:
    """Compute a part in its narrow type."""
    narrowed: dict[SSAValue, SSAValue] = {}
    for value in part.reads():
        op = value.owner
        if isinstance(op, ConstantOp):
            build = GraphBuilder(InsertPoint.before(op), op.location)
            narrowed[value] = build.constant(op.array.astype(dtype_of(part.element)))
            continue
        source = op.data if isinstance(op, ConvertOp) and _is_widened(value) else value
        if _integer_type(source) == part.element:
            narrowed[value] = source
            continue
        outside = comes_from_outside(value, loop)
        place = InsertPoint.before(loop) if outside else _behind(value, loop)
        build = GraphBuilder(place, loop.location)
        narrowed[value] = build.make(ConvertOp, source, attributes={"destination_type": part.element})
    for op in part.operations:
        _retyped(op, part.element, narrowed)
    for end in part.ends:
        end.output.replace_all_uses_with(end.data)
        _erase(end)
    for value in narrowed:
        if value.first_use is None and isinstance(value.owner, ConvertOp):
            _erase(value.owner)


def _erase(op: Operation) -> None:
    op.detach()
    op.erase()


def _behind(value: SSAValue, loop: LoopOp) -> InsertPoint:
    """Return where a value of the body is first there."""
    if isinstance(value.owner, Operation):
        return InsertPoint.after(value.owner)
    return InsertPoint.at_start(loop.body.block)


def _retyped(op: Operation, element: IntegerType, narrowed: Mapping[SSAValue, SSAValue]) -> None:
    """Let an operation compute in a narrow type."""
    op.operands = [narrowed.get(operand, operand) for operand in op.operands]
    type_ = tensor_type_of(op.results[0])
    set_type(op.results[0], TensorType(element, type_.get_shape()))
