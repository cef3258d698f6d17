"""Sequences and optionals of ONNX: types of inputs, attributes, what may take them, and what is refused."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.dialects.onnx.tensors import proto_of, type_of, type_text
from loomir.dialects.ovseq.sequences import EmptyOp, GetOp, NoneOp
from tests.support import raises_error

HEAD = '<ir_version: 10, opset_import: ["" : 21]> '


def model(graph: str, head: str = HEAD) -> onnx.ModelProto:
    return onnx.parser.parse_model(head + graph)


def sequence_input(
    element: int, op: str = "SequenceLength", output: int = TensorProto.INT64
) -> onnx.ModelProto:
    """A model whose input is a sequence of tensors of this element type."""
    graph = helper.make_graph(
        [helper.make_node(op, ["s"], ["y"])],
        "g",
        [helper.make_tensor_sequence_value_info("s", element, None)],
        [helper.make_tensor_value_info("y", output, None)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.parametrize(
    ("declared", "expected", "text"),
    [
        ("seq(float[2, N])", "!ovseq.sequence<tensor<2x?xf32>>", "seq(tensor(float))"),
        ("seq(int64[])", "!ovseq.sequence<tensor<*xi64>>", "seq(tensor(int64))"),
        ("seq(bool)", "!ovseq.sequence<tensor<i1>>", "seq(tensor(bool))"),
        ("optional(double[3])", "!ovseq.optional<tensor<3xf64>>", "optional(tensor(double))"),
        (
            "optional(seq(uint8[N]))",
            "!ovseq.optional<!ovseq.sequence<tensor<?xui8>>>",
            "optional(seq(tensor(uint8)))",
        ),
    ],
)
def test_types_of_inputs(declared: str, expected: str, text: str) -> None:
    """And back to ONNX's type and the name that schemas have for it."""
    made = model(f"g ({declared} s, float[2] x) => (float[2] y) {{ y = Neg (x) }}")
    type_ = type_of(made.graph.input[0].type, "the input 's'")
    assert str(type_) == expected
    assert type_of(proto_of(type_), "") == type_
    assert type_text(type_) == text
    module = load_onnx(made)
    module.verify()
    assert expected in str(module)


def test_symbols_inside_of_a_sequence_say_nothing() -> None:
    """Each element has its own N: only tensors are bound by it."""
    text = "g (seq(float[N]) s, float[N] x) => (float[N] y) { y = Neg (x) }"
    assert "!ovseq.sequence<tensor<?xf32>>" in str(load_onnx(model(text), shapes={"x": [3]}))


@pytest.mark.parametrize("option", ["shapes", "values"])
def test_only_tensors_can_be_fixed(option: str) -> None:
    with raises_error("input-sequence", "'s'", "sequence of tensor of f32"):
        loomir.load(sequence_input(TensorProto.FLOAT), **{option: {"s": [2]}})


def test_sequences_cannot_be_bounded() -> None:
    with raises_error("input-sequence", "'s'"):
        loomir.load(sequence_input(TensorProto.FLOAT), max_shapes={"s": [2]})


def test_element_types_that_an_operator_does_not_take() -> None:
    """ONNX's sequences have no bfloat16 (nor what is newer)."""
    with raises_error("invalid-onnx", "seq(tensor(bfloat16))", "seq(tensor(bool))"):
        loomir.load(sequence_input(TensorProto.BFLOAT16))


@pytest.mark.parametrize("operator", ["Neg", "Shape", "Reshape"])
def test_operators_on_tensors_refuse_sequences(operator: str) -> None:
    rest = ", x" if operator == "Reshape" else ""
    text = f"g (seq(float) s, int64[1] x) => (float y) {{ y = {operator} (s{rest}) }}"
    with raises_error("invalid-onnx", "seq(tensor(float))", "tensor("):
        load_onnx(model(text))


def test_tensors_of_another_type_than_the_sequence() -> None:
    # `tensor(int64)` is a T that SequenceInsert takes; the sequence has another one.
    text = "g (seq(float) s, int64[1] x) => (seq(float) y) { y = SequenceInsert (s, x) }"
    with raises_error("element-types-differ"):
        load_onnx(model(text))
    text = "g (float[1] s, int64[1] x) => (seq(float) y) { y = SequenceConstruct (s, x) }"
    with raises_error("invalid-onnx", "must have one type"):
        load_onnx(model(text))


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [("", "f32"), ("<dtype = 7>", "i64"), ("<dtype = 9>", "i1")],
)
def test_empty_sequences(attribute: str, expected: str) -> None:
    module = load_onnx(
        model(f"g () => (int64 n) {{ s = SequenceEmpty {attribute} () n = SequenceLength (s) }}")
    )
    (empty,) = [op for op in module.walk() if isinstance(op, EmptyOp)]
    assert str(empty.element_type) == expected


