"""Layer types: convolution."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_ints, read_lower

_WINDOW = {"strides": read_ints, "pads_begin": read_ints, "pads_end": read_ints, "auto_pad": read_lower}

ROWS: dict[str, Row] = {
    "Convolution": Row("convolution", "ConvolutionOp", {**_WINDOW, "dilations": read_ints}),
    "GroupConvolution": Row("convolution", "GroupConvolutionOp", {**_WINDOW, "dilations": read_ints}),
}  # fmt: skip
