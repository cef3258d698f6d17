"""For each operator of ONNX that the Model Optimizer extracts a model of that one operator, to compare by which names nodes go.

The operators are those of ONNX's own set that its `front/onnx/*_ext.py` have an extractor for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx
import onnx.parser
import onnx.shape_inference

_X = "float[2,3,4,4] x"
_ROI = "float[2,4] rois, int64[2] batches"
_BOX = "float[1,6,4] boxes, float[1,1,6] scores"


def _elementwise() -> Iterator[tuple[str, str]]:
    for name in (
        *(
            "Abs",
            "Acos",
            "Acosh",
            "Asin",
            "Asinh",
            "Atan",
            "Atanh",
            "Ceil",
            "Cos",
            "Cosh",
            "Elu",
            "Erf",
            "Exp",
        ),
        *("Floor", "HardSigmoid", "Identity", "Log", "LogSoftmax", "Neg", "Relu", "Round"),
        *("Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh"),
        *("ThresholdedRelu", "Flatten", "GlobalAveragePool", "GlobalMaxPool", "Transpose", "Size", "Shape"),
        *("MeanVarianceNormalization", "LpNormalization", "ArgMax", "ArgMin", "NonZero"),
    ):
        element = "int64" if name in ("Size", "Shape", "ArgMax", "ArgMin", "NonZero") else "float"
        yield name, f"({_X}) => ({element}[] y) {{ y = {name} (x) }}"
    for kind in ("L1", "L2", "Max", "Mean", "Min", "Prod", "Sum"):
        yield f"Reduce{kind}", f"({_X}) => (float[] y) {{ y = Reduce{kind} <axes = [2, 3]> (x) }}"
    for name in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum"):
        yield name, f"({_X}, {_X[:-1]}k) => (float[] y) {{ y = {name} (x, k) }}"
    for name in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"):
        yield name, f"({_X}, {_X[:-1]}k) => (bool[] y) {{ y = {name} (x, k) }}"
    for name in ("And", "Or", "Xor"):
        yield name, f"(bool[2,3] x, bool[2,3] k) => (bool[] y) {{ y = {name} (x, k) }}"


def _floats(name: str, *shape: int) -> str:
    count = 1
    for extent in shape:
        count *= extent
    numbers = ", ".join(str(0.25 * (n % 7) - 0.5) for n in range(count))
    return f"float[{','.join(map(str, shape))}] {name} = {{{numbers}}}"


_TEXTS: dict[str, str] = {
    **dict(_elementwise()),
    "AveragePool": f"({_X}) => (float[] y) {{ y = AveragePool <kernel_shape = [2, 2]> (x) }}",
    "BatchNormalization": f"""({_X}) => (float[] y)
        <float[3] s = {{1, 2, 3}}, float[3] b = {{1, 2, 3}}, float[3] m = {{1, 2, 3}}, float[3] v = {{1, 2, 3}}>
        {{ y = BatchNormalization (x, s, b, m, v) }}""",
    "Cast": f"({_X}) => (int32[] y) {{ y = Cast <to = 6> (x) }}",
    "Clip": f"({_X}) => (float[] y) <float low = {{-1}}, float high = {{1}}> {{ y = Clip (x, low, high) }}",
    "Concat": f"({_X}, {_X[:-1]}k) => (float[] y) {{ y = Concat <axis = 1> (x, k) }}",
    "Constant": f"({_X}) => (float[] y) {{ c = Constant <value = float[1] {{2}}> () y = Add (x, c) }}",
    "ConstantOfShape": "(int64[2] x) => (float[] y) { y = ConstantOfShape (x) }",
    "Conv": f"({_X}) => (float[] y) <{_floats('w', 2, 3, 2, 2)}> {{ y = Conv (x, w) }}",
    "ConvTranspose": f"({_X}) => (float[] y) <{_floats('w', 3, 2, 2, 2)}> {{ y = ConvTranspose <kernel_shape = [2, 2]> (x, w) }}",
    "Conv, groups": f"""(float[1,4,3,3] x) => (float[] y) <{_floats("w", 4, 2, 2, 2)}>
        {{ y = Conv <group = 2> (x, w) }}""",
    "ConvTranspose, groups": f"""(float[1,4,3,3] x) => (float[] y) <{_floats("w", 4, 2, 2, 2)}>
        {{ y = ConvTranspose <group = 2, kernel_shape = [2, 2]> (x, w) }}""",
    "CumSum": f"({_X}) => (float[] y) <int64 a = {{1}}> {{ y = CumSum (x, a) }}",
    "DepthToSpace": "(float[1,8,2,3] x) => (float[] y) { y = DepthToSpace <blocksize = 2> (x) }",
    "DequantizeLinear": """(uint8[2,3] x) => (float[] y) <float s = {0.5}, uint8 z = {128}>
        { y = DequantizeLinear (x, s, z) }""",
    "Dropout": f"({_X}) => (float[] y) {{ y = Dropout (x) }}",
    "Einsum": '(float[2,3] x, float[3,4] k) => (float[] y) { y = Einsum <equation = "ij,jk->ik"> (x, k) }',
    "Expand": "(float[3,1] x) => (float[] y) <int64[3] s = {2, 3, 4}> { y = Expand (x, s) }",
    "GRU": f"""(float[5,2,3] x) => (float[] y, float[] h) <{_floats("w", 1, 12, 3)}, {_floats("r", 1, 12, 4)}>
        {{ y, h = GRU <hidden_size = 4> (x, w, r) }}""",
    "Gather": f"({_X}) => (float[] y) <int64[2] i = {{0, 2}}> {{ y = Gather <axis = 1> (x, i) }}",
    "GatherElements": "(float[2,3] x, int64[2,2] i) => (float[] y) { y = GatherElements <axis = 1> (x, i) }",
    "GatherND": "(float[2,3] x, int64[2,2] i) => (float[] y) { y = GatherND (x, i) }",
    "Gemm": f"(float[2,3] x) => (float[] y) <{_floats('w', 3, 4)}, {_floats('b', 4)}> {{ y = Gemm (x, w, b) }}",
    "InstanceNormalization": f"""({_X}) => (float[] y) <{_floats("s", 3)}, {_floats("b", 3)}>
        {{ y = InstanceNormalization (x, s, b) }}""",
    "LRN": f"({_X}) => (float[] y) {{ y = LRN <size = 3> (x) }}",
    "LSTM": f"""(float[5,2,3] x) => (float[] y, float[] h, float[] c)
        <{_floats("w", 1, 16, 3)}, {_floats("r", 1, 16, 4)}> {{ y, h, c = LSTM <hidden_size = 4> (x, w, r) }}""",
    "LeakyRelu": f"({_X}) => (float[] y) {{ y = LeakyRelu <alpha = 0.25> (x) }}",
    "Loop": """(float[2,3] x) => (float[2,3] y) <int64 n = {3}, bool t = {1}> {
        y = Loop <body = step (int64 i, bool c, float[2,3] a) => (bool d, float[2,3] b)
            { d = Identity (c) b = Add (a, a) }> (n, t, x) }""",
    "MatMul": "(float[2,3] x, float[3,4] k) => (float[] y) { y = MatMul (x, k) }",
    "MaxPool": f"({_X}) => (float[] y) {{ y = MaxPool <kernel_shape = [2, 2]> (x) }}",
    "NonMaxSuppression": f"""({_BOX}) => (int64[] y) <int64 n = {{3}}, float o = {{0.5}}, float t = {{0.1}}>
        {{ y = NonMaxSuppression (boxes, scores, n, o, t) }}""",
    "Not": "(bool[2,3] x) => (bool[] y) { y = Not (x) }",
    "OneHot": "(int64[2,3] x) => (float[] y) <int64 d = {4}, float[2] v = {0, 1}> { y = OneHot (x, d, v) }",
    "Pad": f"({_X}) => (float[] y) <int64[8] p = {{0, 0, 1, 1, 0, 0, 1, 1}}> {{ y = Pad (x, p) }}",
    "QuantizeLinear": "(float[2,3] x) => (uint8[] y) <float s = {0.5}, uint8 z = {128}> { y = QuantizeLinear (x, s, z) }",
    "RNN": f"""(float[5,2,3] x) => (float[] y, float[] h) <{_floats("w", 1, 4, 3)}, {_floats("r", 1, 4, 4)}>
        {{ y, h = RNN <hidden_size = 4> (x, w, r) }}""",
    "RandomUniform": f"({_X}) => (float[] y) {{ r = RandomUniform <shape = [4]> () y = Add (x, r) }}",
    "Range": "(int64 x) => (int64[] y) <int64 l = {0}, int64 s = {1}> { y = Range (l, x, s) }",
    "Reshape": f"({_X}) => (float[] y) <int64[2] s = {{6, -1}}> {{ y = Reshape (x, s) }}",
    "Resize": f"({_X}) => (float[] y) <float[4] s = {{1, 1, 2, 2}}, float[0] r = {{}}> {{ y = Resize (x, r, s) }}",
    "ReverseSequence": """(float[4,3] x, int64[3] n) => (float[] y)
        { y = ReverseSequence <batch_axis = 1, time_axis = 0> (x, n) }""",
    "RoiAlign": f"""({_X}, {_ROI}) => (float[] y)
        {{ y = RoiAlign <output_height = 2, output_width = 2, sampling_ratio = 2> (x, rois, batches) }}""",
    "Scatter": "(float[3,3] x, int64[1,3] i, float[1,3] u) => (float[] y) { y = Scatter (x, i, u) }",
    "ScatterElements": "(float[3,3] x, int64[1,3] i, float[1,3] u) => (float[] y) { y = ScatterElements (x, i, u) }",
    "ScatterND": "(float[3,3] x, int64[2,1] i, float[2,3] u) => (float[] y) { y = ScatterND (x, i, u) }",
    "Slice": f"""({_X}) => (float[] y) <int64[1] b = {{1}}, int64[1] e = {{3}}, int64[1] a = {{2}}>
        {{ y = Slice (x, b, e, a) }}""",
    "SpaceToDepth": f"({_X}) => (float[] y) {{ y = SpaceToDepth <blocksize = 2> (x) }}",
    "Split": f"({_X}) => (float[] y, float[] z) {{ y, z = Split <axis = 2> (x) }}",
    "Squeeze": "(float[1,3,1] x) => (float[] y) { y = Squeeze <axes = [0]> (x) }",
    "TopK": f"({_X}) => (float[] y, int64[] z) <int64[1] k = {{2}}> {{ y, z = TopK (x, k) }}",
    "Unsqueeze": f"({_X}) => (float[] y) {{ y = Unsqueeze <axes = [0]> (x) }}",
    "Upsample": f"({_X}) => (float[] y) <float[4] s = {{1, 1, 2, 2}}> {{ y = Upsample (x, s) }}",
    "Where": f"(bool[2,3,4,4] c, {_X}, {_X[:-1]}k) => (float[] y) {{ y = Where (c, x, k) }}",
}
_OPSETS: Mapping[str, int] = {
    **dict.fromkeys(("Einsum", "GreaterOrEqual", "LessOrEqual"), 12),
    **dict.fromkeys(("Scatter", "Upsample"), 9),
}
"""Where the operator is not in version 11."""

OPERATORS = sorted(_TEXTS)


def model(operator: str) -> onnx.ModelProto:
    """The model of an operator."""
    header = f'<ir_version: 7, opset_import: ["" : {_OPSETS.get(operator, 11)}]>'
    # (Inference gives the outputs their shapes.)
    return onnx.shape_inference.infer_shapes(onnx.parser.parse_model(f"{header} g {_TEXTS[operator]}"))


_SHAPE = "loomir takes the shape that is known; the Model Optimizer computes it when the model runs"
_FRONT = "a front transformation of the Model Optimizer; loomir keeps the operation"
_FAILS = "the Model Optimizer fails in its own RNNSequenceNormalize; before that the node has the same names"

REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("GlobalAveragePool", "GlobalMaxPool", "LogSoftmax", "Resize", "Softmax", "Upsample"), _SHAPE
    ),
    **dict.fromkeys(("Div", "Neg", "Sqrt", "Sub"), _FRONT),
    **dict.fromkeys(("GRU", "LSTM", "RNN"), _FAILS),
    **dict.fromkeys(
        ("ArgMax", "ArgMin"), "loomir keeps the operation, which no operation set has; IR gets TopK"
    ),
    "ConstantOfShape": "a conversion of the shape, which loomir does not need",
    "InstanceNormalization": "loomir has ONNX's definition in simpler operations",
    "LpNormalization": "loomir divides by the norm where it is not zero, as ONNX says; NormalizeL2 adds an epsilon",
    "QuantizeLinear": "loomir rounds to integers as ONNX says; FakeQuantize is not the same at the limits",
    "Slice": "Slice came with opset8; the Model Optimizer makes what opset1 has",
    "RandomUniform": "loomir refuses what ONNX does not define",
    "ThresholdedRelu": "the product with zero is not zero of infinities and NaN; loomir selects",
}
"""Of the operators that have other names here than there, why."""
