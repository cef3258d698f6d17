"""Sums of products: MatMul, Einsum, and discrete Fourier transforms.

Einsum sums products of elements over the labels that the result lacks.

Fourier transforms are composites; their complex numbers are pairs along a last dimension of extent 2.
"""

from __future__ import annotations

from abc import ABC
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.numerics import wide
from loomir.dialects.ov.attributes import FALSE, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape, dim
from loomir.dialects.ov.inference import integers
from loomir.dialects.ov.interfaces import ANY, NamedExtents, NamedOperand, Sources, as_long
from loomir.dialects.ov.shape_rules import (
    broadcast_dim,
    broadcast_shapes,
    check_element,
    is_number,
    join_all,
    map_dim,
    may_equal,
    normalise_axes,
    same_element,
    show_shapes,
)
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.errors import Error


@irdl_op_definition
class MatMulOp(OvOperation):
    """Matrix product over the last two dimensions. OpenVINO MatMul-1, ONNX MatMul-13.

    The other dimensions are broadcast.

    `a: [..., M, K]` (`[..., K, M]` where `transpose_a`), `b: [..., K, N]` (`[..., N, K]` where
    `transpose_b`), result `[..., M, N]`. A 1-D `a` is a row and a 1-D `b` a column, whose dimension is
    missing in the result; transposing a 1-D operand has no effect. Integers wrap around; for K = 0 the result
    is 0.

    Errors: `element-type`, `element-types-differ`, `matmul-shapes`, `broadcast-shapes`.
    """

    name = "ov.mat_mul"
    SOURCES: ClassVar = Sources(openvino=("MatMul", 0))
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    transpose_a = prop_def(BoolAttr, default_value=FALSE)
    transpose_b = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        a, b = facts
        element = same_element(facts, ("a", "b"))
        check_element(a, "a", is_number, "a number")
        for name, fact in (("a", a), ("b", b)):
            if fact.rank == 0:
                raise Error("matmul-shapes", f"'{name}' is a scalar, expected at least one dimension")
        if a.shape is None or b.shape is None:
            return [Fact(element, None)]
        left: list[Dim] = list(a.shape)
        right: list[Dim] = list(b.shape)
        if to_bool(self.transpose_a) and len(left) > 1:
            left = [*left[:-2], left[-1], left[-2]]
        if to_bool(self.transpose_b) and len(right) > 1:
            right = [*right[:-2], right[-1], right[-2]]
        inner = right[-2] if len(right) > 1 else right[-1]
        if not may_equal(left[-1], inner):
            raise Error(
                "matmul-shapes",
                f"the inner extents {left[-1]} and {inner} differ (shapes {show_shapes([a.shape, b.shape])}, "
                f"transpose_a={to_bool(self.transpose_a)}, transpose_b={to_bool(self.transpose_b)})",
            )
        batch = broadcast_shapes([tuple(left[:-2]), tuple(right[:-2])])
        assert batch is not None
        rows = left[-2:-1]
        columns = right[-1:] if len(right) > 1 else ()
        return [Fact(element, (*batch, *rows, *columns))]

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if to_bool(self.transpose_a) and a.ndim > 1:
            a = np.swapaxes(a, -1, -2)
        if to_bool(self.transpose_b) and b.ndim > 1:
            b = np.swapaxes(b, -1, -2)
        return np.asarray(np.matmul(wide(a), wide(b))).astype(a.dtype)


Labels = tuple[str, ...]
"""Label of each dimension: a letter, or `.k` for an ellipsis dimension.

`.k` is the dimension of the ellipsis that is k-th from its end.
"""


def _subscript(text: str, rank: int | None) -> Labels | None:
    """Return the labels of an operand, or None.

    None if the number of dimensions of its ellipsis is unknown. Raises `Error("einsum-equation")`.
    """
    before, dots, after = text.partition("...")
    letters = before + after
    if not all(c.isascii() and c.isalpha() for c in letters):
        raise Error("einsum-equation", f"'{text}' does not consist of letters and at most one ellipsis")
    if rank is None:
        return None if dots else tuple(letters)
    covered = rank - len(letters)
    if covered < 0 or (covered and not dots):
        raise Error("einsum-equation", f"'{text}' does not fit an operand of rank {rank}")
    return (*before, *(f".{k}" for k in reversed(range(covered))), *after)


