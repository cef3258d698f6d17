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
`insert_into`, `extract`. What the class here adds: operands, destinations, `ints`. `lowers` is in `registry`.

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
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.blob import Blob
from loomir.dialects.element_types import element_of, signless, stored
from loomir.dialects.index_builder import all_static
from loomir.dialects.interface import BOUNDS, Entry, arguments_of, set_arguments
from loomir.dialects.locations import located
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.bounds import Bounds, BoundsAttr, complete
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.tensors import tensor_type_of
from loomir.errors import Error
from loomir.passes.analysis.bounds import checks_of, inferred_bounds, noted_bounds
from loomir.passes.structured.lowering.builder import FARTHEST, Extent, extent_of, tensor_type
from loomir.passes.structured.lowering.materializations import resolve
from loomir.passes.structured.lowering.registry import lowering_of
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.tensor_builder import TensorBuilder


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
        known = complete(noted.data) if isinstance(noted, BoundsAttr) else noted_bounds(value)
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
                f"there is no lowering of {op.name}",
                hint="the engine graph runs it without; the others, and C, need an @extension.lowering of it (docs/extensions.md)"
                if of_extension
                else "run ov-decompose before; a primitive operation needs a function with @lowers",
            )
            raise located(error, op)
        with self.located(op.location):
            for result in op.results:
                if (checks := checks_of(result)).tells:
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
                asked.wanted
                if isinstance(asked.wanted, int)
                else (self.operand(op.operands[asked.wanted[0]]).dims[asked.wanted[1]])
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
