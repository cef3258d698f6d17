"""Bodies whose layers the shapes forbid: an error when they run, unless the model says that they do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.conformance.test_specification_examples import (
    ENGINES,
    FIXTURES,
    edges,
    layer,
    parameter,
    port,
)
from tests.support import assert_agree, raises_error

F32 = np.float32


def loop(folder: Path, trips: int | None) -> Path:
    """`for trips: x = x + reshape(a, [])` with `a` of no elements; the trip count is an input where none is given."""
    target = layer(
        3, "target", "Const", 'element_type="i64" shape="0" offset="0" size="0"', outputs=[((0,), "I64")]
    )
    body = [
        parameter(0, "state", "f32", ()),
        parameter(1, "a", "f32", (0,)),
        target,
        layer(4, "scalar", "Reshape", 'special_zero="true"', [(0,), (0,)], [((), "FP32")]),
        layer(5, "sum", "Add", 'auto_broadcast="numpy"', [(), ()], [((), "FP32")]),
        layer(
            6, "go", "Const", 'element_type="boolean" shape="" offset="0" size="1"', outputs=[((), "BOOL")]
        ),
        layer(7, "condition", "Result", inputs=[()]),
        layer(8, "next", "Result", inputs=[()]),
    ]
    wires = edges((1, 0, 4, 0), (3, 0, 4, 1), (0, 0, 5, 0), (4, 2, 5, 1), (6, 0, 7, 0), (5, 2, 8, 0))
    element = f"""<layer id="4" name="loop" type="Loop" version="opset5"><data/>
      <input>{port(0, ())}{port(1, ())}{port(2, ())}{port(3, (0,))}</input>
      <output>{port(4, (), "FP32")}</output>
      <port_map>
        <input external_port_id="2" internal_layer_id="0"/>
        <input external_port_id="3" internal_layer_id="1"/>
        <output external_port_id="-1" internal_layer_id="7" purpose="execution_condition"/>
        <output external_port_id="4" internal_layer_id="8"/>
      </port_map>
      <back_edges><edge from-layer="8" to-layer="0"/></back_edges>
      <body><layers>{"".join(body)}</layers>{wires}</body></layer>"""
    count = layer(
        0, "trips", "Const", 'element_type="i64" shape="" offset="8" size="8"', outputs=[((), "I64")]
    )
    layers = [
        parameter(0, "trips", "i64", ()) if trips is None else count,
        layer(
            1, "go", "Const", 'element_type="boolean" shape="" offset="0" size="1"', outputs=[((), "BOOL")]
        ),
        parameter(2, "x", "f32", ()),
        parameter(3, "a", "f32", (0,)),
        element,
        layer(5, "y", "Result", inputs=[()]),
    ]
    outer = edges((0, 0, 4, 0), (1, 0, 4, 1), (2, 0, 4, 2), (3, 0, 4, 3), (4, 4, 5, 0))
    path = folder / "loop.xml"
    path.write_text(f'<net name="loop" version="11"><layers>{"".join(layers)}</layers>{outer}</net>')
    path.with_suffix(".bin").write_bytes(np.int64(1).tobytes() + np.int64(trips or 0).tobytes())
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_loop_of_unknown_trip_count(engine: str, tmp_path: Path) -> None:
    model = loomir.load(loop(tmp_path, None))
    feed = {"x": F32(3), "a": np.zeros(0, F32)}
    assert_agree(model.run({**feed, "trips": np.int64(0)}, engine=engine)["y"], F32(3))
    with raises_error("runtime-shape", *(() if engine == "native" else ("'scalar' (Reshape)", "0 elements"))):
        model.run({**feed, "trips": np.int64(1)}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_loop_that_never_runs(engine: str, tmp_path: Path) -> None:
    model = loomir.load(loop(tmp_path, 0))
    assert_agree(model.run({"x": F32(3), "a": np.zeros(0, F32)}, engine=engine)["y"], F32(3))


def test_loop_that_surely_runs(tmp_path: Path) -> None:
    with raises_error("reshape-size", "'scalar' (Reshape)"):
        loomir.load(loop(tmp_path, 2))


def test_what_no_shape_would_allow(tmp_path: Path) -> None:
    with raises_error("bad-attribute", "'scalar' (Reshape)", "special_zero"):
        loomir.load(edited(loop(tmp_path, 0), 'special_zero="true"', 'special_zero="perhaps"'))


def edited(path: Path, old: str, new: str) -> Path:
    path.write_text(path.read_text().replace(old, new))
    return path


def branch(folder: Path, wrong: tuple[int, int], condition: bool | None = None) -> Path:
    """The specification's If-8, whose else branch adds a `w` of a shape that does not fit."""
    known = layer(
        0, "cond", "Const", 'element_type="boolean" shape="" offset="0" size="1"', outputs=[((), "BOOL")]
    )
    layers = [
        parameter(0, "cond", "boolean", ()) if condition is None else known,
        *(parameter(k, n, "f32", s) for k, n, s in ((1, "x", (2, 4)), (2, "z", (2, 4)), (3, "w", wrong))),
        (FIXTURES / "if8_example.xml").read_text(),
        layer(7, "y", "Result", inputs=[(2, 4)]),
    ]
    wires = edges((0, 0, 6, 0), (1, 0, 6, 1), (2, 0, 6, 2), (3, 0, 6, 3), (6, 4, 7, 0))
    path = folder / "if.xml"
    path.write_text(f'<net name="if" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    path.with_suffix(".bin").write_bytes(bytes([bool(condition)]))
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_branch(engine: str, tmp_path: Path) -> None:
    model = loomir.load(branch(tmp_path, (3, 5)))
    x, z, w = np.ones((2, 4), F32), np.ones((2, 4), F32), np.ones((3, 5), F32)
    feed = {"x": x, "z": z, "w": w}
    (actual,) = model.run({**feed, "cond": np.bool_(True)}, engine=engine).values()
    assert_agree(actual, x + z)
    with raises_error("runtime-shape", *(() if engine == "native" else ("(Add)",))):
        model.run({**feed, "cond": np.bool_(False)}, engine=engine)


def test_branch_that_is_surely_taken(tmp_path: Path) -> None:
    assert loomir.load(branch(tmp_path, (3, 5), True)).inputs[0].name == "x"
    with raises_error("broadcast-shapes", "(Add)"):
        loomir.load(branch(tmp_path, (3, 5), False))
