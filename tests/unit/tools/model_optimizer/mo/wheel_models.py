"""Models that files of the Model Optimizer's own package change: textual ONNX by the files that are the extension."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WheelCase:
    """Files of the package, a model, and operations of GRAPH that the result has, or has no more."""

    files: tuple[str, ...]
    text: str
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    opset: int = 13


def _case(*files: str, text: str, has: str, lacks: str = "", opset: int = 13) -> WheelCase:
    return WheelCase(files, text, tuple(has.split()), tuple(lacks.split()), opset)


CASES = {
    "flatten": _case(
        "front/onnx/flattenONNX_to_reshape.py",
        text="(float[2,3,4,5] x) => (float[n,m] y) { a = Relu (x) y = Flatten <axis = 2> (a) }",
        has="ov.shape_of ov.gather ov.reduce_prod ov.concat ov.reshape",
    ),
    "flatten_from_the_end": _case(
        "front/onnx/flattenONNX_to_reshape.py",
        text="(float[2,3,4,5] x) => (float[n,m] y) { a = Relu (x) y = Flatten <axis = -1> (a) }",
        has="ov.shape_of ov.gather ov.reduce_prod ov.concat ov.reshape",
    ),
    "top_k": _case(
        "front/TopKNormalize.py",
        text="(float[2,5] x) => (float[2,3] y, int64[2,3] i) { y, i = TopK <k = 3> (x) }",
        has="ov.top_k",
        opset=9,
    ),
    "top_k_extracted": _case(
        "front/onnx/top_k_ext.py",
        "ops/topk.py",
        text="(float[2,5] x) => (float[2,3] y, int64[2,3] i) { k = Constant <value_ints = [3]> () y, i = TopK <largest = 0> (x, k) }",
        has="ov.top_k",
    ),
    "slice": _case(
        "front/onnx/AttributedSliceToSlice.py",
        text="(float[4,5] x) => (float[n,m] y) { y = Slice <starts = [1, 0], ends = [3, 4], axes = [0, 1]> (x) }",
        has="ov.slice",
        opset=9,
    ),
    "softmax": _case(
        "front/onnx/softmaxONNX_to_softmax.py",
        text="(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = 1> (x) }",
        has="ov.softmax ov.reshape",
        opset=11,
    ),
    "log_softmax": _case(
        "front/onnx/logsoftmaxONNX_to_logsoftmax.py",
        text="(float[2,3,4] x) => (float[2,3,4] y) { y = LogSoftmax <axis = 1> (x) }",
        has="ov.log_softmax ov.reshape",
        opset=11,
    ),
    "one_hot": _case(
        "front/onnx/one_hot_normalize.py",
        text="""(int64[3] x) => (float[3,4] y) {
            d = Constant <value_ints = [4]> () v = Constant <value_floats = [0.0, 1.0]> () y = OneHot (x, d, v) }""",
        has="ov.one_hot ov.split",
    ),
    "pad": _case(
        "front/onnx/pad_converter.py",
        text='(float[2,3] x) => (float[n,m] y) { y = Pad <mode = "constant", pads = [1, 0, 0, 2], value = 1.5> (x) }',
        has="ov.pad",
        opset=2,
    ),
    "mvn": _case(
        "front/onnx/MvnOnnxToMvn.py",
        text="(float[2,3,4,5] x) => (float[2,3,4,5] y) { y = MeanVarianceNormalization <axes = [0, 2, 3]> (x) }",
        has="ov.mvn",
    ),
    "constant_of_shape": _case(
        "front/onnx/constant_of_shape_to_broadcast.py",
        text="(float[2,3] x) => (float[n,m] y) { s = Shape (x) z = ConstantOfShape <value = float[1] {2.5}> (s) y = Add (x, z) }",
        has="ov.broadcast",
    ),
    "lp_normalization": _case(
        "front/onnx/normalize_l2_normalize.py",
        text="(float[2,3] x) => (float[2,3] y) { a = Abs (x) y = LpNormalization <axis = 1, p = 2> (a) }",
        has="ov.abs",
    ),
    "hard_sigmoid": _case(
        "front/onnx/hard_sigmoid_ext.py",
        "ops/hard_sigmoid.py",
        text="(float[2,3] x) => (float[2,3] y) { y = HardSigmoid <alpha = 0.3> (x) }",
        has="ov.hard_sigmoid",
    ),
    "gemm": _case(
        "front/MatMul_normalizer.py",
        text="(float[2,3] x, float[4,3] w, float[4] c) => (float[2,4] y) { y = Gemm <alpha = 2.0, beta = 0.5, transB = 1> (x, w, c) }",
        has="ov.mat_mul",
    ),
    "gelu": _case(
        "front/GeLUMerger_Erf.py",
        text="""(float[2,3] x) => (float[2,3] y) {
            r = Constant <value_float = 1.4142135> () one = Constant <value_float = 1.0> () half = Constant <value_float = 0.5> ()
            a = Div (x, r) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half) }""",
        has="ov.gelu",
        lacks="ov.erf",
    ),
    "reciprocal": _case(
        "front/reciprocal.py",
        text="(float[2,3] x) => (float[2,3] y) { a = Exp (x) y = Reciprocal (a) }",
        has="ov.power",
    ),
    "hswish": _case(
        "front/HSwish_fusion.py",
        text="""(float[2,3] x) => (float[2,3] y) {
            three = Constant <value_float = 3.0> () zero = Constant <value_float = 0.0> () six = Constant <value_float = 6.0> ()
            a = Add (x, three) b = Clip (a, zero, six) c = Mul (x, b)
            sixth = Constant <value_float = 0.16666667> () y = Mul (c, sixth) }""",
        has="ov.h_swish",
    ),
    "thresholded_relu": _case(
        "front/ThresholdedReluDecomposition.py",
        text="(float[2,3] x) => (float[2,3] y) { y = ThresholdedRelu <alpha = 0.5> (x) }",
        has="ov.greater ov.convert ov.multiply",
    ),
    "size": _case(
        "front/SizeReplacer.py",
        text="(float[2,3] x) => (int64 y) { a = Relu (x) y = Size (a) }",
        has="ov.shape_of ov.reduce_prod",
    ),
    "cumsum": _case(
        "front/onnx/cumsum_ext.py",
        "ops/cumsum.py",
        text="(float[2,3] x) => (float[2,3] y) { k = Constant <value_int = 1> () y = CumSum <reverse = 1> (x, k) }",
        has="ov.cum_sum",
    ),
    "gather": _case(
        "front/onnx/gather_ext.py",
        "ops/gather.py",
        text="(float[4,3] x) => (float[2,3] y) { k = Constant <value_ints = [2, 1]> () y = Gather <axis = 0> (x, k) }",
        has="ov.gather",
    ),
    "lrn": _case(
        "front/onnx/lrn_ext.py",
        text="(float[1,6,2,2] x) => (float[1,6,2,2] y) { y = LRN <size = 3> (x) }",
        has="ov.lrn",
    ),
    "expand": _case(
        "front/onnx/expand_ext.py",
        text="(float[1,3] x) => (float[n,m] y) { s = Constant <value_ints = [2, 3]> () y = Expand (x, s) }",
        has="ov.broadcast",
    ),
    "einsum": _case(
        "front/onnx/einsum_ext.py",
        text='(float[2,3] x, float[3,4] z) => (float[2,4] y) { y = Einsum <equation = "ij,jk->ik"> (x, z) }',
        has="ov.einsum",
    ),
}
