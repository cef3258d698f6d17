"""Exporter output beyond the letter of the specification, or at its edges.

It is imported, and equals ONNX Runtime's results where ONNX Runtime accepts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

import loomir
from loomir.compiler.option_names import ENGINES
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime
from tests.support import assert_all_agree, raises_error

X = np.array([1, -2], np.float32)
Edit = Callable[[ModelProto], object]


def parse(graph: str, imports: str = '"" : 21', functions: str = "") -> ModelProto:
    return onnx.parser.parse_model(f"<ir_version: 10, opset_import: [{imports}]> {graph} {functions}")


NEG = "g (float[2] x) => (float[2] y) { t = Abs (x) y = Neg (t) }"
LOOP = """g (float[2] x) => (float[2] y, float[K, 2] z) {
    m = Constant <value_int = 3> ()
    y, z = Loop (m, "", x) <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e, float[2] f) {
        d = Identity (c) e = Neg (a) f = Abs (e)
    }>
}"""
IF = """g (float[2] x, bool p) => (float[2] y) {
    y = If (p) <then_branch = t () => (float[2] r) { r = Neg (x) }, else_branch = f () => (float[2] s) { s = Abs (x) }>
}"""
SCAN = """g (float[2] x, float[3, 2] w) => (float[2] y, float[3, 2] z) {
    y, z = Scan (x, w) <num_scan_inputs = 1, body = b (float[2] a, float[2] k) => (float[2] d, float[2] e) {
        d = Add (a, k) e = Identity (d)
    }>
}"""
MAP = """g (float[2] x) => (float[4] y) {
    s = SequenceConstruct (x, x)
    r = SequenceMap (s) <body = b (float[2] a) => (float[2] n) { n = Neg (a) }>
    y = ConcatFromSequence <axis = 0> (r)
}"""
LEAKY = '<domain: "f", opset_import: ["" : 21]> L <{}> (a) => (b) {{ b = LeakyRelu <alpha : float = @alpha> (a) }}'
CALL = "g (float[2] x) => (float[2] y) { y = f.L (x) }"


def bodies(model: ModelProto) -> Iterable[onnx.GraphProto]:
    return (a.g for node in model.graph.node for a in node.attribute if a.HasField("g"))


def extents(value: int) -> Edit:
    """Every extent that is declared anywhere becomes this, as Paddle's exporter writes what is open."""

    def edit(model: ModelProto) -> None:
        model.graph.value_info.append(helper.make_tensor_value_info("t", TensorProto.FLOAT, [2]))
        for graph in (model.graph, *bodies(model)):
            for info in (*graph.input, *graph.output, *graph.value_info):
                for dimension in info.type.tensor_type.shape.dim:
                    dimension.dim_value = value

    return edit


def without_types(model: ModelProto) -> None:
    """Outputs have no type, nor has anything in a body: onnxscript's converter writes names only."""
    untyped = [*model.graph.output, *(v for g in bodies(model) for v in (*g.input, *g.output))]
    for info in untyped:
        info.CopyFrom(ValueInfoProto(name=info.name))


def without_element_types(model: ModelProto) -> None:
    for info in (*model.graph.output, *(v for g in bodies(model) for v in (*g.input, *g.output))):
        info.type.tensor_type.elem_type = TensorProto.UNDEFINED


def declared_twice(model: ModelProto) -> None:
    """Also what is an input, or an output, and with another shape."""
    for name in ("t", "t", "x", "y"):
        model.graph.value_info.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]))


def symbols(model: ModelProto) -> None:
    for info in (*model.graph.input, *model.graph.output):
        info.type.tensor_type.shape.dim[0].dim_param = "2*(floor(s0/2) + 1)"


def initialiser_as_input(model: ModelProto) -> None:
    model.graph.initializer.append(numpy_helper.from_array(X, "w"))


def initialisers_that_nobody_reads(model: ModelProto) -> None:
    for graph in (model.graph, *bodies(model)):
        graph.initializer.append(numpy_helper.from_array(X, "unused"))


def metadata(model: ModelProto) -> None:
    helper.set_model_props(model, {"author": "a"})
    model.graph.node[0].metadata_props.add(key="namespace", value=": torch.nn")
    model.graph.quantization_annotation.add(tensor_name="x")
    for domain in ("com.microsoft", "ai.onnx.ml", "pkg.onnxscript.torch_lib"):
        model.opset_import.append(helper.make_opsetid(domain, 1))


def no_names(model: ModelProto) -> None:
    model.graph.name = ""


def nodes_of_the_alias(model: ModelProto) -> None:
    for node in model.graph.node:
        node.domain = "ai.onnx"


def overload(model: ModelProto) -> None:
    """A second function of the same name."""
    other = model.functions.add()
    other.CopyFrom(model.functions[0])
    other.overload = "abs"
    other.node[0].CopyFrom(helper.make_node("Abs", ["a"], ["b"]))
    model.graph.node[0].overload = "abs"


