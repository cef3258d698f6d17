"""Discrete Fourier transforms (composites).

Complex numbers are pairs along a last dimension of extent 2.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, result_def, traits_def

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, dim
from loomir.dialects.ov.named_extents import ANY, Named, NamedExtents, as_long
from loomir.dialects.ov.parameters import integers
from loomir.dialects.ov.shape_rules import check_element, join_all, map_dim, normalise_axes
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnContents
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


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
        return replace(named, operands=[Named(0, "data", [*[ANY] * (rank - 1), "2"]), *named.operands])

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
