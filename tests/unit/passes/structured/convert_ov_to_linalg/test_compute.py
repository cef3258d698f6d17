"""Lowerings of the computing families against their numpy semantics: static, dynamic, scalar and empty."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

from loomir.dialects.element_types import element_of
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.operators import comparison as compare
from loomir.dialects.ov.operators import elementwise_binary as binary
from loomir.dialects.ov.operators import elementwise_unary as unary
from loomir.dialects.ov.operators import reduction
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from tests.operators import assert_lowering, lowered, one_operation
from tests.support import raises_error

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.int32, np.int64, np.uint8, np.uint32, np.uint64)
UNARY = (
    unary.AbsOp, unary.NegativeOp, unary.SqrtOp, unary.ExpOp, unary.LogOp, unary.TanhOp, unary.SigmoidOp,
    unary.ReLUOp, unary.FloorOp, unary.CeilingOp, unary.SignOp,
)  # fmt: skip
ARITHMETIC = (
    binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.DivideOp, binary.MaximumOp, binary.MinimumOp,
    binary.ModOp, binary.FloorModOp, binary.SquaredDifferenceOp, binary.PowerOp,
)  # fmt: skip
COMPARISONS = (
    compare.EqualOp, compare.NotEqualOp, compare.LessOp, compare.LessEqualOp, compare.GreaterOp,
    compare.GreaterEqualOp,
)  # fmt: skip
LOGIC = (compare.LogicalAndOp, compare.LogicalOrOp, compare.LogicalXorOp)
REDUCTIONS = (
    reduction.ReduceSumOp, reduction.ReduceMeanOp, reduction.ReduceMaxOp, reduction.ReduceMinOp,
    reduction.ReduceProdOp, reduction.ReduceL1Op, reduction.ReduceL2Op,
)  # fmt: skip


def tolerance(dtype: type) -> float:
    return {np.float16: 2e-3, ml_dtypes.bfloat16: 2e-2}.get(dtype, 1e-5)


def values(shape: Sequence[int], dtype: type, seed: int = 0) -> np.ndarray:
    """Numbers of both signs with zeros, and the limits of integer types among them."""
    rng = np.random.default_rng(seed)
    if dtype is np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype not in FLOATS:
        info = np.iinfo(dtype)
        pool = [0, 1, 2, 3, 7, 100, info.max, info.min] + ([-1, -2, -5] if info.min else [])
        return rng.choice(np.array(pool, dtype), shape).astype(dtype).reshape(shape)
    return np.asarray(np.round(rng.standard_normal(shape) * 3, 1)).astype(dtype)


@pytest.mark.parametrize("op_class", UNARY, ids=lambda c: c.name)
def test_unary(op_class: type[unary.UnaryOp]):
    for dtype in (*FLOATS, *INTEGERS):
        assert_lowering(op_class, [values((3, 4), dtype)], tolerance=tolerance(dtype))
    for shape, dynamic in (((), False), ((0, 2), False), ((2, 3), True), ((0, 3), True)):
        assert_lowering(op_class, [values(shape, np.float32)], dynamic=dynamic)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30], np.float32)
    assert_lowering(op_class, [special])


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=lambda d: np.dtype(d).name)
def test_clamp(dtype: type):
    for low, high in ((-1.5, 2.5), (0.0, np.inf), (-np.inf, 1e9), (-1e30, 1e30)):
        assert_lowering(unary.ClampOp, [values((9,), dtype)], {"min": low, "max": high})


@pytest.mark.parametrize("op_class", ARITHMETIC, ids=lambda c: c.name)
def test_arithmetic(op_class: type[binary.BinaryOp]):
    for dtype in (*FLOATS, *INTEGERS):
        a, b = values((40,), dtype, 1), values((40,), dtype, 2)
        assert_lowering(op_class, [a, b], tolerance=10 * tolerance(dtype))
        for constant in (0, 1, 2, 3):
            assert_lowering(
                op_class, [a, np.array(constant, dtype)], constants=[1], tolerance=10 * tolerance(dtype)
            )


def test_division_towards_zero():
    for dtype in INTEGERS:
        a, b = values((60,), dtype, 1), values((60,), dtype, 2)
        assert_lowering(binary.DivideOp, [a, b], {"m_pythondiv": False})
        assert_lowering(binary.DivideOp, [a, np.array(3, dtype)], {"m_pythondiv": False}, constants=[1])


def test_float_remainders_at_the_limits():
    numbers = np.array(
        [0.0, -0.0, 1.0, -1.0, 5.5, -7.25, np.inf, -np.inf, np.nan, 3e38, 1e-38, 1e30], np.float32
    )
    a, b = (x.reshape(-1).copy() for x in np.meshgrid(numbers, numbers))
    for op_class in (binary.ModOp, binary.FloorModOp):
        assert_lowering(op_class, [a, b])


SHAPES = [
    ((), ()),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((1,), (2, 2)),
    ((0, 3), (1,)),
    ((2, 3), ()),
    ((4, 1, 2), (3, 1)),
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]], dynamic: bool):
    a, b = values(shapes[0], np.float32, 1), values(shapes[1], np.float32, 2)
    assert_lowering(binary.SubtractOp, [a, b], dynamic=dynamic)
    assert_lowering(compare.LessOp, [b, a], dynamic=dynamic)
    assert_lowering(compare.SelectOp, [a > 0, a, b], dynamic=dynamic)


def test_dynamic_operands_that_do_not_broadcast():
    given = [values((2, 3), np.float32), values((2, 3), np.float32)]
    module, _ = one_operation(binary.AddOp, given, dynamic=True)
    with raises_error("runtime-shape", "broadcast"):
        lowered(module, [given[0], values((3, 3), np.float32)])


@pytest.mark.parametrize("op_class", COMPARISONS, ids=lambda c: c.name)
def test_comparisons(op_class: type[compare.CompareOp]):
    for dtype in (np.float32, np.int32, np.uint8, np.uint64, np.bool_):
        assert_lowering(op_class, [values((30,), dtype, 1), values((30,), dtype, 2)])
    nan = np.array([np.nan, 1.0, np.inf], np.float32)
    assert_lowering(op_class, [nan, nan])


def test_logic():
    a, b = values((12,), np.bool_, 1), values((12,), np.bool_, 2)
    for op_class in LOGIC:
        assert_lowering(op_class, [a, b])
    assert_lowering(compare.LogicalNotOp, [a])


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, np.bool_], ids=lambda d: np.dtype(d).name)
def test_conversions(source: type):
    x = values((20,), source)
    if source in FLOATS:
        edge = [np.nan, np.inf, -np.inf, 3e9, -3e9, 300.7, -0.9, 127.5, 2147483520.0, 1e30, 65504.0]
        with np.errstate(over="ignore"):
            x = np.concatenate([x, np.array(edge).astype(source)])
    for target in (*FLOATS, *INTEGERS, np.bool_):
        assert_lowering(ConvertOp, [x], {"destination_type": element_of(target)})


@pytest.mark.parametrize("op_class", REDUCTIONS, ids=lambda c: c.name)
def test_reductions(op_class: type[reduction.ReductionOp]):
    for axes, keep in (
        ([0], True),
        ([-1], False),
        ([0, 2], True),
        ([0, 1, 2], False),
        ([2, 0, 1], True),
        ([], False),
    ):
        given = [np.abs(values((2, 3, 4), np.float32)), np.array(axes, np.int64)]
        assert_lowering(op_class, given, {"keep_dims": keep}, constants=[1], tolerance=1e-4)
        assert_lowering(op_class, given, {"keep_dims": keep}, constants=[1], dynamic=True, tolerance=1e-4)
    for dtype in (*FLOATS, *INTEGERS):
        given = [values((5, 6), dtype), np.array(1)]
        assert_lowering(op_class, given, constants=[1], tolerance=max(1e-4, 10 * tolerance(dtype)))
    for shape in ((0, 3), (3, 0)):
        for dtype in (np.float32, np.int32):
            assert_lowering(op_class, [values(shape, dtype), np.array([1])], constants=[1])


def test_logical_reductions():
    for op_class in (reduction.ReduceLogicalAndOp, reduction.ReduceLogicalOrOp):
        for axes in ([0], [0, 1]):
            assert_lowering(op_class, [values((3, 2), np.bool_), np.array(axes)], constants=[1])


def test_unknown_axes():
    module, _ = one_operation(
        reduction.ReduceSumOp, [values((2, 3), np.float32), np.array([1])], {"keep_dims": True}, dynamic=False
    )
    with raises_error("unknown-axes"):
        lowered(module, [values((2, 3), np.float32), np.array([1])])


MATRICES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
    ((5, 1, 2, 3), (4, 3, 2)),
    ((2, 0), (0, 3)), ((0, 2), (2, 3)), ((3,), (2, 3, 4)), ((1, 2, 3), (4, 3, 2)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", MATRICES, ids=str)
def test_matrix_products(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    a, b = values(shapes[0], np.float32, 1), values(shapes[1], np.float32, 2)
    assert_lowering(MatMulOp, [a, b])
    assert_lowering(MatMulOp, [a, b], dynamic=True)
    assert_lowering(MatMulOp, [values(shapes[0], np.int32, 1), values(shapes[1], np.int32, 2)])
    swapped = [np.swapaxes(x, -1, -2).copy() if x.ndim > 1 else x for x in (a, b)]
    flags: dict[str, AttrValue] = {"transpose_a": True, "transpose_b": True}
    assert_lowering(MatMulOp, swapped, flags)
    assert_lowering(MatMulOp, swapped, flags, dynamic=True)


def test_matrix_products_of_narrow_floats():
    for dtype in (np.float16, ml_dtypes.bfloat16):
        given = [values((2, 3), dtype, 1), values((3, 4), dtype, 2)]
        assert_lowering(MatMulOp, given, tolerance=tolerance(dtype))


def test_dynamic_matrix_product_of_different_inner_extents():
    given = [values((2, 3), np.float32), values((3, 2), np.float32)]
    module, _ = one_operation(MatMulOp, given, dynamic=True)
    with raises_error("runtime-shape", "inner extents"):
        lowered(module, [values((2, 4), np.float32), given[1]])


def windows(rank: int, seed: int) -> dict[str, AttrValue]:
    rng = np.random.default_rng(seed)
    attributes: dict[str, AttrValue] = {
        "auto_pad": ("explicit", "same_upper", "same_lower", "valid")[seed % 4]
    }
    for name, low, high in (("strides", 1, 4), ("dilations", 1, 3), ("pads_begin", 0, 3), ("pads_end", 0, 3)):
        attributes[name] = [int(v) for v in rng.integers(low, high, rank)]
    return attributes


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_convolutions(seed: int, dynamic: bool):
    rank = 1 + seed % 3
    spatial = (7, 6, 5)[:rank]
    data = values((2, 3, *spatial), np.float32, seed)
    filters = values((4, 3, *(3, 2, 2)[:rank]), np.float32, seed + 1)
    attributes = windows(rank, seed)
    assert_lowering(
        ConvolutionOp, [data, filters], attributes, constants=[1], dynamic=dynamic, tolerance=1e-4
    )
    grouped = values((2, 6, *spatial), np.float32, seed)
    split = values((3, 2, 2, *(3, 2, 2)[:rank]), np.float32, seed + 1)
    assert_lowering(
        GroupConvolutionOp, [grouped, split], attributes, constants=[1], dynamic=dynamic, tolerance=1e-4
    )


def test_filters_of_unknown_extents():
    given = [values((1, 2, 6), np.float32), values((3, 2, 3), np.float32)]
    module, _ = one_operation(ConvolutionOp, given, dynamic=True)
    with raises_error("unknown-kernel"):
        lowered(module, given)


def test_dynamic_convolution_of_other_channels():
    given = [values((1, 2, 6), np.float32), values((3, 2, 3), np.float32)]
    module, _ = one_operation(ConvolutionOp, given, constants=[1], dynamic=True)
    with raises_error("runtime-shape", "channels"):
        lowered(module, [values((1, 3, 6), np.float32), given[1]], constants=[1])


def test_convolutions_of_other_types():
    attributes: dict[str, AttrValue] = {"pads_begin": [1], "pads_end": [1]}
    for dtype in (np.int32, np.float16):
        data, filters = values((1, 2, 5), dtype, 1), values((3, 2, 3), dtype, 2)
        assert_lowering(ConvolutionOp, [data, filters], attributes, tolerance=tolerance(dtype))
        depthwise = values((2, 1, 1, 3), dtype, 2)
        assert_lowering(GroupConvolutionOp, [data, depthwise], attributes, tolerance=tolerance(dtype))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("rounding", ["floor", "ceil", "ceil_torch"])
@pytest.mark.parametrize("seed", range(6))
def test_pooling(seed: int, rounding: str, dynamic: bool):
    rank = 1 + seed % 3
    data = values((2, 3, *(7, 6, 5)[:rank]), np.float32, seed)
    attributes = windows(rank, seed) | {"kernel": [3, 2, 3][:rank], "rounding_type": rounding}
    assert_lowering(MaxPoolOp, [data], attributes | {"axis": seed % 3}, dynamic=dynamic)
    for exclude in (False, True):
        assert_lowering(AvgPoolOp, [data], attributes | {"exclude_pad": exclude}, dynamic=dynamic)


def test_pooling_of_other_types():
    attributes: dict[str, AttrValue] = {
        "kernel": [2],
        "pads_begin": [1],
        "pads_end": [1],
        "exclude_pad": True,
    }
    for dtype in (np.int8, np.int32, np.uint8, np.float16):
        assert_lowering(AvgPoolOp, [values((1, 2, 6), dtype)], attributes, tolerance=tolerance(dtype))
        maxima: dict[str, AttrValue] = {k: v for k, v in attributes.items() if k != "exclude_pad"}
        assert_lowering(MaxPoolOp, [values((1, 2, 6), dtype)], maxima)


def test_maxima_of_nan_and_padding():
    nan = np.array([[[1, np.nan, np.nan, -np.inf, -np.inf]]], np.float32)
    assert_lowering(MaxPoolOp, [nan], {"kernel": [2], "pads_begin": [1], "pads_end": [1]})
    assert_lowering(MaxPoolOp, [nan], {"kernel": [1], "pads_begin": [1], "pads_end": [1]})


def test_dynamic_window_that_does_not_fit():
    given = [values((1, 1, 5), np.float32)]
    module, _ = one_operation(AvgPoolOp, given, {"kernel": [4]}, dynamic=True)
    with raises_error("runtime-shape", "window"):
        lowered(module, [values((1, 1, 3), np.float32)])


def _all_lowered() -> list[type[OvOperation]]:
    return [*UNARY, *ARITHMETIC, *COMPARISONS, *LOGIC, *REDUCTIONS]


def test_every_primitive_of_these_families_has_semantics_and_a_lowering():
    from loomir.dialects.ov.base import has_evaluator
    from loomir.passes.graph.lib.decompositions import decomposition_of
    from loomir.passes.structured.lib.lowering import lowering_of

    families = ("elementwise_unary", "elementwise_binary", "comparison", "conversion", "reduction", "matmul",
                "convolution", "pooling", "normalisation")  # fmt: skip
    from loomir.dialects.ov import operations

    found = [c for c in operations() if c.__module__.rpartition(".")[2] in families]
    assert set(_all_lowered()) <= set(found)
    for op_class in found:
        assert issubclass(op_class, OvOperation)
        if op_class.COMPOSITE:
            assert decomposition_of(op_class) is not None, op_class.name
        else:
            assert has_evaluator(op_class), op_class.name
            assert lowering_of(op_class) is not None, op_class.name
