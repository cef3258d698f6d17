"""Builder of tensors of run-time shape and of linalg operations.

A `Shaped` is a value of the model below GRAPH. Lowerings build with `TensorBuilder` (see `lowering`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, TensorType
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from loomir.dialects.attributes import with_known
from loomir.dialects.element_types import element_of, is_unsigned, signless
from loomir.dialects.index_builder import all_static
from loomir.dialects.upstream.construction import segments
from loomir.passes.structured.lib.builder import (
    Extent,
    StructuredBuilder,
    capacity_of,
    reshape_tensor,
    tensor_type,
)


class Materialiser(Protocol):
    """Materialiser of constants when they are used: a `Lowering`."""

    def constant(self, value: Any, element: Attribute) -> SSAValue: ...

    def materialise(self, x: Shaped) -> SSAValue: ...


class Shaped:
    """Value of the model below GRAPH (see `lowering`).

    It is immutable, except for lazily materialised constants.
    """

    __slots__ = (
        "_low",
        "_splat",
        "_value",
        "anchor",
        "array",
        "bounds",
        "destination",
        "dims",
        "element",
        "flat",
    )

    def __init__(
        self,
        low: Materialiser,
        value: SSAValue | None,
        element: Attribute,
        dims: Sequence[Extent],
        bounds: Sequence[int],
        *,
        array: np.ndarray | None = None,
        destination: SSAValue | None = None,
        flat: SSAValue | None = None,
        anchor: Operation | None = None,
    ) -> None:
        assert len(dims) == len(bounds)
        self._low = low
        self._value = value
        self._splat: SSAValue | None = None
        self.element = element
        self.dims: tuple[Extent, ...] = tuple(dims)
        self.bounds = with_known(bounds, self.dims)
        self.array = array
        self.destination = destination
        """The capacity tensor.empty that this value was computed into the front of."""
        self.flat = flat
        """A capacity tensor that already holds exactly this value at its front."""
        self.anchor = anchor

    @staticmethod
    def of_array(low: Materialiser, array: np.ndarray, *, anchor: Operation | None = None) -> Shaped:
        """Return a constant that is created only when its value is used.

        The constant is created before the operation `anchor`, or where its value is used.
        """
        element = element_of(array.dtype)
        return Shaped(low, None, element, array.shape, array.shape, array=array, anchor=anchor)

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def type(self) -> Attribute:
        """The type of `value`: a scalar's element type, or a tensor type."""
        return tensor_type(self.element, self.dims) if self.dims else signless(self.element)

    @property
    def unsigned(self) -> bool:
        return is_unsigned(self.element)

    @property
    def static(self) -> tuple[int, ...] | None:
        """The extents where all are numbers."""
        return tuple(self.dims) if all_static(self.dims) else None

    @property
    def splat(self) -> SSAValue | None:
        """Scalar that every element equals, or None.

        It exists for rank 0 and for a constant of equal elements.
        """
        if self._splat is None:
            if not self.dims:
                self._splat = self.value
            elif self.array is not None and is_splat(self.array):
                self._splat = self._low.constant(self.array.flat[0], self.element)
        return self._splat

    @property
    def value(self) -> SSAValue:
        """SSA value, materialised on first use.

        The first use creates a constant's argument of `main`, or fills a tensor.
        """
        if self._value is None:
            self._value = self._low.materialise(self)
        return self._value


def is_splat(array: np.ndarray) -> bool:
    """Return True if all elements are the same, bit for bit.

    NaNs and signs of zero are therefore distinguished.
    """
    if not array.size:
        return False
    if array.size == 1 or not any(s for s, n in zip(array.strides, array.shape) if n > 1):
        return True
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    return bool(bits[0] == bits[-1] and (bits == bits[0]).all())


def as_bool(array: np.ndarray) -> np.ndarray:
    """A boolean array with valid bytes: xDSL packs true as 0xFF."""
    return array.view(np.uint8) != 0 if array.dtype == np.bool_ else array


_ITERATORS: dict[str, IteratorTypeAttr] = {str(kind.value): IteratorTypeAttr(kind) for kind in IteratorType}

Body = Callable[..., SSAValue | Sequence[SSAValue]]