def explicit(equation: str) -> tuple[list[str], str]:
    """The texts of the operands' labels and of the result's.

    Without `->` the result has the labels that occur once, in the order of ASCII, behind the ellipsis.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = Counter(c for c in left if c.isalpha())
        right = "..." if "..." in left else ""
        right += "".join(sorted(c for c, count in letters.items() if count == 1))
    return left.split(","), right


def parse(equation: str, ranks: Sequence[int | None]) -> tuple[list[Labels], Labels] | None:
    """Return the labels of the operands and of the result, or None.

    None if an unknown rank prevents it. Raises `Error("einsum-equation")`.
    """
    subscripts, right = explicit(equation)
    if len(subscripts) != len(ranks):
        raise Error(
            "einsum-equation", f"'{equation}' is for {len(subscripts)} operands, not for {len(ranks)}"
        )
    operands = [_subscript(text, rank) for text, rank in zip(subscripts, ranks)]
    known = [labels for labels in operands if labels is not None]
    letters = {c for text in subscripts for c in text if c != "."}
    wanted = right.replace("...", "", 1)
    if not all(c.isascii() and c.isalpha() for c in wanted) or len(set(wanted)) != len(wanted):
        raise Error("einsum-equation", f"the result '{right}' names a label twice, or is no list of labels")
    if missing := sorted(set(wanted) - letters):
        raise Error("einsum-equation", f"no operand has the label '{missing[0]}' of the result")
    if len(known) < len(operands):
        return None
    dots = max((int(label[1:]) + 1 for labels in known for label in labels if label[0] == "."), default=0)
    before, ellipsis, after = right.partition("...")
    covered = [f".{k}" for k in reversed(range(dots))] if ellipsis else []
    return known, (*before, *covered, *after)


@irdl_op_definition
class EinsumOp(OvOperation):
    """Einstein's summation convention: OpenVINO Einsum-7; ONNX Einsum.

    `equation` has a list of labels (letters) for each operand, which may hold an ellipsis, and perhaps `->` and the
    labels of the result. A label that stands twice in one operand means its diagonal; labels that the result lacks are
    summed over (those of an ellipsis too). Extents of one label are broadcast, and the ellipses are aligned at their
    ends. Errors: `einsum-equation`, `einsum-extents`, `element-type`, `element-types-differ`.
    """

    name = "ov.einsum"
    COMPOSITE: ClassVar[bool] = True

    inputs = var_operand_def(TENSOR)
    equation = prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        if not facts:
            raise Error("einsum-equation", "there is no operand")
        element = same_element(facts)
        check_element(facts[0], "operand 0", is_number, "a number")
        found = parse(self.equation.data, [f.rank for f in facts])
        if found is None:
            return [Fact(element, None)]
        operands, result = found
        extents = label_extents(operands, [f.shape for f in facts])
        return [Fact(element, tuple(extents[label] for label in result))]


def label_extents(operands: Sequence[Labels], shapes: Sequence[Shape | None]) -> dict[str, Dim]:
    """Return the extent of each label.

    Raises `Error("einsum-extents")` if the extents of one label do not match.
    """
    extents: dict[str, Dim] = {}
    for labels, shape in zip(operands, shapes):
        own: dict[str, Dim] = {}
        for label, d in zip(labels, (Dim(),) * len(labels) if shape is None else shape):
            if label in own and not may_equal(own[label], d):
                raise Error("einsum-extents", f"the diagonal of '{label}' has extents {own[label]} and {d}")
            own[label] = own[label].meet(d) or d if label in own else d
        for label, d in own.items():
            both = broadcast_dim(extents[label], d) if label in extents else d
            if both is None:
                raise Error("einsum-extents", f"the label '{label}' has the extents {extents[label]} and {d}")
            extents[label] = both
    return extents


class FourierOp(OvOperation, ABC):
    """Fourier transform of `data` along `axes`.

    `axes` is an integer vector that counts the dimensions of the signal only: -1 is the last one of these, before that of the
    complex numbers.

    `signal_size` is the number of transformed elements for each axis; zeros are appended if there are fewer. -1, also the
    default, takes all. Errors: `element-type`, `operand-rank`, `axis-range`, `axis-twice`, `fourier-shapes`.
    """

    COMPOSITE: ClassVar[bool] = True
    COMPLEX: ClassVar[bool] = True
    """True if `data` holds complex numbers as pairs."""
    COMPLEX_RESULT: ClassVar[bool] = True

    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    signal_size = opt_operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes", "signal_size"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axes = facts[:2]
        check_element(data, "data", is_float, "a float")
        wanted, sizes = integers(axes, "axes", 1), None
        if len(facts) > 2:
            sizes = integers(facts[2], "signal_size", 1)
            if sizes is not None and any(s < -1 or s == 0 for s in sizes):
                raise Error("fourier-shapes", f"signal_size is {sizes}, expected positive numbers or -1")
        self.agreed_extents(facts)
        if data.shape is None:
            return [Fact(data.element, None)]
        signal = data.shape[:-1] if self.COMPLEX else data.shape
        given = [-1] if len(facts) == 2 else [None] if sizes is None else sizes
        if wanted is None:
            # Any axis may be transformed, as the last one or before it.
            extents = [
                join_all([d, *(self.becomes(d, size, last=last) for size in given for last in (False, True))])
                for d in signal
            ]
        else:
            extents = list(signal)
            places = normalise_axes(wanted, len(signal))
            for index, place in enumerate(places):
                size = given[index if sizes else 0]
                extents[place] = self.becomes(extents[place], size, last=index == len(places) - 1)
        return [Fact(data.element, (*extents, Dim(2, 2)) if self.COMPLEX_RESULT else tuple(extents))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        """Return the named extents: pairs, and one size for each axis.

        Complex numbers are pairs along the last dimension.
        """
        named = as_long(facts, "fourier-shapes", {1: "axes", 2: "signal_size"})
        rank = facts[0].rank
        if rank is None or not self.COMPLEX:
            return named
        return replace(named, operands=[NamedOperand(0, "data", [*[ANY] * (rank - 1), "2"]), *named.operands])

    def extent(self, extent: Dim, size: int | None, *, last: bool) -> Dim:
        """Return the transformed extent; `size` is None if unknown."""
        return Dim() if size is None else extent if size == -1 else dim(size)

    def becomes(self, extent: Dim, size: int | None, *, last: bool) -> Dim:
        """How many elements the result has along an axis that is transformed."""
        return self.extent(extent, size, last=last)


@irdl_op_definition
class DFTOp(FourierOp):
    """`y[k] = sum(x[n] · exp(-2πi · k·n / N))`. OpenVINO DFT-7, ONNX DFT-20."""

    name = "ov.dft"
    SOURCES: ClassVar = Sources(openvino=("DFT", 7))


@irdl_op_definition
class IDFTOp(FourierOp):
    """`y[n] = sum(x[k] · exp(2πi · k·n / N)) / N`. OpenVINO IDFT-7, ONNX DFT-20 with inverse = 1."""

    name = "ov.idft"
    SOURCES: ClassVar = Sources(openvino=("IDFT", 7))


@irdl_op_definition
class RDFTOp(FourierOp):
    """DFT of real numbers. OpenVINO RDFT-9, ONNX DFT-20 with onesided = 1.

    Along the last of the axes it has only the first `N / 2 + 1` results, which determine the others.
    """

    name = "ov.rdft"
    SOURCES: ClassVar = Sources(openvino=("RDFT", 9))
    COMPLEX: ClassVar[bool] = False

    def becomes(self, extent: Dim, size: int | None, *, last: bool) -> Dim:
        whole = super().becomes(extent, size, last=last)
        return map_dim(whole, lambda n: n // 2 + 1) if last else whole


@irdl_op_definition
class IRDFTOp(FourierOp):
    """Inverse of RDFT, with real results.

    OpenVINO IRDFT-9, ONNX DFT-20 with inverse = onesided = 1.

    Along the last of the axes it has `2 · (extent - 1)` real numbers, or as many as `signal_size` specifies.
    """

    name = "ov.irdft"
    SOURCES: ClassVar = Sources(openvino=("IRDFT", 9))
    COMPLEX_RESULT: ClassVar[bool] = False

    def extent(self, extent: Dim, size: int | None, *, last: bool) -> Dim:
        if not last or size != -1:
            return super().extent(extent, size, last=last)
        return Dim(max(0, 2 * (extent.lo - 1)), None if extent.hi is None else max(0, 2 * (extent.hi - 1)))
