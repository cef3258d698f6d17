"""Values that no lowering creates.

They are constants, region arguments, and the materializations of `convert-ov-loop-to-scf`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import dtype_of, stored
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.shaped import Materialiser, Shaped, as_bool


class Converted(Materialiser, Protocol):
    """Provider of the values around a materialization: a `Lowering`."""

    def operand(self, value: SSAValue) -> Shaped: ...

    def bounds_of(self, value: SSAValue) -> Sequence[int]: ...


def resolve(low: Converted, value: SSAValue) -> Shaped:
    """Return the `Shaped` of a value that no lowering creates."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return Shaped.of_array(low, as_bool(owner.array), anchor=owner)
    if not isinstance(value.type, TensorType):
        return Shaped(low, value, value.type, (), ())
    element = value.type.element_type
    shape = value.type.get_shape()
    if isinstance(owner, UnrealizedConversionCastOp):
        source = low.operand(owner.inputs[0])
        array = None if source.array is None else stored(source.array).view(dtype_of(element))
        return Shaped(
            low,
            None if array is not None else source.value,
            element,
            source.dims,
            source.bounds,
            array=array,
            destination=source.destination,
            flat=source.flat,
            anchor=source.anchor,
        )
    if isinstance(owner, tensor.FromElementsOp) and not shape:
        return Shaped(low, owner.elements[0], element, (), ())
    if DYNAMIC_INDEX not in shape:
        return Shaped(low, value, element, shape, shape)
    assert isinstance(owner, Operation), f"a region argument of type {value.type}"
    dims: Sequence[Extent]
    flat = None
    if isinstance(owner, tensor.ExpandShapeOp):
        dims = _mixed(owner.static_output_shape.get_values(), owner.dynamic_output_shape)
        flat = _prefix_of(owner.src)
    elif isinstance(owner, tensor.ExtractSliceOp):
        dims = _mixed(owner.static_sizes.get_values(), owner.sizes)
        flat = _prefix_of(value)
    elif isinstance(owner, tensor.InsertSliceOp):
        dims = low.operand(owner.dest).dims
    else:
        raise AssertionError(f"the extents of {value.type} from {owner.name} are not known")
    return Shaped(low, value, element, dims, low.bounds_of(value), flat=flat)


def _mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[Extent]:
    values = iter(dynamic)
    return [next(values) if s == DYNAMIC_INDEX else int(s) for s in static]


def _prefix_of(value: SSAValue) -> SSAValue | None:
    """The flat capacity tensor that a value is the front of."""
    owner = value.owner
    if not isinstance(owner, tensor.ExtractSliceOp) or not isinstance(owner.source.type, TensorType):
        return None
    shape = owner.source.type.get_shape()
    front = tuple(owner.static_offsets.get_values()) == (0,) and tuple(owner.static_strides.get_values()) == (
        1,
    )
    return owner.source if front and len(shape) == 1 and shape[0] != DYNAMIC_INDEX else None
