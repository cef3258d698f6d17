"""Decompositions of composite operations to simpler ones, by operator family.

Each group of operator families of `dialects/ov/operators` has a module in this package. Its functions register
themselves with `@decomposes(SomeOp)` and return the values that replace the operation's results:

>>> @decomposes(SoftmaxOp)
... def softmax(op: SoftmaxOp, build: GraphBuilder) -> Sequence[SSAValue]:
...     axes = build.constant(np.array([to_int(op.axis)]))
...     shifted = build.make(SubtractOp, op.data, build.make(ReduceMaxOp, op.data, axes, …))

A decomposition may emit composite operations; `ov-decompose` repeats until there are none.

Arithmetic on extents (`Sizes`) folds: known extents are numbers; unknown ones are `tensor<1xi64>`.

Shape requirements of composite operations are checked at run time if unknown. The checks are emitted where inference does not know
whether a requirement holds, as for a GRU cell whose batch is dynamic in two operands:

```mlir
%n = ov.gather %shape_of_x, …             %m = ov.gather %shape_of_state, …
%same = ov.equal %m, %n
%checked = ov.require %state, %same {kind = "shape", reason = "the initial state of ov.gru_cell has another N than x"}
```
The operations of the decomposition read `%checked`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.families import Undo, add_to, families
from loomir.dialects.index_builder import Extent, Folding
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterEqualOp, LogicalOrOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.errors import Error

Decomposition = Callable[[Any, GraphBuilder], Sequence[SSAValue]]

_DECOMPOSITIONS: dict[type[Operation], Decomposition] = {}


def decomposes(*classes: type[Operation]) -> Callable[[Decomposition], Decomposition]:
    """Register a function as the decomposition of these operations."""

    def register(function: Decomposition) -> Decomposition:
        for op_class in classes:
            assert getattr(op_class, "COMPOSITE", False), f"{op_class.name} is not composite"
            assert op_class not in _DECOMPOSITIONS, f"{op_class.name} is decomposed twice"
            _DECOMPOSITIONS[op_class] = function
        return function

    return register


def add_decomposition(op_class: type[Operation], decomposition: Decomposition) -> Undo:
    """An extension's decomposition of an operation of its own. Error: `extension-clash`."""
    return add_to(_DECOMPOSITIONS, op_class, decomposition, f"a decomposition of {op_class.name}")


@cache
def _load() -> None:
    list(families(__name__))  # each registers its own


def decomposition_of(op_class: type[Operation]) -> Decomposition | None:
    """Return the decomposition of an operation.

    None if the operation is primitive (or its decomposition is missing).
    """
    _load()
    return _DECOMPOSITIONS.get(op_class)


Size = Extent
"""An extent: a number, or a value of type `tensor<1xi64>`."""

_OPERATIONS: dict[str, type[OvOperation]] = {
    "add": AddOp,
    "sub": SubtractOp,
    "mul": MultiplyOp,
    "floordiv": DivideOp,
    "mod": FloorModOp,
    "min": MinimumOp,
    "max": MaximumOp,
}


def rank_of(build: GraphBuilder, value: SSAValue, what: str = "data") -> int:
    """Return the rank of a value.

    `Error("unknown-rank")` if it depends on data or on an input without a shape.
    """
    rank = build.fact(value).rank
    if rank is None:
        raise Error("unknown-rank", f"the rank of {what} is not known", hint="fix the shapes of the inputs")
    return rank


