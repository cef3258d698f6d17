"""Changes of layout: operations on one tensor that another one undoes.

A change is compared by its value: two transposes by the same order are one change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.reshape import (
    ReshapeOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    transpose_order,
)
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.dialects.speculation import speculatable
from loomir.errors import Error
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_remove_casts import has_every_value


class Change(ABC):
    """A change of a tensor's layout that never stops the program."""

    @property
    @abstractmethod
    def inverse(self) -> Change:
        """The change that undoes this one."""

    @property
    def keeps_every_value(self) -> bool:
        """True if the inverse gives each tensor back, of whatever values."""
        return True

    @property
    def is_free(self) -> bool:
        """True if no element moves."""
        return not isinstance(self, Transposed | Converted)

    @abstractmethod
    def type_of(self, type_: TensorType) -> TensorType:
        """Return the type of a changed tensor."""

    @abstractmethod
    def make(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        """Emit the change of a value."""

    def of(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        """Return a changed value.

        Of one that the inverse gives this is what the inverse was applied to.
        """
        found = before_change(value, self.inverse)
        return self.make(value, build) if found is None else found


@dataclass(frozen=True)
class Transposed(Change):
    """Another order of the dimensions: dimension `i` was `order[i]`."""

    order: tuple[int, ...]

    @property
    def inverse(self) -> Change:
        return Transposed(tuple(self.place_of(k) for k in range(len(self.order))))

    def place_of(self, axis: int) -> int:
        """Return where a dimension is afterwards."""
        return self.order.index(axis)

    def type_of(self, type_: TensorType) -> TensorType:
        shape = type_.get_shape()
        return TensorType(type_.element_type, [shape[k] for k in self.order])

    def make(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.make(TransposeOp, value, build.integers(self.order))


@dataclass(frozen=True)
class Reshaped(Change):
    """Another static shape."""

    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def inverse(self) -> Change:
        return Reshaped(self.after, self.before)

    def type_of(self, type_: TensorType) -> TensorType:
        return TensorType(type_.element_type, self.after)

    def make(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        return reshaped(value, self.after, build)


@dataclass(frozen=True)
class Unsqueezed(Change):
    """Additional dimensions of extent 1, by their places in the result."""

    axes: tuple[int, ...]

    @property
    def inverse(self) -> Change:
        return Squeezed(self.axes)

    def type_of(self, type_: TensorType) -> TensorType:
        shape = list(type_.get_shape())
        for axis in self.axes:
            shape.insert(axis, 1)
        return TensorType(type_.element_type, shape)

    def make(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.make(UnsqueezeOp, value, build.integers(self.axes))


@dataclass(frozen=True)
class Squeezed(Change):
    """Dimensions of extent 1 removed, by their places in the operand."""

    axes: tuple[int, ...]

    @property
    def inverse(self) -> Change:
        return Unsqueezed(self.axes)

    def type_of(self, type_: TensorType) -> TensorType:
        shape = [extent for k, extent in enumerate(type_.get_shape()) if k not in self.axes]
        return TensorType(type_.element_type, shape)

    def make(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.make(SqueezeOp, value, build.integers(self.axes))


@dataclass(frozen=True)
class Converted(Change):
    """Another element type.

    One of the two has every value of the other.
    """

    before: Attribute
    after: Attribute

    @property
    def inverse(self) -> Change:
        return Converted(self.after, self.before)

    @property
    def keeps_every_value(self) -> bool:
        return has_every_value(self.before, self.after)

    def type_of(self, type_: TensorType) -> TensorType:
        return TensorType(self.after, type_.get_shape())

    def make(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        return build.make(ConvertOp, value, attributes={"destination_type": self.after})


def change_of(op: Operation) -> Change | None:
    """Return the change of an operation's first operand, or None."""
    if not isinstance(op, TransposeOp | ReshapeOp | SqueezeOp | UnsqueezeOp | ConvertOp):
        return None
    data, result = op.operands[0], op.results[0]
    if not isinstance(data.type, TensorType) or not isinstance(result.type, TensorType):
        return None
    if isinstance(op, ConvertOp):
        before, after = data.type.element_type, result.type.element_type
        inverts = has_every_value(before, after) or has_every_value(after, before)
        return Converted(before, after) if inverts and before != after else None
    if isinstance(op, TransposeOp):
        return _transpose_of(op)
    before, after = static_extents(data), static_extents(result)
    if before is not None and after is not None:
        return Reshaped(before, after) if before != after and speculatable(op) else None
    return _of_ones(op) if isinstance(op, SqueezeOp | UnsqueezeOp) else None


def _transpose_of(op: TransposeOp) -> Change | None:
    known = constant_of(op.input_order)
    if known is None:
        return None
    rank = len(tensor_type_of(op.arg).get_shape())
    try:
        return Transposed(tuple(transpose_order([int(k) for k in known.reshape(-1)], rank)))
    except Error:
        return None


def _of_ones(op: SqueezeOp | UnsqueezeOp) -> Change | None:
    """Return the change of a tensor with an open extent."""
    known = None if op.axes is None else constant_of(op.axes)
    if known is None or not known.size:
        return None
    wide = tensor_type_of(op.data if isinstance(op, SqueezeOp) else op.output).get_shape()
    try:
        axes = tuple(sorted(normalise_axes([int(k) for k in known.reshape(-1)], len(wide))))
    except Error:
        return None
    if not all(wide[k] == 1 for k in axes):
        return None  # what runs decides whether a dimension goes
    return Squeezed(axes) if isinstance(op, SqueezeOp) else Unsqueezed(axes)


def before_change(value: SSAValue, change: Change) -> SSAValue | None:
    """Return what a change gave a value of, or None."""
    op = value.owner
    return op.operands[0] if isinstance(op, Operation) and change_of(op) == change else None
