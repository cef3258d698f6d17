"""Fourier transforms by products with small constant matrices.

They use Cooley and Tukey's algorithm on tensors. With `N = N1 · N2`, `n = N2 · n1 + n2` and `k = k1 + N1 · k2`, a
transform of N elements is N2 transforms of N1, a multiplication by `exp(-2πi · k1·n2 / N)`, and N1 transforms of N2. Up
to 32 elements, and a prime number of them, are transformed by their matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.numerics import arange, claim
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.contraction import DFTOp, FourierOp, IDFTOp, IRDFTOp, MatMulOp, RDFTOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import decomposes
from loomir.passes.graph.lib.decompositions.arithmetic import like, wide

LARGEST_MATRIX = 32
"""Largest transform whose whole matrix is as cheap as several small ones."""


@dataclass(frozen=True)
class Complex:
    """Real and imaginary parts; None is zero."""

    re: SSAValue
    im: SSAValue | None

    def map(self, function: Callable[[SSAValue], SSAValue]) -> Complex:
        """Something done to both."""
        return Complex(function(self.re), None if self.im is None else function(self.im))

    def swapped(self) -> Complex:
        """`i · conj(x)`, which turns a transform into its inverse."""
        assert self.im is not None
        return Complex(self.im, self.re)


# -- operations


@decomposes(DFTOp)
def dft(op: DFTOp, build: GraphBuilder) -> Sequence[SSAValue]:
    x, steps = _complex_operand(op, build)
    for axis, size in steps:
        x = _along(build, x, axis, size, size)
    return [_joined(op, build, x)]


@decomposes(IDFTOp)
def idft(op: IDFTOp, build: GraphBuilder) -> Sequence[SSAValue]:
    x, steps = _complex_operand(op, build)
    for axis, size in steps:
        x = _inverse(build, x, axis, size)
    return [_joined(op, build, x)]


@decomposes(RDFTOp)
def rdft(op: RDFTOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """The last axis first, while the numbers are real."""
    steps = _steps(op, build)
    x = Complex(_resized_along(build, wide(build, op.data), steps), None)
    for index, (axis, size) in enumerate(reversed(steps)):
        x = _along(build, x, axis, size, size if index else size // 2 + 1)
    return [_joined(op, build, x)]


@decomposes(IRDFTOp)
def irdft(op: IRDFTOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """The last axis last: `y[N - k]` is the conjugate of `y[k]`."""
    x, steps = _complex_operand(op, build)
    for axis, size in steps[:-1]:
        x = _inverse(build, x, axis, size)
    for axis, size in steps[-1:]:
        assert x.im is not None
        re, im = x.re, x.im
        # The rest, from N - 1 down to half: elements (N + 1) / 2 - 1 … 1.
        mirrored = [_mirror(build, v, axis, (size + 1) // 2 - 1) for v in (re, im)]
        im_rest = build.make(NegativeOp, mirrored[1])
        whole = Complex(
            build.make(ConcatOp, [re, mirrored[0]], attributes={"axis": axis}),
            build.make(ConcatOp, [im, im_rest], attributes={"axis": axis}),
        )
        x = _inverse(build, whole, axis, size)
    return [like(build, x.re, op.data)]


def _steps(op: FourierOp, build: GraphBuilder) -> list[tuple[int, int]]:
    """Return each axis, counted from the front, and its transformed extent.

    Error: `unknown-length`.
    """
    data, axes = build.fact(op.data), build.fact(op.axes).value
    sizes = None if op.signal_size is None else build.fact(op.signal_size).value
    if data.shape is None or axes is None or (op.signal_size is not None and sizes is None):
        raise _unknown()
    signal = data.shape[:-1] if op.COMPLEX else data.shape
    steps: list[tuple[int, int]] = []
    places = normalise_axes(axes.reshape(-1), len(signal))
    for index, place in enumerate(places):
        size = -1 if sizes is None else int(sizes.reshape(-1)[index])
        extent = op.extent(signal[place], size, last=index == len(places) - 1).static
        if extent is None or signal[place].static is None:
            raise _unknown()
        steps.append((place, extent))
    return steps


def _unknown() -> Error:
    return Error(
        "unknown-length",
        "the axes of a Fourier transform, or how many elements they have, are not known",
        hint="fix the shapes of the inputs",
    )


def _complex_operand(op: FourierOp, build: GraphBuilder) -> tuple[Complex, list[tuple[int, int]]]:
    """The complex numbers of an operation, and what is transformed."""
    steps = sizes = _steps(op, build)
    if isinstance(op, IRDFTOp):
        sizes = [*steps[:-1], *((axis, size // 2 + 1) for axis, size in steps[-1:])]
    data, last = _resized_along(build, wide(build, op.data), sizes), build.scalar(-1, i64)
    re, im = (build.make(GatherOp, data, build.scalar(k, i64), last) for k in (0, 1))
    return Complex(re, im), steps


def _joined(op: FourierOp, build: GraphBuilder, x: Complex) -> SSAValue:
    """As pairs, in the type of the operation."""
    im = build.make(MultiplyOp, x.re, build.like(0.0, x.re)) if x.im is None else x.im
    pair = [build.make(UnsqueezeOp, v, build.integers([-1])) for v in (x.re, im)]
    return like(build, build.make(ConcatOp, pair, attributes={"axis": -1}), op.data)


# -- one axis


def _inverse(build: GraphBuilder, x: Complex, axis: int, size: int) -> Complex:
    """Compute the inverse transform by the forward transform.

    Real and imaginary parts are exchanged before and after the transform, and the result is divided by N.
    """
    y = _along(build, x.swapped(), axis, size, size).swapped()
    factor = build.like(1 / size if size else 0.0, y.re)  # of nothing it is nothing
    return y.map(lambda v: build.make(MultiplyOp, v, factor))


def _along(build: GraphBuilder, x: Complex, axis: int, size: int, count: int) -> Complex:
    """Return the first `count` results of the transform along an axis.

    The axis has `size` elements.
    """
    rank = build.fact(x.re).rank
    assert rank is not None
    order = [*(k for k in range(rank) if k != axis), axis]
    back = np.argsort(order).tolist()

    def moved(value: SSAValue, to: list[int]) -> SSAValue:
        return value if to == sorted(to) else build.make(TransposeOp, value, build.integers(to))

    rows = x.map(lambda v: moved(v, order))
    if not size:
        # Sums of nothing; how many there are does not follow from how many elements there are.
        none = np.outer(arange(size), arange(count))
        return _product(build, rows, none, left=False).map(lambda v: moved(v, back))
    flat = rows.map(lambda v: build.make(ReshapeOp, v, build.integers([-1, size])))
    y = _transform(build, flat, size, count)
    static = build.fact(rows.re).static
    if static is not None:
        shape = build.integers([*static[:-1], count])
    else:
        outer = build.make(ShapeOfOp, rows.re)
        outer = build.make(SliceOp, outer, *(build.integers([v]) for v in (0, -1, 1)))
        shape = build.make(ConcatOp, [outer, build.integers([count])], attributes={"axis": 0})
    return y.map(lambda v: moved(build.make(ReshapeOp, v, shape), back))


def _resized_along(build: GraphBuilder, value: SSAValue, sizes: Sequence[tuple[int, int]]) -> SSAValue:
    """With as many elements along each axis as are transformed."""
    for axis, size in sizes:
        value = _resized(build, value, axis, size)
    return value


def _resized(build: GraphBuilder, value: SSAValue, axis: int, size: int) -> SSAValue:
    """Cut off, or continued with zeros."""
    shape = build.fact(value).shape
    assert shape is not None
    extent = shape[axis].static
    assert extent is not None
    if extent == size:
        return value
    if extent > size:
        return build.make(SliceOp, value, *(build.integers([v]) for v in (0, size, 1, axis)))
    ends = [size - extent if k == axis else 0 for k in range(len(shape))]
    return build.make(
        PadOp,
        value,
        build.integers([0] * len(shape)),
        build.integers(ends),
        build.like(0.0, value),
        attributes={"pad_mode": "constant"},
    )


def _mirror(build: GraphBuilder, value: SSAValue, axis: int, start: int) -> SSAValue:
    """Elements `start` down to 1 along an axis."""
    return build.make(SliceOp, value, *(build.integers([v]) for v in (start, 0, -1, axis)))


# -- matrices


def _transform(build: GraphBuilder, x: Complex, size: int, count: int) -> Complex:
    """Of the rows of `[B, size]`."""
    claim((size,), np.dtype(np.complex128))
    inner = _divisor(size)
    claim((inner, count if inner == size else size // inner), np.dtype(np.complex128))
    if inner == size:
        roots = _roots(np.outer(arange(size), arange(count)), size)
        return _product(build, x, roots, left=False)
    outer = size // inner
    parts = x.map(lambda v: build.make(ReshapeOp, v, build.integers([-1, inner, outer])))
    # [B, n1, n2] to [B, k1, n2]
    first = _product(build, parts, _roots(np.outer(arange(inner), arange(inner)), inner), left=True)
    turned = _turned(build, first, _roots(np.outer(arange(inner), arange(outer)), size))
    rows = turned.map(lambda v: build.make(ReshapeOp, v, build.integers([-1, outer])))

    def in_order(value: SSAValue) -> SSAValue:
        # [B, k1, k2] to [B, k2, k1]
        value = build.make(ReshapeOp, value, build.integers([-1, inner, outer]))
        value = build.make(TransposeOp, value, build.integers([0, 2, 1]))
        value = build.make(ReshapeOp, value, build.integers([-1, size]))
        return _resized(build, value, 1, count)

    return _transform(build, rows, outer, outer).map(in_order)


def _divisor(size: int) -> int:
    """Return the size of the matrices of one step.

    It is the number of elements itself if that is small or prime.
    """
    if size <= LARGEST_MATRIX:
        return size
    best = next((d for d in range(LARGEST_MATRIX, 1, -1) if size % d == 0), None)
    if best is not None:
        return best
    return next((d for d in range(LARGEST_MATRIX, int(size**0.5) + 1) if size % d == 0), size)


def _roots(powers: np.ndarray, size: int) -> np.ndarray:
    """`exp(-2πi · p / size)`, of small angles, which are exact."""
    return np.exp(-2j * np.pi * (powers % size) / size)


def _product(build: GraphBuilder, x: Complex, matrix: np.ndarray, *, left: bool) -> Complex:
    """`matrix · x` or `x · matrix`."""

    def times(value: SSAValue, factor: np.ndarray) -> SSAValue:
        constant = _constant(build, factor, value)
        return build.make(MatMulOp, *((constant, value) if left else (value, constant)))

    return _combined(build, x, matrix, times)


def _turned(build: GraphBuilder, x: Complex, factors: np.ndarray) -> Complex:
    """Each element multiplied by a number."""
    return _combined(build, x, factors, lambda v, f: build.make(MultiplyOp, v, _constant(build, f, v)))


def _combined(
    build: GraphBuilder, x: Complex, factors: np.ndarray, times: Callable[[SSAValue, np.ndarray], SSAValue]
) -> Complex:
    cosines, sines = np.real(factors), np.imag(factors)
    re, im = times(x.re, cosines), times(x.re, sines)
    if x.im is None:
        return Complex(re, im)
    return Complex(
        build.make(SubtractOp, re, times(x.im, sines)), build.make(AddOp, im, times(x.im, cosines))
    )


def _constant(build: GraphBuilder, values: np.ndarray, of: SSAValue) -> SSAValue:
    return build.constant(values.astype(dtype_of(build.fact(of).element)))
