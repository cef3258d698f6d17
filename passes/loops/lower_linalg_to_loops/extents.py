"""Extents and strides of memrefs, from their types and defining views.

`memref.dim` does not occur in LOOPS: a dynamic extent is an operand of the operation that created the view, or a
product of such operands.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects import quads
from loomir.dialects.index_builder import ConstantPool, Extent
from loomir.dialects.tensors import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter


class Extents:
    """Lookup of the extent of a memref's dimension.

    Extents that must be computed are emitted behind the view.
    """

    def __init__(self, constants: ConstantPool) -> None:
        self.constants = constants
        self.known: dict[tuple[SSAValue, int], Extent] = {}

    def get(self, value: SSAValue, dim: int) -> Extent:
        """Return the extent of `dim`.

        It is an int if the type contains it, and otherwise a value that dominates the memref's uses.
        """
        key = (value, dim)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._find(value, dim)
        return found

    def _find(self, value: SSAValue, dim: int) -> Extent:
        type_ = memref_type_of(value)
        static = type_.get_shape()[dim]
        if static != DYNAMIC_INDEX:
            return static
        op = value.owner
        match op:
            case memref.SubviewOp():
                return _mixed(op.static_sizes.get_values(), op.sizes, dim)
            case memref.ExpandShapeOp():
                return _mixed(op.static_output_shape.get_values(), op.output_shape, dim)
            case memref.CollapseShapeOp():
                emitter = IndexEmitter(InsertPoint.after(op), self.constants, op.location)
                extent: Extent = 1
                for source_dim in op.reassociation.data[dim].data:
                    extent = emitter.mul(extent, self.get(op.src, source_dim.value.data))
                return extent
            case memref.CastOp() | quads.ViewOp():
                # (The last extent of quads is known.)
                return self.get(op.source, dim)
            case memref.ViewOp():
                return _mixed(type_.get_shape(), op.sizes, dim)
            case _:
                raise AssertionError(
                    f"a memref of dynamic size is a view, but {type_} is made by "
                    f"{getattr(op, 'name', 'a block argument')}"
                )


def _mixed(static: tuple[int, ...], dynamic: tuple[SSAValue, ...], dim: int) -> Extent:
    """Return entry `dim` of a list whose dynamic entries are in `dynamic`.

    `dynamic` holds them in order.
    """
    if static[dim] != DYNAMIC_INDEX:
        return static[dim]
    return dynamic[static[:dim].count(DYNAMIC_INDEX)]


def strides_of(memref_type: MemRefType) -> tuple[int | None, ...]:
    """Strides in elements; None where one depends on a dynamic extent."""
    if not isinstance(memref_type.layout, NoneAttr):
        given = memref_type.layout.get_strides()
        assert given is not None, f"{memref_type}: the layout has no strides"
        return tuple(given)
    strides: list[int | None] = []
    stride: int | None = 1
    for extent in reversed(memref_type.get_shape()):
        strides.append(stride)
        stride = None if stride is None or extent == DYNAMIC_INDEX else stride * extent
    return tuple(reversed(strides))
