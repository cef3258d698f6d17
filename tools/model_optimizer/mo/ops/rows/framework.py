"""Operations of a single framework that belong to no operation set."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.ops.row import OpRow

ROWS = [
    OpRow("aten", "ATen", "ATen", inputs=None, outputs=None, backend=["mode", "operator"]),
    OpRow("LookupTableInsert", "LookupTableInsert", "LookupTableInsert", inputs=3),
    OpRow("stop_gradient", "StopGradientOp", "StopGradient", attributes={"identity": True}),
    OpRow("copyop", "CopyOp", "copy", inputs=None, outputs=None),
    OpRow("fake_output", "FakeOutput", "FakeOutput", attributes={"version": None}),
    OpRow(
        *("dropoutmask", "DropoutMask", "dropoutmaskcomponent", None, None, 0),
        attributes={"dropout_proportion": None},
    ),
    OpRow(
        *("restrictedattentioncomponent", "RestrictedAttentionComponent", "restrictedattentioncomponent"),
        attributes={"has_default": False},
    ),
    OpRow("tdnncomponent", "TdnnComponent", "tdnncomponent"),
    OpRow("timeheightconvolution", "TimeHeightConvolutionComponent", "timeheightconvolutioncomponent"),
]
