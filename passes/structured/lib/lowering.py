"""The API that lowerings of `ov` operations are written against.

A lowering is a function registered for a class of primitive operations:

>>> @lowers(ReLUOp)
... def relu(op: ReLUOp, low: Lowering) -> Shaped:
...     x = low.operand(op.data)
...     zero = low.constant(0, x.element)
...     def body(v):                                    # emits at low's cursor, returns the value(s) to yield
...         return low.insert(arith.MaximumfOp(v, zero)).result
...     if not x.dims:                                  # rank 0 is a scalar SSA value
...         return low.of_scalar(body(x.value), x.element)
...     out = low.destination(op.output, x.dims)        # static, or a view of its capacity
...     return low.each([x], out, body)

It returns one `Shaped` per result (a single one, or a sequence). `low` is a `StructuredBuilder`: `insert`,
`constant`, `index`, extents arithmetic (`add`, `mul`, `min`, `compare`, `select` … on `int | SSAValue`,
folding), `assert_`, `for_`, `if_`; a `TensorBuilder`: `generic`, `each`, `fill`, `reshape`, `slice`,
`insert_into`, `extract`. What the class here adds: operands, destinations, `ints`. `lowers` registers the
lowering of an operation, which is found by the operation's class.

*Shaped.* `value` is a scalar for rank 0 and else a tensor of the true shape, always with the signless element
type; `element` is GRAPH's (so `is_unsigned(x.element)` chooses `divui`); `dims` are `int` where the GRAPH
type says a number and SSA `index` values where it says `?`; `bounds` are the largest extents. `array` is the
numpy array of a constant. `splat` is the scalar SSA value of a rank-0 operand or of a constant whose elements
are all equal: use it instead of `value` where that saves a tensor (`generic` does so by itself for its
inputs). Touching `value` of a constant creates a blob argument of `main`, or a filled tensor for a splat.

*Results.* The tensor that a lowering returns must have the result's GRAPH type but for the sign;
`destination` gets that right, and `Lowering` converts where only `?` and numbers differ. Errors of data:
`low.assert_(cond, "index: …")`; user errors: `Error`, whose place is filled in. Intermediate tensors:
`low.new(dims, element, bounds)`.

*Materializations.* `resolve` returns the values that no lowering creates: constants, region arguments, and the materializations of
`convert-ov-loop-to-scf`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrealizedConversionCastOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.attributes import Blob, Bounds, BoundsAttr, complete
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import dtype_of, element_of, signless, stored, tensor_type_of
from loomir.dialects.families import Undo, add_to, families
from loomir.dialects.index_builder import all_static
from loomir.dialects.interface import BOUNDS, Entry, arguments_of, set_arguments
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.passes.analysis.lowering_requirements import checks_of, complete_bounds, inferred_bounds
from loomir.passes.structured.lib.builder import FARTHEST, Extent, extent_of, tensor_type
from loomir.passes.structured.lib.tensor_builder import Materialiser, Shaped, TensorBuilder, as_bool

LoweringFunction = Callable[..., Shaped | Sequence[Shaped]]
_LOWERINGS: dict[type[Operation], LoweringFunction] = {}


def lowers(*classes: type[Operation]) -> Callable[[LoweringFunction], LoweringFunction]:
    """Register a function as the lowering of these operations."""

    def register(function: LoweringFunction) -> LoweringFunction:
        for op_class in classes:
            assert op_class not in _LOWERINGS, f"{op_class.name} is lowered twice"
            _LOWERINGS[op_class] = function
        return function

    return register


def add_lowering(op_class: type[Operation], function: LoweringFunction) -> Undo:
    """An extension's lowering of an operation of its own. Error: `extension-clash`."""
    return add_to(_LOWERINGS, op_class, function, f"a lowering of {op_class.name}")


@cache
def _load() -> None:
    list(families("loomir.passes.structured.convert_ov_to_linalg"))  # each registers its own


def lowering_of(op_class: type[Operation]) -> LoweringFunction | None:
    """Return the lowering of an operation class, or None."""
    _load()
    return _LOWERINGS.get(op_class)


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


