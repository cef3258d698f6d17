"""Broken and hostile IR: each fault gives its error, with file and layer, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.formats.openvino import files
from tests.conformance.test_specification_examples import (
    FIXTURES,
    edges,
    layer,
    loop_example,
    parameter,
)
from tests.support import raises_error

LAYERS = {
    0: parameter(0, "x", "f32", (2,)),
    1: layer(1, "c", "Const", 'element_type="f32" shape="2" offset="0" size="8"', outputs=[((2,), "FP32")]),
    2: layer(2, "sum", "Add", 'auto_broadcast="numpy"', [(2,), (2,)], [((2,), "FP32")]),
    3: layer(3, "y", "Result", inputs=[(2,)]),
}
EDGES = ((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0))


def write(
    folder: Path, *, text: str | None = None, wires=EDGES, weights: bytes = bytes(8), **changed: str
) -> Path:
    """x + c → y, with layers changed (`l1="…"`), other edges, other weights or another text altogether."""
    layers = {**LAYERS, **{int(k[1:]): v for k, v in changed.items()}}
    path = folder / "broken.xml"
    net = f'<net name="n" version="11"><layers>{"".join(layers.values())}</layers>{edges(*wires)}</net>'
    path.write_text(net if text is None else text.replace("NET", net))
    path.with_suffix(".bin").write_bytes(weights)
    return path


def test_the_model_without_a_fault(tmp_path: Path) -> None:
    (y,) = loomir.load(write(tmp_path)).run({"x": np.ones(2, np.float32)}, engine="graph").values()
    np.testing.assert_array_equal(y, [1, 1])


def test_not_xml(tmp_path: Path) -> None:
    with raises_error("xml-syntax", "broken.xml"):
        loomir.load(write(tmp_path, text="this is no XML"))


def test_empty_file(tmp_path: Path) -> None:
    with raises_error("xml-syntax"):
        loomir.load(write(tmp_path, text=""))


@pytest.mark.parametrize("body", ["<!DOCTYPE net>NET", '<!DOCTYPE net [<!ENTITY a "b">]>NET'])
def test_document_type(body: str, tmp_path: Path) -> None:
    with raises_error("xml-forbidden"):
        loomir.load(write(tmp_path, text=body))


def test_other_root(tmp_path: Path) -> None:
    with raises_error("ir-structure", "<html>"):
        loomir.load(write(tmp_path, text="<html/>"))


def test_version(tmp_path: Path) -> None:
    with raises_error("ir-version", "version 7"):
        loomir.load(write(tmp_path, text='<net name="n" version="7"/>'))


def test_missing_file(tmp_path: Path) -> None:
    with raises_error("file-unreadable", "nowhere.xml"):
        loomir.load(tmp_path / "nowhere.xml")


def test_unknown_format(tmp_path: Path) -> None:
    with raises_error("unknown-format", ".tflite"):
        loomir.load(tmp_path / "model.tflite")


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    with raises_error("file-too-large"):
        loomir.load(write(tmp_path))


def test_too_deep(tmp_path: Path) -> None:
    with raises_error("model-too-deep"):
        loomir.load(write(tmp_path, text="<a>" * 401 + "</a>" * 401))


def test_truncated_weights(tmp_path: Path) -> None:
    with raises_error("bin-range", "'c' (Const)"):
        loomir.load(write(tmp_path, weights=bytes(7)))


def test_missing_weights(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.with_suffix(".bin").unlink()
    with raises_error("bin-missing", "broken.bin"):
        loomir.load(path)


def test_size_of_a_constant(tmp_path: Path) -> None:
    data = 'element_type="f32" shape="2" offset="0" size="4"'
    with raises_error("const-size", "'c' (Const)"):
        loomir.load(write(tmp_path, l1=layer(1, "c", "Const", data, outputs=[((2,), "FP32")])))


@pytest.mark.parametrize(
    "data",
    [
        'shape="2" offset="0" size="8"',
        'element_type="f32" shape="2"',
        'element_type="f32" shape="2" offset="a" size="8"',
    ],
)
def test_constant_without_its_attributes(data: str, tmp_path: Path) -> None:
    """Nor does its port say the element type, which the first writers had there only."""
    with raises_error("ir-structure", "'c' (Const)"):
        loomir.load(write(tmp_path, l1=layer(1, "c", "Const", data, outputs=[((2,), None)])))


@pytest.mark.parametrize("shape", ["?", "2,x", "-3"])
def test_shape_of_a_constant(shape: str, tmp_path: Path) -> None:
    data = f'element_type="f32" shape="{shape}" offset="0" size="8"'
    with raises_error("bad-attribute", "'c' (Const)"):
        loomir.load(write(tmp_path, l1=layer(1, "c", "Const", data, outputs=[((2,), "FP32")])))


def test_element_type(tmp_path: Path) -> None:
    data = 'element_type="string" shape="2" offset="0" size="8"'
    with raises_error("unsupported-type", "string"):
        loomir.load(write(tmp_path, l1=layer(1, "c", "Const", data, outputs=[((2,), "FP32")])))


@pytest.mark.parametrize("axis", ["99999999999999999999", "1.5", ""])
def test_axis(axis: str, tmp_path: Path) -> None:
    with raises_error("bad-attribute", f"axis='{axis}'"):
        loomir.load(
            write(tmp_path, l2=layer(2, "s", "Concat", f'axis="{axis}"', [(2,), (2,)], [((2,), "FP32")]))
        )


def test_attribute(tmp_path: Path) -> None:
    with raises_error("bad-attribute", "keep_dims='perhaps'"):
        loomir.load(
            write(
                tmp_path, l2=layer(2, "s", "ReduceSum", 'keep_dims="perhaps"', [(2,), (2,)], [((2,), "FP32")])
            )
        )


@pytest.mark.parametrize(("kind", "wires"), [("Clamp", ((0, 0, 2, 0), (2, 1, 3, 0))), ("Concat", EDGES)])
def test_attribute_that_is_missing(kind: str, wires, tmp_path: Path) -> None:
    made = layer(2, "s", kind, "", [(2,)] * (len(wires) - 1), [((2,), "FP32")])
    with raises_error("attribute-missing", "is missing"):
        loomir.load(write(tmp_path, l2=made, wires=wires))


def test_unknown_operator(tmp_path: Path) -> None:
    with raises_error("unknown-operator", "'sum' (Frobnicate)"):
        loomir.load(
            write(tmp_path, l2=layer(2, "sum", "Frobnicate", "", [(2,), (2,)], [((2,), "FP32")]))
        ).lowered("loops")


def test_cycle(tmp_path: Path) -> None:
    with raises_error("ir-cycle", "'sum'"):
        loomir.load(write(tmp_path, wires=((0, 0, 2, 0), (2, 2, 2, 1), (2, 2, 3, 0))))


@pytest.mark.parametrize(
    "wires",
    [
        EDGES[1:],  # nothing enters a port
        (*EDGES, (1, 0, 2, 0)),  # two edges enter one
        (*EDGES, (9, 0, 2, 0)),  # no such layer
        (*EDGES[1:], (0, 5, 2, 0)),  # no such output port
        (*EDGES[1:], (0, 0, 2, 7)),  # no such input port
        (*EDGES[:2], (3, 0, 3, 0)),  # a Result feeds something
    ],
)
def test_edges(wires, tmp_path: Path) -> None:
    with raises_error("ir-structure"):
        loomir.load(write(tmp_path, wires=wires))


@pytest.mark.parametrize(
    "text",
    [
        LAYERS[2].replace('id="2"', 'id="1"', 1),
        LAYERS[2].replace('id="2"', 'id="two"', 1),
        LAYERS[2].replace(' id="2"', "", 1),
        LAYERS[2].replace(' type="Add"', "", 1),
        LAYERS[2].replace('<port id="1">', '<port id="0">', 1),
    ],
)
def test_layers(text: str, tmp_path: Path) -> None:
    with raises_error("ir-structure"):
        loomir.load(write(tmp_path, l2=text))


def test_operands_that_do_not_broadcast(tmp_path: Path) -> None:
    """A rule of the operator itself: the error knows the layer."""
    with pytest.raises(loomir.Error, match="'sum' \\(Add\\)"):
        loomir.load(write(tmp_path, l0=parameter(0, "x", "f32", (3,))))


# -- loops and branches


def edited_loop(folder: Path, old: str, new: str) -> Path:
    path = loop_example(folder)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (' internal_layer_id="5"', ' internal_layer_id="77"'),
        (' internal_layer_id="5"', ' internal_layer_id="7"'),
        ('external_port_id="2"', 'external_port_id="9"'),
        ('<input external_port_id="2" internal_layer_id="5"/>', ""),
        ('purpose="execution_condition"', ""),
        ('<output external_port_id="3" internal_layer_id="4"/>', ""),
        ('<edge from-layer="22" to-layer="1"/>', '<edge from-layer="22" to-layer="5"/>'),
        ('<input external_port_id="1" internal_layer_id="1"/>', ""),
    ],
)
def test_port_map(old: str, new: str, tmp_path: Path) -> None:
    with raises_error("port-map", "'loop' (Loop)"):
        loomir.load(edited_loop(tmp_path, old, new))


def test_loop_without_a_body(tmp_path: Path) -> None:
    path = loop_example(tmp_path)
    text = path.read_text()
    begin, end = text.index("<body>"), text.index("</body>") + len("</body>")
    path.write_text(text[:begin] + text[end:])
    with raises_error("ir-structure", "<body> is missing"):
        loomir.load(path)


def test_condition_that_is_no_scalar(tmp_path: Path) -> None:
    with raises_error("loop-scalar", "execution condition"):
        loomir.load(
            edited_loop(
                tmp_path, 'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape=""',
                'name="cond" type="Parameter" version="opset1"><data element_type="boolean" shape="2"',
            )
        )  # fmt: skip


def sliced_loop(folder: Path, attributes: str) -> Path:
    """The loop with x as a sliced input instead of a carried value."""
    old = '<input external_port_id="2" internal_layer_id="5"/>'
    path = edited_loop(folder, old, f'<input external_port_id="2" internal_layer_id="5" {attributes}/>')
    path.write_text(path.read_text().replace('<edge from-layer="4" to-layer="5"/>', ""))
    return path


def test_slice_with_stride_zero(tmp_path: Path) -> None:
    with raises_error("loop-stride", "'loop'"):
        loomir.load(sliced_loop(tmp_path, 'axis="0" stride="0" part_size="0"'))


def test_slice_on_an_axis_that_is_not_there(tmp_path: Path) -> None:
    with raises_error("loop-axis", "'loop'"):
        loomir.load(sliced_loop(tmp_path, 'axis="7"'))


def test_slice_out_of_range(tmp_path: Path) -> None:
    with raises_error("loop-range", "'loop'"):
        loomir.load(sliced_loop(tmp_path, 'axis="0" start="9" end="20"'))


def if_model(folder: Path, old: str, new: str) -> Path:
    example = (FIXTURES / "if8_example.xml").read_text()
    assert old in example
    layers = [
        parameter(0, "cond", "boolean", ()),
        *(parameter(k, n, "f32", (2, 4)) for k, n in ((1, "x"), (2, "z"), (3, "w"))),
        example.replace(old, new),
        layer(7, "y", "Result", inputs=[(2, 4)]),
    ]
    wires = edges((0, 0, 6, 0), (1, 0, 6, 1), (2, 0, 6, 2), (3, 0, 6, 3), (6, 4, 7, 0))
    path = folder / "if.xml"
    path.write_text(f'<net name="if" version="11"><layers>{"".join(layers)}</layers>{wires}</net>')
    return path


def test_branch_without_outputs(tmp_path: Path) -> None:
    """An empty subgraph is not an If's branch."""
    with raises_error("if-outputs", "'if/cond' (If)"):
        loomir.load(if_model(tmp_path, '<output external_port_id="0" internal_layer_id="3"/>', ""))
