"""Accesses of a generic to its operands.

They consist of the extents and the order of the loops, and of coordinates as sums of terms.

*Extents and strides* of memrefs follow from their types and defining views.

`memref.dim` does not occur in LOOPS: a dynamic extent is an operand of the operation that created the view, or a
product of such operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint

from loomir.dialects import quads
from loomir.dialects.element_types import is_float, memref_type_of, shaped_type_of
from loomir.dialects.index_builder import ConstantPool, Extent
from loomir.dialects.upstream.walking import walk
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter, IndexForm, factor_of, form_of
from loomir.passes.structured.lib.memrefs import PadSpec, collapse_type, padded_source, reassociation


class ExtentLookup:
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


UNKNOWN_STRIDE = 1 << 40
"""Placeholder for an unknown stride.

The stride belongs to an outer dimension of a dynamic shape, so it is large.
"""

STRUCTURED = frozenset({GenericOp, FillOp, CopyOp})
"""Operations that become loop nests."""

LONG = 256
"""Iterations that are reckoned with where they are not known."""


@dataclass(frozen=True)
class MemRefAccess:
    """Memref operand with its coordinates in the loops and its element strides.

    For a padded operand, `value` is the memref that holds its elements; the coordinates are those of the padded shape.
    `groups` lists the memref dimensions that each coordinate represents: several if they are treated as one.
    """

    value: SSAValue
    map: AffineMap
    coordinates: tuple[IndexForm, ...]
    strides: tuple[int | None, ...]
    groups: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(value: SSAValue, map: AffineMap) -> MemRefAccess:
        value = padded_source(value)
        coordinates = tuple(form_of(e) for e in map.results)
        groups = tuple((i,) for i in range(len(coordinates)))
        return MemRefAccess(value, map, coordinates, strides_of(memref_type_of(value)), groups)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents along the coordinates; `DYNAMIC_INDEX` for an unknown extent."""
        shape = memref_type_of(self.value).get_shape()
        return tuple(
            DYNAMIC_INDEX if any(shape[d] == DYNAMIC_INDEX for d in group) else prod(shape[d] for d in group)
            for group in self.groups
        )

    def stride(self, dim: int) -> int:
        """How many elements one step of a loop moves along."""
        return self.stride_with(self.strides, dim)

    def stride_with(self, strides: Sequence[int | None], dim: int) -> int:
        """The same if the memref had these strides."""
        total = 0
        for terms, stride in zip(self.coordinates, strides, strict=True):
            factor = factor_of(terms, dim)
            if factor == 0:
                continue
            if factor is None or stride is None:
                return UNKNOWN_STRIDE
            total += abs(factor) * stride
        return total

    def squeezed(self, pad: PadSpec | None = None) -> MemRefAccess:
        """Return the access without trailing dimensions of one element.

        The last coordinate is then the one that steps by one element. `viewed` creates the memref of that rank.
        """
        type_ = memref_type_of(self.value)
        shape, count = type_.get_shape(), len(self.coordinates)
        while (
            count > 1
            and shape[count - 1] == 1
            and (pad is None or (pad.low[count - 1] == 0 and pad.high[count - 1] == 0))
        ):
            count -= 1
        if count == len(shape) or len(self.groups) < len(shape):
            return self
        groups = (*self.groups[: count - 1], tuple(range(count - 1, len(shape))))
        return replace(
            self, coordinates=self.coordinates[:count], strides=self.strides[:count], groups=groups
        )

    def viewed(self, emitter: IndexEmitter) -> MemRefAccess:
        """Return the access on a view with one dimension for each coordinate."""
        type_ = memref_type_of(self.value)
        if len(self.groups) == type_.get_num_dims():
            return self
        result = collapse_type(type_, self.groups, self.shape)
        assert result is not None, "only what is contiguous is one dimension"
        view = memref.CollapseShapeOp(
            operands=[self.value],
            result_types=[result],
            properties={"reassociation": reassociation(self.groups)},
        )
        groups = tuple((i,) for i in range(len(self.groups)))
        return replace(self, value=emitter.insert(view).results[0], groups=groups)

    def lanes(self, dim: int) -> int | None:
        """Return how the operand moves under a vector along a loop.

        0 means that the operand stands still, 1 that it steps along a row, and None anything else.
        """
        moved = [i for i, terms in enumerate(self.coordinates) if factor_of(terms, dim) != 0]
        if not moved:
            return 0
        last = len(self.coordinates) - 1
        along = moved == [last] and factor_of(self.coordinates[last], dim) == 1 and self.strides[last] == 1
        return 1 if along else None

    def is_linear(self, dim: int) -> bool:
        """Return True if no index divides a loop's contribution to it."""
        return all(factor_of(terms, dim) is not None for terms in self.coordinates)


def accesses_of(generic: GenericOp) -> list[MemRefAccess | None]:
    """The access of each operand, inputs then outputs; None for a scalar."""
    return [
        MemRefAccess.of(value, map.data) if isinstance(value.type, MemRefType) else None
        for value, map in zip(generic.operands, generic.indexing_maps.data, strict=True)
    ]


def squeezed_accesses(
    accesses: Sequence[MemRefAccess | None], pads: Mapping[int, PadSpec]
) -> list[MemRefAccess | None]:
    """Return the accesses without trailing dimensions of one element.

    Vectors need this form.
    """
    return [
        None if access is None else access.squeezed(pads.get(position))
        for position, access in enumerate(accesses)
    ]


