"""Operations become layers, their operands edges."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

import loomir
from tests.support import raises_error
from tests.unit.compiler.formats.openvino.nets import edges, layer, layers, net

ADD = """
func.func @main(%x: tensor<?x3xf32> {loomir.name = "x", loomir.bounds = [8, 3]}, %u: tensor<3xf32> {loomir.name = "u"})
    -> (tensor<?x3xf32> {loomir.name = "y", loomir.names = ["y", "z,1"]}) {
  %c = ov.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %s = ov.add %x, %c : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32> loc("sum")
  %t = ov.relu %s : (tensor<?x3xf32>) -> tensor<?x3xf32> loc("sum")
  func.return %t : tensor<?x3xf32>
}"""


def test_layers_and_edges() -> None:
    """Ids 0 … n − 1 in topological order, ports of outputs behind those of inputs, a name of its own for each."""
    root = net(ADD)
    assert dict(root.attrib) == {"name": "m", "version": "11"}
    named = [
        ("Parameter", "x"),
        ("Parameter", "u"),
        ("Const", "ov.constant"),
        ("Add", "sum_1"),
        ("ReLU", "sum"),
    ]
    assert layers(root) == [*named, ("Result", "y/result")]
    assert [each.get("id") for each in root.iterfind("layers/layer")] == list("012345")
    assert edges(root) == [(0, 0, 3, 0), (2, 0, 3, 1), (3, 2, 4, 0), (4, 1, 5, 0)]
    assert [port.get("id") for port in layer(root, "Add").iter("port")] == ["0", "1", "2"]
    (output,) = layer(root, "Add").iterfind("output/port")
    assert output.get("precision") == "FP32"
    assert [dim.text for dim in output] == ["-1", "3"]


def test_inputs_and_outputs() -> None:
    root = net(ADD)
    parameters = root.findall("layers/layer[@type='Parameter']/data")
    assert [dict(p.attrib) for p in parameters] == [
        {"shape": "..8,3", "element_type": "f32"},
        {"shape": "3", "element_type": "f32"},
    ]
    assert layer(root, "Result").get("output_names") == r"y,z\,1"


def test_a_layer_of_somebodys_own() -> None:
    """An operator that nobody knows has its type, its set and its attributes as they are."""
    root = net("""
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %y = ov.custom "Stretch" in "extension" (%x) {factor = 1.5 : f64, axes = array<i64: 0, 1>, mo.own = 1 : i64}
      : (tensor<2xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}""")
    stretch = layer(root, "Stretch")
    assert stretch.get("version") == "extension"
    assert [dict(d.attrib) for d in stretch.iterfind("data")] == [{"factor": "1.5", "axes": "0,1"}]


def test_weights_in_16_bits_say_so() -> None:
    root = net("""
func.func @main() -> tensor<2xf32> {
  %h = ov.constant dense<[1.0, 2.0]> : tensor<2xf16> : tensor<2xf16>
  %w = ov.convert %h {destination_type = f32} : (tensor<2xf16>) -> tensor<2xf32>
  func.return %w : tensor<2xf32>
}""")
    (said,) = layer(root, "Convert").iterfind("rt_info/attribute")
    assert said.get("name") == "decompression"


def test_labels_that_xml_cannot_say() -> None:
    """Two names inside of the net that differ in such a character stay two."""
    root = net("""
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %s = ov.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("a\\01")
  %t = ov.add %s, %y : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("a\\02")
  %u = ov.add %t, %y : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("<&>")
  func.return %u : tensor<f32>
}""")
    assert [name for _, name in layers(root)][2:] == ["a\ufffd", "a\ufffd_1", "<&>", "result0/result"]


@pytest.mark.parametrize("character", ["00", "01", "0B", "1F", "EF\\BF\\BE"])
@pytest.mark.parametrize("of", ["input", "output", "state", "type"])
def test_names_that_xml_cannot_say(of: str, character: str) -> None:
    """By these users and runtimes ask: another one would be another interface."""
    name = dict.fromkeys(("input", "output", "state", "type"), "a") | {of: f"a\\{character}"}
    state = f"""{{loomir.name = "state", loomir.state = "{name["state"]}"}}"""
    with raises_error("not-in-openvino", "has a character that XML cannot represent"):
        net(f"""
