"""Port maps and back edges: every rule of Loop-5, TensorIterator-1 and If-8, broken and at its boundary."""

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
    loop_example,
    parameter,
    port,
)
from tests.support import assert_agree, raises_error

F32 = np.float32


def edited(path: Path, *changes: tuple[str, str]) -> Path:
    """The file with parts of its text replaced, each of which must be there."""
    text = path.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)
    return path


def iterator_example(folder: Path) -> Path:
    """A TensorIterator that adds up the rows of x, and gives the sums last first."""
    body = [
        parameter(0, "row", "f32", (1, 2)),
        parameter(3, "sum", "f32", (1, 2)),
        layer(4, "add", "Add", 'auto_broadcast="numpy"', [(1, 2), (1, 2)], [((1, 2), "FP32")]),
        layer(8, "next", "Result", inputs=[(1, 2)]),
    ]
    wires = edges((0, 0, 4, 0), (3, 0, 4, 1), (4, 2, 8, 0))
    iterator = f"""<layer id="2" name="rows" type="TensorIterator" version="opset1"><data/>
      <input>{port(0, (3, 2))}{port(1, (1, 2))}</input>
      <output>{port(2, (1, 2), "FP32")}{port(3, (3, 2), "FP32")}</output>
      <port_map>
        <input axis="0" external_port_id="0" internal_layer_id="0" start="0"/>
        <input external_port_id="1" internal_layer_id="3"/>
        <output external_port_id="2" internal_layer_id="8"/>
        <output axis="0" external_port_id="3" internal_layer_id="8" start="-1" end="0" stride="-1"/>
      </port_map>
      <back_edges><edge from-layer="8" to-layer="3"/></back_edges>
      <body><layers>{"".join(body)}</layers>{wires}</body></layer>"""
    layers = [
        parameter(0, "x", "f32", (3, 2)),
        parameter(1, "initial", "f32", (1, 2)),
        iterator,
        layer(5, "last", "Result", inputs=[(1, 2)]),
        layer(6, "all", "Result", inputs=[(3, 2)]),
    ]
    outer = edges((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 5, 0), (2, 3, 6, 0))
    path = folder / "rows.xml"
    path.write_text(f'<net name="rows" version="11"><layers>{"".join(layers)}</layers>{outer}</net>')
    return path


