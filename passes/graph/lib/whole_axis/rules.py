"""Rules for operations on values of all iterations, by operator class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.attributes import NUMPY, to_int
from loomir.dialects.ov.base import OvOperation, attr, set_result_types
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.interfaces import AnyOrder, Broadcasting
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import comes_from_outside
from loomir.passes.graph.lib.whole_axis.values import Whole, WholeAxis, can_be_at, shape_of


class Rule(ABC):
    """How operations of a class are computed for all iterations at once."""

    @abstractmethod
    def applies(self, op: Operation, loop: LoopOp) -> bool:
        """Return True if the rule holds for an operation of a body.

        At least one operand varies. All operands and results are tensors of known rank.
        """

    @abstractmethod
    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        """Emit the operation for all iterations, and return its results."""


def varies(value: SSAValue, loop: LoopOp) -> bool:
    """Return True if a value may differ between iterations.

    It is computed in the body, and is no constant.
    """
    return not isinstance(value.owner, ConstantOp) and not comes_from_outside(value, loop)


def rebuilt(
    op: Operation, operands: Sequence[SSAValue], build: GraphBuilder, attributes: Mapping[str, int] = {}
) -> Sequence[SSAValue]:
    """Emit an operation with other operands, and return its results."""
    copy = op.clone()
    copy.operands = operands
    for name, value in attributes.items():
        changed = attr(value)
        assert changed is not None
        copy.properties[name] = changed
    assert isinstance(copy, OvOperation)
    set_result_types(copy, [fact.type for fact in copy.results_of([fact_of(o) for o in operands])])
    return build.emit(copy).results


class Elementwise(Rule):
    """Elementwise functions: the operands are aligned at the iteration axis."""

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        places = elementwise_operands(op)
        if not places or any(varies(o, loop) for k, o in enumerate(op.operands) if k not in places):
            return False
        if isinstance(op, OvOperation) and op.LAYOUT is not None and not varies(op.operands[places[0]], loop):
            return False  # the others may be broadcast to the first operand, which has the result's shape
        if broadcasts(op):
            return True
        # Without broadcasting all shapes are equal, and so are those with an iteration axis.
        equal = op.properties["auto_broadcast"] == attr("none")
        return equal and all(varies(op.operands[k], loop) for k in places)

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        places = elementwise_operands(op)
        operands, place = aligned([op.operands[k] for k in places], axis)
        given = [
            axis.fixed(o) if k not in places else operands[places.index(k)] for k, o in enumerate(op.operands)
        ]
        return [Whole(result, place) for result in rebuilt(op, given, axis.build)]


def broadcasts(op: Operation) -> bool:
    """Return True if operands are broadcast from the last axis on."""
    return op.properties.get("auto_broadcast", NUMPY) == NUMPY


def elementwise_operands(op: Operation) -> tuple[int, ...]:
    """Return the operands that an elementwise operation broadcasts.

    Another operation has none.
    """
    if not isinstance(op, OvOperation):
        return ()
    if isinstance(op.LAYOUT, Broadcasting):
        places = op.LAYOUT.operands
        return tuple(range(len(op.operands))) if places == (-1,) else places
    return op.ELEMENTWISE


def aligned(
    operands: Sequence[SSAValue], axis: WholeAxis, nearest: int = 0
) -> tuple[list[SSAValue], int | None]:
    """Return broadcast operands and the place of the iteration axis.

    The iteration axis takes the place of a dimension that all operands have as 1, if there is one. The `nearest` last dimensions are
    not broadcast.
    """
    rank = max(len(shape_of(o)) for o in operands)
    offsets: list[int] = []
    for operand in operands:
        whole = axis.values.get(operand)
        if whole is not None and whole.place is not None:
            offsets.append(len(shape_of(operand)) - 1 - whole.place)
    for offset in (*offsets, *([rank - 1] if rank else [])):
        if offset >= nearest and all(can_be_at(operand, offset) for operand in operands):
            values = [axis.at(o, offset) if o in axis.values else axis.fixed(o) for o in operands]
            return values, rank - 1 - offset
    return [axis.broadcast(o, rank) if o in axis.values else axis.fixed(o) for o in operands], None


class AlongAxes(Rule):
    """Operations that name axes, which move behind the iteration axis."""

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        layout = op.LAYOUT if isinstance(op, OvOperation) else None
        if not isinstance(layout, AnyOrder) or layout.per_axis or layout.lists:
            return False
        alike = _alike(op, layout)
        if not all(varies(op.operands[k], loop) == (k in alike) for k in range(len(op.operands))):
            return False
        return bool(_axes(op, layout))

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        assert isinstance(op, OvOperation)
        layout = op.LAYOUT
        assert isinstance(layout, AnyOrder)
        alike, axes = _alike(op, layout), _axes(op, layout)
        given = [op.operands[k] for k in alike]
        places = {axis.values[o].place for o in given}
        place = places.pop() if len(places) == 1 else None
        if place is not None and place not in axes:
            values, shifted = [axis.values[o].value for o in given], axes
        else:
            values, shifted, place = [axis.leading(o) for o in given], [k + 1 for k in axes], None
        operands = [values[alike.index(k)] if k in alike else o for k, o in enumerate(op.operands)]
        if layout.axes is not None:
            old = constant_of(op.operands[layout.axes])
            assert old is not None
            operands[layout.axes] = axis.build.constant(np.array(shifted, old.dtype).reshape(old.shape))
        operands = [o if k in alike or k == layout.axes else axis.fixed(o) for k, o in enumerate(operands)]
        attributes = {} if layout.axis is None else {layout.axis: shifted[0]}
        results = rebuilt(op, operands, axis.build, attributes)
        rank = len(shape_of(given[0]))
        return [
            Whole(r, _place_behind(place, axes, rank, len(shape_of(old))))
            for r, old in zip(results, op.results)
        ]


def _place_behind(place: int | None, axes: Sequence[int], rank: int, result_rank: int) -> int | None:
    """Return the place of the iteration axis in a result.

    The result may lack the named axes.
    """
    if place is None or result_rank == rank:
        return place
    return place - sum(k < place for k in axes)


def _alike(op: Operation, layout: AnyOrder) -> list[int]:
    """Return the operands that share the order of axes."""
    return list(range(len(op.operands))) if layout.operands == (-1,) else list(layout.operands)


def _axes(op: Operation, layout: AnyOrder) -> list[int]:
    """Return the axes that an operation names.

    They are counted from the front; the list is empty if they are not known.
    """
    rank = len(shape_of(op.operands[_alike(op, layout)[0]]))
    if layout.axes is not None:
        known = constant_of(op.operands[layout.axes]) if layout.axes < len(op.operands) else None
        named = [] if known is None else [int(k) for k in known.reshape(-1)]
    elif layout.axis is not None and op.properties.get(layout.axis) is not None:
        named = [to_int(op.properties[layout.axis])]
    else:
        named = []
    axes = [k + rank if k < 0 else k for k in named]
    return axes if all(0 <= k < rank for k in axes) else []