class Lowering(TensorBuilder):
    """Builder that converts one function.

    It records the conversion of every value of GRAPH.
    """

    def __init__(self, func: FuncOp) -> None:
        super().__init__(func.body.block)
        self.func = func
        self._shaped: dict[SSAValue, Shaped] = {}
        self._blobs: dict[tuple[bytes, Blob], SSAValue] = {}
        self._blob_entries: list[Entry] = []
        self._guards: dict[SSAValue, Bounds[int | None]] = {}
        self.location = func.location

    # -- values

    def operand(self, value: SSAValue) -> Shaped:
        """Return the conversion of a value of GRAPH.

        The value may also be a materialization of convert-ov-loop-to-scf.
        """
        known = self._shaped.get(value)
        if known is None:
            known = self._shaped[value] = resolve(self, value)
        return known

    def operands(self, op: Operation) -> list[Shaped]:
        """All operands of an operation."""
        return [self.operand(o) for o in op.operands]

    def known(self, value: SSAValue) -> Shaped | None:
        """Return the conversion of a value, if it has been converted."""
        return self._shaped.get(value)

    def bind(self, value: SSAValue, shaped: Shaped) -> None:
        """Record what a value has become."""
        self._shaped[value] = shaped

    def ints(self, x: Shaped) -> tuple[Extent, ...]:
        """Return the elements of a small integer tensor as extents.

        The tensor has rank ≤ 1 and known length.
        """
        if x.array is not None:
            return tuple(min(int(v), FARTHEST) for v in np.asarray(x.array).reshape(-1))
        if not x.dims:
            return (extent_of(self.to_index(x.value, unsigned=x.unsigned)),)
        (length,) = x.dims
        if not isinstance(length, int):
            raise Error(
                "unknown-length",
                "the length of a list of indices is not known before the program runs",
                hint="fix the inputs that it depends on with values=, or their shapes with shapes=",
            )
        return tuple(
            extent_of(self.to_index(self.extract(x, [k]), unsigned=x.unsigned)) for k in range(length)
        )

    # -- destinations

    @property
    def checks_capacity(self) -> bool:
        """An operation whose result is checked may fill something as large before."""
        return bool(self._guards)

    def bounds_of(self, value: SSAValue) -> Sequence[int]:
        """The largest extents of a value of GRAPH."""
        type_ = tensor_type_of(value)
        shape = type_.get_shape()
        if DYNAMIC_INDEX not in shape:
            return shape
        owner = value.owner
        # Of a materialization; a model's own operation has bounds in its type, and whatever else a text says of it is not believed.
        noted = None if isinstance(owner, Block | OvOperation) else owner.attributes.get(BOUNDS)
        known = complete(noted.data) if isinstance(noted, BoundsAttr) else complete_bounds(value)
        if known is None and isinstance(value, OpResult) and isinstance(owner, OvOperation):
            known = inferred_bounds(owner, value.index, self.bounds_of)
            if known is None:
                hint = "run ov-bound-shapes before"
                raise Error("unbounded-shape", f"a value of type {type_} has no bounds", hint=hint)
        return self.operand(value).bounds if known is None else known

    def destination(self, result: SSAValue, dims: Sequence[Extent]) -> Shaped:
        """Return the destination of a result of the operation.

        It is an undefined tensor of the result's type with these run-time extents.

        Rank 0 has no destination: return `of_scalar`. An extent that the type contains is taken from the type.
        """
        type_ = tensor_type_of(result)
        assert dims, "a scalar needs no destination"
        shape = type_.get_shape()
        assert len(shape) == len(dims), (type_, dims)
        exact = [self.index(d) if s == DYNAMIC_INDEX else s for s, d in zip(shape, dims)]
        self.check_capacity(result, exact)
        return self.new(exact, type_.element_type, self.bounds_of(result))

    # -- constants

    def blob(self, array: np.ndarray) -> SSAValue:
        """Return the argument of `main` that holds a constant tensor.

        Equal constants share one argument.
        """
        held = stored(array)
        # Blobs hash by shape alone: a few elements keep many weights of one shape apart without reading them all.
        key = (held.flat[:8].tobytes() + held.flat[-8:].tobytes(), Blob(held))
        if key not in self._blobs:
            block = self.func.body.block
            type_ = tensor_type(element_of(held.dtype), held.shape)
            argument = block.insert_arg(type_, len(block.args))
            argument.location = self.location
            self._blob_entries.append(Entry.of(blob=held))
            self._blobs[key] = argument
        return self._blobs[key]

    def materialise(self, x: Shaped) -> SSAValue:
        """Return the SSA value of a constant.

        It is a scalar, a filled tensor for a splat, or a blob.
        """
        assert x.array is not None
        if not x.dims:
            return self.constant(x.array.reshape(())[()], x.element)
        scalar = x.splat
        if scalar is None and x.array.size:
            return self.blob(x.array)
        with self.at(self.point if x.anchor is None else InsertPoint.before(x.anchor)):
            dest = self.empty(x.element, x.array.shape)
            if scalar is None:
                return dest  # no elements
            return self.filled(scalar, dest)

    # -- lowering

    def finish(self) -> None:
        """Write the changes of the function's signature: its blobs' arguments."""
        set_arguments(self.func, [*arguments_of(self.func), *self._blob_entries])
        self.func.update_function_type()

    def lower(self, op: Operation) -> None:
        """Lower one primitive operation and record its results. Error: `no-lowering`."""
        function = lowering_of(type(op))
        if function is None:
            of_extension = op.name.count(".") > 1
            error = Error(
                "no-lowering",
                f"{op.name} has no lowering",
                hint="only the engine graph runs it without one; the others, and C, need an @extension.lowering (docs/extensions.md)"
                if of_extension
                else "run ov-decompose before; a primitive operation needs a function with @lowers",
            )
            raise located(error, op)
        with self.located(op.location):
            for result in op.results:
                if (checks := checks_of(result)).is_bounded:
                    self._guards[result] = checks
            try:
                self._require_named_extents(op)
                made = function(op, self)
            except Error as error:
                raise located(error, op) from None
            results = [made] if isinstance(made, Shaped) else list(made)
            for result, shaped in zip(op.results, results):
                self.check_capacity(result, shaped.dims)
            assert len(results) == len(op.results), f"{op.name}: {len(results)} results lowered"
            for result, shaped in zip(op.results, results):
                fitted = self._shaped[result] = self._fitted(result, shaped)
                if fitted.destination is not None or fitted.flat is not None:
                    # Materializations behind this see the new value, and want to know its capacity. (One that was there
                    # before keeps the extents that it had: those of a view of it may belong to a branch.)
                    self._shaped.setdefault(fitted.value, fitted)

    def _require_named_extents(self, op: Operation) -> None:
        """Assert the constraints on operand extents that inference cannot prove."""
        assert isinstance(op, OvOperation), op
        for asked in op.extent_questions([fact_of(operand) for operand in op.operands]):
            dims = self.operand(op.operands[asked.operand]).dims
            wanted = (
                asked.expected
                if isinstance(asked.expected, int)
                else (self.operand(op.operands[asked.expected[0]]).dims[asked.expected[1]])
            )
            assert not asked.or_one, f"{op.name}: a primitive operation broadcasts by itself"
            self.assert_(self.compare("eq", dims[asked.axis], wanted), f"shape: {asked.reason}")

    def check_capacity(self, result: SSAValue, dims: Sequence[Extent]) -> None:
        """Assert the extents that `ov-bound-shapes` assumed of a result.

        `destination` emits these assertions before the result is written.
        """
        if checks := self._guards.pop(result, None):
            self.assert_capacity(dims, checks)

    def _fitted(self, result: SSAValue, shaped: Shaped) -> Shaped:
        """The value with numbers exactly where the result's type has them."""
        type_ = tensor_type_of(result)
        shape = type_.get_shape()
        assert signless(type_.element_type) == signless(shaped.element), (type_, shaped.element)
        assert len(shape) == shaped.rank, (type_, shaped.dims)
        element = type_.element_type
        dims = [self.index(d) if s == DYNAMIC_INDEX else s for s, d in zip(shape, shaped.dims)]
        if shaped.array is not None and all_static(dims):
            return shaped
        bounds = self.bounds_of(result)
        if not dims or tensor_type(element, dims) == shaped.type:
            return Shaped(
                self, shaped.value, element, dims, bounds, destination=shaped.destination, flat=shaped.flat
            )
        return self.retyped(shaped.value, element, dims, bounds)