class Sizes(Folding):
    """Emits arithmetic on extents; what is known is folded."""

    def __init__(self, build: GraphBuilder) -> None:
        self.build = build

    def of(self, value: SSAValue) -> list[Size]:
        """The extents of a value of known rank."""
        shape = self.build.fact(value).shape
        assert shape is not None
        whole: SSAValue | None = None
        sizes: list[Size] = []
        for k, d in enumerate(shape):
            if d.static is not None:
                sizes.append(d.static)
                continue
            if whole is None:
                whole = self.build.make(ShapeOfOp, value)
            sizes.append(self.element(whole, k))
        return sizes

    def element(self, vector: SSAValue, k: int) -> Size:
        """One element of a 1-D integer tensor, as i64."""
        known = self.build.fact(vector).value
        if known is not None:
            return int(known.reshape(-1)[k])
        picked = self.build.make(GatherOp, vector, self.build.integers([k]), self.build.scalar(0, i64))
        return self.build.make(ConvertOp, picked, attributes={"destination_type": i64})

    def vector(self, sizes: Sequence[Size]) -> SSAValue:
        """The extents as one `tensor<Nxi64>`."""
        if all(isinstance(s, int) for s in sizes):
            return self.build.integers([s for s in sizes if isinstance(s, int)])
        parts = [self.build.integers([s]) if isinstance(s, int) else s for s in sizes]
        return self.build.make(ConcatOp, parts, attributes={"axis": 0})

    def emit(self, name: str, a: Size, b: Size) -> SSAValue:
        return self.build.make(_OPERATIONS[name], self.value(a), self.value(b))

    def clamp(self, number: Size, low: Size, high: Size) -> Size:
        """Clamp any 64-bit number, so that sums with extents do not wrap."""
        return self.max(self.min(number, high), low)

    def modulo(self, number: Size, extent: Size) -> Size:
        """Return the remainder of any 64-bit number.

        It is in 0 … extent - 1. The remainder is 0 for an extent of 0.
        """
        if isinstance(number, int) and isinstance(extent, int):
            return number % extent if extent else 0
        return self.emit("mod", number, extent)

    def reshape(self, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """Reshape a value.

        A single unknown extent needs no arithmetic: it follows from the others.
        """
        unknown = [k for k, s in enumerate(sizes) if not isinstance(s, int)]
        if len(unknown) == 1 and 0 not in sizes:
            sizes = [-1 if k == unknown[0] else s for k, s in enumerate(sizes)]
        return self.build.make(ReshapeOp, value, self.vector(sizes))

    def value(self, size: Size) -> SSAValue:
        """The extent as `tensor<1xi64>`."""
        return self.build.integers([size]) if isinstance(size, int) else size

    def scalar(self, size: Size) -> SSAValue:
        """The extent as `tensor<i64>`."""
        if isinstance(size, int):
            return self.build.scalar(size, i64)
        return self.build.make(ReshapeOp, size, self.build.integers([]))

    def positions(self, size: Size, element: Attribute = i64) -> SSAValue:
        """0, 1 … to below an extent."""
        zero, one = self.build.scalar(0, element), self.build.scalar(1, element)
        return self.build.make(RangeOp, zero, self.scalar(size), one, attributes={"output_type": element})


def require_named_extents(op: OvOperation, build: GraphBuilder) -> None:
    """Replace operands by ones whose extents agree with their names.

    See `OvOperation.named_extents`.
    """
    sizes: dict[int, list[Size]] = {}

    def size(operand: int, axis: int) -> Size:
        if operand not in sizes:
            sizes[operand] = Sizes(build).of(op.operands[operand])
        return sizes[operand][axis]

    for asked in op.extent_questions([build.fact(operand) for operand in op.operands]):
        wanted = asked.expected if isinstance(asked.expected, int) else size(*asked.expected)
        op.operands[asked.operand] = require_equal(
            build,
            op.operands[asked.operand],
            size(asked.operand, asked.axis),
            wanted,
            asked.reason,
            or_one=asked.or_one,
        )


def require_equal(
    build: GraphBuilder,
    value: SSAValue,
    size: Size,
    wanted: Size,
    reason: str,
    *,
    or_one: bool = False,
) -> SSAValue:
    """Return the value, checked to have the wanted extent.

    With `or_one` the extent may also be 1. If the extents are not known, the check runs at run time.
    """
    if isinstance(size, int) and isinstance(wanted, int):
        return value
    sizes = Sizes(build)
    same = build.make(EqualOp, sizes.value(size), sizes.value(wanted))
    if or_one:
        same = build.make(LogicalOrOp, same, build.make(EqualOp, sizes.value(size), build.integers([1])))
    return require_all(build, value, same, reason)


def require_at_least(
    build: GraphBuilder, value: SSAValue, vector: SSAValue, least: int, reason: str
) -> SSAValue:
    """The value, where no element of a vector is below a number."""
    enough = build.make(GreaterEqualOp, vector, build.like(least, vector))
    return require_all(build, value, enough, reason)


def require_all(build: GraphBuilder, value: SSAValue, conditions: SSAValue, reason: str) -> SSAValue:
    """The value, where all of a vector of booleans hold."""
    holds = build.make(ReduceLogicalAndOp, conditions, build.integers([0]), attributes={"keep_dims": False})
    return build.require(value, holds, "shape", reason)
