"""Elementwise operations, comparisons, conversions, reductions, matrix products and normalisation against
ONNX Runtime.

All cases of a test are one ONNX model with a node and an output for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from loomir.dialects.element_types import element_of
from loomir.dialects.ov.base import AttrValue, OvOperation, evaluate
from loomir.dialects.ov.operators import comparison as compare
from loomir.dialects.ov.operators import elementwise_binary as binary
from loomir.dialects.ov.operators import elementwise_unary as unary
from loomir.dialects.ov.operators import reduction
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session


@dataclass
class Case:
    """One operation of ours and the ONNX node that computes the same."""

    op_class: type[OvOperation]
    node: str
    arrays: list[np.ndarray]
    attributes: dict[str, AttrValue] = field(default_factory=dict)
    node_attributes: dict[str, Any] = field(default_factory=dict)
    node_arrays: list[np.ndarray] | None = None

    def __str__(self) -> str:
        return f"{self.op_class.name} {[(a.shape, str(a.dtype)) for a in self.arrays]} {self.attributes}"


def run_onnxruntime(cases: Sequence[Case]) -> list[np.ndarray]:
    nodes, inputs, outputs, feed = [], [], [], {}
    for number, case in enumerate(cases):
        names = []
        for index, array in enumerate(case.arrays if case.node_arrays is None else case.node_arrays):
            name = f"x{number}_{index}"
            names.append(name)
            inputs.append(
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            )
            feed[name] = np.asarray(array)
        nodes.append(helper.make_node(case.node, names, [f"y{number}"], **case.node_attributes))
        outputs.append(onnx.ValueInfoProto(name=f"y{number}"))
    model = helper.make_model(
        helper.make_graph(nodes, "cases", inputs, outputs),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=9,
    )
    model = onnx.shape_inference.infer_shapes(model)
    session = onnxruntime_session(model)
    return [np.asarray(y) for y in session.run(None, feed)]


def check(cases: Sequence[Case], tolerance: float = 1e-5) -> None:
    for case, theirs in zip(cases, run_onnxruntime(cases)):
        op = case.op_class.make(*[ConstantOp.of(a).output for a in case.arrays], attributes=case.attributes)
        (ours,) = evaluate(op, case.arrays)
        assert ours.dtype == theirs.dtype, case
        assert ours.shape == theirs.shape, case
        if theirs.dtype.kind in "biu":
            np.testing.assert_array_equal(ours, theirs, err_msg=str(case))
        else:
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance, err_msg=str(case))


def numbers(rng: np.random.Generator, shape: Sequence[int], dtype: type) -> np.ndarray:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind == "f":
        return np.asarray(rng.standard_normal(shape) * 3).astype(dtype)
    return rng.integers(0 if kind == "u" else -60, 60, shape).astype(dtype)


def broadcast_pair(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    rank = int(rng.integers(0, 4))
    full = [int(rng.choice([0, 1, 2, 3, 5], p=[0.05, 0.2, 0.25, 0.25, 0.25])) for _ in range(rank)]
    shapes = []
    for _ in range(2):
        cut = int(rng.integers(0, rank + 1))
        shapes.append(tuple(1 if rng.random() < 0.3 else d for d in full[cut:]))
    return shapes[0], shapes[1]


FLOAT_UNARY = {
    unary.AbsOp: "Abs", unary.NegativeOp: "Neg", unary.SqrtOp: "Sqrt", unary.ExpOp: "Exp", unary.LogOp: "Log",
    unary.TanhOp: "Tanh", unary.SigmoidOp: "Sigmoid", unary.ReLUOp: "Relu", unary.FloorOp: "Floor",
    unary.CeilingOp: "Ceil", unary.SignOp: "Sign",
}  # fmt: skip


def test_float_functions():
    rng = np.random.default_rng(1)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 0.5, 1e-30, -2.5, 88.0, -120.0], np.float32)
    cases = [Case(op, node, [special]) for op, node in FLOAT_UNARY.items()]
    for op, node in FLOAT_UNARY.items():
        cases += [
            Case(op, node, [numbers(rng, shape, np.float32)]) for shape in ((), (2, 3), (0, 2), (1, 4, 2))
        ]
    check(cases)


def test_integer_functions():
    extremes = np.array([0, 1, -1, 127, -128], np.int8)
    check(
        [
            Case(unary.AbsOp, "Abs", [extremes[:4]]),
            Case(unary.NegativeOp, "Neg", [extremes]),
            Case(unary.SignOp, "Sign", [extremes]),
            Case(unary.AbsOp, "Abs", [np.array([-5, 2**40, -(2**40)])]),
            Case(unary.ReLUOp, "Relu", [np.array([-5, 7], np.int32)]),
        ]
    )
    assert evaluate(unary.AbsOp.make(ConstantOp.of(extremes)), [extremes])[0][-1] == -128


def test_nan_and_limits():
    """The classes define the behaviour that the specifications leave open."""
    x = np.array([np.nan, -1.0, 3.0], np.float32)
    source = ConstantOp.of(x)
    for op, expected in (
        (unary.ReLUOp.make(source), [np.nan, 0, 3]),
        (unary.ClampOp.make(source, attributes={"min": 0.5, "max": 2.0}), [np.nan, 0.5, 2]),
        (unary.SignOp.make(source), [np.nan, -1, 1]),
    ):
        np.testing.assert_array_equal(evaluate(op, [x])[0], np.array(expected, np.float32))
    n = np.array([-3, 0, 5], np.int8)
    op = unary.ClampOp.make(ConstantOp.of(n), attributes={"min": -1.5, "max": 1e9})
    np.testing.assert_array_equal(evaluate(op, [n])[0], np.array([-1, 0, 5], np.int8))
    roots = np.array([0, 1, 2, 8, 100], np.int32)
    np.testing.assert_array_equal(
        evaluate(unary.SqrtOp.make(ConstantOp.of(roots)), [roots])[0], np.array([0, 1, 1, 3, 10], np.int32)
    )


ARITHMETIC = {
    binary.AddOp: "Add", binary.SubtractOp: "Sub", binary.MultiplyOp: "Mul", binary.MaximumOp: "Max",
    binary.MinimumOp: "Min",
}  # fmt: skip
COMPARISONS = {
    compare.EqualOp: "Equal", compare.LessOp: "Less", compare.LessEqualOp: "LessOrEqual",
    compare.GreaterOp: "Greater", compare.GreaterEqualOp: "GreaterOrEqual",
}  # fmt: skip
LOGIC = {compare.LogicalAndOp: "And", compare.LogicalOrOp: "Or", compare.LogicalXorOp: "Xor"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_arithmetic_and_comparisons(dtype: type):
    rng = np.random.default_rng(2)
    cases: list[Case] = []
    for _ in range(12):
        a, b = (numbers(rng, s, dtype) for s in broadcast_pair(rng))
        for op, node in (ARITHMETIC | COMPARISONS).items():
            cases.append(Case(op, node, [a, b]))
        nonzero = np.where(b == 0, np.asarray(7, dtype), b)
        cases.append(Case(binary.DivideOp, "Div", [a, nonzero], {"m_pythondiv": False}))
        if np.dtype(dtype).kind == "f":
            cases.append(Case(binary.ModOp, "Mod", [a, nonzero], {}, {"fmod": 1}))
            cases.append(Case(binary.PowerOp, "Pow", [np.abs(a), b]))
        else:
            cases.append(Case(binary.FloorModOp, "Mod", [a, nonzero]))
            cases.append(Case(binary.ModOp, "Mod", [a, nonzero], {}, {"fmod": 1}))
            cases.append(Case(binary.PowerOp, "Pow", [a % 7, np.abs(b) % 5]))
    check(cases)


def test_logic_and_select():
    rng = np.random.default_rng(3)
    cases: list[Case] = []
    for _ in range(10):
        a, b = (numbers(rng, s, np.bool_) for s in broadcast_pair(rng))
        cases += [Case(op, node, [a, b]) for op, node in LOGIC.items()]
        cases.append(Case(compare.LogicalNotOp, "Not", [a]))
        cases.append(Case(compare.EqualOp, "Equal", [a, b]))
        shapes = broadcast_pair(rng)
        for dtype in (np.float32, np.int64, np.uint8):
            x, y = (numbers(rng, s, dtype) for s in shapes)
            cond = numbers(rng, (), np.bool_) if rng.random() < 0.5 else numbers(rng, x.shape, np.bool_)
            cases.append(Case(compare.SelectOp, "Where", [cond, x, y]))
    check(cases)


def test_conversions():
    rng = np.random.default_rng(4)
    dtypes = (np.float32, np.float64, np.float16, np.int8, np.int32, np.int64, np.uint8, np.bool_)
    cases = []
    for source in dtypes:
        values = numbers(rng, (3, 4), source)
        for target in dtypes:
            fits = np.abs(values) if np.dtype(target).kind == "u" and source is not np.bool_ else values
            if np.dtype(target).kind == "u" and np.dtype(source).kind == "f":
                fits = np.minimum(fits, 100)
            attributes = {"to": helper.np_dtype_to_tensor_dtype(np.dtype(target))}
            cases.append(
                Case(ConvertOp, "Cast", [fits], {"destination_type": element_of(target)}, attributes)
            )
    check(cases)


def test_conversions_out_of_range():
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 300.7, -0.9, 2147483520.0, 1e30], np.float32)
    source = ConstantOp.of(x)
    expected = {
        np.int8: [0, 127, -128, 127, -128, 127, 0, 127, 127],
        np.uint8: [0, 255, 0, 255, 0, 255, 0, 255, 255],
        np.int32: [0, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 300, 0, 2147483520, 2**31 - 1],
        np.int64: [0, 2**63 - 1, -(2**63), 3 * 10**9, -3 * 10**9, 300, 0, 2147483520, 2**63 - 1],
    }
    for dtype, values in expected.items():
        op = ConvertOp.make(source, attributes={"destination_type": element_of(dtype)})
        np.testing.assert_array_equal(evaluate(op, [x])[0], np.array(values, dtype))


def _integer_division_totals(op_class: type[binary.BinaryOp], attributes: dict[str, AttrValue]) -> list[int]:
    a = np.array([7, -7, -(2**31), 5, -5, 0], np.int32)
    b = np.array([0, 2, -1, -3, 0, 0], np.int32)
    op = op_class.make(ConstantOp.of(a), ConstantOp.of(b), attributes=attributes)
    return evaluate(op, [a, b])[0].tolist()


def test_integer_division_is_total():
    least = -(2**31)
    assert _integer_division_totals(binary.DivideOp, {}) == [0, -4, least, -2, 0, 0]
    assert _integer_division_totals(binary.DivideOp, {"m_pythondiv": False}) == [0, -3, least, -1, 0, 0]
    assert _integer_division_totals(binary.ModOp, {}) == [0, -1, 0, 2, 0, 0]
    assert _integer_division_totals(binary.FloorModOp, {}) == [0, 1, 0, -1, 0, 0]


def test_integer_power_wraps():
    a, b = np.array([3, -2, 2, 0, -1, 1], np.int8), np.array([6, 7, -1, -1, -3, -5], np.int8)
    (result,) = evaluate(binary.PowerOp.make(ConstantOp.of(a), ConstantOp.of(b)), [a, b])
    assert result.tolist() == [729 - 768, -128, 0, 0, -1, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_power_is_no_root(dtype: type):
    """C's `pow` gives inf and 0 where a square root gives NaN and -0."""
    a, b = np.array([-np.inf, -0.0, 4], dtype), np.array([0.5], dtype)
    (result,) = evaluate(binary.PowerOp.make(ConstantOp.of(a), ConstantOp.of(b)), [a, b])
    np.testing.assert_array_equal(result, np.array([np.inf, 0, 2], dtype))
    assert not np.signbit(result).any()


