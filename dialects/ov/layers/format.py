"""Format of OpenVINO's IR: versions of operators, and digests of files.

**Operator versions** in OpenVINO's operation sets, and the mapping from a layer's `version` to an operator version. A layer names
an operation set (`opset4`), and thereby the version of the operator that was current in that set: `Range` of `opset4` is
Range-4, and so is `Range` of `opset9`; `Range` of `opset1` is Range-0.

**A digest** pairs an `.xml` with its `.bin`. It is in the `.xml`, and behind all weights in the `.bin`. A process that dies
between the two moves of a save leaves one new and one old file. They would load, but compute neither model's results. No reader
of OpenVINO reads an element that it does not know, or data behind the last constant; files that OpenVINO writes have neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from loomir.errors import Error

_ALWAYS_THE_SAME = {
    0: """Abs Acos Asin Atan CTCGreedyDecoder Ceiling Clamp Concat Constant Convert Cos Cosh CumSum DepthToSpace Elu Erf Exp
          FakeQuantize Floor GRN HardSigmoid LRN Log MatMul Negative NormalizeL2 PRelu PSROIPooling Parameter PriorBoxClustered
          RNNCell ROIPooling RegionYolo Relu ReorgYolo Result ReverseSequence Selu ShuffleChannels Sigmoid Sign Sin Sinh
          SpaceToDepth Sqrt SquaredDifference Tan Tanh TensorIterator Tile Unsqueeze Xor""",
    1: """Add BatchToSpace BinaryConvolution ConvertLike Convolution ConvolutionBackpropData DeformablePSROIPooling Divide Equal
          FloorMod GatherTree Greater GreaterEqual GroupConvolution GroupConvolutionBackpropData Less LessEqual LogicalAnd
          LogicalNot LogicalOr LogicalXor Maximum Minimum Mod Multiply NotEqual Power ReduceLogicalAnd ReduceLogicalOr ReduceMax
          ReduceMean ReduceMin ReduceProd ReduceSum Reshape Reverse Select SpaceToBatch Split StridedSlice Subtract Transpose
          VariadicSplit""",
    3: """Acosh Asinh Atanh Bucketize EmbeddingBagOffsetsSum EmbeddingBagPackedSum EmbeddingSegmentsSum ExtractImagePatches
          GRUCell NonZero ScatterUpdate""",
    4: "CTCLoss HSwish Mish ReduceL1 ReduceL2 SoftPlus Swish",
    5: "GRUSequence HSigmoid LSTMSequence LogSoftmax Loop RNNSequence Round",
    6: """CTCGreedyDecoderSeqLen ExperimentalDetectronDetectionOutput ExperimentalDetectronGenerateProposalsSingleImage
          ExperimentalDetectronPriorGridGenerator ExperimentalDetectronROIFeatureExtractor ExperimentalDetectronTopKROIs
          GatherElements""",
    7: "DFT Einsum IDFT Roll",
    8: "AdaptiveAvgPool AdaptiveMaxPool I420toBGR I420toRGB If MatrixNms NV12toBGR NV12toRGB RandomUniform Slice",
    9: "Eye GenerateProposals GridSample IRDFT RDFT SoftSign",
    10: "IsFinite IsInf IsNaN Unique",
    12: "GroupNormalization",
    13: """BitwiseAnd BitwiseNot BitwiseOr BitwiseXor FakeConvert Multinomial NMSRotated ScaledDotProductAttention""",
    14: "ConvertPromoteTypes Inverse",
    15: """BitwiseLeftShift BitwiseRightShift Col2Im EmbeddingBagOffsets EmbeddingBagPacked ROIAlignRotated STFT SearchSorted
           SliceScatter StringTensorPack StringTensorUnpack""",
    16: "ISTFT Identity SegmentMax SparseFillEmptyRows",
    17: "BGRtoNV12 ErfInv GroupedMatMul RGBtoNV12",
}
"""Operators of which there is one version, by that version."""

_SEVERAL = {
    "Assign": (3, 6), "AvgPool": (1, 14, 16), "BatchNormInference": (0, 5), "Broadcast": (1, 3), "DeformableConvolution": (1, 8),
    "DetectionOutput": (0, 8), "Gather": (1, 7, 8), "GatherND": (5, 8), "Gelu": (0, 7), "Interpolate": (0, 4, 11),
    "LSTMCell": (0, 4), "MVN": (0, 6), "MaxPool": (1, 8, 14), "MulticlassNms": (8, 9), "NonMaxSuppression": (1, 3, 4, 5, 9),
    "OneHot": (1, 16), "Pad": (1, 12), "PriorBox": (0, 8), "Proposal": (0, 4), "ROIAlign": (3, 9), "Range": (0, 4),
    "ReadValue": (3, 6), "ScatterElementsUpdate": (3, 12), "ScatterNDUpdate": (3, 15), "ShapeOf": (0, 3), "Softmax": (1, 8),
    "Squeeze": (0, 15), "TopK": (1, 3, 11),
}  # fmt: skip

VERSIONS: Mapping[str, tuple[int, ...]] = {
    **{name: (version,) for version, names in _ALWAYS_THE_SAME.items() for name in names.split()},
    **_SEVERAL,
}
"""Every operator's versions, oldest first."""

