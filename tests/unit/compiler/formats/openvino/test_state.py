"""ReadValue and Assign: several calls with the caller's states give what OpenVINO's own states give."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
import openvino.opset3 as op3
import openvino.opset13 as op
import pytest
from openvino._offline_transformations import apply_low_latency_transformation

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.tools.fuzz.openvino_oracle import EXACT
from tests.conformance.test_specification_examples import layer, loop_example
from tests.support import assert_agree, raises_error
from tests.unit.compiler.formats.openvino.test_broken_models import LAYERS, write

EXAMPLE = Path(__file__).parents[5] / "examples" / "controlflow.xml"

F32 = np.float32
CALLS = 5
RESET = 3
"""All states are reset before this call."""


def x_parameter() -> ov.Node:
    x = op.parameter([1, 3], F32)
    x.output(0).get_tensor().set_names({"x"})
    return x


def five() -> ov.Node:
    return op.constant(np.full((1, 3), 5, F32))


def sum_of(read: ov.Node, x: ov.Node, opset=op) -> ov.Model:
    """The state becomes state + x, the output twice that."""
    total = op.add(read, x)
    doubled = op.multiply(total, op.constant(F32(2)))
    return ov.Model([op.result(doubled)], [opset.assign(total, "h")], [x], "state")


def no_initial_value(x: ov.Node) -> ov.Model:
    return sum_of(op.read_value("h", F32, [1, 3]), x)


def constant(x: ov.Node) -> ov.Model:
    return sum_of(op.read_value(five(), "h", F32, [1, 3]), x)


def constant_of_version_3(x: ov.Node) -> ov.Model:
    return sum_of(op3.read_value(five(), "h"), x, op3)


def folded_constant(x: ov.Node) -> ov.Model:
    shape = op.concat([op.constant(np.array([1], np.int64)), op.constant(np.array([3], np.int64))], 0)
    return sum_of(op.read_value(op.broadcast(op.constant(F32(7)), shape), "h", F32, [1, 3]), x)


def computed(x: ov.Node) -> ov.Model:
    return sum_of(op.read_value(op.multiply(x, op.constant(F32(10))), "h", F32, [1, 3]), x)


def growing(x: ov.Node) -> ov.Model:
    """A cache: x is appended in every call."""
    empty = op.constant(np.zeros((0, 3), F32))
    cache = op.concat([op.read_value(empty, "h", F32, ov.PartialShape([-1, 3])), x], 0)
    total = op.reduce_sum(cache, op.constant(np.array([0])), False)
    return ov.Model([op.result(total)], [op.assign(cache, "h")], [x], "state")


def two_variables(x: ov.Node) -> ov.Model:
    """Each takes what the other was: both are read before either is assigned."""
    a = op.read_value(five(), "a", F32, [1, 3])
    b = op.read_value(op.add(x, x), "b", F32, [1, 3])
    sinks = [op.assign(op.add(b, x), "a"), op.assign(a, "b")]
    return ov.Model([op.result(op.subtract(a, b))], sinks, [x], "state")


def low_latency(x: ov.Node) -> ov.Model:
    """A model with a TensorIterator and a Loop, whose carried values OpenVINO's own transformation makes variables."""
    model = ov.Core().read_model(EXAMPLE)
    apply_low_latency_transformation(model, True)
    return model


BUILDERS = (
    low_latency,
    no_initial_value,
    constant,
    constant_of_version_3,
    folded_constant,
    computed,
    growing,
    two_variables,
)

INFER = f"""
import json, sys
import numpy as np, openvino as ov
request = ov.Core().compile_model(sys.argv[1], "CPU", {EXACT}).create_infer_request()
outputs = []
for call in range({CALLS}):
    if call == {RESET}:
        request.reset_state()
    x = np.full(tuple(request.model_inputs[0].shape), call + 1, np.float32)
    outputs.append(next(iter(request.infer([x]).values())).tolist())
print(json.dumps([outputs, {{s.name: s.state.data.tolist() for s in request.query_state()}}]))
"""