REDUCTIONS: dict[type[reduction.ReductionOp], str] = {
    reduction.ReduceSumOp: "ReduceSum", reduction.ReduceMeanOp: "ReduceMean",
    reduction.ReduceMaxOp: "ReduceMax", reduction.ReduceMinOp: "ReduceMin",
    reduction.ReduceProdOp: "ReduceProd", reduction.ReduceL1Op: "ReduceL1",
    reduction.ReduceL2Op: "ReduceL2",
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_reductions(dtype: type):
    rng = np.random.default_rng(5)
    cases: list[Case] = []
    for op, node in REDUCTIONS.items():
        for _ in range(8):
            rank = int(rng.integers(1, 5))
            shape = [int(rng.integers(1, 5)) for _ in range(rank)]
            axes = np.sort(rng.choice(rank, int(rng.integers(1, rank + 1)), replace=False)).astype(np.int64)
            axes = np.where(rng.random(axes.shape) < 0.5, axes - rank, axes)
            keep = bool(rng.integers(2))
            x = numbers(rng, shape, dtype)
            if op is reduction.ReduceProdOp:
                x = np.clip(x, -2, 2)
            if op is reduction.ReduceMeanOp and dtype is np.int32:
                continue  # ONNX Runtime divides in floats for some shapes and in integers for others
            cases.append(
                Case(
                    op,
                    node,
                    [x, axes],
                    {"keep_dims": keep},
                    {"keepdims": int(keep), "noop_with_empty_axes": 1},
                )
            )
    check(cases, 1e-4)


def test_reductions_of_nothing_and_without_axes():
    empty = np.zeros((2, 0), np.float32)
    expected = {
        reduction.ReduceSumOp: 0, reduction.ReduceMeanOp: np.nan, reduction.ReduceMaxOp: -np.inf,
        reduction.ReduceMinOp: np.inf, reduction.ReduceProdOp: 1, reduction.ReduceL1Op: 0,
        reduction.ReduceL2Op: 0,
    }  # fmt: skip
    axes = np.array([1])
    for op_class, value in expected.items():
        op = op_class.make(ConstantOp.of(empty), ConstantOp.of(axes))
        np.testing.assert_array_equal(evaluate(op, [empty, axes])[0], np.full(2, value, np.float32))
        x, none = np.array([-3.0, 2.0], np.float32), np.zeros(0, np.int64)
        op = op_class.make(ConstantOp.of(x), ConstantOp.of(none))
        np.testing.assert_array_equal(evaluate(op, [x, none])[0], x)
    small = np.full((200,), 100, np.int8)
    op = reduction.ReduceMeanOp.make(ConstantOp.of(small), ConstantOp.of(np.array(0)))
    assert evaluate(op, [small, np.array(0)])[0] == 100
    bits = np.array([[True, False], [True, True]])
    for op_class, expected_bits in (
        (reduction.ReduceLogicalAndOp, [False, True]),
        (reduction.ReduceLogicalOrOp, [True, True]),
    ):
        op = op_class.make(ConstantOp.of(bits), ConstantOp.of(axes))
        assert evaluate(op, [bits, axes])[0].tolist() == expected_bits


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_matrix_products(dtype: type):
    rng = np.random.default_rng(6)
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
        ((5, 1, 2, 3), (4, 3, 2)),
        ((2, 0), (0, 3)), ((0, 2), (2, 3)), ((3,), (2, 3, 4)), ((2, 3, 4), (4,)),
    ]  # fmt: skip
    check(
        [Case(MatMulOp, "MatMul", [numbers(rng, a, dtype), numbers(rng, b, dtype)]) for a, b in shapes], 1e-4
    )


