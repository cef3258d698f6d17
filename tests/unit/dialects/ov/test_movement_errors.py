"""Errors of operations that reshape, slice, gather, join and broadcast.

Inference and evaluation report them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, SSAValue

from loomir.dialects.element_types import f32, i32, i64
from loomir.dialects.ov.base import OvOperation, evaluate
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp
from tests.support import raises_error

X = np.zeros((2, 3), np.float32)


def argument(*shape: int, element=f32) -> SSAValue:
    return Block(arg_types=[TensorType(element, [DYNAMIC_INDEX if e < 0 else e for e in shape])]).args[0]


def value(v) -> SSAValue:
    return v if isinstance(v, SSAValue) else ConstantOp.of(np.asarray(v)).output


def make(op_class: type[OvOperation], *operands, results: int = 1, **attributes) -> OvOperation:
    return op_class.make(
        *[[value(v) for v in o] if isinstance(o, tuple) else value(o) for o in operands],
        attributes=attributes,
        results=results,
    )


def test_reshape():
    for pattern in ([-1, -1], [-2, 3], [0, 0, 0, 6]):
        with raises_error("reshape-pattern"):
            make(ReshapeOp, X, pattern, special_zero=True)
    for pattern in ([7], [4, -1], [2, 2]):
        with raises_error("reshape-size"):
            make(ReshapeOp, X, pattern)
    with raises_error("element-type"):
        make(ReshapeOp, X, [1.5])
    with raises_error("operand-rank"):
        make(ReshapeOp, X, [[6]])


def test_squeeze_unsqueeze_transpose():
    with raises_error("squeeze-extent"):
        make(SqueezeOp, X, [0], strict=True)
    assert make(SqueezeOp, X, [0]).results[0].type == TensorType(f32, [2, 3])
    with raises_error("axis-range"):
        make(SqueezeOp, X, [2])
    with raises_error("axis-twice"):
        make(UnsqueezeOp, X, [0, -4])
    for order in ([0, 0], [1], [0, 2]):
        with raises_error("transpose-order"):
            make(TransposeOp, X, order)
    with raises_error("element-type"):
        make(ShapeOfOp, X, output_type=f32)


def test_slicing():
    with raises_error("slice-step"):
        make(SliceOp, X, [0], [1], [0])
    with raises_error("slice-parameters"):
        make(SliceOp, X, [0, 0], [1], [1])
    with raises_error("slice-parameters"):
        make(SliceOp, X, [0] * 3, [1] * 3, [1] * 3)
    with raises_error("axis-range"):
        make(SliceOp, X, [0], [1], [1], [5])
    with raises_error("slice-parameters"):
        make(StridedSliceOp, X, [0, 0], [1], [1])
    with raises_error("strided-slice-masks"):
        make(StridedSliceOp, X, [0] * 3, [1] * 3, [1] * 3)
    with raises_error("strided-slice-masks"):
        make(StridedSliceOp, X, [0, 0], [1, 1], [1, 1], ellipsis_mask=[1, 1])
    for parts, results in ((2, 2), (0, 1), (3, 2)):
        with raises_error("split-size"):
            make(SplitOp, X, 1, num_splits=parts, results=results)
    for sizes in ([1, 1], [-1, -1], [4, -1], [-2, 5], [1, 1, 1]):
        with raises_error("split-size"):
            make(VariadicSplitOp, X, 1, sizes, results=2)
    with raises_error("operand-rank"):
        make(SplitOp, X, [0, 1], num_splits=1)


def test_gather():
    with raises_error("axis-range"):
        make(GatherOp, X, [0], 2)
    with raises_error("gather-batch-dims"):
        make(GatherOp, X, [0], 0, batch_dims=1)
    with raises_error("gather-batch-dims"):
        make(GatherOp, X, [[0], [0], [0]], 1, batch_dims=1)
    with raises_error("gather-batch-dims"):
        make(GatherOp, X, [0], 0, batch_dims=2)
    with raises_error("attribute-value"):
        make(GatherOp, X, [0], 0, out_of_range="wrap")
    with raises_error("operand-rank"):
        make(GatherOp, np.float32(1), [0], 0)


def test_joining():
    with raises_error("concat-shape"):
        make(ConcatOp, (), axis=0)
    with raises_error("concat-shape"):
        make(ConcatOp, (X, np.zeros((2, 4), np.float32)), axis=0)
    with raises_error("concat-shape"):
        make(ConcatOp, (X, np.zeros(2, np.float32)), axis=0)
    with raises_error("element-types-differ"):
        make(ConcatOp, (X, np.zeros((2, 3), np.int32)), axis=0)
    with raises_error("tile-repeats"):
        make(TileOp, X, [1, -1])


def test_broadcasting():
    for target in ([2, 4], [3], [-1, 3]):
        with raises_error("broadcast-shape"):
            make(BroadcastOp, X, target)
    with raises_error("broadcast-shape"):
        make(BroadcastOp, X, [4, 2, 4], mode="bidirectional")
    for mapping in ([1, 0], [0], [0, 5]):
        with raises_error("broadcast-mapping"):
            make(BroadcastOp, X, [2, 3, 4], mapping, mode="explicit")
    with raises_error("broadcast-mapping"):
        make(BroadcastOp, X, [2, 3, 4], mode="explicit")
    with raises_error("attribute-value"):
        make(BroadcastOp, X, [2, 3], mode="pdpd")
    with raises_error("range-step"):
        make(RangeOp, 0, 3, 0, output_type=i64)
    with raises_error("element-type"):
        make(RangeOp, False, 3, 1, output_type=i64)
    with raises_error("pad-length"):
        make(PadOp, X, [0], [0, 0])
    with raises_error("pad-size"):
        make(PadOp, X, [0, 3], [0, 0], pad_mode="reflect")
    with raises_error("pad-size"):
        make(PadOp, X, [0, 0], [3, 0], pad_mode="symmetric")
    with raises_error("attribute-value"):
        make(PadOp, X, [0, 0], [3, 0], pad_mode="wrap")
    with raises_error("element-types-differ"):
        make(PadOp, X, [0, 0], [3, 0], 1, pad_mode="constant")


FLAT, PATTERN = np.zeros(6, np.float32), argument(2, element=i64)

AT_RUN_TIME = [
    (ReshapeOp, (argument(-1), PATTERN), [FLAT, np.array([2, 2])], {}, 1),
    (ReshapeOp, (argument(-1), PATTERN), [FLAT, np.array([4, -1])], {}, 1),
    (SqueezeOp, (argument(-1, 3), [0]), [X, np.array([0])], {}, 1),
    (SplitOp, (argument(-1, 3), 0), [X, np.array(0)], {"num_splits": 3}, 3),
    (VariadicSplitOp, (argument(-1, 3), 0, [1, 2]), [X, np.array(0), np.array([1, 2])], {}, 2),
    (TileOp, (X, argument(2, element=i32)), [X, np.array([1, -1], np.int32)], {}, 1),
    (BroadcastOp, (X, argument(2, element=i64)), [X, np.array([2, 4])], {}, 1),
    (BroadcastOp, (X, argument(2, element=i64)), [X, np.array([2, 4])], {"mode": "bidirectional"}, 1),
    (
        StridedSliceOp, (X, argument(1, element=i64), [9]), [X, np.array([5]), np.array([9])],
        {"shrink_axis_mask": [1]}, 1,
    ),
]  # fmt: skip


@pytest.mark.parametrize("index", range(len(AT_RUN_TIME)))
def test_refused_when_run(index: int):
    op_class, operands, arrays, attributes, results = AT_RUN_TIME[index]
    op = make(op_class, *operands, results=results, **attributes)
    with raises_error("runtime-shape"):
        evaluate(op, arrays)


def test_concat_refused_when_run():
    op = make(ConcatOp, (argument(-1, 3), argument(-1, 3)), axis=1)
    arrays: Sequence[np.ndarray] = [X, np.zeros((3, 3), np.float32)]
    with raises_error("runtime-shape"):
        evaluate(op, arrays)


def test_gather_batches_refused_when_run():
    op = make(GatherOp, argument(-1, 3), argument(-1, 2, element=i64), 1, batch_dims=1)
    with raises_error("runtime-shape"):
        evaluate(op, [X, np.zeros((3, 2), np.int64), np.array(1)])


def test_what_must_be_one_number() -> None:
    with raises_error("operand-size", "pad_value"):
        make(PadOp, X, [0, 0], [0, 0], np.zeros(2, np.float32))
    with raises_error("operand-size", "stop"):
        make(RangeOp, 0, [1, 2], 1, output_type=i64)