def if_example(folder: Path) -> Path:
    """The specification's If-8, completed into a net."""
    layers = [
        parameter(0, "cond", "boolean", ()),
        *(parameter(k, n, "f32", (2, 4)) for k, n in ((1, "x"), (2, "z"), (3, "w"))),
        (FIXTURES / "if8_example.xml").read_text(),
        layer(7, "y", "Result", inputs=[(2, 4)]),
    ]
    wires = edges((0, 0, 6, 0), (1, 0, 6, 1), (2, 0, 6, 2), (3, 0, 6, 3), (6, 4, 7, 0))
    path = folder / "if.xml"
    path.write_text(f'<net name="if" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    return path


# -- Loop: what is wrong

TRIP_IN = '<input external_port_id="0" internal_layer_id="0"/>'
X_IN = '<input external_port_id="2" internal_layer_id="5"/>'
NUMBER = '<input external_port_id="-1" internal_layer_id="2" purpose="current_iteration"/>'
STATE = '<output external_port_id="3" internal_layer_id="4"/>'
STATES = '<output external_port_id="4" internal_layer_id="10" axis="1"/>'
GO_ON = '<output external_port_id="-1" internal_layer_id="22" purpose="execution_condition"/>'
EDGE = '<edge from-layer="4" to-layer="5"/>'
NUMBER_LAYER = 'name="i" type="Parameter" version="opset1"><data element_type="i64" shape=""'
"""Parts of `loop_example`."""


def number_as(element: str, shape: str) -> tuple[str, str]:
    """`current_iteration` of another type."""
    return NUMBER_LAYER, NUMBER_LAYER.replace("i64", element).replace('shape=""', f'shape="{shape}"')


LOOP_FAULTS: dict[str, tuple[list[tuple[str, str]], str, tuple[str, ...]]] = {
    # external_port_id, internal_layer_id
    "input without external_port_id": (
        [(X_IN, '<input internal_layer_id="5"/>')],
        "ir-structure",
        ("has no attribute external_port_id", '<input internal_layer_id="5">'),
    ),
    "input without internal_layer_id": (
        [(X_IN, '<input external_port_id="2"/>')], "ir-structure", ("internal_layer_id", '<input external_port_id="2">'),
    ),
    "id that is no number": (
        [(X_IN, X_IN.replace('"5"', '"x"'))], "ir-structure", ("internal_layer_id='x'", "not an integer"),
    ),
    "id that Python would read": ([(X_IN, X_IN.replace('"5"', '"0_5"'))], "ir-structure", ("'0_5'",)),
    "id of 70 bits": (
        [(X_IN, X_IN.replace('"2"', f'"{1 << 70}"'))], "ir-structure", ("external_port_id", "integer of 64 bits"),
    ),
    "id of a megabyte": ([(X_IN, X_IN.replace('"2"', f'"{"1" * 1_000_000}"'))], "ir-structure", ("…",)),
    "input of a layer that is not there": (
        [(X_IN, X_IN.replace('"5"', '"77"'))],
        "port-map",
        ('internal_layer_id="77"', "layer 77 of body does not exist", "0 ('limit'), 1 ('go'), 2 ('i'), 5 ('x')"),
    ),
    "input of a layer that is no Parameter": (
        [(X_IN, X_IN.replace('"5"', '"7"'))], "port-map", ("layer 7 of body is 'twice', a Add",),
    ),
    "output of a layer that is no Result": (
        [(STATE, STATE.replace('id="4"', 'id="5"'))], "port-map", ("layer 5 of body is 'x', a Parameter", "id of a Result"),
    ),
    "input port that is not there": (
        [(X_IN, X_IN.replace('"2"', '"9"'))],
        "port-map",
        ('external_port_id="9" internal_layer_id="5"', "is not an input", "0 to 2"),
    ),
    "negative input port": ([(X_IN, X_IN.replace('"2"', '"-2"'))], "port-map", ("external_port_id -2 is not an input",)),
    "two entries for one Parameter": (
        [(X_IN, X_IN + X_IN.replace('"2"', '"0"'))],
        "port-map",
        (X_IN.replace("/>", ">"), '<input external_port_id="0" internal_layer_id="5">', "the same Parameter 'x'"),
    ),
    "Parameter that nothing feeds": (
        [(X_IN, ""), (EDGE, "")],
        "port-map",
        ("Parameter 'x' of body is not in port_map", 'external_port_id="…" internal_layer_id="5"'),
    ),
    "a Parameter that nothing feeds beside the iteration number": (
        [(TRIP_IN, TRIP_IN.replace('external_port_id="0"', 'external_port_id="-1"'))],
        "port-map",
        (TRIP_IN.replace('"0" i', '"-1" i').replace("/>", ">") + ": nothing feeds Parameter 'limit'",),
    ),
    "two Parameters that nothing feeds": (
        [(NUMBER, ""), (TRIP_IN, TRIP_IN.replace('external_port_id="0"', 'external_port_id="-1"'))],
        "port-map",
        ("nothing feeds Parameter 'limit', and nothing feeds 'i'", 'purpose="current_iteration"'),
    ),
    "a back edge to a Parameter that nothing feeds": (
        [(NUMBER, ""), (EDGE, EDGE.replace('"5"', '"2"'))], "port-map", ("Parameter 'i' of body is not in port_map",),
    ),
    "an axis of what comes from no input": (
        [(NUMBER, NUMBER.replace('purpose="current_iteration"', 'axis="0"'))], "port-map", ("comes from no input has no axis",),
    ),
    **{
        f"iteration number, that nothing feeds, of {element}[{shape}]": (
            [(NUMBER, ""), number_as(element, shape)], "loop-scalar", ("current_iteration must be i32 or i64", "Parameter 'i'"),
        )
        for element, shape in (("f32", ""), ("i64", "2"))
    },
    "an element that does not belong there": (
        [(X_IN, X_IN.replace("input", "inptu"))], "ir-structure", ("<inptu", "<input>, <output>"),
    ),
    # purposes
    "unknown purpose of an input": (
        [(NUMBER, NUMBER.replace("current_iteration", "iteration"))], "port-map", ("no purpose 'iteration'", "current_iteration"),
    ),
    "unknown purpose of an output": (
        [(GO_ON, GO_ON.replace("execution_condition", "condition"))], "port-map", ("purpose 'condition'", "execution_condition"),
    ),
    "empty purpose": ([(STATE, STATE.replace("/>", ' purpose=""/>'))], "port-map", ("no purpose ''",)),
    "the purpose of an output at an input": (
        [(NUMBER, NUMBER.replace("current_iteration", "execution_condition"))], "port-map", ("an <input> has no purpose",),
    ),
    "two execution conditions": (
        [(GO_ON, GO_ON + GO_ON.replace("22", "10"))],
        "port-map",
        ("two entries have purpose='execution_condition'", 'internal_layer_id="22"', 'internal_layer_id="10"'),
    ),
    "two iteration numbers": (
        [(NUMBER, NUMBER + NUMBER.replace('"2"', '"0"')), (TRIP_IN, "")],
        "port-map",
        ("two entries have purpose='current_iteration'",),
    ),
    "no execution condition": ([(GO_ON, "")], "port-map", ("no output of the port map has purpose='execution_condition'",)),
    "iteration number at a port": (
        [(NUMBER, NUMBER.replace('"-1"', '"0"'))], "port-map", ("not connected to a port", 'external_port_id="-1"'),
    ),
    "execution condition at a port": (
        [(GO_ON, GO_ON.replace('"-1"', '"5"'))], "port-map", ("not connected to a port", "a second <output>"),
    ),
    "iteration number with an axis": (
        [(NUMBER, NUMBER.replace("/>", ' axis="0"/>'))], "port-map", ("current_iteration has no axis", 'axis="0"'),
    ),
    "execution condition with an axis": (
        [(GO_ON, GO_ON.replace("/>", ' axis="0"/>'))], "port-map", ("execution_condition has no axis",),
    ),
    # the types of what is special
    **{
        f"iteration number of {element}[{shape}]": (
            [number_as(element, shape)],
            "loop-scalar",
            ("current_iteration must be i32 or i64", "Parameter 'i'", 'element_type="i64"'),
        )
        for element, shape in (("f32", ""), ("u8", ""), ("boolean", ""), ("i16", ""), ("i64", "2"), ("i64", "1,1"), ("i64", "2.."))
    },
    "trip count of u8": (
        [('element_type="i64" shape="" offset="0" size="8"', 'element_type="u8" shape="" offset="0" size="1"')],
        "loop-scalar",
        ("trip count must be i64 or i32, but is ui8",),
    ),
    "trip count of two elements": (
        [('element_type="i64" shape="" offset="0" size="8"', 'element_type="i32" shape="2" offset="0" size="8"')],
        "loop-scalar",
        ("trip count must be a scalar or have one element",),
    ),
    "condition of shape [1, 1]": (
        [('name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape=""',
          'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape="1,1"')],
        "loop-scalar",
        ("execution condition must be a scalar",),
    ),
    "condition that is an integer": (
        [('name="cond" type="Parameter" version="opset1"><data element_type="boolean"',
          'name="cond" type="Parameter" version="opset1"><data element_type="i64"')],
        "loop-scalar",
        ("execution condition must be i1, but is i64",),
    ),
    "condition of the body that is no boolean": (
        [('from-layer="11" from-port="2" to-layer="22"', 'from-layer="8" from-port="2" to-layer="22"')],
        "loop-scalar",
        ("execution condition of the body must be i1, but is f32",),
    ),
    # outputs
    "output port twice": (
        [(STATES, STATES.replace('"4" i', '"3" i'))],
        "port-map",
        ("name the same output port", 'external_port_id="3" internal_layer_id="4"', "ids 3, 4 once"),
    ),
    "output port missing": ([(STATES, "")], "port-map", ("output port 4 is not in port_map",)),
    "output port that is not there": (
        [(STATES, STATES.replace('"4" i', '"9" i'))], "port-map", ('external_port_id="9"', "names no output port", "ids 3, 4"),
    ),
    "an output too many": (
        [(STATES, STATES + STATES.replace('"4" i', '"5" i'))], "port-map", ("names no output port",),
    ),
    "negative output port": ([(STATES, STATES.replace('"4" i', '"-2" i'))], "port-map", ("names no output port",)),
    "unconnected output with an axis": (
        [(GO_ON, GO_ON + '<output external_port_id="-1" internal_layer_id="4" axis="0"/>')],
        "port-map",
        ("an entry that goes to no output has no axis",),
    ),
    # slices
    "axis that is no number": ([(STATES, STATES.replace('axis="1"', 'axis="one"'))], "ir-structure", ("axis='one'", STATES[:30])),
    "stride that is no number": (
        [(STATES, STATES.replace('axis="1"', 'axis="1" stride=""'))], "ir-structure", ("stride=''", 'stride="1"'),
    ),
    # back edges
    "back edge of another element type": (
        [(EDGE, '<edge from-layer="22" to-layer="5"/>')], "loop-element-type",
        ('<edge from-layer="22" to-layer="5">', "Parameter 'x' begins as f32", "Result 'condition' yields i1", "Convert"),
    ),
    "back edge from what is no Result": (
        [(EDGE, EDGE.replace('"4"', '"5"'))], "port-map", ('<edge from-layer="5"', "is 'x', a Parameter", "id of a Result"),
    ),
    "back edge to what is no Parameter": ([(EDGE, EDGE.replace('"5"', '"4"'))], "port-map", ("is 'state', a Result",)),
    "two back edges into one Parameter": (
        [(EDGE, EDGE + EDGE.replace('"4"', '"10"'))], "port-map", ('<edge from-layer="10"', "second back edge enters Parameter 'x'"),
    ),
    "back edge without an end": ([(EDGE, '<edge from-layer="4"/>')], "ir-structure", ("to-layer", '<edge from-layer="4">')),
    "back edge into the iteration number": (
        [(EDGE, EDGE + EDGE.replace('"5"', '"2"'))], "port-map", ("Parameter 'i', which is the iteration number",),
    ),
    "back edge into a part": (
        [(X_IN, X_IN.replace("/>", ' axis="0"/>'))], "port-map", ("Parameter 'x', which is a part of an input",),
    ),
    "an element that is no back edge": ([(EDGE, EDGE.replace("edge", "egde"))], "ir-structure", ("<egde", "<edge>")),
    # sections, version
    "two port maps": ([("<back_edges>", "<port_map/><back_edges>")], "ir-structure", ("there are 2 <port_map>",)),
    "two sections of back edges": ([("<back_edges>", "<back_edges/><back_edges>")], "ir-structure", ("2 <back_edges>",)),
    "no port map": ([("<port_map>", "<map>"), ("</port_map>", "</map>")], "ir-structure", ("<port_map> is missing",)),
    "Loop of opset1": ([('version="opset5"', 'version="opset1"')], "unknown-operator", ("opset1 has no Loop", 'version="opset5"')),
    "Loop of opset4": ([('version="opset5"', 'version="opset4"')], "unknown-operator", ("opset4 has no Loop",)),
    "Loop without a version": ([(' version="opset5"', "")], "unknown-operator", ('version="opset5"',)),
    "Loop of a set that does not exist": ([('version="opset5"', 'version="five"')], "unknown-opset", ("'five'",)),
    "Loop with one input": (
        [(f"{port(1, ())}{port(2, (1, 1))}</input>", "</input>"), (TRIP_IN, TRIP_IN),
         ('<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/><edge from-layer="2" from-port="0" to-layer="3" to-port="2"/>', ""),
         ('external_port_id="1" internal_layer_id="1"', 'external_port_id="0" internal_layer_id="1"'),
         (X_IN, X_IN.replace('"2"', '"0"'))],
        "ir-structure",
        ("a Loop has 1 inputs", "input port 1 the condition"),
    ),
    # the body
    "a body's edge to a layer outside": (
        [('from-layer="2" from-port="0" to-layer="6"', 'from-layer="99" from-port="0" to-layer="6"')],
        "ir-structure",
        ("layer 99, which does not exist",),
    ),
    "a Result without a port": (
        [('<layer id="10" name="states" type="Result" version="opset1"><data /><input><port id="0"><dim>1</dim><dim>1</dim></port></input>',
          '<layer id="10" name="states" type="Result" version="opset1">'),
         ('<edge from-layer="8" from-port="2" to-layer="10" to-port="0"/>', "")],
        "ir-structure",
        ("'states' (Result)", "one input port"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", LOOP_FAULTS)
def test_loop_fault(fault: str, tmp_path: Path) -> None:
    changes, identifier, fragments = LOOP_FAULTS[fault]
    path = edited(loop_example(tmp_path), *changes)
    with raises_error(identifier, *fragments) as info:
        loomir.load(path)
    assert "'loop' (Loop)" in str(info.value) or fault.startswith("a "), str(info.value)
    assert len(str(info.value).splitlines()) <= 3


# -- Loop: what is right

STATES_PORT = port(4, (1, -1), "FP32")

COND_OF_ONE = (
    'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape=""',
    'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape="1"',
)
"""Condition of one element; the body's results from it have one element."""

TRIP = 'element_type="i64" shape="" offset="0" size="8"'
TRIP_OF_I32 = (TRIP, 'element_type="i32" shape="" offset="0" size="4"')

LOOP_FORMS: dict[str, list[tuple[str, str]]] = {
    "outputs by their places": [
        (STATE, STATE.replace('"3"', '"0"')), (STATES, STATES.replace('"4" i', '"1" i')),
    ],
    "outputs in another order": [(STATE + "\n        " + STATES, STATES + STATE)],
    "output ports in another order": [
        (port(3, (1, 1), "FP32") + STATES_PORT, STATES_PORT + port(3, (1, 1), "FP32")),
    ],
    "ports with gaps": [
        (STATES_PORT, port(900, (1, -1), "FP32")),
        (STATES, STATES.replace('"4" i', '"900" i')),
        ('from-layer="3" from-port="4"', 'from-layer="3" from-port="900"'),
    ],
    "a Result that goes nowhere": [(GO_ON, GO_ON + '<output external_port_id="-1" internal_layer_id="4"/>')],
    "a Result that no entry names": [
        ('<layer id="22"', layer(23, "other", "Result", inputs=[(1, 1)]) + '<layer id="22"'),
        ('<edge from-layer="11" from-port="2" to-layer="22"',
         '<edge from-layer="8" from-port="2" to-layer="23" to-port="0"/><edge from-layer="11" from-port="2" to-layer="22"'),
    ],
    "one Result for both outputs": [(STATES, STATES.replace('"10"', '"4"'))],
    "negative axis": [(STATES, STATES.replace('axis="1"', 'axis="-1"'))],
    "all of the slicing written out": [
        (STATES, STATES.replace("/>", ' start="0" end="-1" stride="1" part_size="1"/>')),
    ],
    "the iteration number without an entry": [(NUMBER, "")],
    "the iteration number without a purpose": [(NUMBER, NUMBER.replace(' purpose="current_iteration"', ""))],
    "the iteration number without an entry, of i32": [(NUMBER, ""), number_as("i32", ""), TRIP_OF_I32],
    "the iteration number without an entry, of one element": [(NUMBER, ""), number_as("i64", "1"), COND_OF_ONE],
    "iteration number of i32": [number_as("i32", ""), TRIP_OF_I32],
    "iteration number of one element": [number_as("i64", "1"), COND_OF_ONE],
    "iteration number of a dynamic dimension": [number_as("i32", "?"), TRIP_OF_I32, COND_OF_ONE],
    "later operation set": [('version="opset5"', 'version="opset13"')],
    "the condition's name for the Model Optimizer's set": [('version="opset5"', 'version="extension"')],
    "ports of back edges": [(EDGE, EDGE.replace("/>", ' from-port="0" to-port="0"/>'))],
    "one input port for two Parameters": [
        (TRIP_IN, TRIP_IN + '<input external_port_id="0" internal_layer_id="30"/>'),
        ('<layer id="22"', parameter(30, "again", "i64", ()) + '<layer id="22"'),
        ('from-layer="0" from-port="0" to-layer="9"', 'from-layer="30" from-port="0" to-layer="9"'),
    ],
    "condition of one element": [COND_OF_ONE],
    "trip count of i32 with one element": [
        (TRIP, TRIP_OF_I32[1].replace('shape=""', 'shape="1"')), number_as("i32", ""), COND_OF_ONE,
    ],
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", LOOP_FORMS)
def test_loop_form(form: str, engine, tmp_path: Path) -> None:
    path = loop_example(tmp_path)
    x = np.array([[1]], F32)
    expected = loomir.load(path).run({"cond": np.bool_(True), "x": x}, engine="graph")
    model = loomir.load(edited(path, *LOOP_FORMS[form]))
    condition = np.ones(model.inputs[0].shape, np.bool_)
    outputs = model.run({"cond": condition, "x": x}, engine=engine)
    for name, value in expected.items():
        assert_agree(outputs[name], value, name)


# -- TensorIterator

ROW_IN = '<input axis="0" external_port_id="0" internal_layer_id="0" start="0"/>'
SUM_OUT = '<output external_port_id="2" internal_layer_id="8"/>'

ITERATOR_FAULTS: dict[str, tuple[list[tuple[str, str]], str, tuple[str, ...]]] = {
    "nothing to iterate over": (
        [(ROW_IN, '<input external_port_id="0" internal_layer_id="0"/>')],
        "port-map",
        ("no input of the TensorIterator has an axis", "a Loop with a trip count"),
    ),
    "a purpose": (
        [(SUM_OUT, SUM_OUT + '<output external_port_id="-1" internal_layer_id="8" purpose="execution_condition"/>')],
        "port-map",
        ("has a purpose, which only a Loop's entries have",),
    ),
    "an iteration number": (
        [('<input external_port_id="1" internal_layer_id="3"/>',
          '<input external_port_id="-1" internal_layer_id="3" purpose="current_iteration"/>')],
        "port-map",
        ("has a purpose",),
    ),
    "an unconnected Parameter": (
        [('<input external_port_id="1"', '<input external_port_id="-1"')],
        "port-map",
        ("nothing feeds Parameter 'sum'", 'internal_layer_id="3"'),
    ),
    "a set that does not exist": ([('version="opset1"><data/>', 'version="opset"><data/>')], "unknown-opset", ("'opset'",)),
    "two edges' types": (
        [('name="initial" type="Parameter" version="opset1"><data element_type="f32"',
          'name="initial" type="Parameter" version="opset1"><data element_type="i32"')],
        "element-types-differ",
        ("'add'",),
    ),
    "an axis out of range": ([(ROW_IN, ROW_IN.replace('axis="0"', 'axis="2"'))], "loop-axis", ("axis 2",)),
    "a start out of range": ([(ROW_IN, ROW_IN.replace('start="0"', 'start="4"'))], "loop-range", ("start 4",)),
    "a stride of zero": ([(ROW_IN, ROW_IN.replace('start="0"', 'stride="0"'))], "loop-stride", ("stride",)),
    "parts that overlap": ([(ROW_IN, ROW_IN.replace('start="0"', 'part_size="2"'))], "loop-part-size", ("part_size 2",)),
}  # fmt: skip


@pytest.mark.parametrize("fault", ITERATOR_FAULTS)
def test_iterator_fault(fault: str, tmp_path: Path) -> None:
    changes, identifier, fragments = ITERATOR_FAULTS[fault]
    path = edited(iterator_example(tmp_path), *changes)
    with raises_error(identifier, *fragments):
        loomir.load(path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("form", "changes", "rows"),
    [
        ("as it is", [], slice(None)),
        ("without a version", [('name="rows" type="TensorIterator" version="opset1"', 'name="rows" type="TensorIterator"')],
         slice(None)),
        ("later set", [('version="opset1"><data/>', 'version="opset13"><data/>')], slice(None)),
        ("from the second row", [(ROW_IN, ROW_IN.replace('start="0"', 'start="1"'))], slice(1, None)),
        ("to the second row", [(ROW_IN, ROW_IN.replace('start="0"', 'end="2"'))], slice(0, 2)),
        ("counted from the end", [(ROW_IN, ROW_IN.replace('start="0"', 'start="-3" end="-2"'))], slice(1, 2)),
        ("backwards", [(ROW_IN, ROW_IN.replace('start="0"', 'start="-1" end="0" stride="-1"'))], slice(None, None, -1)),
    ],
)  # fmt: skip
def test_iterator_form(form: str, changes, rows: slice, engine, tmp_path: Path) -> None:
    model = loomir.load(edited(iterator_example(tmp_path), *changes))
    x = np.arange(6, dtype=F32).reshape(3, 2)
    outputs = model.run({"x": x, "initial": np.ones((1, 2), F32)}, engine=engine)
    sums = 1 + np.cumsum(x[rows], 0, F32)
    assert_agree(outputs["last"], sums[-1:])
    assert_agree(outputs["all"], sums[::-1])


# -- If

THEN_IN = '<input external_port_id="1" internal_layer_id="0"/>'
THEN_OUT = '<output external_port_id="0" internal_layer_id="3"/>'
THEN_RESULT = '<layer id="3" name="Identity/sink_port_0" type="Result" version="opset1">'
SECOND_RESULT = layer(9, "second", "Result", inputs=[(2, 4)]) + THEN_RESULT
SECOND_EDGE = (
    '<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>',
    '<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/><edge from-layer="2" from-port="2" to-layer="9" to-port="0"/>',
)

IF_FAULTS: dict[str, tuple[list[tuple[str, str]], str, tuple[str, ...]]] = {
    "an axis on an input": (
        [(THEN_IN, THEN_IN.replace("/>", ' axis="0"/>'))], "port-map", ('axis="0"', "a branch has no axis"),
    ),
    "an axis on an output": ([(THEN_OUT, THEN_OUT.replace("/>", ' axis="0"/>'))], "port-map", ("a branch has no axis",)),
    "a purpose": ([(THEN_IN, THEN_IN.replace("/>", ' purpose="current_iteration"/>'))], "port-map", ("has a purpose",)),
    "two entries for one Parameter": (
        [(THEN_IN, THEN_IN + THEN_IN.replace('"1"', '"2"'))], "port-map", ("the same Parameter 'add_x'",),
    ),
    "an output twice": (
        [(THEN_OUT, THEN_OUT + THEN_OUT)], "port-map", ("of then_port_map name the same output port", "ids 4 once"),
    ),
    "an output twice, by two Results": (
        [(THEN_OUT, THEN_OUT + THEN_OUT.replace('"3"', '"9"')), (THEN_RESULT, SECOND_RESULT), SECOND_EDGE],
        "port-map",
        ("name the same output port",),
    ),
    "a Result that no entry names": (
        [(THEN_RESULT, SECOND_RESULT), SECOND_EDGE],
        "port-map",
        ("Result 'second' of then_body is not in then_port_map", 'internal_layer_id="9"'),
    ),
    "a Parameter that no entry names": (
        [(THEN_IN, "")], "port-map", ("Parameter 'add_x' of then_body is not in then_port_map", 'internal_layer_id="0"'),
    ),
    "an unconnected input": ([(THEN_IN, THEN_IN.replace('"1"', '"-1"'))], "port-map", ("-1 is not an input",)),
    "an unconnected output": ([(THEN_OUT, THEN_OUT.replace('"0"', '"-1"'))], "port-map", ("names no output port", "id", "4")),
    "an input that is not there": ([(THEN_IN, THEN_IN.replace('"1"', '"4"'))], "port-map", ("4 is not an input", "0 to 3")),
    "an output that is not there": ([(THEN_OUT, THEN_OUT.replace('"0"', '"1"'))], "port-map", ("names no output port",)),
    "no output": ([(THEN_OUT, "")], "if-outputs", ("then_body gives 0 outputs, the If has 1", "then_port_map")),
    "no branch": ([("<else_body>", "<body>"), ("</else_body>", "</body>")], "ir-structure", ("<else_body> is missing",)),
    "no port map": (
        [("<else_port_map>", "<map>"), ("</else_port_map>", "</map>")], "ir-structure", ("<else_port_map> is missing",),
    ),
    "two then_bodies": ([("<else_body>", "<then_body/><else_body>")], "ir-structure", ("there are 2 <then_body>",)),
    "a condition that is no boolean": (
        [('name="cond" type="Parameter" version="opset1"><data element_type="boolean"',
          'name="cond" type="Parameter" version="opset1"><data element_type="f32"')],
        "loop-scalar",
        ("condition must be i1, but is f32", "Convert"),
    ),
    "a condition of two elements": (
        [('name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape=""',
          'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape="2"')],
        "loop-scalar",
        ("condition must be a scalar or have one element",),
    ),
    "If of opset7": ([('type="If" version="opset8"', 'type="If" version="opset7"')], "unknown-operator", ("opset7 has no If",)),
    "If without a version": ([('type="If" version="opset8"', 'type="If"')], "unknown-operator", ('version="opset8"',)),
    "an If without outputs": (
        [('<output>\n        <port id="4" names="if/cond/Identity:0,if/cond:0" precision="FP32">', "<nothing><port>"),
         ("</output>\n    <then_port_map>", "</nothing><then_port_map>"),
         ('<edge from-layer="6" from-port="4" to-layer="7" to-port="0"/>', "")],
        "ir-structure",
        ("nothing enters input port 0",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", IF_FAULTS)
def test_if_fault(fault: str, tmp_path: Path) -> None:
    changes, identifier, fragments = IF_FAULTS[fault]
    path = edited(if_example(tmp_path), *changes)
    with raises_error(identifier, *fragments) as info:
        loomir.load(path)
    assert "'if/cond' (If)" in str(info.value) or "without outputs" in fault, str(info.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("form", "changes"),
    [
        ("output by its id", [(THEN_OUT, THEN_OUT.replace('"0"', '"4"'))]),
        ("both by their ids", [(THEN_OUT, THEN_OUT.replace('"0"', '"4"'))] * 2),
        ("the condition in the branch", [
            (THEN_IN, THEN_IN + '<input external_port_id="0" internal_layer_id="8"/>'),
            (THEN_RESULT, parameter(8, "again", "boolean", ()) + THEN_RESULT),
        ]),
        ("one input for two Parameters", [
            (THEN_IN, THEN_IN + THEN_IN.replace('internal_layer_id="0"', 'internal_layer_id="8"')),
            (THEN_RESULT, parameter(8, "again", "f32", (2, 4)) + THEN_RESULT),
            ('<edge from-layer="0" from-port="0" to-layer="2"', '<edge from-layer="8" from-port="0" to-layer="2"'),
        ]),
        ("condition of one element", [
            ('name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape=""',
             'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape="1"'),
        ]),
    ],
)  # fmt: skip
def test_if_form(form: str, changes, engine, tmp_path: Path) -> None:
    model = loomir.load(edited(if_example(tmp_path), *changes))
    rng = np.random.default_rng(0)
    x, z, w = (rng.standard_normal((2, 4)).astype(F32) for _ in range(3))
    for truth, expected in ((True, x + z), (False, x + w)):
        condition = np.full(model.inputs[0].shape, truth)
        (actual,) = model.run({"cond": condition, "x": x, "z": z, "w": w}, engine=engine).values()
        assert_agree(actual, expected)
