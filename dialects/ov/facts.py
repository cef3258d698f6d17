"""Static facts about tensors: element type, shape intervals, and small contents.

Shape inference of every operation maps facts of its operands to facts of its results (`OvOperation.infer`). A dimension is
an interval `[lo, hi]` (`hi` may be missing: no bound is known), a shape is a tuple of them, or `None` if even the rank is
unknown. Contents are either a whole array (`value`), or, for small integer tensors of static shape such as shapes and
indices, element-wise bounds (`lo`, `hi`). If there are fewer elements than the extents allow (a Reshape keeps their
number), `count` is the maximum. If only the rank is unknown, `alternatives` are the shapes, one for each possible rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from math import prod

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.attributes import Bounds, bounds_of_type, count_of, is_bounded, with_bounds
from loomir.dialects.element_types import dtype_of, element_of, i1, is_integer, ranked, same_contents
from loomir.errors import Error

CONTENT_LIMIT = 1024
"""Maximum number of elements of tensors whose contents are tracked.

(Contents of constants are tracked whatever their size.)
"""


def is_tracked(shape: tuple[int, ...] | None) -> bool:
    """Return True if contents of tensors of this shape are tracked.

    Extents of 0 count as 1: the other extents still matter to code that iterates over an array's positions.
    """
    return shape is not None and prod(e or 1 for e in shape) <= CONTENT_LIMIT


MAX_EXTENT = (1 << 63) - 1
"""Extents are of 64 bits, as in every format that loomir reads."""

MAX_RANK = 32
"""Maximum rank that all of numpy supports.

Its arrays may have 64 dimensions, but its flat iterators, `broadcast` and `select` refuse more than 32, and some functions
crash (2.4).
"""

MAX_ELEMENTS = 1 << 59
"""Exclusive upper limit of the number of elements of a tensor.

