"""Inference of the computing families: sound on weakened facts, exact on known ones, and the bounds that
shapes need.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from loomir.dialects.element_types import f16, f32, i1, i32, i64
from loomir.dialects.ov.base import AttrValue, OvOperation, evaluate
from loomir.dialects.ov.facts import Dim, Fact, shape_of
from loomir.dialects.ov.operators import comparison as compare
from loomir.dialects.ov.operators import elementwise_binary as binary
from loomir.dialects.ov.operators import elementwise_unary as unary
from loomir.dialects.ov.operators import reduction
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.normalisation import LogSoftmaxOp, SoftmaxOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.shape_rules import broadcast_dim
from tests.support import raises_error


def weakened(rng: np.random.Generator, array: np.ndarray) -> Fact:
    """A fact that holds for the array and says less."""
    element = Fact.of_array(array).element
    if rng.integers(8) == 0:
        return Fact(element, None)
    if array.dtype.kind in "ib" and rng.integers(3):
        below, above = (rng.integers(0, 4, array.shape) * rng.integers(0, 2, array.shape) for _ in range(2))
        lo, hi = array.astype(np.int64) - below, array.astype(np.int64) + above
        if array.dtype.kind == "b":
            lo, hi = np.clip(lo, 0, 1), np.clip(hi, 0, 1)
        return Fact.of_ints(element, lo, hi)
    shape = []
    for extent in array.shape:
        low = max(0, extent - int(rng.integers(0, 3)))
        high = None if rng.integers(2) else extent + int(rng.integers(0, 3))
        shape.append(Dim(extent, extent) if rng.integers(3) == 0 else Dim(low, high))
    return Fact(element, tuple(shape))


def assert_holds(fact: Fact, array: np.ndarray, what: str) -> None:
    assert fact.element == Fact.of_array(array).element, what
    if fact.shape is None:
        return
    assert len(fact.shape) == array.ndim, what
    for extent, true in zip(fact.shape, array.shape):
        assert extent.lo <= true, (what, fact.shape)
        assert extent.hi is None or true <= extent.hi, (what, fact.shape)
    if (bounds := fact.bounds) is not None:
        assert bounds[0].shape == array.shape, what
        assert (bounds[0] <= array).all(), (what, bounds)
        assert (array <= bounds[1]).all(), (what, bounds)


def small(rng: np.random.Generator, shape: tuple[int, ...], dtype: type = np.int64) -> np.ndarray:
    return rng.integers(-6, 7, shape).astype(dtype)


def pair(rng: np.random.Generator) -> list[np.ndarray]:
    shapes = [((), ()), ((3,), ()), ((2, 1), (3,)), ((4,), (4,)), ((0,), (1,))][int(rng.integers(5))]
    dtype = (np.int64, np.int32, np.int8)[int(rng.integers(3))]
    return [small(rng, s, dtype) for s in shapes]


Generator = Callable[[np.random.Generator], tuple[type[OvOperation], list[np.ndarray], dict[str, AttrValue]]]
BINARY = (
    binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.DivideOp, binary.PowerOp, binary.MaximumOp,
    binary.MinimumOp, binary.ModOp, binary.FloorModOp, binary.SquaredDifferenceOp, compare.EqualOp,
    compare.NotEqualOp, compare.LessOp, compare.LessEqualOp, compare.GreaterOp, compare.GreaterEqualOp,
)  # fmt: skip
UNARY = (
    unary.AbsOp,
    unary.NegativeOp,
    unary.ReLUOp,
    unary.FloorOp,
    unary.CeilingOp,
    unary.SignOp,
    unary.SqrtOp,
)
LOGIC = (compare.LogicalAndOp, compare.LogicalOrOp, compare.LogicalXorOp)
REDUCTIONS = (
    reduction.ReduceSumOp, reduction.ReduceMeanOp, reduction.ReduceMaxOp, reduction.ReduceMinOp,
    reduction.ReduceProdOp, reduction.ReduceL1Op, reduction.ReduceL2Op,
)  # fmt: skip
CLASSES = (
    *BINARY,
    *UNARY,
    *LOGIC,
    *REDUCTIONS,
    compare.SelectOp,
    ConvertOp,
    unary.ClampOp,
    compare.LogicalNotOp,
)


def generate(
    op_class: type[OvOperation], rng: np.random.Generator
) -> tuple[list[np.ndarray], dict[str, AttrValue]]:
    if op_class in BINARY:
        attributes: dict[str, AttrValue] = {}
        if op_class is binary.DivideOp:
            attributes["m_pythondiv"] = bool(rng.integers(2))
        return pair(rng), attributes
    if op_class in LOGIC:
        return [a > 0 for a in pair(rng)], {}
    if op_class is compare.SelectOp:
        then, otherwise = pair(rng)
        return [small(rng, then.shape) > 0, then, otherwise], {}
    if op_class is compare.LogicalNotOp:
        return [small(rng, (3,)) > 0], {}
    if op_class in REDUCTIONS:
        rank = int(rng.integers(0, 4))
        data = small(rng, tuple(int(rng.integers(0, 4)) for _ in range(rank)), np.int32)
        axes = rng.permutation(rank)[: int(rng.integers(0, rank + 1))]
        return [data, axes.astype(np.int64)], {"keep_dims": bool(rng.integers(2))}
    data = pair(rng)[0]
    if op_class is ConvertOp:
        return [data], {"destination_type": (i1, i32, i64, f32)[int(rng.integers(4))]}
    return [data], {"min": -2.5, "max": 3.0} if op_class is unary.ClampOp else {}


@pytest.mark.parametrize("op_class", CLASSES, ids=lambda c: c.name)
def test_inference_is_exact_and_sound(op_class: type[OvOperation]):
    rng = np.random.default_rng(sum(op_class.name.encode()))
    for _ in range(120):
        arrays, attributes = generate(op_class, rng)
        op = op_class.make(*[ConstantOp.of(a).output for a in arrays], attributes=attributes)
        with np.errstate(all="ignore"):
            (result,) = evaluate(op, arrays)
        what = f"{op_class.name} {arrays} {attributes}"
        (exact,) = op.infer([Fact.of_array(a) for a in arrays])
        assert exact.static == result.shape, what
        assert_holds(exact, result, what)
        for _ in range(3):
            facts = [weakened(rng, a) if rng.integers(2) else Fact.of_array(a) for a in arrays]
            (fact,) = op.infer(facts)
            assert_holds(fact, result, f"{what} from {[(f.shape, f.bounds) for f in facts]}")


def ints(lo: list[int], hi: list[int]) -> Fact:
    return Fact.of_ints(i64, lo, hi)


def inferred(op_class: type[OvOperation], *facts: Fact, **attributes: AttrValue) -> Fact:
    """The first result's fact of an operation on operands of these facts."""
    from xdsl.ir import Block

    block = Block(arg_types=[f.type for f in facts])
    op = op_class.make(*block.args, attributes=attributes)
    return op.infer(facts)[0]


