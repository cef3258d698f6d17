"""Lowerings of reshape, slicing, gathering, joining and broadcasting against `evaluate`, on random cases."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from loomir.dialects.element_types import f32, i32, i64
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from tests.support import raises_error
from tests.support_tools import MLIR_OPT, needs
from tests.unit.dialects.ov.movement_cases import GENERATORS, Case
from tests.unit.passes.structured.convert_ov_to_linalg.lowered import (
    build_main,
    lowered_to_structured,
    run_structured,
)

CASES = 12

PARAMETERS = {
    "reshape": [1], "slice": [1, 2, 3], "variadic_split": [2], "tile": [1], "broadcast": [1],
    "pad": [1, 2, 3], "gather": [], "range": [], "concat": [], "split": [], "transpose": [], "squeeze": [],
    "unsqueeze": [], "shape_of": [],
}  # fmt: skip
"""Arrays that may be inputs of the program besides data.

The others specify axes.
"""


def check(name: str, case: Case, rng: np.random.Generator, *, dynamic: bool, parameters: bool) -> None:
    expected = evaluate(case.build(), case.arrays)
    arguments = list(range(case.data))
    if parameters:
        arguments += [k for k in PARAMETERS[name] if k < len(case.arrays)]
    open_dims = [
        [i for i in range(case.arrays[k].ndim) if k < case.data and rng.integers(2)] if dynamic else []
        for k in arguments
    ]
    if name in ("squeeze",):
        # A dimension that may be 1 or not decides the rank.
        open_dims = [[i for i in dims if case.arrays[0].shape[i] != 1] for dims in open_dims]
        if len(case.arrays) == 1:
            open_dims = [[]]
    if any(open_dims) and any(0 in a.shape for a in (*case.arrays, *expected)):
        return  # dynamic dimensions beside an empty one: the flat form cannot say that yet
    module = build_main(
        case.op_class,
        case.arrays,
        case.attributes,
        arguments=arguments,
        open_dims=open_dims,
        variadic=case.variadic,
        results=case.results,
        result_bounds=[[e + 1 for e in r.shape] for r in expected],
    )
    shapes = [(a.shape, a.dtype) for a in case.arrays]
    what = f"{name} dynamic={open_dims}: {shapes} {case.arrays[1:]} {case.attributes}"
    try:
        actual = run_structured(module, {f"x{k}": case.arrays[k] for k in arguments})
    except Exception as error:
        raise AssertionError(f"{what}\n{module}") from error
    for ours, theirs in zip(actual, expected):
        assert ours.dtype == theirs.dtype, what
        assert ours.shape == theirs.shape, what
        np.testing.assert_array_equal(ours, theirs, err_msg=what)


@pytest.mark.parametrize("name", [n for n in GENERATORS if n != "strided_slice"])
@pytest.mark.parametrize("kind", ["static", "extents", "parameters", "both"])
def test_lowering_agrees_with_evaluate(name: str, kind: str):
    rng = np.random.default_rng(sum(name.encode()) + len(kind))
    for _ in range(CASES):
        case = GENERATORS[name](rng)
        check(name, case, rng, dynamic=kind in ("extents", "both"), parameters=kind in ("parameters", "both"))


@needs(MLIR_OPT)
@pytest.mark.parametrize("name", [n for n in GENERATORS if n != "strided_slice"])
def test_upstream_accepts_what_is_lowered(name: str):
    """Static programs, and those whose parameters are inputs, in one run of the tool."""
    rng = np.random.default_rng(sum(name.encode()))
    texts: list[str] = []
    for index in range(CASES):
        case = GENERATORS[name](rng)
        arguments = list(range(case.data)) + [
            k for k in PARAMETERS[name] if index % 2 and k < len(case.arrays)
        ]
        expected = evaluate(case.build(), case.arrays)
        module = build_main(
            case.op_class,
            case.arrays,
            case.attributes,
            arguments=arguments,
            variadic=case.variadic,
            results=case.results,
            result_bounds=[[e + 1 for e in r.shape] for r in expected],
        )
        texts.append(str(lowered_to_structured(module)))
    done = subprocess.run(
        [MLIR_OPT, "--split-input-file"],
        input="\n// -----\n".join(texts),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]


def run_one(
    op_class, arrays: list[np.ndarray], attributes: dict, arguments: list[int], **how
) -> list[np.ndarray]:
    module = build_main(op_class, arrays, attributes, arguments=arguments, **how)
    return run_structured(module, {f"x{k}": arrays[k] for k in arguments})


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,)])
@pytest.mark.parametrize("data_shape", [(4,), (3, 4), (3, 4, 2), (3, 0)])
@pytest.mark.parametrize("constant", [False, True])
def test_gather_outside(shape: tuple[int, ...], data_shape: tuple[int, ...], constant: bool):
    rng = np.random.default_rng(3)
    axis = min(1, len(data_shape) - 1)
    arrays = [
        rng.standard_normal(data_shape).astype(np.float32),
        rng.integers(-7, 7, shape).astype(np.int32),
        np.array(axis),
    ]
    arguments = [0] if constant else [0, 1]
    op = GatherOp.make(*[ConstantOp.of(a).output for a in arrays])
    (expected,) = evaluate(op, arrays)
    np.testing.assert_array_equal(run_one(GatherOp, arrays, {}, arguments)[0], expected)
    extent = data_shape[axis]
    if (abs(arrays[1] + 0.5) > extent).any():
        with raises_error("runtime-index"):
            run_one(GatherOp, arrays, {"out_of_range": "error"}, arguments)


FAILING = [
    (ReshapeOp, [np.zeros(6, np.float32), np.array([4, 2])], {}, [0, 1], [[4, 2]]),
    (ReshapeOp, [np.zeros(6, np.float32), np.array([4, -1])], {}, [0, 1], [[4, 2]]),
    (
        SliceOp,
        [np.zeros(6, np.float32), np.array([0]), np.array([2]), np.array([0])],
        {},
        [0, 1, 2, 3],
        [[6]],
    ),
    (TileOp, [np.zeros(6, np.float32), np.array([-1])], {}, [0, 1], [[6]]),
    (BroadcastOp, [np.zeros((2, 3), np.float32), np.array([2, 4])], {}, [0, 1], [[2, 4]]),
    (
        PadOp,
        [np.zeros(3, np.float32), np.array([3]), np.array([0])],
        {"pad_mode": "reflect"},
        [0, 1, 2],
        [[9]],
    ),
    (
        PadOp,
        [np.zeros(3, np.float32), np.array([4]), np.array([0])],
        {"pad_mode": "symmetric"},
        [0, 1, 2],
        [[9]],
    ),
    (RangeOp, [np.array(0), np.array(4), np.array(0)], {"output_type": i64}, [0, 1, 2], [[9]]),
    (RangeOp, [np.float32(0), np.float32(4), np.float32(0)], {"output_type": f32}, [0, 1, 2], [[9]]),
]


@pytest.mark.parametrize("index", range(len(FAILING)))
def test_asserts(index: int):
    op_class, arrays, attributes, arguments, bounds = FAILING[index]
    with raises_error("runtime-shape"):
        run_one(op_class, [np.asarray(a) for a in arrays], attributes, arguments, result_bounds=bounds)


def test_asserts_of_dynamic_dimensions():
    x = np.zeros((2, 3), np.float32)
    with raises_error("runtime-shape"):
        run_one(SqueezeOp, [x, np.array([0])], {}, [0], open_dims=[[0]], result_bounds=[[3]])
    with raises_error("runtime-shape"):
        run_one(
            SplitOp,
            [x, np.array(0)],
            {"num_splits": 4},
            [0],
            open_dims=[[0]],
            results=4,
            result_bounds=[[1, 3]] * 4,
        )
    with raises_error("runtime-shape"):
        run_one(
            VariadicSplitOp, [x, np.array(0), np.array([1, 2])], {}, [0], open_dims=[[0]], results=2,
            result_bounds=[[1, 3], [2, 3]],
        )  # fmt: skip
    with raises_error("runtime-shape"):
        run_one(
            ConcatOp, [x, np.zeros((4, 3), np.float32)], {"axis": 1}, [0, 1], open_dims=[[0], [0]],
            variadic=True,
            result_bounds=[[4, 6]],
        )  # fmt: skip


def test_a_range_beyond_its_buffer():
    arrays = [np.array(0), np.array(100), np.array(1)]
    with raises_error("runtime-capacity"):
        run_one(RangeOp, arrays, {"output_type": i64}, [0, 1, 2], result_bounds=[[9]])


@pytest.mark.parametrize("element", [f32, i32, i64])
def test_range_of_other_types(element):
    arrays = [np.array(-3, np.int8), np.array(7.5, np.float32), np.array([2], np.int64)]
    op = RangeOp.make(*[ConstantOp.of(a).output for a in arrays], attributes={"output_type": element})
    (expected,) = evaluate(op, arrays)
    (actual,) = run_one(RangeOp, arrays, {"output_type": element}, [0, 1, 2], result_bounds=[[9]])
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)


def test_axes_must_be_known():
    arrays = [np.zeros((2, 3), np.float32), np.array([1, 0])]
    with raises_error("unknown-axes"):
        run_one(TransposeOp, arrays, {}, [0, 1], result_bounds=[[3, 3]])


def test_views_copy_nothing():
    x = np.zeros((1, 4, 6), np.float32)
    for op_class, parameters in (
        (ReshapeOp, [np.array([2, 12])]),
        (SqueezeOp, [np.array([0])]),
        (UnsqueezeOp, [np.array([1])]),
        (TransposeOp, [np.array([1, 0, 2])]),
        (SliceOp, [np.array([1]), np.array([4]), np.array([2]), np.array([1])]),
        (GatherOp, [np.array(2), np.array(1)]),
        (GatherOp, [np.array([1, 3]), np.array(1)]),
    ):
        module = lowered_to_structured(build_main(op_class, [x, *parameters], {}, arguments=[0]))
        names = {op.name for op in module.walk()}
        assert not names & {"linalg.generic", "tensor.empty", "linalg.fill"}, (op_class, names)
