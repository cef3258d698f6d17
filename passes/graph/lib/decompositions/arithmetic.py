"""Arithmetic in decompositions: folding of known operands, f32 for narrow floats.

Decompositions of operations on f16 and bf16 compute in f32 and round once at the end, as a single operation does.

Arithmetic on a `Term` folds known operands, and else emits operations. Decompositions that compute tables (of positions, of weights)
write a formula once, for extents that are numbers and for those that are known only at run time:

>>> y = Terms(build).arange(extent)                    # extent: a Term, i64
>>> x = (y + 0.5) / scale - 0.5                         # numpy's dtypes and broadcasting, everything in f32

A `Term` holds a numpy array or an SSA value; both kinds obey the element type's own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32, i64, is_float
from loomir.dialects.numerics import arange, maximum, minimum
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import GreaterEqualOp, GreaterOp, LessOp, LogicalOrOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, CeilingOp, FloorOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, UnsqueezeOp


def is_narrow(build: GraphBuilder, value: SSAValue) -> bool:
    """Return True if the elements are f16 or bf16."""
    return build.fact(value).element in (f16, bf16)


def wide(build: GraphBuilder, value: SSAValue) -> SSAValue:
    """f16 and bf16 as f32, everything else as it is."""
    if not is_narrow(build, value):
        return value
    array = build.fact(value).value
    if array is not None:
        return build.constant(array.astype("float32"))
    return build.make(ConvertOp, value, attributes={"destination_type": f32})


def like(build: GraphBuilder, value: SSAValue, of: SSAValue) -> SSAValue:
    """Convert a result to the element type of its operand."""
    element = build.fact(of).element
    if build.fact(value).element == element:
        return value
    return build.make(ConvertOp, value, attributes={"destination_type": element})


Number = float | int

MOST_KNOWN = 1 << 20
"""Maximum number of elements of a table computed at compile time.