def test_transposed_matrix_products():
    rng = np.random.default_rng(7)
    for transpose_a in (False, True):
        for transpose_b in (False, True):
            a, b = rng.standard_normal((2, 3, 4)), rng.standard_normal((4, 5))
            flags: dict[str, AttrValue] = {"transpose_a": transpose_a, "transpose_b": transpose_b}
            given = [np.swapaxes(a, 1, 2) if transpose_a else a, b.T if transpose_b else b]
            op = MatMulOp.make(*[ConstantOp.of(g) for g in given], attributes=flags)
            np.testing.assert_allclose(evaluate(op, given)[0], a @ b)
            (result,) = evaluate(
                MatMulOp.make(ConstantOp.of(b[:, 0]), ConstantOp.of(given[1]), attributes=flags),
                [b[:, 0], given[1]],
            )
            np.testing.assert_allclose(result, b[:, 0] @ b)


def test_average_pooling_with_counted_padding():
    rng = np.random.default_rng(8)
    cases: list[Case] = []
    for _ in range(30):
        rank = int(rng.integers(1, 4))
        kernel = [int(rng.integers(1, 4)) for _ in range(rank)]
        strides = [int(rng.integers(1, 4)) for _ in range(rank)]
        begin, end = ([int(rng.integers(0, k)) for k in kernel] for _ in range(2))
        ceil, counted = bool(rng.integers(2)), bool(rng.integers(2))
        data = numbers(rng, (2, 2, *(int(rng.integers(4, 9)) for _ in range(rank))), np.float32)
        attributes: dict[str, AttrValue] = {
            "kernel": kernel,
            "strides": strides,
            "pads_begin": begin,
            "pads_end": end,
            "rounding_type": "ceil_torch" if ceil else "floor",
            "exclude_pad": not counted,
        }
        theirs = {
            "kernel_shape": kernel,
            "strides": strides,
            "pads": [*begin, *end],
            "ceil_mode": int(ceil),
            "count_include_pad": int(counted),
        }
        cases.append(Case(AvgPoolOp, "AveragePool", [data], attributes, theirs))
    check(cases)
