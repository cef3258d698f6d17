"""Layer types: sampling at places that are data."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool, read_int, read_ints, read_lower

ROWS: dict[str, Row] = {
    "GridSample": Row(
        "sampling", "GridSampleOp", {"mode": read_lower, "padding_mode": read_lower, "align_corners": read_bool}
    ),
    "DeformableConvolution": Row(
        "sampling", "DeformableConvolutionOp",
        {
            **dict.fromkeys(("strides", "pads_begin", "pads_end", "dilations"), read_ints), "auto_pad": read_lower,
            "group": read_int, "deformable_group": read_int, "bilinear_interpolation_pad": read_bool,
        },
        versions=(1, 8),
    ),
}  # fmt: skip