def ir_version(version: int) -> Edit:
    def edit(model: ModelProto) -> None:
        model.ir_version = version
        model.opset_import[0].version = 9

    return edit


CASES: dict[str, tuple[ModelProto, Edit]] = {
    "extents of -1": (parse(NEG), extents(-1)),
    "extents of -7": (parse(NEG), extents(-7)),
    "extents of -1 in a loop": (parse(LOOP), extents(-1)),
    "extents of -1 in branches": (parse(IF), extents(-1)),
    "extents of -1 in a scan": (parse(SCAN), extents(-1)),
    "outputs without a type": (parse(NEG), without_types),
    "a loop without types": (parse(LOOP), without_types),
    "branches without types": (parse(IF), without_types),
    "a scan without types": (parse(SCAN), without_types),
    "a map without types": (parse(MAP), without_types),
    "a map without element types": (parse(MAP), without_element_types),
    "a loop without element types": (parse(LOOP), without_element_types),
    "values declared twice": (parse(NEG), declared_twice),
    "expressions for extents": (parse(NEG), symbols),
    "an initialiser as input": (
        parse("g (float[2] x, float[2] w) => (float[2] y) { y = Add (x, w) }"),
        initialiser_as_input,
    ),
    "initialisers that nobody reads": (parse(IF), initialisers_that_nobody_reads),
    "metadata and domains that are not used": (parse(NEG), metadata),
    "a graph without a name": (parse(NEG), no_names),
    "nodes of the domain ai.onnx": (parse(NEG), nodes_of_the_alias),
    "an operator set imported under both names": (
        parse(NEG),
        lambda model: model.opset_import.append(helper.make_opsetid("ai.onnx", 21)),
    ),
    "a function's attribute with a default": (
        parse(CALL, '"" : 21, "f" : 1', LEAKY.format("alpha: float = 0.5")),
        lambda model: None,
    ),
    "a function's attribute that is not given": (
        parse(CALL, '"" : 21, "f" : 1', LEAKY.format("alpha")),
        lambda model: None,
    ),
    "an overloaded function": (parse(CALL, '"" : 21, "f" : 1', LEAKY.format("alpha")), overload),
    "a function called like an operator": (
        parse(
            CALL.replace("f.L", "f.Neg"),
            '"" : 21, "f" : 1',
            '<domain: "f", opset_import: ["" : 21]> Neg (a) => (b) { c = Neg (a) b = Abs (c) }',
        ),
        lambda model: None,
    ),
    **{f"IR version {n}": (parse(NEG), ir_version(n)) for n in range(3, 14)},
}
NOT_FOR_ONNXRUNTIME = {
    "a loop without types", "a map without types", "a map without element types", "a loop without element types",
}  # fmt: skip
"""It does not load these; the same model with types says what they mean."""


@pytest.mark.parametrize("name", CASES)
def test_what_exporters_write(name: str) -> None:
    base, edit = CASES[name]
    model = ModelProto()
    model.CopyFrom(base)
    edit(model)
    initialisers = {t.name for t in model.graph.initializer}
    arrays = {"x": X, "p": np.array(True), "w": np.ones((3, 2), np.float32)}
    feed = {i.name: arrays[i.name] for i in model.graph.input if i.name not in initialisers}
    expected = run_onnxruntime(base if name in NOT_FOR_ONNXRUNTIME else model, [feed])[0]
    before = model.SerializeToString()
    loaded = loomir.load(model)
    assert model.SerializeToString() == before
    assert_all_agree(loaded.run(feed, engine="graph"), expected)


CONSTANT = {
    "Loop": """g (float[2] x) => (float[2] y, float[K, 2] z) <int64 m = {3}> {
        y, z = Loop (m, "", x) <body = b (BEFORE int64 i, bool c, float[2] a AFTER) => (bool d, float[2] e, float[2] f)
            <float[2] k = {2, 3}> { d = Identity (c) e = Mul (a, k) f = Neg (e) }>
    }""",
    "Scan": """g (float[2] x, float[3, 2] w) => (float[2] y, float[3, 2] z) {
        y, z = Scan (x, w) <num_scan_inputs = 1, body = b (BEFORE float[2] a, float[2] p AFTER) => (float[2] e, float[2] f)
            <float[2] k = {2, 3}> { t = Add (a, p) e = Mul (t, k) f = Neg (e) }>
    }""",
    "If": """g (float[2] x, bool p) => (float[2] y) {
        y = If (p) <then_branch = t (BEFORE AFTER) => (float[2] r) <float[2] k = {2, 3}> { r = Mul (x, k) },
                    else_branch = f (BEFORE AFTER) => (float[2] s) <float[2] k = {4, 5}> { s = Add (x, k) }>
    }""",
}
"""Bodies with a constant, which IR version 3 wants among the inputs."""


