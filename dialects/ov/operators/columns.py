"""Col2Im: reconstruction of an image from the columns of a sliding window."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def

from loomir.dialects.numerics.numeric import wide
from loomir.dialects.numerics.workspace import full
from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.parameters import dimensions, integers
from loomir.dialects.ov.shape_rules import check_element, check_rank, is_number
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnContents
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


@irdl_op_definition
class Col2ImOp(OvOperation):
    """Columns added up to an image: OpenVINO Col2Im-15; ONNX Col2Im.

    `data[N, C · prod(kernel_size), L]` (N may be missing), `output_size` and `kernel_size` 1-D integers of one length k.
    The window has L = L1 … Lk places on the padded image: element `(n, c, k1 … kd, l1 … ld)` of data is added to the
    result's `[n, c, k1 · dilation - pad + l1 · stride, …]` where that lies inside. `strides`, `dilations` (default 1),
    `pads_begin`, `pads_end` (default 0) have one element per spatial dimension. Sums of f16 and bf16 are kept in f32.
    Errors: `operand-rank`, `element-type`, `col2im-shape` (the columns do not fit); when run, `runtime-shape`.
    """

    name = "ov.col2im"
    SOURCES: ClassVar = Sources(openvino=("Col2Im", 15))

    data = operand_def(TENSOR)
    output_size = operand_def(TENSOR)
    kernel_size = operand_def(TENSOR)
    strides = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("output_size", "kernel_size"))

    def parameters(self, dims: int) -> list[tuple[int, int, int, int]]:
        """Stride, dilation and both pads of each spatial dimension. `Error("col2im-shape")`."""
        lists: list[tuple[int, ...]] = []
        given = (self.strides, self.dilations, self.pads_begin, self.pads_end)
        for name, attribute, least in zip(
            ("strides", "dilations", "pads_begin", "pads_end"), given, (1, 1, 0, 0)
        ):
            values = to_ints(attribute, ()) or (least,) * dims
            if len(values) != dims or any(v < least for v in values):
                raise Error(
                    "col2im-shape", f"{name} is {list(values)}, not {dims} numbers that are at least {least}"
                )
            lists.append(values)
        return list(zip(*lists))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, output_size, kernel_size = facts
        check_element(data, "data", is_number, "a number")
        _ = check_rank(data, "data", 2, 3)
        image, kernel = integers(output_size, "output_size", 1), integers(kernel_size, "kernel_size", 1)
        dims = dimensions(output_size) if dimensions(output_size) is not None else dimensions(kernel_size)
        if data.shape is None or dims is None:
            return [Fact(data.element, None)]
        if dimensions(kernel_size) not in (None, dims):
            raise Error(
                "col2im-shape",
                f"there are {dims} extents of the image, but {dimensions(kernel_size)} of the kernel",
            )
        parameters = self.parameters(dims)
        if any(v < 0 for v in image or ()) or any(v < 1 for v in kernel or ()):
            raise Error(
                "col2im-shape", f"the extents {image} of the image or {kernel} of the kernel are too small"
            )
        rows, places = data.shape[-2:]
        channels = Dim(0, rows.hi)
        if kernel is not None:
            taps = 1
            for k in kernel:
                taps *= k
            if rows.static is not None and rows.static % taps:
                raise Error("col2im-shape", f"{rows} rows are no multiple of the kernel's {taps} elements")
            channels = Dim(-(-rows.lo // taps), None if rows.hi is None else rows.hi // taps)
            if image is not None:
                wanted = 1
                for count in window_places(image, kernel, parameters):
                    wanted *= count
                if places.meet(Dim(wanted, wanted)) is None:
                    raise Error(
                        "col2im-shape", f"there are {places} columns, but {wanted} places of the window"
                    )
        space = (Dim(),) * dims if image is None else tuple(Dim(v, v) for v in image)
        return [Fact(data.element, (*data.shape[:-2], channels, *space))]

    def evaluate(self, data: np.ndarray, output_size: np.ndarray, kernel_size: np.ndarray) -> np.ndarray:
        image, kernel = [int(v) for v in output_size], [int(v) for v in kernel_size]
        parameters = self.parameters(len(image))
        places = window_places(image, kernel, parameters)
        *batch, rows, columns = data.shape
        if rows % prod(kernel) or columns != prod(places):
            raise Error(
                "runtime-shape", f"columns of shape {data.shape} do not fit a window with the places {places}"
            )
        outer = prod(batch) * (rows // prod(kernel))
        x = wide(data).reshape(outer, *kernel, *places)
        padded = [d + begin + end for d, (_, _, begin, end) in zip(image, parameters)]
        out = full((outer, *padded), 0, x.dtype)
        for taps in np.ndindex(*kernel) if x.size else ():
            where = tuple(
                slice(t * dilation, t * dilation + (n - 1) * stride + 1 if n else t * dilation, stride)
                for t, n, (stride, dilation, _, _) in zip(taps, places, parameters)
            )
            out[(slice(None), *where)] += x[(slice(None), *taps)]
        inside = tuple(slice(begin, begin + d) for d, (_, _, begin, _) in zip(image, parameters))
        return out[(slice(None), *inside)].astype(data.dtype).reshape(*batch, rows // prod(kernel), *image)


def window_places(
    image: Sequence[int], kernel: Sequence[int], parameters: Sequence[tuple[int, int, int, int]]
) -> list[int]:
    """How many places the window has in each dimension."""
    return [
        max(0, (d + begin + end - dilation * (k - 1) - 1) // stride + 1)
        for d, k, (stride, dilation, begin, end) in zip(image, kernel, parameters)
    ]
