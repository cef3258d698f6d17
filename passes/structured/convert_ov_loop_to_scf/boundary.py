"""Model form and boundary form of a model's values around regions.

The *model form*, which `ov` operations see, is that of GRAPH: a tensor of the true shape, including rank 0 and unsigned
elements. The *boundary form*, in which a value crosses a boundary, is that of docs/ir.md: a scalar, a static signless
tensor, or a flat capacity tensor and one `index` per dynamic dimension. `Boundaries` converts between them with
upstream operations, which `convert-ov-to-linalg` folds.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    TensorType,
    UnrankedTensorType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from loomir.dialects.attributes import BoundsAttr, is_bounded, with_known
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import signless, tensor_type_of
from loomir.dialects.index_builder import all_static
from loomir.dialects.interface import BOUNDS
from loomir.dialects.ov.base import OvOperation
from loomir.errors import Error
from loomir.passes.analysis.lowering_requirements import complete_bounds, inferred_bounds
from loomir.passes.structured.lib.builder import INDEX, Extent, StructuredBuilder, capacity_of, tensor_type

Bounds = Sequence[int]
"""How large a value can be: its extents, or `ov.bounds.Bounds`."""


def boundary_types(type_: TensorType, bounds: Sequence[int]) -> list[Attribute]:
    """Return the types of a value's boundary form.

    They are those of a scalar, a static tensor, or a flat capacity tensor and extents.
    """
    shape = type_.get_shape()
    element = signless(type_.element_type)
    if not shape:
        return [element]
    if DYNAMIC_INDEX not in shape:
        return [TensorType(element, shape)]
    return [TensorType(element, [capacity_of(bounds)]), *(INDEX for d in shape if d == DYNAMIC_INDEX)]


def with_dims(type_: TensorType, dims: Sequence[int]) -> TensorType:
    """A tensor type with other extents."""
    return TensorType(type_.element_type, dims)


class Boundaries(StructuredBuilder):
    """Builder that records the bounds and boundary forms of model values.

    It has the bounds of every value of the model, and the boundary form if there is one already.
    """

    def __init__(self, entry: Block) -> None:
        super().__init__(entry)
        self._boundary: dict[SSAValue, list[SSAValue]] = {}
        self._bounds: dict[SSAValue, Bounds | None] = {}
        self._materializations: list[Operation] = []

    # -- facts

    def known_bounds(self, value: SSAValue) -> Bounds | None:
        """Return the largest extents of a value in model form, if noted."""
        type_ = ranked(value)
        shape = type_.get_shape()
        if DYNAMIC_INDEX not in shape:
            return shape
        known = self._bounds.get(value) or complete_bounds(value)
        if known is None and isinstance(value, OpResult) and isinstance(value.op, OvOperation):
            known = self._bounds[value] = inferred_bounds(value.op, value.index, self.bounds)
        return known

    def bounds(self, value: SSAValue) -> Bounds:
        """The same for a value that must have them. Errors: `unbounded-shape`, `unresolved-rank`."""
        known = self.known_bounds(value)
        if known is None:
            owner = value.owner
            where = owner if isinstance(owner, Operation) else None
            error = Error(
                "unbounded-shape",
                f"a value of type {value.type} has no bounds",
                hint="run ov-bound-shapes before convert-ov-loop-to-scf",
            )
            raise located(error, where)
        return known

    def dims(self, value: SSAValue) -> list[Extent]:
        """The run-time extents of a value in model form."""
        shape = ranked(value).get_shape()
        known = self._boundary.get(value)
        if known is not None:
            extents = iter(known[1:])
            return [next(extents) if d == DYNAMIC_INDEX else d for d in shape]
        return [
            self.insert(tensor.DimOp(value, self.index(k))).result if d == DYNAMIC_INDEX else d
            for k, d in enumerate(shape)
        ]

    # -- model form → others

    def scalar(self, value: SSAValue) -> SSAValue:
        """A rank-0 value as a scalar."""
        (scalar,) = self.boundary(value, ranked(value), ())
        return scalar

    def signless(self, value: SSAValue) -> SSAValue:
        """The value as a tensor of its true shape with signless elements."""
        type_ = ranked(value)
        target = TensorType(signless(type_.element_type), type_.get_shape())
        if target == type_:
            return value
        return self._materialize(UnrealizedConversionCastOp.get([value], [target])).results[0]

    def shaped(self, value: SSAValue, type_: TensorType, dims: Sequence[Extent]) -> SSAValue:
        """Return `signless` of a value with the static extents of `type_`.

        The other dimensions are `?`, as in `type_`; `dims` are the extents.
        """
        result = self.signless(value)
        exact = [self.index(d) if s == DYNAMIC_INDEX else s for s, d in zip(type_.get_shape(), dims)]
        if not exact or tensor_type(type_.element_type, exact) == result.type:
            return result
        return self.extract_slice(result, [0] * len(exact), exact, [1] * len(exact))

    def boundary(self, value: SSAValue, type_: TensorType, bounds: Sequence[int]) -> list[SSAValue]:
        """The boundary form of a value, as `boundary_types(type_, bounds)` says.

        `type_` has a number only where the value has that very extent, `bounds` are at least the value's own.
        """
        own = ranked(value)
        shape = type_.get_shape()
        assert len(shape) == len(own.get_shape()), (str(own), str(type_))
        types = boundary_types(type_, bounds)
        known = self._boundary.get(value)
        if known is not None and [v.type for v in known] == types and own.get_shape() == shape:
            return known
        if not shape:
            element = self.signless(value)
            return [self._materialize(tensor.ExtractOp(element, [], types[0])).results[0]]
        dims = self.dims(value)
        if DYNAMIC_INDEX not in shape:
            return [self.shaped(value, type_, dims)]
        extents = [self.index(d) for s, d in zip(shape, dims) if s == DYNAMIC_INDEX]
        if known is not None and known[0].type == types[0] and DYNAMIC_INDEX in own.get_shape():
            return [known[0], *extents]
        assert isinstance(types[0], TensorType)
        count = self.product(dims)
        flat = self.flatten(self.signless(value), count)
        if flat.type != types[0]:
            capacity = self.empty(type_.element_type, types[0].get_shape())
            flat = self.insert_slice(flat, capacity, [0], [count], [1])
        return [flat, *extents]

    def zeros(
        self, type_: TensorType, bounds: Sequence[int], extents: Sequence[Extent], *, undefined: bool = False
    ) -> list[SSAValue]:
        """Return the boundary form of zeros with these extents.

        The extents apply where the type has none. With `undefined`, the contents are arbitrary.
        """
        types = boundary_types(type_, bounds)
        if not type_.get_shape():
            return [self.constant(0, types[0])]
        assert isinstance(types[0], TensorType)
        data = self.empty(type_.element_type, types[0].get_shape())
        open_ = [e for s, e in zip(type_.get_shape(), extents) if s == DYNAMIC_INDEX]
        if not undefined and 0 not in open_:
            zero = self.constant(0, type_.element_type)
            data = self.filled(zero, data)
        return [data, *map(self.index, open_)]

    # -- others → model form

    def undefined(self, element: Attribute, dims: Sequence[Extent], bounds: Sequence[int]) -> SSAValue:
        """Return a value in model form with these extents and arbitrary contents."""
        if not dims:
            scalar = self.constant(0, signless(element))
            made = tensor.FromElementsOp(scalar, result_type=TensorType(signless(element), []))
            value = self._materialize(made).results[0]
        elif all_static(dims):
            value = self._materialize(tensor.EmptyOp([], tensor_type(element, dims))).results[0]
        else:
            flat = self._materialize(tensor.EmptyOp([], tensor_type(element, [capacity_of(bounds)])))
            value = self._materialized(self.view_of_flat(flat.results[0], dims), bounds)
        if tensor_type_of(value).element_type != element:
            target = TensorType(element, tensor_type_of(value).get_shape())
            value = self._materialize(UnrealizedConversionCastOp.get([value], [target])).results[0]
        self._bounds[value] = bounds
        return value

    def bind(
        self, old: SSAValue, type_: TensorType, values: Sequence[SSAValue], bounds: Sequence[int]
    ) -> SSAValue:
        """Replace an old value by the model form of a boundary form.

        The old value is of GRAPH's declaration.

        `type_` is the type that the boundary form holds; a static extent in the old value's type stays static.
        """
        declared = old.type
        shape = list(type_.get_shape())
        if isinstance(declared, TensorType):
            shape = [d if s == DYNAMIC_INDEX else s for s, d in zip(shape, declared.get_shape())]
        element = type_.element_type
        extents = iter(values[1:])
        dims: list[Extent] = []
        for held, wanted in zip(type_.get_shape(), shape):
            extent = next(extents) if held == DYNAMIC_INDEX else held
            dims.append(wanted if wanted != DYNAMIC_INDEX else extent)
        bounds = with_known(bounds, shape)
        if not shape:
            new = self._materialize(
                tensor.FromElementsOp(values[0], result_type=TensorType(signless(element), []))
            )
            view = new.results[0]
        elif DYNAMIC_INDEX not in type_.get_shape():
            view = values[0]
        else:
            view = self._materialized(self.view_of_flat(values[0], dims), bounds)
        new_value = self.model(old, view, element, dims, bounds)
        if tuple(shape) == type_.get_shape():
            self._boundary[new_value] = list(values)
        return new_value

    def model(
        self, old: SSAValue, view: SSAValue, element: Attribute, dims: Sequence[Extent], bounds: Sequence[int]
    ) -> SSAValue:
        """Replace an old value by a signless tensor of the true shape."""
        del dims
        value = view
        type_ = tensor_type_of(view)
        if type_.element_type != element:
            target = TensorType(element, type_.get_shape())
            value = self._materialize(UnrealizedConversionCastOp.get([view], [target])).results[0]
        self._bounds[value] = bounds
        old.replace_all_uses_with(value)
        return value

    # -- materializations

    def remove_unused_materializations(self) -> None:
        """Erase the conversions that nothing came to need."""
        for op in reversed(self._materializations):
            if op.parent is not None and not any(r.uses.get_length() for r in op.results):
                Rewriter.erase_op(op)

    def _materialize(self, op: Operation) -> Operation:
        self.insert(op)
        self._materializations.append(op)
        return op

    def _materialized(self, view: SSAValue, bounds: Sequence[int]) -> SSAValue:
        """Note a view's bounds for the lowering, and mark it as erasable.

        The view may be erased where it is not used.
        """
        chain: list[Operation] = []
        owner = view.owner
        if not isinstance(owner, Operation):
            return view  # static, and as large as the capacity
        if isinstance(view.type, TensorType) and DYNAMIC_INDEX in view.type.get_shape():
            owner.attributes[BOUNDS] = bounds_attr(bounds)
        if isinstance(owner, tensor.ExpandShapeOp) and isinstance(owner.src.owner, Operation):
            chain.append(owner.src.owner)
        chain.append(owner)
        self._materializations.extend(chain)
        return view


def ranked(value: SSAValue) -> TensorType:
    """Return the type of a value in model form, without its bounds.

    Error: `unresolved-rank`.
    """
    type_ = value.type
    if isinstance(type_, UnrankedTensorType):
        owner = value.owner
        op = owner if isinstance(owner, Operation) else None
        error = Error(
            "unresolved-rank",
            "the rank of a value is not known before run time",
            hint="give the model's inputs shapes or values (--shape, --value), to decide its branches",
        )
        raise located(error, op)
    assert isinstance(type_, TensorType), type_
    return TensorType(type_.element_type, type_.get_shape()) if is_bounded(type_) else type_


def bounds_attr(bounds: Sequence[int]) -> BoundsAttr:
    """`loomir.bounds` of a materialization: how large its result can be."""
    return BoundsAttr(with_known(bounds, bounds))
