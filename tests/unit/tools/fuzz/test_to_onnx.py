"""ONNX models of trees: parts of operands and joined results, names of outputs, captures as results."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from loomir.tools.fuzz import AxisExtent, Joining, Loop, Op, Open, Program, Region, Slicing, Value
from loomir.tools.fuzz.onnx_oracle import to_onnx
from tests.differential.oracle import run_onnxruntime


def run(program: Program) -> dict[str, np.ndarray]:
    model = to_onnx(program)
    onnx.checker.check_model(model, full_check=True)
    return run_onnxruntime(model, program.feeds)[0]


def parts_program(
    slicing: Slicing, joining: Joining, part_shape: tuple[AxisExtent, ...], trips: int
) -> Program:
    """Every part, its number added, put together again."""
    x = slicing.value
    i, c, p = Value("i", "i64", ()), Value("c", "bool", ()), Value("p", "f32", part_shape)
    f, s, true, n = (
        Value("f", "f32", ()),
        Value("s", "f32", part_shape),
        Value("t", "bool", ()),
        Value("n", "i64", ()),
    )
    inner = (
        Op("Constant", (), (true,), {"value": np.array(True)}),
        Op("Cast", (i,), (f,), {"to": "f32"}),
        Op("Add", (p, f), (s,)),
    )
    extents = [e for e in part_shape if isinstance(e, int)]
    extents[joining.axis] *= trips
    out = Value("out", "f32", tuple(extents))
    body = Region((i, c, p), inner, (true, s))
    loop = Loop(n, None, (), body, (out,), 0, (slicing,), (joining,))
    start = Op("Constant", (), (n,), {"value": np.array(trips)})
    feed = {"x": np.arange(12, dtype=np.float32).reshape([e for e in x.shape or () if isinstance(e, int)])}
    return Program("parts", Region((x,), (start, loop), (out,)), (feed,))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("join_backward", [False, True])
@pytest.mark.parametrize("part", [1, 2])
def test_parts(axis: int, backward: bool, join_backward: bool, part: int) -> None:
    x = Value("x", "f32", (2, 6) if axis else (6, 2))
    slicing = Slicing(x, axis, -1, 0, -part, part) if backward else Slicing(x, axis, 0, -1, part, part)
    shape = (2, part) if axis else (part, 2)
    trips = 6 // part
    program = parts_program(slicing, Joining(1 - axis, 2, join_backward), shape, trips)
    data = np.split(program.feeds[0]["x"], trips, axis)
    taken = [p + i for i, p in enumerate(reversed(data) if backward else data)]
    expected = np.concatenate(taken[::-1] if join_backward else taken, 1 - axis)
    np.testing.assert_array_equal(run(program)["out"], expected)


def test_parts_from_a_start_with_a_stride() -> None:
    x = Value("x", "f32", (6, 2))
    program = parts_program(Slicing(x, 0, 1, -1, 2, 1), Joining(0), (1, 2), 3)
    expected = program.feeds[0]["x"][1::2] + np.arange(3, dtype=np.float32)[:, None]
    np.testing.assert_array_equal(run(program)["out"], expected)


def test_no_trips_join_to_nothing() -> None:
    x = Value("x", "f32", (6, 2))
    program = parts_program(Slicing(x, 0), Joining(0), (1, 2), 0)
    assert run(program)["out"].shape == (0, 2)


def test_results_have_names_of_their_own() -> None:
    x, y = (Value(n, "f32", (2,)) for n in "xy")
    region = Region((x,), (Op("Neg", (x,), (y,)),), (y, x, y))
    program = Program("names", region, ({"x": np.array([1, 2], np.float32)},))
    assert [name for name, _ in program.outputs] == ["y", "x_out1", "y_out2"]
    outputs = run(program)
    assert {n: a.tolist() for n, a in outputs.items()} == {
        "y": [-1, -2],
        "x_out1": [1, 2],
        "y_out2": [-1, -2],
    }


def test_dynamic_dimensions_of_inputs_have_names_and_bounds() -> None:
    n = Open("n", 1, 4)
    x, y = Value("x", "f32", (n, 2)), Value("y", "f32", (n, 2))
    program = Program(
        "open", Region((x,), (Op("Neg", (x,), (y,)),), (y,)), ({"x": np.ones((3, 2), np.float32)},)
    )
    assert program.max_shapes() == {"x": [4, 2]}
    graph = to_onnx(program).graph
    assert graph.input[0].type.tensor_type.shape.dim[0].dim_param == "n"
    assert graph.output[0].type.tensor_type.shape.dim[0].dim_param == "n"
    assert run(program)["y"].shape == (3, 2)