func.func @main(%x: tensor<f32> {{loomir.name = "{name["input"]}"}}, %s: tensor<f32> {state})
    -> (tensor<f32> {{loomir.name = "{name["output"]}o"}}, tensor<f32> {state}) {{
  %y = ov.custom "{name["type"]}" in "extension" (%x) : (tensor<f32>) -> tensor<f32>
  %z = ov.add %y, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %y, %z : tensor<f32>, tensor<f32>
}}""")


@pytest.mark.parametrize("name", ["a\\09", "a\\0A", "a\\0D", "\\C3\\A9", "\\7F", "a, b<&>"])
def test_names_that_xml_can_say(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text(
        f'func.func @main(%x: tensor<f32> {{loomir.name = "{name}"}}) -> (tensor<f32> {{loomir.name = "{name}o"}}) {{\n'
        "  %y = ov.abs %x : (tensor<f32>) -> tensor<f32>\n  func.return %y : tensor<f32>\n}"
    )
    model = loomir.load(tmp_path / "m.mlir")
    model.save(tmp_path / "m.xml")
    again = loomir.load(tmp_path / "m.xml")
    assert [i.name for i in (*again.inputs, *again.outputs)] == [
        i.name for i in (*model.inputs, *model.outputs)
    ]


@pytest.mark.parametrize(
    ("body", "identifier", "what"),
    [
        ("%y = ov.bit_cast %x {destination_type = i32} : (tensor<2xf32>) -> tensor<2xi32>", "not-in-openvino", "ov.bit_cast"),
        ('%y = ov.constant dense<1> : tensor<2xi2> : tensor<2xi2>', "unsupported-type", "i2"),
    ],
)  # fmt: skip
def test_what_cannot_be_said(body: str, identifier: str, what: str, tmp_path: Path) -> None:
    """Refused by name, with the file and the place, and nothing is written."""
    type_ = body.rpartition(" ")[2]
    path = tmp_path / "m.mlir"
    path.write_text(
        f"func.func @main(%x: tensor<2xf32>) -> {type_} {{\n  {body}\n  func.return %y : {type_}\n}}"
    )
    with raises_error(identifier, what, f"{path}:2:"):
        loomir.load(path).save(tmp_path / "m.xml")
    assert not (tmp_path / "m.xml").exists()
    assert not (tmp_path / "m.bin").exists()


def test_what_a_model_says_of_itself_is_kept(tmp_path: Path) -> None:
    """Labels, and how inputs are prepared: `rt_info/model_info`, whatever white space is between its elements."""
    net(ADD)
    loomir.load(parsed(tmp_path, ADD)).save(tmp_path / "a.xml")
    info = '<model_info>\n  <labels value="cat dog"/>\n  <model_type value="ssd"/>\n</model_info>'
    text = (tmp_path / "a.xml").read_text().replace("</rt_info>\n</net>", f"{info}</rt_info>\n</net>")
    assert info in text
    (tmp_path / "a.xml").write_text(text)
    model = loomir.load(tmp_path / "a.xml")
    for name in ("b.xml", "c.xml"):
        model.save(tmp_path / name)
        said = etree.parse(tmp_path / name).getroot().find("rt_info/model_info")
        assert said is not None
        assert [(each.tag, each.get("value")) for each in said] == [
            ("labels", "cat dog"),
            ("model_type", "ssd"),
        ]
        model = loomir.load(tmp_path / name)


def test_what_a_module_says_that_is_no_xml(tmp_path: Path) -> None:
    text = f'builtin.module attributes {{loomir.model_info = "<a"}} {{ {ADD} }}'
    with raises_error("xml-syntax", "is not XML"):
        loomir.load(parsed(tmp_path, text)).save(tmp_path / "a.xml")


def parsed(folder: Path, text: str) -> Path:
    """The text as a file."""
    path = folder / "m.mlir"
    path.write_text(text)
    return path