def loaded_by(generic: GenericOp) -> list[SSAValue]:
    """Return the memrefs that a body itself loads from.

    For example, the body of a gather contains such loads.
    """
    return [op.memref for op in walk(generic.body) if isinstance(op, memref.LoadOp)]


def iterators_of(generic: GenericOp) -> tuple[list[int], list[int]]:
    """Return the parallel and the reduction dimensions, each in map order."""
    parallel: list[int] = []
    reduction: list[int] = []
    for dim, iterator in enumerate(generic.iterator_types):
        (parallel if iterator.data is IteratorType.PARALLEL else reduction).append(dim)
    return parallel, reduction


def static_extents(
    generic: GenericOp, accesses: Sequence[MemRefAccess | None], pads: dict[int, PadSpec]
) -> dict[int, int]:
    """Return the trip counts that some operand determines at compile time."""
    found: dict[int, int] = {}
    for position, access in enumerate(accesses):
        if access is None:
            continue
        pad = pads.get(position)
        for i, (expr, extent) in enumerate(zip(access.map.results, memref_type_of(access.value).get_shape())):
            low, high = (0, 0) if pad is None else (pad.low[i], pad.high[i])
            if not isinstance(expr, AffineDimExpr) or extent == DYNAMIC_INDEX:
                continue
            if isinstance(low, int) and isinstance(high, int):
                found.setdefault(expr.position, extent + low + high)
    return found


def _padded(emitter: IndexEmitter, extent: Extent, pad: PadSpec, dim: int) -> Extent:
    return emitter.add(emitter.add(extent, pad.low[dim]), pad.high[dim])


def loop_extents(
    generic: GenericOp,
    accesses: Sequence[MemRefAccess | None],
    pads: dict[int, PadSpec],
    extents: ExtentLookup,
    emitter: IndexEmitter,
) -> list[Extent]:
    """Return the trip count of every loop.

    It comes from an operand dimension along which only this loop runs; it is an int if any such operand has a static extent.
    """
    sources: dict[int, tuple[int, SSAValue, int]] = {}
    found: dict[int, Extent] = {}
    for position, access in enumerate(accesses):
        if access is None:
            continue
        shape = memref_type_of(access.value).get_shape()
        pad = pads.get(position)
        for i, expr in enumerate(access.map.results):
            if not isinstance(expr, AffineDimExpr):
                continue
            dim = expr.position
            static = shape[i] != DYNAMIC_INDEX
            if pad is not None:
                static = static and isinstance(pad.low[i], int) and isinstance(pad.high[i], int)
            if dim not in sources or (static and not isinstance(found.get(dim), int)):
                sources[dim] = (position, access.value, i)
                if static:
                    found[dim] = shape[i] if pad is None else _padded(emitter, shape[i], pad, i)
    result: list[Extent] = []
    for dim in range(len(generic.iterator_types)):
        if dim not in found:
            assert dim in sources, f"no operand tells the extent of d{dim}"
            position, value, i = sources[dim]
            extent = extents.get(value, i)
            if (pad := pads.get(position)) is not None:
                extent = _padded(emitter, extent, pad, i)
            found[dim] = extent
        result.append(found[dim])
    return result


def loop_order(
    generic: GenericOp, accesses: Sequence[MemRefAccess | None], parallel: list[int], reduction: list[int]
) -> list[int]:
    """Return the order of the loops: parallel loops outside, then reductions.

    The parallel loops are in the order in which they run along the first output, so that stores are contiguous. Among
    integer reductions, the loop that moves the inputs least is innermost; equal ones keep the order of the map.
    Floating-point reductions keep the order of the map altogether, since summation in another order is rounded differently.

    The parallel loops keep the order of the map altogether if an output doesn't depend on all of them: then the last write
    wins. There may be one parallel loop more than in the generic, if one of its loops is in blocks (`loop_transforms.py`).
    """
    count = len(generic.inputs)
    inputs = [access for access in accesses[:count] if access is not None]
    outputs = [access for access in accesses[count:] if access is not None]
    if not any(is_float(shaped_type_of(output).element_type) for output in generic.outputs):
        reduction = sorted(reduction, key=lambda dim: -sum(access.stride(dim) for access in inputs))
    own, _ = iterators_of(generic)
    if outputs and all(is_cover(access.map, own) for access in outputs):
        parallel = sorted(parallel, key=lambda dim: -outputs[0].stride(dim))
    return parallel + reduction


def is_cover(map: AffineMap, dims: Sequence[int]) -> bool:
    """Return True if the map covers its whole operand as `dims` run.

    The map must reach each element once: it is a permutation, perhaps with zeros.

    A coordinate that is the constant 0 belongs to an extent of 1 (otherwise the operand would not be covered); the caller
    checks that.
    """
    seen: list[int] = []
    for expr in map.results:
        if isinstance(expr, AffineDimExpr):
            seen.append(expr.position)
        elif not (isinstance(expr, AffineConstantExpr) and expr.value == 0):
            return False
    return sorted(seen) == sorted(dims)


def covers_operand(access: MemRefAccess, dims: Sequence[int]) -> bool:
    """Return True if loops `dims` reach every operand element exactly once."""
    shape = memref_type_of(access.value).get_shape()
    return is_cover(access.map, dims) and all(
        extent == 1 for expr, extent in zip(access.map.results, shape) if isinstance(expr, AffineConstantExpr)
    )