def bounds(fact: Fact) -> tuple[list[int], list[int]]:
    assert fact.bounds is not None
    return fact.bounds[0].tolist(), fact.bounds[1].tolist()


def test_bounds_that_shapes_need():
    n = ints([3, 0], [8, 4])
    two = Fact.of_array(np.array(2))
    assert bounds(inferred(binary.AddOp, n, two)) == ([5, 2], [10, 6])
    assert bounds(inferred(binary.SubtractOp, two, n)) == ([-6, -2], [-1, 2])
    assert bounds(inferred(binary.MultiplyOp, n, n)) == ([9, 0], [64, 16])
    assert bounds(inferred(binary.DivideOp, n, two)) == ([1, 0], [4, 2])
    assert bounds(inferred(binary.FloorModOp, n, two)) == ([0, 0], [1, 1])
    assert bounds(inferred(binary.MinimumOp, Fact(i64, shape_of([2])), n))[1] == [8, 4]
    assert bounds(inferred(reduction.ReduceProdOp, n, Fact.of_array(np.array([0])))) == (0, 32)
    assert bounds(inferred(ConvertOp, n, destination_type=i32)) == ([3, 0], [8, 4])
    assert bounds(inferred(unary.ReLUOp, ints([-4], [2]))) == ([0], [2])


