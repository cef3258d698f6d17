"""Element types of which GRAPH only moves the elements, in loops and branches of OpenVINO IR: u1, u3, u6, nf4, strings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.conformance.test_specification_examples import edges, layer, parameter, port
from tests.support import raises_error

VALUES = {
    "u1": ([1, 0, 1], [0, 0, 1]), "u3": ([7, 0, 5], [1, 2, 3]), "u6": ([63, 0, 33], [1, 2, 40]), "nf4": ([15, 0, 7], [1, 8, 3]),
    "string": (["a", "", "Ω b"], ["xyz", "q", ""]),
}  # fmt: skip
TYPES = list(VALUES)
PRECISION = {"u1": "BIN"}


def arrays(element: str) -> tuple[np.ndarray, np.ndarray]:
    dtype = object if element == "string" else np.uint8
    first, second = (np.array([[value] for value in values], dtype) for values in VALUES[element])
    return first, second


def swap(folder: Path, element: str, trips: int | None = None) -> Path:
    """A Loop that exchanges two values, and joins one of them; the trip count is fed or constant."""
    shape, precision = (3, 1), PRECISION.get(element, element.upper())
    fed = trips is None
    body = [
        parameter(7, "left", element, shape), parameter(9, "right", element, shape),
        layer(2, "true", "Const", 'element_type="boolean" shape="" offset="8" size="1"', outputs=[((), "BOOL")]),
        layer(3, "to-right", "Result", inputs=[shape]), layer(4, "to-left", "Result", inputs=[shape]),
        layer(5, "more", "Result", inputs=[()]), layer(6, "part", "Result", inputs=[shape]),
    ]  # fmt: skip
    wires = edges((9, 0, 3, 0), (7, 0, 4, 0), (2, 0, 5, 0), (7, 0, 6, 0))
    ports = port(0, ()) + port(1, ()) + port(2, shape) + port(3, shape)
    outputs = port(4, shape, precision) + port(5, shape, precision) + port(6, (3, -1), precision)
    loop = f"""<layer id="4" name="swap" type="Loop" version="opset5"><input>{ports}</input><output>{outputs}</output>
      <port_map><input external_port_id="2" internal_layer_id="7"/><input external_port_id="3" internal_layer_id="9"/>
        <output external_port_id="4" internal_layer_id="3"/><output external_port_id="5" internal_layer_id="4"/>
        <output external_port_id="6" internal_layer_id="6" axis="1"/>
        <output external_port_id="-1" internal_layer_id="5" purpose="execution_condition"/></port_map>
      <back_edges><edge from-layer="3" to-layer="7"/><edge from-layer="4" to-layer="9"/></back_edges>
      <body><layers>{"".join(body)}</layers>{wires}</body></layer>"""
    count = parameter(0, "n", "i64", ()) if fed else layer(
        0, "n", "Const", 'element_type="i64" shape="" offset="0" size="8"', outputs=[((), "I64")]
    )  # fmt: skip
    layers = [
        count, layer(1, "go", "Const", 'element_type="boolean" shape="" offset="8" size="1"', outputs=[((), "BOOL")]),
        parameter(2, "x", element, shape), parameter(3, "y", element, shape), loop,
        layer(5, "a", "Result", inputs=[shape]), layer(6, "b", "Result", inputs=[shape]), layer(7, "all", "Result", inputs=[(3, -1)]),
    ]  # fmt: skip
    outer = edges(
        (0, 0, 4, 0), (1, 0, 4, 1), (2, 0, 4, 2), (3, 0, 4, 3), (4, 4, 5, 0), (4, 5, 6, 0), (4, 6, 7, 0)
    )
    path = folder / "swap.xml"
    path.write_text(f'<net name="swap" version="11"><layers>{"".join(layers)}</layers>{outer}</net>')
    path.with_suffix(".bin").write_bytes(np.int64(trips or 0).tobytes() + b"\1")
    return path


@pytest.mark.parametrize("level", ["O0", "O2", "Os"])
@pytest.mark.parametrize("trips", [0, 1, 2, 3])
@pytest.mark.parametrize("fed", [True, False])
@pytest.mark.parametrize("element", TYPES)
def test_loop(element: str, fed: bool, trips: int, level, tmp_path: Path) -> None:
    x, y = arrays(element)
    model = loomir.load(swap(tmp_path, element, None if fed else trips), level=level)
    given = {"x": x, "y": y, **({"n": np.int64(trips)} if fed else {})}
    outputs = model.run(given, engine="graph")
    parts = [y if k % 2 else x for k in range(trips)]
    assert outputs["a"].tolist() == (y if trips % 2 else x).tolist()
    assert outputs["b"].tolist() == (x if trips % 2 else y).tolist()
    assert outputs["all"].tolist() == (np.concatenate(parts, 1) if parts else x[:, :0]).tolist()
    assert {value.dtype for value in outputs.values()} == {x.dtype}


def choice(folder: Path, element: str) -> Path:
    """An If that gives one of its two inputs."""
    shape, precision = (3, 1), PRECISION.get(element, element.upper())
    arm = f"<layers>{parameter(0, 'v', element, shape)}{layer(1, 'r', 'Result', inputs=[shape])}</layers>{edges((0, 0, 1, 0))}"
    maps = "".join(
        f'<{arm_}_port_map><input external_port_id="{k}" internal_layer_id="0"/>'
        f'<output external_port_id="0" internal_layer_id="1"/></{arm_}_port_map>'
        for arm_, k in (("then", 1), ("else", 2))
    )
    branch = f"""<layer id="3" name="if" type="If" version="opset8"><input>{port(0, ())}{port(1, shape)}{port(2, shape)}</input>
      <output>{port(3, shape, precision)}</output>{maps}<then_body>{arm}</then_body><else_body>{arm}</else_body></layer>"""
    layers = [
        parameter(0, "c", "boolean", ()), parameter(1, "x", element, shape), parameter(2, "y", element, shape), branch,
        layer(4, "z", "Result", inputs=[shape]),
    ]  # fmt: skip
    wires = edges((0, 0, 3, 0), (1, 0, 3, 1), (2, 0, 3, 2), (3, 3, 4, 0))
    path = folder / "choice.xml"
    path.write_text(f'<net name="choice" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    return path


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("element", TYPES)
def test_branch(element: str, level, tmp_path: Path) -> None:
    x, y = arrays(element)
    model = loomir.load(choice(tmp_path, element), level=level)
    for chosen, expected in ((True, x), (False, y)):
        (z,) = model.run({"c": np.bool_(chosen), "x": x, "y": y}, engine="graph").values()
        assert z.tolist() == expected.tolist()
        assert z.dtype == x.dtype


@pytest.mark.parametrize("element", TYPES)
def test_below_graph(element: str, tmp_path: Path) -> None:
    x, y = arrays(element)
    model = loomir.load(swap(tmp_path, element))
    with raises_error("graph-only-type", "only the graph engine supports"):
        model.run({"n": np.int64(1), "x": x, "y": y}, engine="native")


@pytest.mark.parametrize("element", TYPES)
def test_text_and_files(element: str, tmp_path: Path) -> None:
    """The types have text, and what is written as IR is read again."""
    x, y = arrays(element)
    model = loomir.load(swap(tmp_path, element))
    (tmp_path / "swap.mlir").write_text(model.mlir())
    again, second = tmp_path / "again.xml", tmp_path / "second" / "again.xml"
    second.parent.mkdir()
    model.save(again)
    loomir.load(again, optimize=False).save(second)
    assert again.read_bytes() == second.read_bytes()
    for path in (tmp_path / "swap.mlir", again):
        outputs = loomir.load(path).run({"n": np.int64(1), "x": x, "y": y}, engine="graph")
        assert outputs["a"].tolist() == y.tolist()


@pytest.mark.parametrize("element", ["u1", "u3", "u6", "nf4"])
def test_nothing_is_computed_of_codes(element: str, tmp_path: Path) -> None:
    path = tmp_path / "sum.xml"
    layers = [
        parameter(0, "x", element, (2,)),
        layer(1, "sum", "Add", 'auto_broadcast="numpy"', [(2,), (2,)], [((2,), PRECISION.get(element, element.upper()))]),
        layer(2, "y", "Result", inputs=[(2,)]),
    ]  # fmt: skip
    wires = edges((0, 0, 1, 0), (0, 0, 1, 1), (1, 2, 2, 0))
    path.write_text(f'<net name="sum" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    with raises_error("unsupported-type", "'sum' (Add)", f'!ov.code<"{element}">'):
        loomir.load(path)


def test_a_value_for_codes(tmp_path: Path) -> None:
    with raises_error("value-mismatch", "which has no constants"):
        loomir.load(swap(tmp_path, "u3"), values={"x": np.zeros((3, 1), np.uint8)})


def test_codes_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    type_ = 'tensor<2x!ov.code<"u5">>'
    path.write_text(f"func.func @main(%x: {type_}) -> {type_} {{ func.return %x : {type_} }}")
    with raises_error("mlir-syntax", "unknown codes"):
        loomir.load(path)
