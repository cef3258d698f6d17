"""What is known of a tensor before it exists: element type, shape by intervals, and contents where small.

Shape inference of every operation maps facts of its operands to facts of its results (`OvOperation.infer`).
A dimension is an interval `[lo, hi]` (`hi` may be missing: no bound is known), a shape is a tuple of them, or
`None` where even the rank is unknown. Contents are either a whole array (`value`), or, for small integer tensors of
static shape such as shapes and indices, element-wise bounds (`lo`, `hi`). Where there are fewer elements than the extents
allow (a Reshape keeps their number), `count` is the most. Where the rank alone is not known, `alternatives` are the shapes of each.
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

from loomir.dialects.element_types import dtype_of, element_of, i1, is_integer, same_contents
from loomir.dialects.ov.bounds import Bounds, bounds_of_type, count_of, is_bounded, with_bounds
from loomir.dialects.tensors import ranked
from loomir.errors import Error

CONTENT_LIMIT = 1024
"""Tensors of more elements are not tracked by content (constants are, whatever their size)."""


def is_tracked(shape: tuple[int, ...] | None) -> bool:
    """Whether contents of tensors of this shape are tracked: extents beside a 0 count, for whatever goes through an array's places."""
    return shape is not None and prod(e or 1 for e in shape) <= CONTENT_LIMIT


MAX_EXTENT = (1 << 63) - 1
"""Extents are of 64 bits, as in every format that loomir reads."""

MAX_RANK = 32
"""What numpy can do everything with: its arrays may have 64 dimensions, but its flat iterators, `broadcast` and `select` refuse more
than 32, and some functions crash (2.4).
"""

MAX_ELEMENTS = 1 << 59
"""What a tensor that can be has fewer of: with 16 bytes each the address of the last one would not be of 64 bits. Extents of 0 count
as 1, as they do for numpy.
"""

UNBOUNDED_LOW = np.iinfo(np.int64).min
UNBOUNDED_HIGH = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Dim:
    """An extent: any number from `lo` to `hi`; `hi` is None where no upper bound is known.

    A bound beyond 64 bits bounds nothing. `Error("shape-too-large")` where even the least extent is beyond them.
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
        """What both allow, or None where they contradict each other."""
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
    """The interval of one number; -1 (or MLIR's dynamic size) is any number."""
    return Dim(int(extent), int(extent)) if extent >= 0 else Dim()


def shape_of(extents: Iterable[int]) -> Shape:
    """A shape from numbers, -1 for unknown."""
    return tuple(map(dim, extents))


def static_shape(shape: Shape | None) -> tuple[int, ...] | None:
    """The shape as numbers, or None where a dimension is not one number."""
    if shape is None:
        return None
    extents = tuple(e for d in shape if (e := d.static) is not None)
    return extents if len(extents) == len(shape) else None


def join_shapes(
    some: Sequence[Shape], others: Sequence[Shape], join: Callable[[Dim, Dim], Dim]
) -> tuple[Shape, ...]:
    """Shapes of which there is one for each rank, those of one rank joined; none where one side may have any."""
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
    """`Error("shape-too-large")` for a shape, or the least extents of one, that no array can have."""
    check_dimensions(len(extents))
    elements = 1
    for extent in extents:
        elements *= max(extent, 1)
    if elements >= MAX_ELEMENTS:
        raise Error("shape-too-large", f"a tensor of shape {list(extents)} has more elements than addresses")


@dataclass(frozen=True, eq=False)
class Fact:
    """What is known of one tensor (see the module's docstring). Immutable; arrays in it must not be written.

    `Error("shape-too-large")` for a shape that no tensor can have: whatever makes a type or an array of a fact relies on that.
    """

    element: Attribute
    shape: Shape | None
    value: np.ndarray | None = None
    lo: np.ndarray | None = None
    hi: np.ndarray | None = None
    count: int | None = None
    """The number of elements at most, where the extents allow more."""
    alternatives: tuple[Shape, ...] = ()
    """Where the rank is not known: the shapes that there may be, one for each rank, lower ranks first; empty: any."""

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
        """What a tensor type says. (Of each operand another object: some ask by it which operand it is of.)"""
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
        """A small integer tensor of known shape whose elements lie between `lo` and `hi`."""
        low, high = np.asarray(lo, np.int64), np.asarray(hi, np.int64)
        return Fact(element, shape_of(low.shape), lo=low, hi=high)

    @staticmethod
    def of_shapes(element: Attribute, shapes: Sequence[Shape], count: int | None = None) -> Fact:
        """A tensor of one of these shapes, each of another rank; none: of any."""
        if len(shapes) == 1:
            return Fact(element, shapes[0], count=count)
        return Fact(element, None, count=count, alternatives=tuple(shapes))

    # -- questions

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that there may be, one for each rank, lower ranks first; empty where nothing is known of them."""
        return self.alternatives if self.shape is None else (self.shape,)

    @property
    def possible(self) -> list[Fact]:
        """A fact for each rank that there may be; this one where nothing is known of them."""
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
        """Lower and upper bounds of the elements (int64), for small integer or boolean tensors; else None."""
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
        """The tensor type with every dimension that is not one number left open."""
        if self.shape is None:
            return UnrankedTensorType(self.element)
        return ranked(self.element, tuple([DYNAMIC_INDEX if d.static is None else d.lo for d in self.shape]))

    def type_in_place_of(self, declared: Attribute) -> TensorType | UnrankedTensorType:
        """The type of a value that was declared so: where that has bounds, this one has them for what it leaves open."""
        type_ = self.type
        if self.shape is None or not isinstance(type_, TensorType) or not is_bounded(declared):
            return type_
        noted = bounds_of_type(declared)
        return with_bounds(type_, noted) if len(noted) == len(self.shape) else type_

    def without_content(self) -> Fact:
        return Fact(self.element, self.shape, count=self.count, alternatives=self.alternatives)

    def of_at_most(self, count: int | None) -> Fact:
        """The fact of a tensor that has no more elements than this, too."""
        told = [c for c in (self.count, count) if c is not None]
        return replace(self, count=min(told)) if told else self

    # -- lattice

    def same(self, other: Fact) -> bool:
        """Whether both say the same (used to detect the fixpoint)."""

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
        """What holds for a tensor that is either one: the two arms of an if, a loop's first and later value."""
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
        """What both say together (declared and inferred); a contradiction keeps this fact."""
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
    """An operation of which the IR itself says what its result holds: `ov.constant`."""

    @property
    @abstractmethod
    def array(self) -> np.ndarray:
        """The contents, read-only and without a copy."""


def fact_of(value: SSAValue) -> Fact:
    """What the IR itself says of a value: its type, and its contents where an `ov.constant` defines it."""
    if isinstance(value.owner, HasContents):
        return Fact.of_array(value.owner.array)
    return Fact.of_type(value.type)
