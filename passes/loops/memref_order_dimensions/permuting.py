"""Types, maps, views and indices of memrefs with permuted dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    MemRefType,
    UnrealizedConversionCastOp,
    i64,
)
from xdsl.dialects.linalg.ops import CopyOp, GenericOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from loomir.dialects.region_flow import region_flow
from loomir.dialects.tensors import memref_type_of, set_type
from loomir.dialects.walking import walk
from loomir.passes.loops.lower_linalg_to_loops.function import as_generic
from loomir.passes.structured.bufferize.memrefs import (
    collapse_type,
    expand_type,
    groups_of,
    reassociation,
    subview_type,
)
from loomir.passes.structured.bufferize.pads import PADS_ATTR, permuted_pads

Order = Sequence[int]
Orders = Mapping[SSAValue, Order]

T = TypeVar("T")


def permute(function: func.FuncOp, orders: Orders) -> None:
    """Permute the memrefs of a function.

    `orders` lists, for each memref, the dimensions that come first, second, …; a missing memref stays unchanged.

    Memrefs that views tie are permuted alike (`families.py`).
    """
    for op in list(walk(function.body)):
        _permute(op, orders)


def _permute(op: Operation, orders: Orders) -> None:
    if region_flow(op) is not None:
        for value in (*op.results, *(arg for region in op.regions for arg in region.block.args)):
            _set_packed(value, orders)
        return
    match op:
        case memref.AllocOp() | memref.CastOp() | UnrealizedConversionCastOp() | arith.SelectOp():
            _set_packed(op.results[0], orders)
        case memref.SubviewOp():
            _subview(op, orders)
        case memref.ExpandShapeOp() if op.src in orders or op.result in orders:
            groups = groups_of(op.reassociation)
            order = _order(op.src, orders)
            groups = _renumbered([groups[dim] for dim in order])
            shape = _permuted(memref_type_of(op.result).get_shape(), _order(op.result, orders))
            op.properties["reassociation"] = reassociation(groups)
            op.properties["static_output_shape"] = DenseArrayBase.from_list(i64, shape)
            set_type(op.result, expand_type(memref_type_of(op.src), groups, shape))
        case memref.CollapseShapeOp() if op.src in orders or op.result in orders:
            groups = groups_of(op.reassociation)
            order = _order(op.result, orders)
            groups = _renumbered([groups[dim] for dim in order])
            shape = _permuted(memref_type_of(op.result).get_shape(), order)
            op.properties["reassociation"] = reassociation(groups)
            type = collapse_type(memref_type_of(op.src), groups, shape, trusted=True)
            assert type is not None, "dimensions that are joined stay together"
            set_type(op.result, type)
        case memref.LoadOp() | memref.StoreOp() if op.memref in orders:
            before = len(op.operands) - len(op.indices)
            op.operands = [*op.operands[:before], *_permuted(op.indices, orders[op.memref])]
        case CopyOp():
            if _order(op.inputs[0], orders) != _order(op.outputs[0], orders):
                _generic(as_generic(op), orders)
        case GenericOp():
            _generic(op, orders)
        case _:
            pass


def _order(value: SSAValue, orders: Orders) -> Order:
    return orders.get(value) or list(range(memref_type_of(value).get_num_dims()))


def _permuted(items: Sequence[T], order: Order) -> list[T]:
    return [items[dim] for dim in order]


def _renumbered(groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return a view's groups, renumbered for dimensions in their new order.

    Each group follows the previous one.
    """
    found: list[list[int]] = []
    first = 0
    for group in groups:
        found.append(list(range(first, first + len(group))))
        first += len(group)
    return found


def _set_packed(value: SSAValue, orders: Orders) -> None:
    order = orders.get(value)
    if order is not None:
        type = memref_type_of(value)
        shape = _permuted(type.get_shape(), order)
        set_type(value, MemRefType(type.element_type, shape, type.layout, type.memory_space))


def _subview(op: memref.SubviewOp, orders: Orders) -> None:
    order = orders.get(op.result)
    if order is None:
        return
    static: list[list[int | None]] = []
    dynamic: list[list[SSAValue]] = []
    for name, values in (("offsets", op.offsets), ("sizes", op.sizes), ("steps", op.strides)):
        attribute = {"offsets": op.static_offsets, "sizes": op.static_sizes, "steps": op.static_strides}[name]
        given = iter(values)
        mixed = [next(given) if n == DYNAMIC_INDEX else n for n in attribute.get_values()]
        mixed = _permuted(mixed, order)
        static.append([n if isinstance(n, int) else None for n in mixed])
        dynamic.append([n for n in mixed if isinstance(n, SSAValue)])
    type = subview_type(memref_type_of(op.source), *static)
    op.operands = [op.source, *dynamic[0], *dynamic[1], *dynamic[2]]
    for name, numbers in zip(("static_offsets", "static_sizes", "static_strides"), static, strict=True):
        plain = [DYNAMIC_INDEX if n is None else n for n in numbers]
        op.properties[name] = DenseArrayBase.from_list(i64, plain)
    set_type(op.result, type)


def _generic(op: GenericOp, orders: Orders) -> None:
    maps: list[Attribute] = []
    for position, (value, attribute) in enumerate(zip(op.operands, op.indexing_maps.data, strict=True)):
        order = orders.get(value)
        map = attribute.data
        if order is not None:
            map = AffineMap(map.num_dims, map.num_symbols, tuple(_permuted(map.results, order)))
            pads = permuted_pads(op, position, order)
            if pads is not None:
                op.attributes[PADS_ATTR] = pads
        maps.append(AffineMapAttr(map))
    op.properties["indexing_maps"] = ArrayAttr(maps)