_ADDED: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "AvgPool": (1, {"rounding_type=ceil_torch": 14, "dilations": 16}),
    "MaxPool": (8, {"rounding_type=ceil_torch": 14}),
    "OneHot": (1, {"negative_indices_mode": 16}),
    "ROIAlign": (3, {"aligned_mode": 9}),
    "ScatterElementsUpdate": (3, {"reduction": 12, "use_init_val": 12}),
    "ScatterNDUpdate": (3, {"reduction": 15}),
    "Squeeze": (0, {"allow_axis_skip": 15}),
    "TopK": (3, {"stable": 11}),
}
"""Operators whose newer versions only add attributes.

For each, the version with the fewest attributes, and the version that each attribute (or value of one) needs.
"""

_FIRST_OPSET = {
    ("Acosh", 3): 4, ("Asinh", 3): 4, ("Atanh", 3): 4, ("BatchToSpace", 1): 2, ("CumSum", 0): 3, ("Gelu", 0): 2, ("MVN", 0): 2,
    ("ROIPooling", 0): 2, ("ReorgYolo", 0): 2, ("ScatterNDUpdate", 3): 4, ("SpaceToBatch", 1): 2,
}  # fmt: skip
"""Where it is another than the version's number (1 for version 0)."""

_SPELLINGS = {"Const": "Constant", "ReLU": "Relu", "PReLU": "PRelu", "SoftMax": "Softmax"}
"""Layer types that are not called as their operator."""

_BY_LOWER_CASE = {name.lower(): name for name in VERSIONS} | {k.lower(): v for k, v in _SPELLINGS.items()}

_WRITTEN = {name: spelling for spelling, name in _SPELLINGS.items()}

_DETECTRON = {"experimental", "extension"}
"""Model Optimizer's names for the set that later became `opset6`."""


def first_opset(name: str, version: int) -> int:
    """Return the first operation set with this version of an operator."""
    return _FIRST_OPSET.get((name, version), max(version, 1))


def layer_type(name: str) -> str:
    """The layer type that an operator is written as."""
    return _WRITTEN.get(name, name)


def version_for(name: str, versions: Sequence[int], said: Mapping[str, str], usual: Mapping[str, str]) -> int:
    """Return the version of an operator to write, one of `versions`.

    It is the newest one. But if newer versions only add attributes, it is the oldest one that has all attributes (`said`) whose
    values are not `usual`. Older readers support it, and plugins have kernels for it.
    """
    oldest, added = _ADDED.get(name, (max(versions), {}))
    asked = [n for n, text in said.items() if text != usual.get(n)]
    return max([oldest, *(added.get(n, added.get(f"{n}={said[n]}", oldest)) for n in asked)])


def needs(name: str, attribute: str) -> int:
    """Return the version of an operator that introduced an attribute.

    0 if all versions that are written have the attribute.
    """
    return _ADDED.get(name, (0, {}))[1].get(attribute, 0)


def operator_name(type_: str) -> str | None:
    """Return the operator's name for a layer type, or None.

    The case of the type is ignored. None if the sets have no such operator.
    """
    return _BY_LOWER_CASE.get(type_.lower())


def operator_version(name: str, opset: str) -> int:
    """Return the operator version that an operation set selects.

    Error: `unknown-opset`.
    """
    if opset in _DETECTRON:
        opset = "opset6"
    match = re.fullmatch(r"opset([0-9]{1,9})", opset)
    if match is None:
        raise Error("unknown-opset", f"'{opset}' is not an operation set", hint="expected opset1, opset2 …")
    number = int(match[1])
    versions = VERSIONS[name]
    # OpenVINO too takes the first version where a set lacks the operator: some older writers named set 1 always.
    return max((v for v in versions if first_opset(name, v) <= number), default=versions[0])


def require_opset(name: str, opset: str) -> None:
    """Refuse an operator in a set that lacks it. Errors: `unknown-operator`, `unknown-opset`."""
    version = operator_version(name, opset)
    first = first_opset(name, version)
    number = int(opset.removeprefix("opset")) if opset not in _DETECTRON else 6
    if number < first:
        raise Error(
            "unknown-operator",
            f"{opset} has no {name}: opset{first} introduced it",
            hint=f'write version="opset{first}"',
        )


ELEMENT, ATTRIBUTE = "weights", "digest"
"""Element of `<net>` and its attribute that hold the digest.

The digest is in hexadecimal digits in the `.xml`. (`rt_info` would not do: OpenVINO writes all of it again, beside other
weights.)
"""

_MARK = b"loomir:digest:1\n"
DIGEST_BYTES = 32
TAIL_BYTES = len(_MARK) + DIGEST_BYTES
"""How much of the end of the `.bin` it takes."""


def tail(digest: bytes) -> bytes:
    """The end of a `.bin`."""
    return _MARK + digest


def digest_in(end: bytes) -> str | None:
    """Return the digest in the last bytes of a `.bin`, or None.

    It is in the form that the `.xml` has. None if there is no digest.
    """
    return end[len(_MARK) :].hex() if len(end) == TAIL_BYTES and end.startswith(_MARK) else None