@pytest.mark.parametrize("version", [3, 4, 8])
@pytest.mark.parametrize("place", ["BEFORE", "AFTER"])
@pytest.mark.parametrize("operator", CONSTANT)
def test_constants_of_bodies_among_their_inputs(operator: str, place: str, version: int) -> None:
    text = CONSTANT[operator]
    comma = "" if operator == "If" else ","
    formal = f"float[2] k {comma}" if place == "BEFORE" else f"{comma} float[2] k"
    text = text.replace(place, formal).replace("BEFORE", "").replace("AFTER", "")
    model = onnx.parser.parse_model(f'<ir_version: {version}, opset_import: ["": 9]> {text}')
    if version == 3:
        known = {i.name for i in model.graph.input}
        model.graph.input.extend(
            helper.make_tensor_value_info(t.name, t.data_type, t.dims)
            for t in model.graph.initializer
            if t.name not in known
        )
    arrays = {"x": X, "p": np.array(False), "w": np.ones((3, 2), np.float32)}
    feed = {i.name: arrays[i.name] for i in model.graph.input if i.name in arrays}
    expected = run_onnxruntime(model, [feed])[0]
    for level in ("O0", "O2"):
        program = loomir.load(model, level=level)
        for engine in ENGINES:
            assert_all_agree(program.run(feed, engine=engine), expected, f"{level} {engine}")


def test_sparse_constants_of_bodies_among_their_inputs() -> None:
    model = parse(CONSTANT["If"].replace("BEFORE", "float[2] k").replace("AFTER", ""))
    for body in bodies(model):
        dense = body.initializer.pop()
        sparse = body.sparse_initializer.add(dims=[2])
        sparse.values.CopyFrom(dense)
        sparse.indices.CopyFrom(numpy_helper.from_array(np.arange(2)))
    outputs = loomir.load(model).run({"x": X, "p": np.array(True)}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], X * np.array([2, 3], np.float32))


def test_extents_below_zero_are_open() -> None:
    model = parse(NEG)
    extents(-1)(model)
    assert loomir.load(model).inputs[0].shape == (None,)
    assert loomir.load(model, shapes={"x": [5]}).inputs[0].shape == (5,)
    sequence = parse("g (seq(float[2]) s) => (int64 n) { n = SequenceLength (s) }")
    sequence.graph.input[0].type.sequence_type.elem_type.tensor_type.shape.dim[0].dim_value = -1
    assert loomir.load(sequence).run({"s": [X, X[:1]]}, engine="graph")["n"] == 2


@pytest.mark.parametrize(("kind", "lack"), [(None, "no type"), (TensorProto.UNDEFINED, "no element type")])
def test_inputs_must_have_a_type(kind: int | None, lack: str) -> None:
    model = parse(NEG)
    value = model.graph.input[0]
    value.CopyFrom(ValueInfoProto(name="x"))
    if kind is not None:
        value.type.tensor_type.elem_type = kind
    with raises_error("invalid-onnx", f"the input 'x' has {lack}", "declare the type"):
        loomir.load(model)


@pytest.mark.parametrize("given", [{}, {"offset": "0"}, {"length": "8"}, {"offset": "8", "length": "8"}])
def test_external_data_without_offset_or_length(given: dict[str, str], tmp_path: Path) -> None:
    model = parse("g (float[2] x) => (float[2] y) { y = Add (x, w) }")
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "w.bin", **given}.items():
        tensor.external_data.add(key=key, value=value)
    model.graph.initializer.append(tensor)
    (tmp_path / "w.bin").write_bytes(np.array([1, 2, 3, 4], np.float32).tobytes())
    onnx.save(model, tmp_path / "m.onnx")
    first = int(given.get("offset", 0)) // 4
    outputs = loomir.load(tmp_path / "m.onnx").run({"x": X}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], X + np.array([first + 1, first + 2]))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (
            LOOP.replace("y, z = Loop", "y = Loop"),
            "the node has 1 results, its body needs 1 + 1: 1 carried values",
        ),
        (LOOP.replace("y, z = Loop", "y, z, q = Loop"), "the node has 3 results, its body needs 1 + 1"),
        (SCAN.replace("y, z = Scan", "y = Scan"), "the node has 1 results, its body needs 1 + 1"),
        (IF.replace("y = If", "y, q = If"), "the node has 2 results, then_branch has 1"),
    ],
)
def test_number_of_results(graph: str, message: str) -> None:
    with raises_error("subgraph-signature", message):
        loomir.load(parse(graph.replace(", float[K, 2] z)", ")").replace(", float[3, 2] z)", ")")))


def test_results_that_nobody_needs_have_no_name() -> None:
    model = parse(LOOP.replace(", float[K, 2] z)", ")").replace("y, z =", "y, # =").replace("#", '""'))
    np.testing.assert_array_equal(loomir.load(model).run({"x": X}, engine="graph")["y"], -X)


def test_a_function_with_fewer_results_than_its_call() -> None:
    model = parse(CALL, '"" : 21, "f" : 1', LEAKY.format("alpha"))
    model.graph.node[0].output.append("z")
    with raises_error("unsupported-output", "output 1 of L ('z')"):
        loomir.load(model)
