"""Layer types: transposed convolution."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_ints, read_lower

_WINDOW = {
    **dict.fromkeys(("strides", "pads_begin", "pads_end", "dilations", "output_padding"), read_ints),
    "auto_pad": read_lower,
}

ROWS: dict[str, Row] = {
    name: Row("transposed_convolution", f"{name}Op", _WINDOW)
    for name in ("ConvolutionBackpropData", "GroupConvolutionBackpropData")
}