@pytest.mark.parametrize("build", BUILDERS)
def test_calls(build: Callable[[ov.Node], ov.Model], tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    ov.serialize(build(x_parameter()), path, path.with_suffix(".bin"))
    done = subprocess.run(
        [sys.executable, "-c", INFER, str(path)], capture_output=True, text=True, timeout=120, check=True
    )
    expected, states = json.loads(done.stdout)
    model = loomir.load(path)
    assert {s.variable for s in model.states} == set(states)
    for engine in ("graph", "native"):
        held: dict[str, np.ndarray] = {}
        for call, wanted in enumerate(expected):
            if call == RESET:
                held = {}
            x = np.full([e or 0 for e in model.inputs[0].shape or ()], call + 1, F32)
            outputs = model.run({"x": x, **held}, engine=engine)
            held = {s.name: outputs[s.name] for s in model.states}
            assert_agree(next(iter(outputs.values())), np.array(wanted, F32), f"{engine}, call {call}")
        for variable, value in states.items():
            assert_agree(held[f"state/{variable}"], np.array(value, F32), f"{engine}, {variable} at the end")


def test_interface(tmp_path: Path) -> None:
    """States are inputs and outputs behind the model's own; each knows what it is at first."""
    path = tmp_path / "model.xml"
    ov.serialize(two_variables(x_parameter()), path, path.with_suffix(".bin"))
    model = loomir.load(path)
    names = {"state/a", "state/b", "state/b/initialised"}
    assert model.inputs[0].name == "x"
    assert {i.name for i in model.inputs[1:]} == {o.name for o in model.outputs[1:]} == names
    assert [s.name for s in model.states] == [i.name for i in model.inputs[1:]]
    initial = {s.name: s.initial for s in model.states}
    np.testing.assert_array_equal(initial["state/a"], np.full((1, 3), 5, F32))
    assert initial["state/b/initialised"] == np.bool_(False)
    # The order of the calls is the caller's: handing the initial values in is the same as leaving them out.
    feed = {"x": np.ones((1, 3), F32)}
    for a, b in zip(
        model.run(feed, engine="graph").values(), model.run(feed | initial, engine="graph").values()
    ):
        np.testing.assert_array_equal(a, b)


def test_random_feed_leaves_states_out(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    ov.serialize(computed(x_parameter()), path, path.with_suffix(".bin"))
    model = loomir.load(path)
    assert list(random_feed(model)) == ["x"]
    model.run(random_feed(model), engine="graph")


def test_in_c_states_are_parameters(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    ov.serialize(constant(x_parameter()), path, path.with_suffix(".bin"))
    loomir.load(path).emit_c(tmp_path, "kws")
    header = (tmp_path / "kws.h").read_text()
    assert "const float *state_h" in header
    assert header.count("float *state_h") == 2


def read_value(data: str, inputs=((2,),)) -> str:
    return layer(4, "read", "ReadValue", data, inputs, [((2,), "FP32")], "opset6")


H = 'variable_id="h" variable_type="f32" variable_shape="2"'
ASSIGN = layer(5, "store", "Assign", 'variable_id="h"', [(2,)], [], "opset6")
WIRES = ((1, 0, 4, 0), (0, 0, 2, 0), (4, 1, 2, 1), (2, 2, 3, 0), (2, 2, 5, 0))
"""x + h → y → h, where h is c at first."""


def test_handwritten(tmp_path: Path) -> None:
    model = loomir.load(write(tmp_path, l4=read_value(H), l5=ASSIGN, wires=WIRES))
    outputs = model.run({"x": np.ones(2, F32), "state/h": np.array([3, 4], F32)}, engine="graph")
    np.testing.assert_array_equal(outputs["state/h"], [4, 5])


def test_variable_that_is_only_read(tmp_path: Path) -> None:
    """It keeps what it holds; what a first call computes stays."""
    wires = ((0, 0, 4, 0), (0, 0, 2, 0), (4, 1, 2, 1), (2, 2, 3, 0))
    model = loomir.load(write(tmp_path, l4=read_value(H), wires=wires))
    outputs = model.run({"x": np.ones(2, F32)}, engine="graph")
    held = {s.name: outputs[s.name] for s in model.states}
    np.testing.assert_array_equal(held["state/h"], [1, 1])
    outputs = model.run({"x": np.full(2, 5, F32), **held}, engine="graph")
    np.testing.assert_array_equal(outputs["sum" if "sum" in outputs else next(iter(outputs))], [6, 6])
    np.testing.assert_array_equal(outputs["state/h"], [1, 1])


def test_variables_whose_names_meet(tmp_path: Path) -> None:
    """`h` has a second state, which is called as the variable `h/initialised` would be."""
    data = 'variable_id="h/initialised" variable_type="f32" variable_shape="2"'
    other = read_value(data).replace('id="4"', 'id="6"', 1)
    wires = ((0, 0, 4, 0), (4, 1, 6, 0), (0, 0, 2, 0), (6, 1, 2, 1), (2, 2, 3, 0))
    model = loomir.load(write(tmp_path, l4=read_value(H), l6=other, wires=wires))
    names = [s.name for s in model.states]
    assert len(set(names)) == 4
    assert names == [i.name for i in model.inputs[1:]] == [o.name for o in model.outputs[1:]]


def test_names_that_are_taken(tmp_path: Path) -> None:
    x = LAYERS[0].replace('name="x"', 'name="state/h"')
    model = loomir.load(write(tmp_path, l0=x, l4=read_value(H), l5=ASSIGN, wires=WIRES))
    assert [s.name for s in model.states] == ["state/h_1"]


@pytest.mark.parametrize(
    ("read", "assign", "wires", "identifier"),
    [
        (read_value(H.replace("h", "g", 1)), ASSIGN, WIRES, "state-variable"),
        (read_value('variable_type="f32" variable_shape="2"'), ASSIGN, WIRES, "state-variable"),
        (read_value(H), ASSIGN.replace('variable_id="h"', ""), WIRES, "state-variable"),
        (read_value(H.replace("f32", "i32")), ASSIGN, WIRES, "state-type"),
        (read_value(H.replace('shape="2"', 'shape="3"')), ASSIGN, WIRES, "state-type"),
        (read_value('variable_id="h"', ()), ASSIGN, ((0, 0, 2, 0), (4, 0, 2, 1), *WIRES[3:]), "state-type"),
        (read_value(H), ASSIGN, WIRES[:-1], "ir-structure"),
    ],
)  # fmt: skip
def test_faults(read: str, assign: str, wires, identifier: str, tmp_path: Path) -> None:
    with pytest.raises(loomir.Error) as info:
        loomir.load(write(tmp_path, l4=read, l5=assign, wires=wires))
    assert info.value.identifier == identifier, str(info.value)


def test_variable_without_an_id(tmp_path: Path) -> None:
    with raises_error("state-variable", "'read' (ReadValue)", "variable_id"):
        loomir.load(write(tmp_path, l4=read_value('variable_type="f32"'), l5=ASSIGN, wires=WIRES))


def test_variable_of_another_type(tmp_path: Path) -> None:
    with raises_error("state-type", "i32", "f32"):
        loomir.load(write(tmp_path, l4=read_value(H.replace("f32", "i32")), l5=ASSIGN, wires=WIRES))


def test_assigned_value_of_another_shape(tmp_path: Path) -> None:
    scalar = layer(
        6, "one", "Const", 'element_type="f32" shape="" offset="0" size="4"', outputs=[((), "FP32")]
    )
    with raises_error("state-type", "assigned"):
        loomir.load(
            write(tmp_path, l4=read_value(H), l5=ASSIGN, l6=scalar, wires=(*WIRES[:-1], (6, 0, 5, 0)))
        )


@pytest.mark.parametrize("second", [read_value(H), ASSIGN])
def test_variable_twice(second: str, tmp_path: Path) -> None:
    again = second.replace('id="4"', 'id="6"', 1).replace('id="5"', 'id="6"', 1)
    source = ((1, 0, 6, 0), (6, 1, 7, 0)) if "ReadValue" in second else ((2, 2, 6, 0),)
    result = layer(7, "z", "Result", inputs=[(2,)])
    more = {"l6": again, **({"l7": result} if "ReadValue" in second else {})}
    with raises_error("state-variable", "twice"):
        loomir.load(write(tmp_path, l4=read_value(H), l5=ASSIGN, wires=(*WIRES, *source), **more))


def test_too_large(tmp_path: Path) -> None:
    data = 'variable_id="h" variable_type="f32" variable_shape="99999999,99999999"'
    scalar = layer(
        6, "axes", "Const", 'element_type="i64" shape="2" offset="0" size="16"', outputs=[((2,), "I64")]
    )
    sum_ = layer(7, "all", "ReduceSum", 'keep_dims="false"', [(2,), (2,)], [((), "FP32")])
    assign = layer(5, "store", "Assign", 'variable_id="h"', [(2,)], [], "opset6")
    wires = ((4, 0, 7, 0), (6, 0, 7, 1), (0, 0, 2, 0), (7, 2, 2, 1), (2, 2, 3, 0), (4, 0, 5, 0))
    model = loomir.load(
        write(
            tmp_path,
            l4=read_value(data, ()),
            l5=assign,
            l6=scalar,
            l7=sum_,
            wires=wires,
            weights=np.array([0, 1]).tobytes(),
        )
    )
    with raises_error("limit-bytes"):
        model.run({"x": np.ones(2, F32)}, engine="graph")


def test_in_a_body(tmp_path: Path) -> None:
    path = loop_example(tmp_path)
    text = path.read_text()
    old = '<layer id="7" name="twice" type="Add" version="opset1"><data auto_broadcast="numpy"/>'
    assert old in text
    text = text.replace(
        old, '<layer id="7" name="twice" type="ReadValue" version="opset6"><data variable_id="h"/>'
    )
    path.write_text(text)
    with raises_error("state-in-body", "'twice' (ReadValue)"):
        loomir.load(path)
