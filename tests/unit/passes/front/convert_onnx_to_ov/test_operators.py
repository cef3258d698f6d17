"""Single operators over their versions and attributes, against ONNX Runtime or, where it has no such version, numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.passes.front.convert_onnx_to_ov.registry import translated_versions
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_agree, raises_error

F32 = np.float32
I64 = np.int64
RNG = np.random.default_rng(7)


def rand(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(F32)


def build(
    operator: str,
    opset: int,
    inputs: Sequence[np.ndarray | None],
    outputs: int = 1,
    constants: Sequence[int] = (),
    dynamic: bool = False,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node; inputs that are None are left out, `constants` become initialisers."""
    names = ["" if v is None else f"x{i}" for i, v in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(operator, names, results, **attributes)
    declared, initialisers = [], []
    for index, (name, value) in enumerate(zip(names, inputs)):
        if value is None:
            continue
        if index in constants:
            initialisers.append(onnx.numpy_helper.from_array(value, name))
            continue
        shape = [None] * value.ndim if dynamic else value.shape
        declared.append(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), shape)
        )
    outs = [onnx.ValueInfoProto(name=name) for name in results]
    for out in outs:
        out.type.tensor_type.elem_type = TensorProto.UNDEFINED
    graph = helper.make_graph([node], "g", declared, outs, initialisers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    inferred = onnx.shape_inference.infer_shapes(_without_outputs(model))
    kinds = {v.name: v.type.tensor_type.elem_type for v in inferred.graph.value_info}
    for out in model.graph.output:
        out.type.tensor_type.elem_type = kinds.get(out.name) or TensorProto.FLOAT
    return model


def _without_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    return copy


def check(
    operator: str,
    opset: int,
    inputs: Sequence[np.ndarray | None],
    outputs: int = 1,
    expected: Callable[..., Any] | None = None,
    constants: Sequence[int] = (),
    **attributes: Any,
) -> None:
    """The graph engine agrees with ONNX Runtime (or with `expected`) for static and for dynamic shapes."""
    feed = {f"x{i}": v for i, v in enumerate(inputs) if v is not None and i not in constants}
    for dynamic in (False, True):
        model = build(operator, opset, inputs, outputs, constants, dynamic, **attributes)
        if expected is not None:
            wanted = expected(*[v for v in inputs if v is not None])
            wanted = [np.asarray(w) for w in (wanted if isinstance(wanted, tuple) else (wanted,))]
        else:
            session = onnxruntime_session(model)
            wanted = [np.asarray(r) for r in session.run(None, feed)]
        actual = loomir.load(model).run(feed, engine="graph")
        for index, value in enumerate(wanted):
            assert_agree(actual[f"y{index}"], value, f"{operator} of opset {opset}, output {index}")


def test_every_translated_version_exists() -> None:
    """A translator's versions are versions of ONNX's schema; a new one that it does not know is refused, not guessed."""
    known: dict[str, set[int]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            known.setdefault(schema.name, set()).add(schema.since_version)
    for operator, versions in translated_versions().items():
        assert set(versions) <= known[operator], operator


def test_no_version_is_forgotten() -> None:
    """A translated operator covers all its versions.

    Versions that ONNX defines by other operators are exempt.
    """
    defined_by_others = lambda s: s.has_function or s.has_context_dependent_function  # noqa: E731
    for operator, versions in translated_versions().items():
        schemas = [
            s for s in onnx.defs.get_all_schemas_with_history() if s.name == operator and s.domain == ""
        ]
        missing = {s.since_version for s in schemas if not defined_by_others(s)} - set(versions)
        assert not missing, f"{operator}: {missing}"


# -- elementwise

UNARY = [
    "Abs",
    "Neg",
    "Exp",
    "Floor",
    "Ceil",
    "Tanh",
    "Sigmoid",
    "Relu",
    "Elu",
    "Selu",
    "HardSigmoid",
    "Softplus",
    "Softsign",
    "LeakyRelu",
]


@pytest.mark.parametrize("opset", [7, 13, 21])
@pytest.mark.parametrize("operator", UNARY)
def test_unary(operator: str, opset: int) -> None:
    check(operator, opset, [rand(2, 3) * 3])


def test_unary_of_positive_numbers() -> None:
    for operator in ("Sqrt", "Log", "Reciprocal"):
        check(operator, 13, [np.abs(rand(5)) + F32(0.1)])
    check("Sign", 13, [np.array([-2, 0, 3], F32)])


@pytest.mark.parametrize("opset", [7, 13, 14])
@pytest.mark.parametrize("operator", ["Add", "Sub", "Mul", "Div"])
def test_arithmetic(operator: str, opset: int) -> None:
    check(operator, opset, [rand(2, 3), np.abs(rand(3)) + 1])
    check(operator, opset, [np.array([[7, -7], [8, -8]]), np.array([2, 3])])


LEGACY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize("operator", LEGACY)
def test_one_sided_broadcasting(operator: str, opset: int) -> None:
    """Versions 1 and 6: the second input lies along the dimensions from `axis` on, by default the last ones."""
    function = LEGACY[operator]
    a, b = rand(2, 3, 4), np.abs(rand(3)) + 1
    check(operator, opset, [a, b], expected=lambda a, b: function(a, b[:, None]), broadcast=1, axis=1)
    check(
        operator, opset, [a, b[:2]], expected=lambda a, b: function(a, b[:, None, None]), broadcast=1, axis=-3
    )
    check(operator, opset, [a, rand(3, 4) + 5], expected=function, broadcast=1)
    check(operator, opset, [a, rand(2, 3, 4) + 5], expected=function)


def test_one_sided_broadcasting_that_does_not_fit() -> None:
    with raises_error("axis-range"):
        load_onnx(build("Add", 6, [rand(2, 3), rand(2, 3)], broadcast=1, axis=1))


def test_rank_that_is_needed() -> None:
    model = build("Add", 6, [rand(2, 3), rand(2)], broadcast=1, axis=0)
    model.graph.input[0].type.tensor_type.ClearField("shape")
    with raises_error("unknown-rank", "shapes"):
        load_onnx(model)


@pytest.mark.parametrize("opset", [10, 13])
def test_mod(opset: int) -> None:
    a, b = np.array([7, -7, 7, -7]), np.array([3, 3, -3, -3])
    check("Mod", opset, [a, b])
    check("Mod", opset, [a, b], fmod=1)
    check("Mod", opset, [a.astype(F32) + F32(0.5), b.astype(F32)], fmod=1)
    with raises_error("invalid-onnx", "fmod"):
        load_onnx(build("Mod", opset, [a.astype(F32), b.astype(F32)]))


def test_power_of_mixed_types() -> None:
    check("Pow", 7, [np.abs(rand(3)), rand(3)])
    check("Pow", 15, [rand(3), np.array([2, 3, 0])])
    check("Pow", 15, [np.array([2, 3, 4], np.int32), np.array([0.5, 2, 0.5], F32)])
    check("Pow", 15, [np.array([2, 3, -2], np.int32), np.array([2, 0, 3], I64)])


@pytest.mark.parametrize("operator", ["Max", "Min", "Sum", "Mean"])
def test_variadic(operator: str) -> None:
    for opset in (8, 13):
        check(operator, opset, [rand(2, 3)])
        check(operator, opset, [rand(2, 3), rand(3), rand(2, 1)])


def test_clip() -> None:
    x = rand(10) * 4
    check("Clip", 6, [x], min=-1.0, max=2.0)
    check("Clip", 6, [x], max=0.5)
    check("Clip", 6, [x], expected=lambda x: np.minimum(np.maximum(x, 2), 1), min=2.0, max=1.0)
    for opset in (11, 13):
        low, high = np.array(-1, F32), np.array(2, F32)
        check("Clip", opset, [x, low, high])
        check("Clip", opset, [x, low, high], constants=[1, 2])
        check("Clip", opset, [x, None, high], constants=[2])
        check("Clip", opset, [x, low])
        check("Clip", opset, [x, high, low], constants=[1, 2])
    check("Clip", 13, [np.array([-5, 0, 5]), np.array(-2), np.array(3)], constants=[1, 2])


def test_comparison_and_logic() -> None:
    a, b = np.array([[1, 2], [3, 4]], F32), np.array([2, 2], F32)
    for operator in ("Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"):
        check(operator, 16, [a, b])
    p, q = np.array([True, True, False, False]), np.array([True, False, True, False])
    for operator in ("And", "Or", "Xor"):
        check(operator, 7, [p, q])
    check("Not", 1, [p], expected=np.logical_not)
    check("Where", 16, [p[:2], a, np.array(-1, F32)])


@pytest.mark.parametrize("opset", [6, 9, 13, 19, 21])
def test_cast(opset: int) -> None:
    x = np.array([-1.5, 0, 2.7], F32)
    for to in (TensorProto.INT64, TensorProto.BOOL, TensorProto.DOUBLE, TensorProto.INT8):
        check("Cast", opset, [x], to=to)


def test_cast_by_name() -> None:
    check("Cast", 1, [np.array([1.5, -2])], expected=lambda x: x.astype(I64), to="INT64")
    with raises_error("invalid-onnx", "NOTHING"):
        load_onnx(build("Cast", 1, [rand(2)], to="nothing"))
    with raises_error("element-type", "string"):
        load_onnx(build("Cast", 13, [rand(2)], to=TensorProto.STRING))


# -- shapes


def test_reshape() -> None:
    check("Reshape", 1, [rand(2, 6)], expected=lambda x: x.reshape(2, 3, 2), shape=[0, 3, -1])
    for opset in (5, 13):
        check(
            "Reshape",
            opset,
            [rand(2, 6), np.array([0, 3, -1])],
            constants=[1],
            expected=lambda x, s: x.reshape(2, 3, 2),
        )
    check("Reshape", 14, [rand(0, 3), np.array([3, 0])], constants=[1], allowzero=1)


@pytest.mark.parametrize("opset", [9, 11, 13, 21])
def test_flatten(opset: int) -> None:
    for axis in (0, 1, 2, 3):
        check("Flatten", opset, [rand(2, 3, 4)], axis=axis)
    check("Flatten", opset, [rand(2, 0, 4)], axis=1)
    if opset >= 11:
        check("Flatten", opset, [rand(2, 3, 4)], axis=-2)


def test_squeeze_and_unsqueeze() -> None:
    check("Squeeze", 11, [rand(1, 3, 1)], axes=[-1])
    check("Squeeze", 13, [rand(1, 3, 1), np.array([0])], constants=[1])
    check("Unsqueeze", 11, [rand(3)], axes=[0, 2])
    check("Unsqueeze", 13, [rand(3), np.array([-1, 0])], constants=[1])
    model = build("Squeeze", 13, [rand(1, 3, 1)])
    assert loomir.load(model).run({"x0": rand(1, 3, 1)}, engine="graph")["y0"].shape == (3,)


def test_transpose() -> None:
    check("Transpose", 13, [rand(2, 3, 4)])
    check("Transpose", 13, [rand(2, 3, 4)], perm=[2, 0, 1])


def test_shape_and_size() -> None:
    x = rand(2, 3, 4)
    check("Shape", 13, [x])
    for start, end in ((1, None), (None, -1), (-2, 2), (1, 100), (-100, 1), (2, 1)):
        attributes: dict[str, Any] = {k: v for k, v in (("start", start), ("end", end)) if v is not None}
        check("Shape", 15, [x], **attributes)
    check("Size", 13, [x])
    check("Size", 13, [np.array(1, F32)])


def test_depth_to_space() -> None:
    for mode in ("DCR", "CRD"):
        check("DepthToSpace", 13, [rand(1, 8, 2, 3)], blocksize=2, mode=mode)
    check("SpaceToDepth", 13, [rand(1, 2, 4, 6)], blocksize=2)
    for mode in ("DCR", "CRD"):
        x = rand(1, 3, 4, 6)
        packed = loomir.load(build("SpaceToDepth", 28, [x], blocksize=2, mode=mode)).run(
            {"x0": x}, engine="graph"
        )
        check("DepthToSpace", 28, [packed["y0"]], blocksize=2, mode=mode, expected=lambda _, x=x: x)
    with raises_error("invalid-onnx", "XYZ"):
        load_onnx(build("DepthToSpace", 13, [rand(1, 8, 2, 3)], blocksize=2, mode="XYZ"))


# -- slicing, joining, padding


def test_slice() -> None:
    x = rand(5, 6)
    check("Slice", 9, [x], starts=[1, -3], ends=[3, 100])
    check("Slice", 9, [x], starts=[1], ends=[-1], axes=[1])
    for opset in (10, 13):
        two = [np.array([0, 1]), np.array([100, 4])]
        check("Slice", opset, [x, *two])
        check(
            "Slice",
            opset,
            [x, np.array([-1]), np.array([-100]), np.array([1]), np.array([-2])],
            constants=[1, 2, 3, 4],
        )
        check("Slice", opset, [x, *two, None, np.array([2, 1])], constants=[1, 2, 4])
    with raises_error("invalid-onnx", "2 starts"):
        load_onnx(build("Slice", 9, [x], starts=[1, 2], ends=[3]))


def test_split() -> None:
    x = rand(7, 2)
    check("Split", 2, [x], 2, expected=lambda x: (x[:3], x[3:]), split=[3, 4])
    check("Split", 11, [rand(6, 2)], 3)
    check("Split", 13, [x, np.array([3, 4])], 2, constants=[1])
    check("Split", 13, [rand(2, 6)], 2, axis=-1)
    check("Split", 18, [x], 3, num_outputs=3)
    check("Split", 18, [rand(2, 4)], 2, axis=-1, num_outputs=2)
    with raises_error("invalid-onnx", "num_outputs"):
        load_onnx(build("Split", 18, [x], 3, num_outputs=4))


def test_gather_concat_tile() -> None:
    check("Gather", 13, [rand(4, 3), np.array([[0, -1], [2, 3]])])
    check("Gather", 11, [rand(4, 3), np.array(1)], axis=-1)
    check("Concat", 13, [rand(2, 3), rand(1, 3)], axis=0)
    check("Concat", 1, [rand(2, 3), rand(2, 1)], expected=lambda a, b: np.concatenate([a, b], 1))
    check("Tile", 13, [rand(2, 3), np.array([2, 0])])
    check(
        "Tile",
        1,
        [rand(2, 3), np.array(3, F32), np.array(1, F32)],
        expected=lambda x, n, a: np.tile(x, (1, 3)),
    )


def test_gather_out_of_range() -> None:
    model = build("Gather", 13, [rand(4), np.array([4])])
    with raises_error("runtime-index"):
        loomir.load(model).run({"x0": rand(4), "x1": np.array([4])}, engine="graph")


@pytest.mark.parametrize("opset", [2, 11, 13, 18, 19, 21])
def test_pad(opset: int) -> None:
    x = rand(3, 4)
    modes = ["constant", "reflect", "edge"] + (["wrap"] if opset >= 19 else [])
    for mode in modes:
        if opset < 11:
            check("Pad", opset, [x], mode=mode, pads=[1, 2, 0, 1])
            continue
        check("Pad", opset, [x, np.array([1, 2, 0, 1])], mode=mode, constants=[1])
        if opset >= 18:
            axes = np.array([-1])
            check("Pad", opset, [x, np.array([2, 1]), None, axes], mode=mode, constants=[1, 3])
    if opset >= 11:
        check("Pad", opset, [x, np.array([1, 0, -1, 2]), np.array(7, F32)], constants=[1])
    if opset >= 18:
        # Neither pads nor axes are known before it runs.
        check("Pad", opset, [x, np.array([2, 1]), None, np.array([-2])])


def test_pad_errors() -> None:
    x = rand(3, 4)
    with raises_error("invalid-onnx", "sideways"):
        load_onnx(build("Pad", 13, [x, np.array([1, 2, 0, 1])], mode="sideways"))
    with raises_error("invalid-onnx", "twice"):
        load_onnx(build("Pad", 18, [x, np.array([1, 2, 0, 1]), None, np.array([0, -2])], constants=[3]))
    with raises_error("axis-range"):
        load_onnx(build("Pad", 18, [x, np.array([1, 0]), None, np.array([2])], constants=[3]))


def test_expand_and_range() -> None:
    check("Expand", 13, [rand(3, 1), np.array([2, 1, 4])])
    check("Expand", 13, [rand(3, 4), np.array([1])])
    for numbers in ((1, 10, 3), (5, -4, -2), (3, 1, 1)):
        check("Range", 11, [np.array(v) for v in numbers])
        check("Range", 11, [np.array(v, F32) for v in numbers])


def test_constants() -> None:
    forms: list[tuple[dict[str, Any], np.ndarray]] = [
        ({"value_float": 1.5}, np.array(1.5, F32)),
        ({"value_floats": [1.5, 2.0]}, np.array([1.5, 2], F32)),
        ({"value_int": 7}, np.array(7)),
        ({"value_ints": [7, 8]}, np.array([7, 8])),
        ({"value": onnx.numpy_helper.from_array(np.array([[True]]))}, np.array([[True]])),
    ]
    for attributes, expected in forms:
        check("Constant", 13, [], expected=lambda e=expected: e, **attributes)
    with raises_error("invalid-onnx"):
        load_onnx(build("Constant", 13, [], value_int=1, value_float=1.0))
    check("ConstantOfShape", 9, [np.array([2, 0, 3])])
    check("ConstantOfShape", 9, [np.zeros(0, I64)], value=onnx.numpy_helper.from_array(np.array([5])))


def test_dropout() -> None:
    check("Dropout", 7, [rand(2, 3)])
    check("Dropout", 10, [rand(2, 3)], 2)
    check("Dropout", 13, [rand(2, 3), np.array(0.5, F32)], 2, constants=[1])
    with raises_error("unsupported-attribute", "training"):
        load_onnx(build("Dropout", 13, [rand(2), np.array(0.5, F32), np.array(True)], constants=[1, 2]))
    with raises_error("unsupported-attribute", "training", "values="):
        load_onnx(build("Dropout", 13, [rand(2), np.array(0.5, F32), np.array(False)], constants=[1]))


# -- reductions and products

REDUCTIONS = ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSumExp"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str) -> None:
    x = rand(2, 3, 4)
    operator = f"Reduce{name}"
    for opset in (11, 18):
        as_input = (opset >= 18 and name != "Sum") or opset >= 13
        for axes, keep in (([1], 1), ([-1, 0], 0), (None, 1), (None, 0)):
            if as_input:
                given = [x] if axes is None else [x, np.array(axes)]
                check(operator, opset, given, constants=[1], keepdims=keep)
            else:
                attributes: dict[str, Any] = {} if axes is None else {"axes": axes}
                check(operator, opset, [x], keepdims=keep, **attributes)
    check(operator, 18, [x, np.zeros(0, I64)], constants=[1], keepdims=0)
    check(operator, 18, [x], noop_with_empty_axes=1)


def test_log_sum_exp_does_not_overflow() -> None:
    x = np.array([[1000, 1001], [-np.inf, -np.inf]], F32)
    model = build("ReduceLogSumExp", 18, [x, np.array([1])], constants=[1], keepdims=0)
    actual = loomir.load(model).run({"x0": x}, engine="graph")["y0"]
    np.testing.assert_allclose(actual, np.array([1001.3133, -np.inf], F32))


def test_matmul_and_gemm() -> None:
    for a, b in (
        ((2, 3), (3, 4)),
        ((3,), (3, 4)),
        ((2, 3), (3,)),
        ((5, 2, 3), (3, 4)),
        ((5, 1, 2, 3), (2, 3, 4)),
    ):
        check("MatMul", 13, [rand(*a), rand(*b)])
    for opset in (7, 9, 11, 13):
        check("Gemm", opset, [rand(2, 3), rand(3, 4), rand(4)])
        check("Gemm", opset, [rand(3, 2), rand(4, 3), rand(2, 1)], transA=1, transB=1, alpha=0.5, beta=2.0)
    check("Gemm", 11, [rand(2, 3), rand(3, 4)])


@pytest.mark.parametrize("opset", [1, 11, 22])
def test_convolution(opset: int) -> None:
    check("Conv", opset, [rand(1, 2, 8), rand(3, 2, 3)])
    check(
        "Conv",
        opset,
        [rand(2, 4, 7, 8), rand(6, 2, 3, 2), rand(6)],
        group=2,
        strides=[2, 1],
        pads=[1, 0, 2, 1],
    )
    check("Conv", opset, [rand(1, 3, 6, 6), rand(3, 1, 3, 3)], group=3, dilations=[2, 1], pads=[1, 0, 1, 2])
    check("Conv", opset, [rand(1, 3, 6, 6), rand(3, 1, 4, 3)], group=3, auto_pad="SAME_UPPER")
    check("Conv", opset, [rand(1, 2, 5, 6), rand(2, 2, 3, 3)], auto_pad="SAME_LOWER", strides=[2, 2])
    check("Conv", opset, [rand(1, 2, 4, 5, 4), rand(2, 2, 2, 3, 2)], auto_pad="VALID")


def test_convolution_errors() -> None:
    x, w = rand(1, 4, 8), rand(6, 2, 3)
    with raises_error("invalid-onnx", "4 groups"):
        load_onnx(build("Conv", 11, [x, w], group=4))
    with raises_error("invalid-onnx", "kernel_shape"):
        load_onnx(build("Conv", 11, [x, w], group=2, kernel_shape=[5]))
    with raises_error("invalid-onnx", "spatial"):
        load_onnx(build("Conv", 11, [x, w], group=2, strides=[1, 1]))
    with raises_error("invalid-onnx", "SAME_MIDDLE"):
        load_onnx(build("Conv", 11, [x, w], group=2, auto_pad="SAME_MIDDLE"))


def test_pooling() -> None:
    x = rand(1, 2, 7, 8)
    for opset in (10, 11, 19):
        extras: list[dict[str, Any]] = [{}, {"count_include_pad": 1}, {"ceil_mode": 1}]
        for extra in extras:
            check("AveragePool", opset, [x], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], **extra)
    for opset in (8, 10, 12):
        check("MaxPool", opset, [x], 2, kernel_shape=[3, 2], strides=[2, 3], pads=[1, 0, 1, 1])
        check("MaxPool", opset, [x], kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    check("MaxPool", 12, [rand(1, 2, 9)], kernel_shape=[3], dilations=[2], ceil_mode=1, strides=[2])
    check("GlobalAveragePool", 1, [x])
    check("GlobalMaxPool", 1, [x])


def test_softmax() -> None:
    x = rand(2, 3, 4)
    for operator in ("Softmax", "LogSoftmax"):
        for opset in (7, 11):
            for axis in (0, 1, 2):
                check(operator, opset, [x], axis=axis)
        check(operator, 11, [x], axis=-2)
        check(operator, 13, [x], axis=1)
        check(operator, 13, [x])


def test_normalisation() -> None:
    x = rand(2, 3, 4, 5)
    channels = [rand(3), rand(3), rand(3), np.abs(rand(3)) + F32(0.1)]
    for opset in (7, 9, 14, 15):
        check("BatchNormalization", opset, [x, *channels], epsilon=1e-3)
    check("InstanceNormalization", 6, [x, *channels[:2]])


# -- recurrent

STEPS, N, FEATURES, H = 4, 3, 5, 6


def recurrent_inputs(gates: int, directions: int, layout: int, states: int) -> list[np.ndarray]:
    """X, W, R, B, sequence_lens and the initial states."""
    x = rand(STEPS, N, FEATURES)
    initial = [rand(directions, N, H) for _ in range(states)]
    if layout:
        x, initial = x.transpose(1, 0, 2), [s.transpose(1, 0, 2) for s in initial]
    weights = [
        rand(directions, gates * H, FEATURES),
        rand(directions, gates * H, H),
        rand(directions, 2 * gates * H),
    ]
    return [x, *(w * F32(0.5) for w in weights), np.array([4, 2, 3], np.int32), *initial]


CELLS = {"RNN": (1, 1), "GRU": (3, 1), "LSTM": (4, 2)}


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("operator", CELLS)
def test_recurrent(operator: str, direction: str) -> None:
    gates, states = CELLS[operator]
    directions = 2 if direction == "bidirectional" else 1
    inputs: list[np.ndarray | None] = [*recurrent_inputs(gates, directions, 0, states)]
    outputs = 1 + states
    common: dict[str, Any] = {"hidden_size": H, "direction": direction}
    for opset in (7, 14):
        check(operator, opset, inputs, outputs, **common)
        check(operator, opset, inputs, outputs, constants=[1, 2, 3], **common)
        check(operator, opset, inputs[:3], outputs, constants=[1, 2], **common)
        check(operator, opset, [*inputs[:4], None, *inputs[5:]], outputs, clip=0.3, **common)


@pytest.mark.parametrize("operator", ["RNN", "GRU"])
def test_recurrent_batch_first(operator: str) -> None:
    """ONNX Runtime does not have layout 1: it gives the transposed result of layout 0."""
    gates, states = CELLS[operator]
    inputs = recurrent_inputs(gates, 2, 0, states)
    common: dict[str, Any] = {"hidden_size": H, "direction": "bidirectional"}
    plain = build(operator, 14, inputs, 2, **common)
    first = [inputs[0].transpose(1, 0, 2), *inputs[1:5], inputs[5].transpose(1, 0, 2)]
    swapped = build(operator, 14, first, 2, layout=1, **common)
    wanted = loomir.load(plain).run({f"x{i}": v for i, v in enumerate(inputs)}, engine="graph")
    actual = loomir.load(swapped).run({f"x{i}": v for i, v in enumerate(first)}, engine="graph")
    assert_agree(actual["y0"], wanted["y0"].transpose(2, 0, 1, 3))
    assert_agree(actual["y1"], wanted["y1"].transpose(1, 0, 2))


def test_gru_linear_before_reset() -> None:
    inputs = recurrent_inputs(3, 1, 0, 1)
    for constants in ([], [1, 2, 3]):
        check("GRU", 14, inputs, 2, constants=constants, hidden_size=H, linear_before_reset=1)


def test_lstm_peepholes_and_activations() -> None:
    inputs = [*recurrent_inputs(4, 1, 0, 2), rand(1, 3 * H)]
    check("LSTM", 14, inputs, 3, hidden_size=H)
    activations = ["HardSigmoid", "ScaledTanh", "Affine"]
    numbers: dict[str, Any] = {"activation_alpha": [0.3, 0.9, 1.1], "activation_beta": [0.4, 0.8, 0.1]}
    check("LSTM", 14, inputs[:7], 3, hidden_size=H, activations=activations, **numbers)
    check("LSTM", 14, inputs, 3, hidden_size=H, input_forget=1)


def test_recurrent_errors() -> None:
    inputs = recurrent_inputs(4, 1, 0, 2)
    with raises_error("invalid-onnx", "sideways"):
        load_onnx(build("LSTM", 14, inputs, 3, hidden_size=H, direction="sideways"))
    with raises_error("unknown-shape", "hidden size"):
        load_onnx(build("LSTM", 14, inputs, 3, dynamic=True))
    with raises_error("rnn-activation", "wavelet"):
        load_onnx(build("LSTM", 14, inputs, 3, hidden_size=H, activations=["Wavelet", "Tanh", "Tanh"]))


@pytest.mark.parametrize("operator", ["ReduceL1", "ReduceL2", "ReduceSumSquare"])
@pytest.mark.parametrize("opset", [13, 18])
def test_norms_of_a_scalar(operator: str, opset: int) -> None:
    """A scalar has no axes, and yet a norm is not negative."""
    check(operator, opset, [np.array(-2.5, np.float32)])
    check(operator, opset, [np.array(-3, np.int32)], keepdims=0)


def test_logarithms_of_sums_of_integers() -> None:
    """In double precision, rounded towards zero (ONNX Runtime rounds each exponential too)."""
    x = np.array([[4, -2, 0, -4], [-4, 4, 3, 4]], np.int32)
    check("ReduceLogSumExp", 18, [x], expected=lambda x: np.log(np.exp(x).sum(keepdims=True)).astype(x.dtype))
    check("ReduceLogSum", 18, [np.array([[2, 1], [4, 1]], np.int32)], keepdims=0)
    check("ReduceLogSum", 18, [np.arange(1, 30, dtype=np.int32)], noop_with_empty_axes=1)