With 16 bytes each, the address of the last one would not fit in 64 bits. Extents of 0 count as 1, as they do for numpy.
"""

UNBOUNDED_LOW = np.iinfo(np.int64).min
UNBOUNDED_HIGH = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Dim:
    """Interval of an extent, from `lo` to `hi`.

    `hi` is None if no upper bound is known.

    A bound beyond 64 bits counts as no bound. Raises `Error("shape-too-large")` if even the least extent exceeds 64 bits.
    """

    lo: int = 0
    hi: int | None = None

    def __post_init__(self) -> None:
        assert self.lo >= 0
        if self.hi is not None:
            assert self.hi >= self.lo, (self.lo, self.hi)
            if self.hi <= MAX_EXTENT:
                return
            object.__setattr__(self, "hi", None)
        if self.lo > MAX_EXTENT:
            raise Error("shape-too-large", f"an extent is {self.lo} or more, which is beyond 64 bits")

    @property
    def static(self) -> int | None:
        """The extent where it is one number."""
        return self.lo if self.lo == self.hi else None

    def join(self, other: Dim) -> Dim:
        """The smallest interval that holds both."""
        hi = None if self.hi is None or other.hi is None else max(self.hi, other.hi)
        return Dim(min(self.lo, other.lo), hi)

    def meet(self, other: Dim) -> Dim | None:
        """Return the intersection, or None if the intervals contradict each other."""
        lo = max(self.lo, other.lo)
        his = [h for h in (self.hi, other.hi) if h is not None]
        hi = min(his) if his else None
        return None if hi is not None and hi < lo else Dim(lo, hi)

    def __add__(self, other: Dim | int) -> Dim:
        if isinstance(other, int):
            return Dim(max(0, self.lo + other), None if self.hi is None else max(0, self.hi + other))
        hi = None if self.hi is None or other.hi is None else self.hi + other.hi
        return Dim(self.lo + other.lo, hi)

    def __mul__(self, other: Dim | int) -> Dim:
        if isinstance(other, int):
            other = Dim(other, other)
        if self.hi == 0 or other.hi == 0:
            return Dim(0, 0)
        hi = None if self.hi is None or other.hi is None else self.hi * other.hi
        return Dim(self.lo * other.lo, hi)

    def __str__(self) -> str:
        if self.static is not None:
            return str(self.lo)
        return f"{self.lo}..{'' if self.hi is None else self.hi}"


Shape = tuple[Dim, ...]


@lru_cache(maxsize=4096)
def dim(extent: int) -> Dim:
    """Return the interval of one number.

    -1 (or MLIR's dynamic size) stands for any number.
    """
    return Dim(int(extent), int(extent)) if extent >= 0 else Dim()


def shape_of(extents: Iterable[int]) -> Shape:
    """A shape from numbers, -1 for unknown."""
    return tuple(map(dim, extents))


def static_shape(shape: Shape | None) -> tuple[int, ...] | None:
    """Return the shape as numbers, or None if it is dynamic."""
    if shape is None:
        return None
    extents = tuple(e for d in shape if (e := d.static) is not None)
    return extents if len(extents) == len(shape) else None


def join_shapes(
    some: Sequence[Shape], others: Sequence[Shape], join: Callable[[Dim, Dim], Dim]
) -> tuple[Shape, ...]:
    """Join two sets of shapes rank by rank.

    The result has one shape for each rank. It is empty if one side is empty, that is, may have any shape.
    """
    if not some or not others:
        return ()
    by_rank = {len(shape): shape for shape in some}
    for shape in others:
        known = by_rank.get(len(shape), shape)
        by_rank[len(shape)] = tuple(a if a == b else join(a, b) for a, b in zip(known, shape))
    return tuple(by_rank[rank] for rank in sorted(by_rank))


def check_dimensions(count: int) -> None:
    """`Error("shape-too-large")` for a number of dimensions that no array can have."""
    if count > MAX_RANK:
        raise Error("shape-too-large", f"a tensor has {count} dimensions, at most {MAX_RANK} are possible")


def check_shape(extents: Sequence[int]) -> None:
    """Raise `Error("shape-too-large")` for a shape that no array can have.

    The extents may also be the least extents of a shape.
    """
    check_dimensions(len(extents))
    elements = 1
    for extent in extents:
        elements *= max(extent, 1)
    if elements >= MAX_ELEMENTS:
        raise Error("shape-too-large", f"a tensor of shape {list(extents)} has more elements than addresses")


@dataclass(frozen=True, eq=False)
class Fact:
    """Facts about one tensor (see the module's docstring).

    Immutable; arrays in it must not be written.

    Raises `Error("shape-too-large")` for a shape that no tensor can have: code that creates a type or an array from a fact
    relies on that.
    """

    element: Attribute
    shape: Shape | None
    value: np.ndarray | None = None
    lo: np.ndarray | None = None
    hi: np.ndarray | None = None
    count: int | None = None
    """The number of elements at most, where the extents allow more."""
    alternatives: tuple[Shape, ...] = ()
    """Possible shapes of a tensor of unknown rank; empty means any.

    There is one shape for each rank, lower ranks first.
    """

    def __post_init__(self) -> None:
        for shape in self.shapes:
            check_shape([d.lo for d in shape])
        if self.count is not None:
            allowed = [Bounds((d.hi for d in shape), self.count).elements is None for shape in self.shapes]
            if self.count > MAX_EXTENT or (allowed and all(allowed)):
                object.__setattr__(self, "count", None)
        # A value that is known implies its bounds, and equal bounds imply the value.
        if (
            self.value is None
            and self.lo is not None
            and self.hi is not None
            and np.array_equal(self.lo, self.hi)
        ):
            object.__setattr__(self, "value", self.lo.astype(dtype_of(self.element)))

    # -- construction

    @staticmethod
    def of_array(array: np.ndarray) -> Fact:
        return Fact(element_of(array.dtype), shape_of(array.shape), value=array)

    @staticmethod
    def of_type(type_: Attribute) -> Fact:
        """Return the facts that a tensor type implies.

        (Each operand gets a distinct object, since some code identifies the operand by it.)
        """
        if isinstance(type_, UnrankedTensorType):
            return Fact(type_.element_type, None)
        assert isinstance(type_, TensorType), type_
        if not is_bounded(type_):
            return Fact(type_.element_type, shape_of(type_.get_shape()))
        bounds = bounds_of_type(type_)
        extents = zip(type_.get_shape(), bounds)
        dims = tuple(Dim(0, b) if d == DYNAMIC_INDEX else Dim(d, d) for d, b in extents)
        return Fact(type_.element_type, dims, count=bounds.elements)

    @staticmethod
    def of_ints(element: Attribute, lo: Sequence[int] | np.ndarray, hi: Sequence[int] | np.ndarray) -> Fact:
        """Return the fact of a small integer tensor with element bounds.

        Its shape is known; its elements lie between `lo` and `hi`.
        """
        low, high = np.asarray(lo, np.int64), np.asarray(hi, np.int64)
        return Fact(element, shape_of(low.shape), lo=low, hi=high)

    @staticmethod
    def of_shapes(element: Attribute, shapes: Sequence[Shape], count: int | None = None) -> Fact:
        """Return the fact of a tensor with one of these shapes.

        Each shape has another rank; an empty list means any shape.
        """
        if len(shapes) == 1:
            return Fact(element, shapes[0], count=count)
        return Fact(element, None, count=count, alternatives=tuple(shapes))

    # -- questions

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Possible shapes, one for each rank, lower ranks first.

        Empty if nothing is known of them.
        """
        return self.alternatives if self.shape is None else (self.shape,)

    @property
    def possible(self) -> list[Fact]:
        """One fact for each possible rank.

        It is this fact alone if nothing is known of the ranks.
        """
        if not self.alternatives:
            return [self]
        return [Fact(self.element, shape, count=self.count) for shape in self.alternatives]

    @property
    def static(self) -> tuple[int, ...] | None:
        return static_shape(self.shape)

    @property
    def size(self) -> Bounds[int | None]:
        """How large the tensor can be; of known rank."""
        assert self.shape is not None
        return Bounds((d.hi for d in self.shape), self.count)

    @property
    def elements(self) -> Dim:
        """How many elements there are."""
        counts: list[Dim] = []
        for shape in self.shapes:
            least, most = prod(d.lo for d in shape), count_of(Bounds((d.hi for d in shape), self.count))
            counts.append(Dim(least if most is None else min(least, most), most))
        return reduce(Dim.join, counts) if counts else Dim(0, self.count)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Lower and upper bounds of the elements (int64), or None.

        Only small integer or boolean tensors have them.
        """
        if self.value is not None:
            if not is_tracked(self.value.shape) or not (is_integer(self.element) or self.element == i1):
                return None
            v = self.value.astype(np.int64)
            return v, v
        if self.lo is None or self.hi is None:
            return None
        return self.lo, self.hi

    @property
    def type(self) -> TensorType | UnrankedTensorType:
        """Tensor type, dynamic in every dimension that is not one number."""
        if self.shape is None:
            return UnrankedTensorType(self.element)
        return ranked(self.element, tuple([DYNAMIC_INDEX if d.static is None else d.lo for d in self.shape]))

    def type_in_place_of(self, declared: Attribute) -> TensorType | UnrankedTensorType:
        """Return the fact's type, with bounds from the declared type.

        It replaces the declared type of a value: if that has bounds, the result has them for its dynamic dimensions.
        """
        type_ = self.type
        if self.shape is None or not isinstance(type_, TensorType) or not is_bounded(declared):
            return type_
        noted = bounds_of_type(declared)
        return with_bounds(type_, noted) if len(noted) == len(self.shape) else type_

    def without_content(self) -> Fact:
        return Fact(self.element, self.shape, count=self.count, alternatives=self.alternatives)

    def of_at_most(self, count: int | None) -> Fact:
        """Return this fact with at most `count` elements."""
        told = [c for c in (self.count, count) if c is not None]
        return replace(self, count=min(told)) if told else self

    # -- lattice

    def same(self, other: Fact) -> bool:
        """Return True if both facts are equal (used to detect the fixpoint)."""

        def eq(a: np.ndarray | None, b: np.ndarray | None) -> bool:
            if a is None or b is None:
                return a is b
            return a is b or same_contents(a, b)

        return (
            self.element == other.element
            and self.shape == other.shape
            and self.count == other.count
            and self.alternatives == other.alternatives
            and eq(self.value, other.value)
            and eq(self.lo, other.lo)
            and eq(self.hi, other.hi)
        )

    def join(self, other: Fact) -> Fact:
        """Return the fact of a tensor that is either one.

        Used for the two arms of an if, and a loop's first and later values.
        """
        if self is other or self.same(other):
            return self
        if self.shape is None or other.shape is None or len(self.shape) != len(other.shape):
            shapes = join_shapes(self.shapes, other.shapes, Dim.join)
            return Fact.of_shapes(self.element, shapes, self.elements.join(other.elements).hi)
        shape = tuple(a.join(b) for a, b in zip(self.shape, other.shape))
        joined = Fact(self.element, shape, count=self.elements.join(other.elements).hi)
        a, b = self.bounds, other.bounds
        if a is None or b is None or a[0].shape != b[0].shape:
            return joined
        # On rank 0 numpy gives bare numbers, with which later arithmetic would be in 64 bits rather than exact.
        lo, hi = np.asarray(np.minimum(a[0], b[0])), np.asarray(np.maximum(a[1], b[1]))
        return replace(joined, lo=lo, hi=hi)

    def meet(self, other: Fact) -> Fact:
        """Return the conjunction of both facts (declared and inferred).

        A contradiction keeps this fact.
        """
        if other.shape is None:
            return self
        if self.shape is None:
            alike = [fact for fact in self.possible if fact.rank == other.rank]
            return alike[0].meet(other) if alike else replace(other, element=self.element)
        if len(self.shape) != len(other.shape):
            return self
        shape = tuple(a.meet(b) or a for a, b in zip(self.shape, other.shape))
        told = self if self.value is not None or (self.lo is not None and other.value is None) else other
        both = Fact(self.element, shape, told.value, told.lo, told.hi)
        return both.of_at_most(self.count).of_at_most(other.count)


class HasContents(Operation, ABC):
    """Operation whose result contents are in the IR: `ov.constant`."""

    @property
    @abstractmethod
    def array(self) -> np.ndarray:
        """The contents, read-only and without a copy."""


def fact_of(value: SSAValue) -> Fact:
    """Return the fact about a value that the IR itself holds.

    It consists of the value's type, and of its contents if an `ov.constant` defines it.
    """
    if isinstance(value.owner, HasContents):
        return Fact.of_array(value.owner.array)
    return Fact.of_type(value.type)