def test_comparisons_decide():
    n = ints([3], [8])
    known = inferred(compare.LessOp, n, Fact.of_array(np.array([9])))
    assert known.value is not None
    assert known.value.tolist() == [True]
    assert inferred(compare.EqualOp, n, Fact.of_array(np.array([9]))).value is not None
    assert inferred(compare.EqualOp, n, Fact.of_array(np.array([5]))).value is None
    chosen = inferred(compare.SelectOp, known, n, Fact.of_array(np.array([100])))
    assert bounds(chosen) == ([3], [8])


def test_what_may_wrap_around_is_not_bounded():
    near = Fact.of_ints(i32, [2**31 - 2], [2**31 - 1])
    assert inferred(binary.AddOp, near, Fact.of_array(np.array([1], np.int32))).bounds is None
    assert bounds(inferred(binary.AddOp, near, Fact.of_array(np.array([-1], np.int32)))) == (
        [2**31 - 3],
        [2**31 - 2],
    )


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Dim(1, 1), Dim(2, 5), Dim(2, 5)),
        (Dim(4, 4), Dim(0, None), Dim(4, 4)),
        (Dim(2, None), Dim(), Dim(2, None)),
        (Dim(1, 3), Dim(1, 7), Dim(1, 7)),
        (Dim(2, 6), Dim(4, 9), Dim(4, 6)),
        (Dim(2, 3), Dim(4, 9), None),
        (Dim(0, 0), Dim(1, 1), Dim(0, 0)),
    ],
)
def test_broadcast_of_intervals(a: Dim, b: Dim, expected: Dim | None):
    assert broadcast_dim(a, b) == expected
    assert broadcast_dim(b, a) == expected


def test_unknown_rank_is_carried():
    unknown = Fact(f32, None)
    known = Fact(f32, shape_of([2, 3]))
    for op_class in (binary.AddOp, MatMulOp):
        assert inferred(op_class, unknown, known).shape is None
    assert inferred(SoftmaxOp, unknown).shape is None
    assert inferred(reduction.ReduceSumOp, unknown, Fact(i64, None)).shape is None
    assert inferred(reduction.ReduceSumOp, known, Fact(i64, None)).shape is None
    assert inferred(reduction.ReduceSumOp, known, Fact(i64, None), keep_dims=True).shape == (
        Dim(1, 2),
        Dim(1, 3),
    )
    # one axis of two is left: the one or the other
    assert inferred(reduction.ReduceSumOp, known, Fact(i64, shape_of([1]))).shape == (Dim(2, 3),)
    assert inferred(AvgPoolOp, unknown, kernel=[2, 2]).rank == 4
    assert inferred(ConvolutionOp, unknown, unknown).shape is None
    assert inferred(ConvolutionOp, unknown, Fact(f32, shape_of([4, 2, 3]))).shape == (
        Dim(),
        Dim(4, 4),
        Dim(1),
    )


def test_windows_on_intervals():
    data = Fact(f32, (Dim(1, 1), Dim(2, 2), Dim(5, 20)))
    filters = Fact(f32, shape_of([6, 2, 3]))
    assert inferred(ConvolutionOp, data, filters, strides=[2]).shape == (Dim(1, 1), Dim(6, 6), Dim(2, 9))
    assert inferred(ConvolutionOp, data, filters, strides=[2], auto_pad="same_upper").shape == (
        Dim(1, 1),
        Dim(6, 6),
        Dim(3, 10),
    )
    assert inferred(MaxPoolOp, Fact(f32, shape_of([1, 2, -1])), kernel=[3]).shape == (
        Dim(1, 1),
        Dim(2, 2),
        Dim(1),
    )
    grouped = Fact(f32, shape_of([2, 3, 1, 3]))
    assert inferred(GroupConvolutionOp, data, grouped).shape == (Dim(1, 1), Dim(6, 6), Dim(3, 18))
    kernel = Fact(f32, (Dim(6, 6), Dim(2, 2), Dim(2, 4)))
    assert inferred(ConvolutionOp, data, kernel).shape == (Dim(1, 1), Dim(6, 6), Dim(2, 19))


def test_matrix_product_shapes():
    a, b = Fact(f32, (Dim(1, 5), Dim(2, 2), Dim(3, 3))), Fact(f32, (Dim(3, 3), Dim()))
    assert inferred(MatMulOp, a, b).shape == (Dim(1, 5), Dim(2, 2), Dim())
    assert inferred(MatMulOp, Fact(f32, shape_of([3])), Fact(f32, shape_of([3]))).shape == ()


