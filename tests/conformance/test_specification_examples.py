"""The examples in the specifications of Loop-5 and If-8, completed into nets that run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.support import assert_agree

pytestmark = pytest.mark.usefixtures("rotated_build")

FIXTURES = Path(__file__).parents[1] / "fixtures"
ENGINES = ("graph", "structured", "loops", "interpreter", "native")
F32 = np.float32


def port(identifier: int, dims: tuple[int, ...], precision: str | None = None) -> str:
    """A `<port>`; output ports have a precision."""
    kind = f' precision="{precision}"' if precision else ""
    return f'<port id="{identifier}"{kind}>{"".join(f"<dim>{d}</dim>" for d in dims)}</port>'


def layer(
    identifier: int, name: str, kind: str, data: str = "", inputs=(), outputs=(), opset: str = "opset1"
) -> str:
    """A `<layer>` whose ports are numbered from 0, outputs behind inputs; `outputs` are (dims, precision)."""
    given = "".join(port(k, d) for k, d in enumerate(inputs))
    made = "".join(port(len(inputs) + k, d, p) for k, (d, p) in enumerate(outputs))
    return (
        f'<layer id="{identifier}" name="{name}" type="{kind}" version="{opset}"><data {data}/>'
        + (f"<input>{given}</input>" if given else "")
        + (f"<output>{made}</output>" if made else "")
        + "</layer>"
    )


def parameter(identifier: int, name: str, element: str, dims: tuple[int, ...]) -> str:
    shape = ",".join(map(str, dims))
    data = f'element_type="{element}" shape="{shape}"'
    return layer(identifier, name, "Parameter", data, outputs=[(dims, element.upper())])


def edges(*items: tuple[int, int, int, int]) -> str:
    """`<edges>` from (from layer, from port, to layer, to port)."""
    return "<edges>" + "".join(
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in items
    ) + "</edges>"  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_if8_example(engine, tmp_path: Path) -> None:
    """x + z where the condition holds, else x + w; its port maps name the output by its local index 0."""
    example = (FIXTURES / "if8_example.xml").read_text()
    layers = [
        parameter(0, "cond", "boolean", ()),
        *(parameter(k, n, "f32", (2, 4)) for k, n in ((1, "x"), (2, "z"), (3, "w"))),
        example,
        layer(7, "y", "Result", inputs=[(2, 4)]),
    ]
    wires = edges((0, 0, 6, 0), (1, 0, 6, 1), (2, 0, 6, 2), (3, 0, 6, 3), (6, 4, 7, 0))
    path = tmp_path / "if.xml"
    path.write_text(f'<net name="if" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    model = loomir.load(path)
    assert [o.name for o in model.outputs] == ["if/cond/Identity:0"]
    rng = np.random.default_rng(0)
    x, z, w = (rng.standard_normal((2, 4)).astype(F32) for _ in range(3))
    for condition, expected in ((True, x + z), (False, x + w)):
        feed = {"cond": np.bool_(condition), "x": x, "z": z, "w": w}
        (actual,) = model.run(feed, engine=engine).values()
        assert_agree(actual, expected)


def loop_example(folder: Path) -> Path:
    """The structure of the example of Loop-5: trip count and condition also reach the body, the condition by a back edge.

    Ids are the example's where these agree with each other; its back edge 1 → 5 starts at a Parameter, here it starts at Result 4.
    """
    f, b, i = "FP32", "BOOL", "I64"
    body = [
        parameter(0, "limit", "i64", ()),
        parameter(1, "go", "boolean", ()),
        parameter(2, "i", "i64", ()),
        parameter(5, "x", "f32", (1, 1)),
        layer(6, "number", "Convert", 'destination_type="f32"', [()], [((), f)]),
        layer(7, "twice", "Add", 'auto_broadcast="numpy"', [(1, 1), (1, 1)], [((1, 1), f)]),
        layer(8, "plus", "Add", 'auto_broadcast="numpy"', [(1, 1), ()], [((1, 1), f)]),
        layer(9, "more", "Less", 'auto_broadcast="numpy"', [(), ()], [((), b)]),
        layer(11, "both", "LogicalAnd", 'auto_broadcast="numpy"', [(), ()], [((), b)], "opset1"),
        layer(4, "state", "Result", inputs=[(1, 1)]),
        layer(10, "states", "Result", inputs=[(1, 1)]),
        layer(22, "condition", "Result", inputs=[()]),
    ]
    wires = edges(
        (2, 0, 6, 0), (5, 0, 7, 0), (5, 0, 7, 1), (7, 2, 8, 0), (6, 1, 8, 1), (2, 0, 9, 0), (0, 0, 9, 1),
        (9, 2, 11, 0), (1, 0, 11, 1), (8, 2, 4, 0), (8, 2, 10, 0), (11, 2, 22, 0),
    )  # fmt: skip
    loop = f"""<layer id="3" name="loop" type="Loop" version="opset5"><data/>
      <input>{port(0, ())}{port(1, ())}{port(2, (1, 1))}</input>
      <output>{port(3, (1, 1), f)}{port(4, (1, -1), f)}</output>
      <port_map>
        <input external_port_id="0" internal_layer_id="0"/>
        <input external_port_id="1" internal_layer_id="1"/>
        <input external_port_id="-1" internal_layer_id="2" purpose="current_iteration"/>
        <input external_port_id="2" internal_layer_id="5"/>
        <output external_port_id="3" internal_layer_id="4"/>
        <output external_port_id="4" internal_layer_id="10" axis="1"/>
        <output external_port_id="-1" internal_layer_id="22" purpose="execution_condition"/>
      </port_map>
      <back_edges><edge from-layer="4" to-layer="5"/><edge from-layer="22" to-layer="1"/></back_edges>
      <body><layers>{"".join(body)}</layers>{wires}</body></layer>"""
    constant = layer(0, "trip", "Const", 'element_type="i64" shape="" offset="0" size="8"', outputs=[((), i)])
    layers = [
        constant,
        parameter(1, "cond", "boolean", ()),
        parameter(2, "x", "f32", (1, 1)),
        loop,
        layer(5, "last", "Result", inputs=[(1, 1)]),
        layer(6, "all", "Result", inputs=[(1, -1)]),
    ]
    outer = edges((0, 0, 3, 0), (1, 0, 3, 1), (2, 0, 3, 2), (3, 3, 5, 0), (3, 4, 6, 0))
    path = folder / "loop.xml"
    path.write_text(f'<net name="loop" version="11"><layers>{"".join(layers)}</layers>{outer}</net>')
    path.with_suffix(".bin").write_bytes(np.int64(5).tobytes())
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_loop5_example(engine, tmp_path: Path) -> None:
    model = loomir.load(loop_example(tmp_path))
    x = np.array([[1]], F32)
    states, value = [], x
    for i in range(5):
        value = value + value + F32(i)
        states.append(value)
    for go, last, joined in ((True, value, np.concatenate(states, 1)), (False, x, np.zeros((1, 0), F32))):
        outputs = model.run({"cond": np.bool_(go), "x": x}, engine=engine)
        assert_agree(outputs["last"], last)
        assert_agree(outputs["all"], joined)
