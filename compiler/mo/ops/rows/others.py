"""Quantisation, Fourier transforms, sparse tensors and embeddings, sequences of labels, and operations of one framework only."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.compiler.mo.ops.row import OpRow, boolean, element_type


def _same(module: str, name: str, *rest: Any, **own: Any) -> OpRow:
    return OpRow(module, name, name, name, *rest, **own)


def _linear(module: str, name: str) -> OpRow:
    """Quantisation as ONNX has it."""
    return OpRow(module, name, name, inputs=3, attributes={"axis": None, "version": None}, backend=["axis"])


def _embedding(name: str, inputs: int) -> OpRow:
    return _same("embedding_bag", name, "opset3", inputs, base="EmbeddingBagBase")


def _n_ary(name: str, operation: str) -> OpRow:
    """Those are not asked for by the name of their operation, and what the caller gives them has no meaning."""
    return OpRow(
        *("eltwise_n", name, "EltwiseN", None, None, None),
        base="EltwiseN",
        attributes={"operation": operation},
        fixed=True,
    )


_OPERATIONS = {
    "sum": "Add",
    "mul": "Mul",
    "max": "Max",
    "pow": "Pow",
    "less": "Less",
    "less_equal": "LessEqual",
    "greater": "Greater",
    "greater_equal": "GreaterEqual",
    "equal": "Equal",
    "not_equal": "NotEqual",
    "floor_mod": "FloorMod",
    "logical_or": "LogicalOr",
    "logical_and": "LogicalAnd",
    "logical_xor": "LogicalXor",
    "log": "Log",
}


def _called_as_its_operation(attributes: dict[str, Any]) -> None:
    attributes["op"] = _OPERATIONS[attributes["operation"]]


ROWS = [
    _same(
        *("fakequantize", "FakeQuantize", "opset1", 5),
        attributes={"is_eltwise": True, "auto_broadcast": "numpy"},
        backend=["levels", "auto_broadcast"],
        requires=("levels",),
    ),
    _linear("quantize_linear", "QuantizeLinear"),
    _linear("dequantize_linear", "DequantizeLinear"),
    OpRow("binarization", "Binarization", "Binarization", attributes={"dst_type": None}),
    OpRow("dft", "FFTBase", None, None, "opset7", 3),
    *(_same("dft", name, "opset7", 3, base="FFTBase") for name in ("DFT", "IDFT")),
    _same("dft", "RDFT", "opset9", 3),
    _same("dft", "IRDFT", "opset9", 3, base="FFTBase"),
    OpRow("TFFFT", "TFFFT", "TFFFT", requires=("fft_kind", "num_of_dimensions")),
    OpRow("mxfft", "MXFFT", "MXFFT", requires=("is_inverse",)),
    OpRow("Complex", "Complex", "Complex", inputs=2),
    OpRow("embedding_bag", "EmbeddingBagBase", attributes={"version": None, "in_ports_count": None}),
    _embedding("EmbeddingBagOffsetsSum", 5),
    _embedding("EmbeddingBagPackedSum", 3),
    _embedding("EmbeddingSegmentsSum", 6),
    OpRow("embedding_bag", "EmbeddingSegmentsMean", "EmbeddingSegmentsMean", inputs=6),
    OpRow(
        *("sparse_fill_empty_rows", "SparseFillEmptyRows", "SparseFillEmptyRows", None, "experimental"),
        *(4, 3),
    ),
    OpRow("sparse_reshape", "SparseReshape", "SparseReshape", None, None, 3, 2),
    OpRow("sparse_segment_mean", "SparseSegmentMean", "SparseSegmentMean", None, "experimental", 3),
    OpRow("sparse_segment_sqrtn", "SparseSegmentSqrtN", "SparseSegmentSqrtN", None, "experimental", 3),
    OpRow("sparse_segment_sum", "SparseSegmentSum", "SparseSegmentSum", None, "experimental", 3),
    OpRow(
        *("ctc_greedy_decoder", "CTCGreedyDecoderOp", "CTCGreedyDecoder", "CTCGreedyDecoder", "opset1", 2),
        attributes={"reinterp_shape": True, "ctc_merge_repeated": True},
        backend=boolean("ctc_merge_repeated"),
    ),
    OpRow(
        *("ctc_greedy_decoder_seq_len", "CTCGreedyDecoderSeqLenOp", "CTCGreedyDecoderSeqLen"),
        *("CTCGreedyDecoderSeqLen", "opset6", 3, 2),
        attributes={
            "merge_repeated": True,
            "classes_index_type": np.int32,
            "sequence_length_type": np.int32,
        },
        backend={
            "opset6": [
                *element_type("classes_index_type"),
                *element_type("sequence_length_type"),
                *boolean("merge_repeated"),
            ]
        },
    ),
    _same(
        *("ctc_loss", "CTCLoss", "opset4", 5),
        attributes={"preprocess_collapse_repeated": False, "ctc_merge_repeated": True, "unique": False},
        backend=boolean("preprocess_collapse_repeated", "ctc_merge_repeated", "unique"),
    ),
    _same(
        *("multinomial", "Multinomial", "opset13", 2),
        attributes={
            "with_replacement": False,
            "log_probs": False,
            "convert_type": "int64",
            "global_seed": 0,
            "op_seed": 0,
        },
        backend=["convert_type", *boolean("with_replacement", "log_probs"), "global_seed", "op_seed"],
    ),
    _same(
        *("bucketize", "Bucketize", "opset3", 2),
        backend={
            "extension": boolean("with_right_bound"),
            "opset3": [*boolean("with_right_bound"), *element_type("output_type")],
        },
    ),
    OpRow(*("gelu", "GeLUOP", "Gelu", "Gelu", "opset7"), backend={"opset7": ["approximation_mode"]}),
    _same("hard_sigmoid", "HardSigmoid", "opset1", 3),
    _same("prelu", "PReLU", "opset1", 2, attributes={"force_precision_in_ports": {1: "float"}}),
    _same(
        "activation",
        "Activation",
        backend=[("type", lambda node: node.operation), "alpha"],
    ),
    OpRow(
        *("power", "AttributedPower", "AttributedPower", "Power"),
        attributes={"power": 1, "scale": 1, "shift": 0},
        backend=["power", "scale", "shift"],
    ),
    OpRow("eltwise_n", "EltwiseN", "EltwiseN", inputs=None, requires=("operation",)),
    _n_ary("EltwiseNMul", "mul"),
    _n_ary("EltwiseNMin", "min"),
    _n_ary("EltwiseNMax", "max"),
    _n_ary("EltwiseNAdd", "sum"),
    OpRow(
        *("eltwise", "Eltwise", "Eltwise", "Eltwise", None, 2),
        backend=["operation"],
        requires=("operation",),
        completed=_called_as_its_operation,
    ),
    OpRow("eltwise_ninputs_in_1", "EltwiseNin1", "EltwiseNin1", inputs=None, requires=("operation",)),
    OpRow("aten", "ATen", "ATen", inputs=None, outputs=None, backend=["mode", "operator"]),
    _same("ConvertLike", "ConvertLike", "opset1", 2),
    OpRow("ClipByValueTF", "ClibByValueTF", "ClipByValueTF", inputs=3),
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