def absent(type_: onnx.TypeProto | None, output: onnx.ValueInfoProto) -> onnx.ModelProto:
    """A model that asks for the value of an optional that has none."""
    node = helper.make_node("Optional", [], ["o"], **({} if type_ is None else {"type": type_}))
    graph = helper.make_graph([node, helper.make_node("OptionalGetElement", ["o"], ["y"])], "g", [], [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def test_absent_optionals() -> None:
    """The attribute's shape is irrelevant, since there is no value."""
    output = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    made = absent(helper.make_tensor_type_proto(TensorProto.INT64, [2]), output)
    module = load_onnx(made)
    (none,) = [op for op in module.walk() if isinstance(op, NoneOp)]
    assert str(none.value_type) == "tensor<*xi64>"
    with raises_error("runtime-absent", "OptionalGetElement"):
        loomir.load(made).run({}, engine="graph")
    with raises_error("invalid-onnx", "'type' is missing"):
        load_onnx(absent(None, output))


def test_a_tensor_is_an_optional_that_has_a_value() -> None:
    text = """g (float[2] x) => (bool h, bool n, float[2] y) {
      h = OptionalHasElement (x)  n = OptionalHasElement ()  y = OptionalGetElement (x)
    }"""
    outputs = loomir.load(model(text)).run({"x": np.ones(2, np.float32)}, engine="graph")
    assert bool(outputs["h"])
    assert not bool(outputs["n"])


def test_a_loop_may_carry_an_optional_and_go_on_with_a_value() -> None:
    """It gives a value then; one that never runs has none to give."""
    text = """g (int64 n, optional(float[2]) o, float[2] x) => (float[2] y) {
      y = Loop (n, , o) <body = b (int64 i, bool c, optional(float[2]) a) => (bool d, float[2] z) {
        d = Identity (c)  z = Identity (x)
      }>
    }"""
    made = model(text)
    assert any(isinstance(op, GetOp) for op in load_onnx(made).walk())
    loaded = loomir.load(made)
    x = np.ones(2, np.float32)
    for o in (None, x * 3):
        np.testing.assert_array_equal(loaded.run({"n": 1, "o": o, "x": x}, engine="graph")["y"], x)
    np.testing.assert_array_equal(loaded.run({"n": 0, "o": x * 3, "x": x}, engine="graph")["y"], x * 3)
    with raises_error("runtime-absent"):
        loaded.run({"n": 0, "o": None, "x": x}, engine="graph")


def test_a_branch_may_give_an_optional_and_the_other_a_value() -> None:
    text = """g (bool c, float[2] x) => (optional(float[2]) y) {
      y = If (c) <then_branch = t () => (optional(float[2]) a) { a = Optional (x) },
                  else_branch = e () => (float[2] b) { b = Neg (x) }>
    }"""
    loaded = loomir.load(model(text))
    x = np.ones(2, np.float32)
    np.testing.assert_array_equal(loaded.run({"c": False, "x": x}, engine="graph")["y"], -x)
    assert isinstance(loaded.outputs[0], loomir.OptionalInfo)


@pytest.mark.parametrize(
    "body",
    [
        "(int64 i, bool c, seq(float) a) => (bool d, float[2] z) { d = Identity (c) z = Identity (x) }",
        "(int64 i, bool c, seq(float) a) => (bool d, seq(int64) z) { d = Identity (c) z = SequenceConstruct (i) }",
    ],
)
def test_carried_values_of_two_kinds(body: str) -> None:
    text = (
        f"g (int64 n, seq(float) s, float[2] x) => (seq(float) y) {{ y = Loop (n, , s) <body = b {body}> }}"
    )
    with raises_error("element-type", "carried value 0"):
        load_onnx(model(text))


def test_a_sequence_is_no_scan_output_nor_condition() -> None:
    body = "(int64 i, bool c) => (bool d, seq(float) z) { d = Identity (c) z = SequenceConstruct (x) }"
    text = f"g (int64 n, bool k, float[2] x) => (float[K,2] y) {{ y = Loop (n, k) <body = b {body}> }}"
    with raises_error("invalid-onnx", "sequence of tensor of f32 where a tensor must be"):
        load_onnx(model(text))
    body = "(int64 i, bool c) => (seq(bool) d, float z) { d = SequenceConstruct (c) z = Cast <to = 1> (i) }"
    text = f"g (int64 n, bool k) => (float[K] y) {{ y = Loop (n, k) <body = b {body}> }}"
    with raises_error("invalid-onnx", "sequence of tensor of i1 where a tensor must be"):
        load_onnx(model(text))


def test_the_rank_of_elements_that_a_loop_reads_back() -> None:
    """The sequence is empty at first and says nothing of elements; the first iteration does."""
    text = """g (int64 n, float[1,2,8] x, float[2] w) => (seq(float[1,2,8]) y) {
      k = Constant <value = bool {1}> ()
      e = SequenceEmpty ()
      y = Loop (n, k, e) <body = b (int64 i, bool c, seq(float[1,2,8]) s) => (bool d, seq(float[1,2,8]) t) {
        d = Identity (c)
        zero = Constant <value_int = 0> ()
        last = Constant <value_int = -1> ()
        first = Equal (i, zero)
        p = If (first) <then_branch = h () => (float[1,2,8] a) { a = Identity (x) },
                        else_branch = j () => (float[1,2,8] q) { q = SequenceAt (s, last) }>
        v = InstanceNormalization (p, w, w)
        t = SequenceInsert (s, v)
      }>
    }"""
    assert "!ovseq.sequence<tensor<1x2x8xf32>>" in str(load_onnx(model(text)))