FLOAT = Fact(f32, shape_of([2, 3]))


def test_errors_of_types_and_shapes():
    with raises_error("element-types-differ", "f16"):
        inferred(binary.AddOp, FLOAT, Fact(f16, shape_of([3])))
    with raises_error("element-type", "a number"):
        inferred(binary.AddOp, Fact(i1, ()), Fact(i1, ()))
    with raises_error("element-type", "boolean"):
        inferred(compare.LogicalAndOp, FLOAT, FLOAT)
    with raises_error("element-type", "a float"):
        inferred(SoftmaxOp, Fact(i32, shape_of([3])))
    with raises_error("element-type"):
        inferred(MaxPoolOp, Fact(f32, shape_of([1, 1, 4])), kernel=[2], index_element_type=f32)
    with raises_error("broadcast-shapes", "[2, 3] and [2]"):
        inferred(binary.AddOp, FLOAT, Fact(f32, shape_of([2])))
    with raises_error("broadcast-shapes"):
        inferred(binary.AddOp, FLOAT, Fact(f32, shape_of([3])), auto_broadcast="none")
    with raises_error("broadcast-shapes", "one-sidedly"):
        inferred(binary.AddOp, Fact(f32, shape_of([3])), FLOAT, auto_broadcast="pdpd")
    with raises_error("attribute-value", "auto_broadcast"):
        inferred(binary.AddOp, FLOAT, FLOAT, auto_broadcast="sometimes")
    with raises_error("attribute-value", "min"):
        inferred(unary.ClampOp, FLOAT, min=2.0, max=1.0)
    with raises_error("axis-range", "axis 2"):
        inferred(LogSoftmaxOp, FLOAT, axis=2)
    with raises_error("axis-range"):
        inferred(reduction.ReduceSumOp, FLOAT, Fact.of_array(np.array([-3])))
    with raises_error("axis-twice"):
        inferred(reduction.ReduceSumOp, FLOAT, Fact.of_array(np.array([1, -1])))
    with raises_error("reduction-axes", "rank 2"):
        inferred(reduction.ReduceSumOp, FLOAT, Fact(i64, shape_of([1, 1])))
    with raises_error("matmul-shapes", "inner"):
        inferred(MatMulOp, FLOAT, FLOAT)
    with raises_error("matmul-shapes", "scalar"):
        inferred(MatMulOp, FLOAT, Fact(f32, ()))


def test_errors_of_windows():
    image = Fact(f32, shape_of([1, 2, 5, 5]))
    with raises_error("convolution-shapes", "channels"):
        inferred(ConvolutionOp, image, Fact(f32, shape_of([4, 3, 3, 3])))
    with raises_error("convolution-shapes", "rank"):
        inferred(ConvolutionOp, image, Fact(f32, shape_of([4, 2, 3])))
    with raises_error("convolution-shapes", "no elements"):
        inferred(ConvolutionOp, image, Fact(f32, shape_of([4, 2, 0, 3])))
    with raises_error("pooling-shapes", "spatial"):
        inferred(AvgPoolOp, image, kernel=[2])
    with raises_error("window-attributes", "strides"):
        inferred(AvgPoolOp, image, kernel=[2, 2], strides=[1])
    with raises_error("window-attributes", "at least 1"):
        inferred(AvgPoolOp, image, kernel=[2, 2], strides=[1, 0])
    with raises_error("window-attributes", "auto_pad"):
        inferred(AvgPoolOp, image, kernel=[2, 2], auto_pad="some")
    with raises_error("window-attributes", "rounding_type"):
        inferred(AvgPoolOp, image, kernel=[2, 2], rounding_type="up")
    with raises_error("window-attributes", "64 bits"):
        inferred(AvgPoolOp, image, kernel=[1 << 62, 2], dilations=[3, 1], auto_pad="same_upper")
    with raises_error("window-attributes", "64 bits"):
        inferred(AvgPoolOp, image, kernel=[2, 2], pads_begin=[(1 << 63) - 1, 0])
    with raises_error("window-too-large"):
        inferred(AvgPoolOp, image, kernel=[6, 2])


def test_convert_like():
    assert inferred(ConvertLikeOp, Fact(i32, shape_of([2, -1])), Fact(f16, None)).type.element_type == f16
