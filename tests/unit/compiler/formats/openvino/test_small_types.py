"""Every element type that a Const may have, through TensorIterator, Loop and If: cut and joined, carried, chosen.

No oracle: OpenVINO 2026.4's CPU plugin refuses most of these types in a body, and ends with a segmentation fault for u1.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from tests.conformance.test_specification_examples import edges, layer, parameter, port
from tests.support import raises_error
from tests.unit.compiler.formats.openvino.test_constant_types import DECODED, RAW


def constant(identifier: int, type_: str, n: int) -> str:
    """The bytes `RAW` as a Const."""
    data = f'element_type="{type_}" shape="{n}" offset="0" size="{len(RAW)}"'
    return layer(identifier, "w", "Const", data, outputs=[((n,), type_.upper())])


def convert(identifier: int, n: int) -> str:
    return layer(
        identifier, f"convert{identifier}", "Convert", 'destination_type="f32"', [(n,)], [((n,), "FP32")]
    )


def result(identifier: int, n: int) -> str:
    return layer(identifier, f"result{identifier}", "Result", inputs=[(n,)])


def net(folder: Path, layers: list[str], wires: str) -> Path:
    path = folder / "m.xml"
    path.write_text(f'<net name="m" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    path.with_suffix(".bin").write_bytes(RAW)
    return path


def iterated(folder: Path, type_: str, n: int) -> Path:
    """A TensorIterator over a Const: its parts joined again last first, the whole carried along unchanged, and x plus the parts."""
    body = [
        parameter(0, "part", type_, (1,)),
        parameter(1, "state", type_, (n,)),
        result(2, 1),
        result(3, n),
        parameter(4, "sum", "f32", (1,)),
        convert(5, 1),
        layer(6, "add", "Add", 'auto_broadcast="numpy"', [(1,), (1,)], [((1,), "FP32")]),
        result(7, 1),
    ]
    inner = edges((0, 0, 2, 0), (1, 0, 3, 0), (0, 0, 5, 0), (5, 1, 6, 0), (4, 0, 6, 1), (6, 2, 7, 0))
    iterator = f"""<layer id="2" name="ti" type="TensorIterator" version="opset1"><data/>
      <input>{port(0, (n,))}{port(1, (1,))}</input>
      <output>{port(2, (n,), type_.upper())}{port(3, (n,), type_.upper())}{port(4, (1,), "FP32")}</output>
      <port_map>
        <input axis="0" external_port_id="0" internal_layer_id="0"/>
        <input external_port_id="0" internal_layer_id="1"/>
        <input external_port_id="1" internal_layer_id="4"/>
        <output axis="0" external_port_id="2" internal_layer_id="2" start="-1" end="0" stride="-1"/>
        <output external_port_id="3" internal_layer_id="3"/>
        <output external_port_id="4" internal_layer_id="7"/>
      </port_map>
      <back_edges><edge from-layer="3" to-layer="1"/><edge from-layer="7" to-layer="4"/></back_edges>
      <body><layers>{"".join(body)}</layers>{inner}</body></layer>"""
    layers = [constant(0, type_, n), parameter(1, "x", "f32", (1,)), iterator, convert(3, n), convert(4, n)]
    layers += [result(5, n), result(6, n), result(7, 1)]
    outer = edges(
        (0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (2, 3, 4, 0), (3, 1, 5, 0), (4, 1, 6, 0), (2, 4, 7, 0)
    )
    return net(folder, layers, outer)


def chosen(folder: Path, type_: str, n: int) -> Path:
    """An If that gives the Const from outside, or its own."""
    then = f"<layers>{parameter(0, 'a', type_, (n,))}{result(1, n)}</layers>{edges((0, 0, 1, 0))}"
    other = f"<layers>{constant(0, type_, n)}{result(1, n)}</layers>{edges((0, 0, 1, 0))}"
    branch = f"""<layer id="2" name="if" type="If" version="opset8"><data/>
      <input>{port(0, ())}{port(1, (n,))}</input><output>{port(2, (n,), type_.upper())}</output>
      <then_port_map>
        <input external_port_id="1" internal_layer_id="0"/><output external_port_id="0" internal_layer_id="1"/>
      </then_port_map>
      <else_port_map><output external_port_id="0" internal_layer_id="1"/></else_port_map>
      <then_body>{then}</then_body><else_body>{other}</else_body></layer>"""
    layers = [parameter(1, "c", "boolean", ()), constant(0, type_, n), branch, convert(3, n), result(4, n)]
    return net(folder, layers, edges((1, 0, 2, 0), (0, 0, 2, 1), (2, 2, 3, 0), (3, 1, 4, 0)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("type_", DECODED)
def test_through_an_iterator(type_: str, engine: Engine, tmp_path: Path) -> None:
    values = np.array(DECODED[type_], np.float32)
    model = loomir.load(iterated(tmp_path, type_, len(values)))
    parts, state, total = model.run({"x": np.ones(1, np.float32)}, engine=engine).values()
    np.testing.assert_allclose(parts, values[::-1], rtol=1e-7)
    np.testing.assert_allclose(state, values, rtol=1e-7)
    np.testing.assert_allclose(total, [1 + values.sum(dtype=np.float64)], rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("type_", DECODED)
def test_through_a_branch(type_: str, engine: Engine, tmp_path: Path) -> None:
    values = np.array(DECODED[type_], np.float32)
    model = loomir.load(chosen(tmp_path, type_, len(values)))
    for condition in (True, False):
        (actual,) = model.run({"c": np.bool_(condition)}, engine=engine).values()
        np.testing.assert_allclose(actual, values, rtol=1e-7)


@pytest.mark.parametrize("type_", ["u1", "u3", "u6", "nf4"])
def test_nothing_is_converted_to_what_only_constants_have(type_: str, tmp_path: Path) -> None:
    path = chosen(tmp_path, "u8", 3)
    path.write_text(path.read_text().replace('destination_type="f32"', f'destination_type="{type_}"'))
    with raises_error("unsupported-type", type_, "'convert3' (Convert)"):
        loomir.load(path)