A larger table is computed at run time.
"""


class Term:
    """Tensor that is known (`array`) or is an SSA value."""

    def __init__(self, terms: Terms, array: np.ndarray | None, value: SSAValue | None = None) -> None:
        self._terms = terms
        self.array = array
        self._value = value

    @property
    def value(self) -> SSAValue:
        """SSA value of the term; an array becomes a constant."""
        if self._value is None:
            assert self.array is not None
            self._value = self._terms.build.constant(self.array)
        return self._value

    @property
    def element(self) -> Attribute:
        return Fact.of_array(self.array).element if self.array is not None else self._fact.element

    @property
    def _fact(self) -> Fact:
        return self._terms.build.fact(self.value)

    def _with(self, other: Term | Number, op: type[OvOperation], function: Callable[..., np.ndarray]) -> Term:
        if not isinstance(other, Term):
            other = self._terms.known(np.array(other, dtype_of(self.element)))
        if self.array is not None and other.array is not None:
            with np.errstate(all="ignore"):
                return self._terms.known(np.asarray(function(self.array, other.array)))
        return self._terms.unknown(self._terms.build.make(op, self.value, other.value))

    def _alone(self, op: type[OvOperation], function: Callable[..., np.ndarray]) -> Term:
        if self.array is not None:
            return self._terms.known(np.asarray(function(self.array)))
        return self._terms.unknown(self._terms.build.make(op, self.value))

    def __add__(self, other: Term | Number) -> Term:
        return self._with(other, AddOp, np.add)

    def __sub__(self, other: Term | Number) -> Term:
        return self._with(other, SubtractOp, np.subtract)

    def __mul__(self, other: Term | Number) -> Term:
        return self._with(other, MultiplyOp, np.multiply)

    def __truediv__(self, other: Term | Number) -> Term:
        """The quotient of floats."""
        assert is_float(self.element)
        return self._with(other, DivideOp, np.divide)

    def __floordiv__(self, other: Term | Number) -> Term:
        """The quotient of integers, rounded down."""
        assert not is_float(self.element)
        return self._with(other, DivideOp, np.floor_divide)

    def max(self, other: Term | Number) -> Term:
        return self._with(other, MaximumOp, maximum)

    def min(self, other: Term | Number) -> Term:
        return self._with(other, MinimumOp, minimum)

    def less(self, other: Term | Number) -> Term:
        return self._with(other, LessOp, np.less)

    def greater(self, other: Term | Number) -> Term:
        return self._with(other, GreaterOp, np.greater)

    def at_least(self, other: Term | Number) -> Term:
        return self._with(other, GreaterEqualOp, np.greater_equal)

    def either(self, other: Term) -> Term:
        return self._with(other, LogicalOrOp, np.logical_or)

    def floor(self) -> Term:
        return self._alone(FloorOp, np.floor)

    def ceil(self) -> Term:
        return self._alone(CeilingOp, np.ceil)

    def abs(self) -> Term:
        return self._alone(AbsOp, np.abs)

    def choose(self, then: Term | Number, otherwise: Term | Number) -> Term:
        """`self ? then : otherwise` element by element; one of them is a Term."""
        like = then if isinstance(then, Term) else otherwise
        assert isinstance(like, Term)
        dtype = dtype_of(like.element)
        a, b = (
            v if isinstance(v, Term) else self._terms.known(np.array(v, dtype)) for v in (then, otherwise)
        )
        if self.array is not None and self.array.ndim == 0:
            return a if self.array else b
        if self.array is not None and a.array is not None and b.array is not None:
            return self._terms.known(np.where(self.array, a.array, b.array))
        return self._terms.unknown(self._terms.build.make(SelectOp, self.value, a.value, b.value))

    def to(self, element: Attribute) -> Term:
        """Converted to another element type (floats must be in its range)."""
        if self.element == element:
            return self
        if self.array is not None:
            return self._terms.known(self.array.astype(dtype_of(element)))
        return self._terms.unknown(
            self._terms.build.make(ConvertOp, self.value, attributes={"destination_type": element})
        )

    def insert_axes(self, *axes: int) -> Term:
        """With new dimensions of extent 1 at these places of the result."""
        if self.array is not None:
            return self._terms.known(np.expand_dims(self.array, axes))
        return self._terms.unknown(
            self._terms.build.make(UnsqueezeOp, self.value, self._terms.build.integers(axes))
        )

    def sum(self, axis: int) -> Term:
        """The sum along an axis, which stays with extent 1."""
        if self.array is not None:
            return self._terms.known(self.array.sum(axis=axis, keepdims=True, dtype=self.array.dtype))
        return self._terms.unknown(
            self._terms.build.make(
                ReduceSumOp,
                self.value,
                self._terms.build.integers([axis]),
                attributes={"keep_dims": True},
            )
        )

    def at(self, place: int) -> Term:
        """An element of a vector, as a scalar."""
        if self.array is not None:
            return self._terms.known(np.asarray(self.array.reshape(-1)[place]))
        build = self._terms.build
        return self._terms.unknown(
            build.make(GatherOp, self.value, build.scalar(place, i64), build.scalar(0, i64))
        )


class Terms:
    """Makes terms whose operations a builder emits."""

    def __init__(self, build: GraphBuilder) -> None:
        self.build = build

    def known(self, array: np.ndarray) -> Term:
        return Term(self, array)

    def number(self, value: Number, element: Attribute = f32) -> Term:
        return Term(self, np.array(value, dtype_of(element)))

    def unknown(self, value: SSAValue) -> Term:
        return Term(self, None, value)

    def of(self, value: SSAValue) -> Term:
        """A value of the graph: known where it is a constant."""
        array = self.build.fact(value).value
        return Term(self, array, value)

    def extents(self, value: SSAValue) -> list[Term]:
        """The extents of a tensor of known rank, as i64 scalars."""
        shape = self.build.fact(value).shape
        assert shape is not None
        whole: Term | None = None
        found: list[Term] = []
        for axis, extent in enumerate(shape):
            if extent.static is not None:
                found.append(self.number(extent.static, i64))
                continue
            if whole is None:
                whole = self.unknown(self.build.make(ShapeOfOp, value))
            found.append(whole.at(axis))
        return found

    def arange(self, count: Term) -> Term:
        """0, 1 … as f32; `count` is an i64 scalar."""
        if count.array is not None and int(count.array) <= MOST_KNOWN:
            return self.known(arange(int(count.array), np.float32))
        build = self.build
        numbers = build.make(
            RangeOp,
            build.scalar(0, i64),
            count.value,
            build.scalar(1, i64),
            attributes={"output_type": i64},
        )
        return self.unknown(numbers).to(f32)

    def vector(self, scalars: Sequence[Term]) -> Term:
        """Scalars of one type in a row."""
        if all(s.array is not None for s in scalars):
            return self.known(np.array([s.array for s in scalars]))
        build = self.build
        ones = [build.make(ReshapeOp, s.value, build.integers([1])) for s in scalars]
        return self.unknown(build.make(ConcatOp, ones, attributes={"axis": 0}))