class TensorBuilder(StructuredBuilder):
    """Builder whose tensors are `Shaped`, with extents and their bounds."""

    @abstractmethod
    def materialise(self, x: Shaped) -> SSAValue:
        """The SSA value of a constant."""

    @property
    def checks_capacity(self) -> bool:
        """True if new tensors must be checked against their bounds."""
        return False

    # -- values

    def of_scalar(self, scalar: SSAValue, element: Attribute) -> Shaped:
        """A rank-0 value; `element` is GRAPH's element type."""
        assert scalar.type == signless(element), (scalar.type, element)
        return Shaped(self, scalar, element, (), ())

    def of_array(self, array: np.ndarray, *, anchor: Operation | None = None) -> Shaped:
        """Return a constant that is created only when its value is used.

        The constant is created before the operation `anchor`, or at the insertion point.
        """
        return Shaped.of_array(self, array, anchor=anchor)

    def of_tensor(
        self,
        value: SSAValue,
        element: Attribute,
        dims: Sequence[Extent],
        bounds: Sequence[int],
        *,
        like: Shaped | None = None,
    ) -> Shaped:
        """Return the `Shaped` of a tensor that was just built.

        `like` is the destination that the tensor was computed into.
        """
        shaped = Shaped(
            self, value, element, dims, bounds, destination=None if like is None else like.destination
        )
        assert value.type == shaped.type, (value.type, shaped.type)
        return shaped

    def like(self, dest: Shaped, value: SSAValue) -> Shaped:
        """The new contents of a destination."""
        return self.of_tensor(value, dest.element, dest.dims, dest.bounds, like=dest)

    def new(self, dims: Sequence[Extent], element: Attribute, bounds: Sequence[int] | None = None) -> Shaped:
        """Return an undefined tensor.

        `bounds` (the largest extents) may be omitted if all extents are numbers.
        """
        if bounds is None:
            assert all_static(dims), "a dynamic tensor needs bounds"
            bounds = dims
        bounds = with_known(bounds, dims)
        if all_static(dims):
            return Shaped(self, self.empty(element, bounds), element, dims, bounds)
        if self.checks_capacity:
            # An operation whose result is checked may fill something as large before.
            for extent, bound in zip(dims, bounds):
                self.assert_(
                    self.compare("ule", extent, bound), "capacity: a tensor is larger than its buffer"
                )
        destination = self.empty(element, [capacity_of(bounds)])
        return Shaped(
            self, self.view_of_flat(destination, dims), element, dims, bounds, destination=destination
        )

    # -- operations on tensors

    def generic(
        self,
        ins: Sequence[Shaped | SSAValue],
        outs: Sequence[Shaped],
        maps: Sequence[AffineMap],
        iterators: Sequence[str],
        body: Body,
        *,
        reads_outputs: bool = True,
    ) -> list[Shaped]:
        """`linalg.generic`: one map per input and output, `iterators` of "parallel" and "reduction".

        `body(*elements of ins, *elements of outs)` emits at the cursor and returns what to yield; without `reads_outputs` it
        takes the elements of the inputs only. A scalar, rank-0 or splat input is handed
        in as a scalar, whatever its map, unless nothing else says how often a loop runs.
        """
        count = len(iterators)
        assert len(maps) == len(ins) + len(outs), "one map per input and output"
        values: list[SSAValue] = []
        used: list[AffineMap] = []
        nothing = AffineMap(count, 0, ())
        scalars = [
            x.splat if isinstance(x, Shaped) else None if isinstance(x.type, TensorType) else x for x in ins
        ]
        known = {d for s, m in zip([*scalars, *([None] * len(outs))], maps) if s is None for d in _loops(m)}
        for x, scalar, m in zip(ins, scalars, maps):
            if isinstance(x, Shaped) and x.dims and not known.issuperset(_loops(m)):
                # A sum over a constant: only its shape tells over how many elements.
                scalar = None
                known.update(_loops(m))
            values.append(scalar if scalar is not None else x.value if isinstance(x, Shaped) else x)
            used.append(nothing if scalar is not None else m)
        used.extend(maps[len(ins) :])
        targets = [o.value for o in outs]
        for v, m in zip([*values, *targets], used):
            rank = len(v.type.get_shape()) if isinstance(v.type, TensorType) else 0
            assert (m.num_dims, len(m.results)) == (count, rank), (str(m), v.type, iterators)
        elements = [v.type.element_type if isinstance(v.type, TensorType) else v.type for v in values]
        block = Block(arg_types=[*elements, *(signless(o.element) for o in outs)])
        with self.at(block):
            results = body(*(block.args if reads_outputs else block.args[: len(values)]))
            yielded = [results] if isinstance(results, SSAValue) else list(results)
            self.insert(YieldOp.create(operands=yielded))
        op = GenericOp.create(
            operands=(*values, *targets),
            result_types=[t.type for t in targets],
            properties={
                "indexing_maps": ArrayAttr([AffineMapAttr(m) for m in used]),
                "iterator_types": ArrayAttr([_ITERATORS[i] for i in iterators]),
                **segments(len(values), len(targets)),
            },
            regions=(Region(block),),
        )
        return [self.like(o, r) for o, r in zip(outs, self.insert(op).results)]

    def each(
        self,
        ins: Sequence[Shaped],
        out: Shaped,
        body: Body,
        maps: Sequence[AffineMap] | None = None,
    ) -> Shaped:
        """Compute every element of `out` independently, by `body(*elements of ins)`.

        Without `maps` (one per input) the elements are those at the same position.
        """
        same = AffineMap.identity(out.rank)
        maps = [same] * len(ins) if maps is None else maps
        iterators = ["parallel"] * out.rank
        (made,) = self.generic(ins, [out], [*maps, same], iterators, body, reads_outputs=False)
        return made

    def fill(self, scalar: SSAValue, dest: Shaped) -> Shaped:
        """A destination with every element set to a scalar."""
        return self.like(dest, self.filled(scalar, dest.value))

    def copy_into(self, x: Shaped, dest: Shaped) -> Shaped:
        """The elements of `x` in a destination of the same extents."""
        return self.each([x], dest, lambda v: v)

    def reshape(self, x: Shaped, dims: Sequence[Extent], bounds: Sequence[int] | None = None) -> Shaped:
        """Reshape a tensor; the elements keep their row-major order.

        The product of the extents must stay the same. A reshape costs nothing. Rank 0 (no `dims`) produces a scalar; a constant
        stays a constant. `bounds` is as in `new`.
        """
        if bounds is None:
            assert all_static(dims), "a dynamic tensor needs bounds"
            bounds = dims
        if x.array is not None and all_static(dims):
            return self.of_array(np.reshape(x.array, dims), anchor=x.anchor)
        if tuple(dims) == x.dims:
            return x
        if not dims:
            return self.of_scalar(self.extract(x, [0] * x.rank), x.element)
        if not x.dims:
            flat = self.new([1], x.element)
            value = self.insert(tensor.InsertOp(x.value, flat.value, [self.index(0)])).result
            value = self.expand(value, [1] * len(dims), [range(len(dims))])
            return self.retyped(value, x.element, dims, bounds)
        value = reshape_tensor(self, x.value, x.dims, dims)
        return Shaped(self, value, x.element, dims, bounds, destination=x.destination, flat=x.flat)

    def slice(
        self,
        x: Shaped,
        offsets: Sequence[Extent],
        sizes: Sequence[Extent],
        strides: Sequence[Extent] | None = None,
        bounds: Sequence[int] | None = None,
    ) -> Shaped:
        """Return a view of part of a tensor.

        Strides are positive; nothing is checked at run time.
        """
        if bounds is None:
            bounds = with_known(x.bounds, sizes)
        strides = [1] * x.rank if strides is None else strides
        return Shaped(self, self.extract_slice(x.value, offsets, sizes, strides), x.element, sizes, bounds)

    def insert_into(
        self, x: Shaped, dest: Shaped, offsets: Sequence[Extent], strides: Sequence[Extent] | None = None
    ) -> Shaped:
        """Return `dest` with the part at `offsets` replaced by `x`.

        The part begins at `offsets`. `x` has the same rank as `dest`.
        """
        strides = [1] * x.rank if strides is None else strides
        return self.like(dest, self.insert_slice(x.value, dest.value, offsets, x.dims, strides))

    def extract(self, x: Shaped, indices: Sequence[Extent]) -> SSAValue:
        """One element as a scalar (nothing is checked at run time)."""
        if x.splat is not None:
            return x.splat
        if x.array is not None and all_static(indices):
            return self.constant(x.array[tuple(indices)], x.element)
        op = tensor.ExtractOp(x.value, [self.index(i) for i in indices], signless(x.element))
        return self.insert(op).result

    def retyped(
        self, value: SSAValue, element: Attribute, dims: Sequence[Extent], bounds: Sequence[int]
    ) -> Shaped:
        """The value as a tensor of these extents, which it has already."""
        if value.type != tensor_type(element, dims):
            value = self.extract_slice(value, [0] * len(dims), dims, [1] * len(dims))
        return Shaped(self, value, element, dims, bounds)


def _loops(map_: AffineMap) -> set[int]:
    """The loops whose extents a tensor with this map tells."""
    return {e.position for e in map_.results if isinstance(e, AffineDimExpr)}
