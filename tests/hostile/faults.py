"""Faults of a model and their errors.

They are the first part of the table of docs/errors.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import ArrayLike
from onnx import TensorProto, helper, parser

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.model import Engine, Model
from tests.hostile.fault import ENGINES, fault

# -- OpenVINO IR

NET = """<?xml version="1.0"?>
<net name="sum" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>2</dim></port></output></layer>
<layer id="1" name="c" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0" size="8"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges>
</net>
"""


def openvino(folder: Path, *changes: tuple[str, str], weights: bytes = bytes(8)) -> Model:
    """The model above with parts of its text replaced; each must be there."""
    text = NET
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / "sum.xml").write_text(text)
    (folder / "sum.bin").write_bytes(weights)
    return loomir.load(folder / "sum.xml")


def edited(what: str, identifier: str, *changes: tuple[str, str], weights: bytes = bytes(8)) -> None:
    fault(what, identifier)(lambda folder: openvino(folder, *changes, weights=weights))


@fault("a file that is not XML", "xml-syntax")
def not_xml(folder: Path) -> object:
    (folder / "m.xml").write_bytes(b"\0\1\2PK not xml")
    return loomir.load(folder / "m.xml")


edited("XML that ends early", "xml-syntax", ("</net>", ""))
edited("a document type declaration", "xml-forbidden", ("<net ", "<!DOCTYPE net><net "))
edited(
    "entities that grow: a billion laughs", "xml-forbidden",
    ("<net ", '<!DOCTYPE net [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><net '),
)  # fmt: skip
edited(
    "an entity that reads a file", "xml-forbidden",
    ("<net ", '<!DOCTYPE net [<!ENTITY a SYSTEM "file:///etc/hostname">]><net '),
)  # fmt: skip
edited("another root element", "ir-structure", ("<net ", "<html "), ("</net>", "</html>"))
edited("IR of a version that is not known", "ir-version", ('version="11"', 'version="7"'))
edited("a `.bin` that is too short", "bin-range", weights=bytes(7))
edited("a `.bin` of another save than the `.xml`", "bin-mixed", ("</net>", '<weights digest="00"/></net>'))
edited("an offset behind the end of the `.bin`", "bin-range", ('offset="0"', 'offset="4"'))
edited("an offset below zero", "bin-range", ('offset="0"', 'offset="-4"'))
edited("a size that does not fit shape and type", "const-size", ('size="8"', 'size="4"'))
edited(
    "a constant as large as all memory",
    "bin-range",
    ('shape="2" offset', 'shape="1099511627776" offset'),
    ('size="8"', 'size="4398046511104"'),
)
edited("two layers with one id", "ir-structure", ('layer id="1"', 'layer id="0"'))
edited("a layer without an id", "ir-structure", ('layer id="1"', "layer"))
edited("an edge from a layer that is not there", "ir-structure", ('from-layer="1"', 'from-layer="9"'))
edited(
    "an edge to a port that is not there",
    "ir-structure",
    ('to-layer="2" to-port="1"', 'to-layer="2" to-port="7"'),
)
edited("a port fed twice", "ir-structure", ('to-layer="2" to-port="1"', 'to-layer="2" to-port="0"'))
edited(
    "an operand that nothing feeds",
    "ir-structure",
    ('<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>', ""),
)
edited(
    "an operand too few", "operand-count", ('<port id="1"><dim>2</dim></port></input>', "</input>"),
    ('<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>', ""),
)  # fmt: skip
edited(
    "an operand too many", "operand-count", ('type="Add"', 'type="Abs"'), ('auto_broadcast="numpy"', ""),
)  # fmt: skip
edited(
    "an attribute that must be there",
    "attribute-missing",
    ('type="Add"', 'type="Concat"'),
    ('auto_broadcast="numpy"', ""),
)
edited(
    "a tensor of 33 dimensions",
    "shape-too-large",
    ('shape="2" element_type', f'shape="{"1," * 32}2" element_type'),
)
edited(
    "a tensor of no elements and 2⁶³ − 1 rows",
    "shape-too-large",
    ('shape="2" element_type', f'shape="0,{2**63 - 1}" element_type'),
)
edited(
    "a constant of 33 dimensions",
    "shape-too-large",
    ('f32" shape="2" offset', f'f32" shape="{"1," * 32}2" offset'),
)
edited(
    "one operand of two, and an axis where it begins", "operand-count", ('<port id="0"><dim>2</dim></port><port id="1">', '<port id="1">'),
    ('"numpy"', '"pdpd" auto_broadcast.auto_broadcast_axis="0"'), ('<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>', ""),
)  # fmt: skip
edited(
    "an axis of broadcasting beyond all dimensions", "bad-attribute", ('"numpy"', '"pdpd" auto_broadcast.auto_broadcast_axis="2147483646"'),
)  # fmt: skip
edited(
    "an extent of more than 64 bits",
    "bad-attribute",
    ('shape="2" element_type', f'shape="1..{2**63}" element_type'),
)
edited("a cycle", "ir-cycle", ('from-layer="1" from-port="0"', 'from-layer="2" from-port="2"'))


@fault("an operator that does not exist, when it is run", "unknown-operator")
def unknown(folder: Path) -> object:
    model = openvino(folder, ('type="Add"', 'type="Frobnicate"'))
    assert isinstance(model, loomir.Model)
    return model.lowered("loops")


edited(
    "an element type that is not one",
    "unsupported-type",
    ('shape="2" element_type="f32"', 'shape="2" element_type="f31"'),
)
edited(
    "operands of two element types",
    "element-types-differ",
    ('<data element_type="f32" shape="2"', '<data element_type="i32" shape="2"'),
)
edited(
    "operands whose shapes do not go together",
    "broadcast-shapes",
    ('shape="2" element_type', 'shape="3" element_type'),
)
edited(
    "an attribute that cannot be read",
    "bad-attribute",
    ('shape="2" element_type', 'shape="two" element_type'),
)


@fault("elements nested a thousand deep", "model-too-deep")
def deep(folder: Path) -> object:
    return openvino(folder, ("<edges>", "<a>" * 1000 + "</a>" * 1000 + "<edges>"))


@fault("no `.bin` beside the `.xml`", "bin-missing")
def no_weights(folder: Path) -> object:
    openvino(folder)
    (folder / "sum.bin").unlink()
    return loomir.load(folder / "sum.xml")


# -- ONNX


def graph(
    body: str, inputs: str = "float[2] x", outputs: str = "float[2] y", opset: int = 17
) -> onnx.ModelProto:
    return parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : {opset}]> g ({inputs}) => ({outputs}) {{ {body} }}'
    )


def imported(what: str, identifier: str, *arguments: str, opset: int = 17) -> None:
    fault(what, identifier)(lambda folder: loomir.load(graph(*arguments, opset=opset)))


@fault("a file that is no protobuf", "invalid-onnx")
def not_protobuf(folder: Path) -> object:
    (folder / "m.onnx").write_bytes(b"\xff" * 40)
    return loomir.load(folder / "m.onnx")


@fault("names that are not UTF-8", "invalid-onnx")
def not_text(folder: Path) -> object:
    data = graph("y = Relu(x)").SerializeToString().replace(b"Relu", b"Re\xff\xfe")
    (folder / "m.onnx").write_bytes(data)
    return loomir.load(folder / "m.onnx")


imported("a cycle among nodes", "graph-cycle", "a = Add(x, b) b = Neg(a) y = Neg(b)")
imported("a name that nothing defines", "undefined-name", "y = Add(x, z)")
imported("a value defined twice", "duplicate-name", "y = Neg(x) y = Abs(x)")
imported("an operator that ONNX does not have", "unknown-operator", "y = Frobnicate(x)")
imported("an operator newer than the operator set", "unknown-operator", "y = HardSwish(x)", opset=13)
imported("an operator set of the future", "unsupported-operator", "y = Neg(x)", opset=9999)
imported(
    "a type that the operator's version does not take",
    "invalid-onnx",
    "y = Relu(x)",
    "int32[2] x",
    "int32[2] y",
    opset=13,
)
imported("two types where the schema has one", "invalid-onnx", "y = Add(x, z)", "float[2] x, double[2] z")
imported("an attribute that the schema does not have", "invalid-onnx", "y = Relu<alpha=1.0>(x)")
imported("too many inputs", "invalid-onnx", "y = Relu(x, x)")
imported(
    "an operator that works on strings",
    "unsupported-operator",
    "y = StringConcat(x, x)",
    "string[2] x",
    "string[2] y",
    opset=20,
)


def external(folder: Path, location: str, offset: str = "0", length: str = "8") -> object:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=value)
    model = graph("y = Add(x, w)", "float[2] x, float[2] w")
    del model.graph.input[1]
    model.graph.initializer.append(tensor)
    (folder / "inner").mkdir()
    for path in (folder / "w.bin", folder / "inner" / "beside.bin"):
        path.write_bytes(bytes(8))
    (folder / "inner" / "m.onnx").write_bytes(model.SerializeToString())
    return loomir.load(folder / "inner" / "m.onnx")


fault("external data above the model's folder", "external-data")(lambda folder: external(folder, "../w.bin"))
fault("external data at an absolute path", "external-data")(
    lambda folder: external(folder, str(folder / "w.bin"))
)
fault("external data that is not there", "external-data")(lambda folder: external(folder, "nowhere.bin"))


@fault("external data through a link out of the folder", "external-data")
def through_a_link(folder: Path) -> object:
    with suppress(loomir.Error):
        external(folder, "link.bin")  # writes the model, whose data is not there yet
    (folder / "inner" / "link.bin").symlink_to(folder / "w.bin")
    return loomir.load(folder / "inner" / "m.onnx")


def info(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])


@fault("functions that call each other", "invalid-onnx")
def mutual(folder: Path) -> object:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    functions = [
        helper.make_function("f", a, ["x"], ["y"], [helper.make_node(b, ["x"], ["y"], domain="f")], opsets)
        for a, b in (("A", "B"), ("B", "A"))
    ]
    whole = helper.make_graph(
        [helper.make_node("A", ["x"], ["y"], domain="f")], "g", [info("x")], [info("y")]
    )
    return loomir.load(helper.make_model(whole, opset_imports=opsets, functions=functions, ir_version=8))


# -- size bombs

HUGE = "c = Constant<value_ints=[1000000000000]>()"


def bomb(what: str, body: str, feed: Mapping[str, ArrayLike], inputs: str = "float[1] x") -> None:
    for engine in ENGINES:

        @fault(f"{what} ({engine})", "limit-bytes")
        def attempt(folder: Path, engine: Engine = engine) -> object:
            return loomir.load(graph(body, inputs, "float[n] y")).run(feed, engine=engine)


X1 = {"x": np.ones(1, np.float32)}
bomb("a tensor of a terabyte by ConstantOfShape", f"{HUGE} z = ConstantOfShape(c) y = Add(z, x)", X1)
bomb("… by Tile", f"{HUGE} y = Tile(x, c)", X1)
bomb("… by Expand", f"{HUGE} z = Expand(x, c) y = Neg(z)", X1)
bomb("… by Pad", "p = Constant<value_ints=[0, 1000000000000]>() y = Pad(x, p)", X1)


for operator in ("MaxPool", "AveragePool"):

    @fault(f"the windows of {operator} (graph)", "limit-bytes")
    def windows(folder: Path, operator: str = operator) -> object:
        body = f"y = {operator}<kernel_shape = [500, 500]>(x)"
        model = loomir.load(graph(body, "float[1,1,n,m] x", "float[a,b,c,d] y"))
        return model.run({"x": np.ones((1, 1, 1500, 1500), np.float32)}, engine="graph")


@fault("a padding as large as all memory, of which nothing is left (graph)", "limit-bytes")
def padding(folder: Path) -> object:
    body = f"y = MaxPool<kernel_shape = [1], pads = [0, {1 << 50}], strides = [{1 << 40}]>(x)"
    return loomir.load(graph(body, "float[1,1,n] x", "float[a,b,c] y")).run(
        {"x": np.ones((1, 1, 2), np.float32)}, engine="graph"
    )


@fault("a table of 2⁴⁰ positions for Resize (graph)", "limit-bytes")
def table(folder: Path) -> object:
    body = f's = Constant<value_ints = [1, 1, {1 << 40}]>() y = Resize<mode = "linear">(x, , , s)'
    return loomir.load(graph(body, "float[1,1,2] x", "float[a,b,c] y")).run(
        {"x": np.ones((1, 1, 2), np.float32)}, engine="graph"
    )


@fault("a Fourier transform of a prime number of elements (graph)", "limit-bytes")
def prime(folder: Path) -> object:
    body = "n = Constant<value_int = 1000003>() y = DFT<axis = 1>(x, n)"
    return loomir.load(graph(body, "float[1,2,1] x", "float[1,a,2] y")).run(
        {"x": np.ones((1, 2, 1), np.float32)}, engine="graph"
    )


@fault("a recurrent network of 2⁶⁰ hidden elements", "limit-bytes")
def hidden(folder: Path) -> object:
    body = f"y = RNN<hidden_size = {1 << 60}>(x, w, r)"
    return loomir.load(graph(body, "float[1,1,1] x, float[a,b,c] w, float[d,e,f] r", "float[g,h,i,j] y"))


@fault("a shape that is only known when it runs", "limit-bytes")
def dynamic_bomb(folder: Path) -> object:
    model = loomir.load(graph("y = ConstantOfShape(s)", "int64[1] s", "float[n] y"))
    return model.run({"s": np.array([10**12])}, engine="graph")


@fault("a loop that runs for too long (graph)", "limit-iterations")
def too_long(folder: Path) -> object:
    text = """t = Constant<value = bool {1}>()
      y = Loop<body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
        w = Neg(v) e = Mul(v, v) f = Less(e, v) d = Not(f)
      }>(, t, x)"""
    return loomir.load(graph(text, "float[1] x"), max_iterations=1000).run(X1, engine="graph")


def endless(engine: Engine) -> None:
    text = """t = Constant<value = bool {1}>()
      y = Loop<body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) { d = Identity(c) w = Neg(v) }>(, t, x)"""
    fault(f"a loop without end ({engine})", "endless-loop")(
        lambda folder: loomir.load(graph(text, "float[1] x")).run(X1, engine=engine)
    )


for each in ENGINES:
    endless(each)


# -- MLIR


@fault("a branch of scf that yields nothing", "mlir-invalid")
def without_yield(folder: Path) -> object:
    yielded = "scf.yield %a : i32"
    text = f"%r = scf.if %c -> (i32) {{ }} else {{ {yielded} }} func.return %r : i32"
    return parse_module(f"func.func @main(%c: i1, %a: i32) -> i32 {{ {text} }}")


# -- more dimensions than memory

for _what, _body, _inputs in (
    ("ConstantOfShape", "y = ConstantOfShape (x)", ""),
    ("Expand", "y = Expand (d, x)", ""),
    ("Tile", "y = Tile (d, x)", ""),
    ("Reshape", "y = Reshape (d, x)", ""),
    ("Unsqueeze", "y = Unsqueeze (d, x)", ""),
    ("Squeeze", "y = Squeeze (d, x)", ""),
    ("Pad", "y = Pad (d, x)", ""),
    ("Slice", "y = Slice (d, x, z)", f", int64[{2**33}] z"),
    ("Col2Im", "y = Col2Im (d, x, z)", f", int64[{2**33}] z"),
):
    imported(
        f"8,589,934,592 dimensions for {_what}", "shape-too-large", _body, f"float[2, 4, 2] d, int64[{2**33}] x{_inputs}",
        "float[a, b, c] y", opset=20,
    )  # fmt: skip


# -- textual ONNX

TEXT = '<ir_version: 10, opset_import: ["" : 21]>\n'


def text(what: str, identifier: str, graph: str | bytes) -> None:
    @fault(f"textual ONNX: {what}", identifier)
    def attempt(folder: Path) -> object:
        data = graph if isinstance(graph, bytes) else graph.encode()
        (folder / "m.onnxtxt").write_bytes(TEXT.encode() + data)
        return loomir.load(folder / "m.onnxtxt")


def nested_branches(depth: int) -> str:
    begin = "r = If (c) <else_branch = e () => (float q) { q = Abs (x) }, then_branch = t () => (float r) { "
    return f"g (float x, bool c) => (float r) {{ {begin * depth} r = Neg (x) {'}>' * depth} }}"


text("bytes that are not UTF-8", "invalid-onnx", b"g (float x) => (float y) {\n y = N\xffg (x) }")
text("a graph that ends early", "invalid-onnx", "g (float x) => (float y) { y = Neg (x)")
text("an extent beyond 64 bits", "invalid-onnx", f"g (float[{10**30}] x) => (float y) {{ y = Neg (x) }}")
text("a float beyond all", "invalid-onnx", "g (float x) => (float y) { y = Elu <alpha = 1e9999> (x) }")
text("a minus without a number", "invalid-onnx", "g (float x) => (float y) { y = Elu <alpha = - > (x) }")
text("branches nested a hundred thousand deep", "model-too-deep", nested_branches(100_000))
text(
    "types nested a hundred thousand deep",
    "model-too-deep",
    f"g ({'seq(' * 100_000}float{')' * 100_000} x) => (float y) {{ y = Neg (x) }}",
)
text("strings and comments with brackets in them", "invalid-onnx", '"' + '{ \\"' * 1000 + '" # ' + "{" * 1000)
text("branches nested deeper than protobuf goes", "invalid-onnx", nested_branches(40))


@fault("subgraphs nested a thousand deep in a file", "invalid-onnx")
def deep_protobuf(folder: Path) -> object:
    """Write the file as bytes, because no library writes it."""

    def field(number: int, payload: bytes) -> bytes:
        length, size = len(payload), bytearray()
        while length >= 128:
            size.append(length % 128 + 128)
            length //= 128
        return bytes([number * 8 + 2, *size, length]) + payload

    graph_ = b""
    for _ in range(1000):
        graph_ = field(1, field(5, field(6, graph_)))  # graph.node, node.attribute, attribute.g
    (folder / "m.onnx").write_bytes(field(7, graph_))
    return loomir.load(folder / "m.onnx")


@fault("an index that the data makes too large (ONNX)", "runtime-index")
def index(folder: Path) -> object:
    model = loomir.load(graph("y = Gather(x, i)", "float[2] x, int64[1] i", "float[1] y"))
    return model.run({"x": np.ones(2, np.float32), "i": np.array([2])}, engine="native")
