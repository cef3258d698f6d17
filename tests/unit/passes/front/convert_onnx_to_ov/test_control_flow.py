"""Signatures and element types of subgraphs, and what import does with them."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
from xdsl.dialects.builtin import UnrankedTensorType

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.compiler.model import Engine
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from tests.support import raises_error

HEAD = '<ir_version: 10, opset_import: ["" : 21]> '


def model(graph: str, head: str = HEAD) -> onnx.ModelProto:
    return onnx.parser.parse_model(head + graph)


def loop(body: str, *, inputs: str = "m, c, x", outputs: str = "y", cond: str = "bool c") -> onnx.ModelProto:
    """A model with one Loop."""
    return model(
        f"""g (int64 m, {cond}, float[2] x, int64[2] k) => (float[n] y) {{
          {outputs} = Loop ({inputs}) <body = body {body}>
        }}"""
    )


STEP = "(int64 i, bool b, float[2] s) => (bool b2, float[2] t) { b2 = Identity (b) t = Neg (s) }"


def test_loop_of_the_fixture() -> None:
    load_onnx(loop(STEP)).verify()


@pytest.mark.parametrize(
    ("body", "inputs", "outputs"),
    [
        (STEP, "m, c", "y"),
        (STEP, "m, c, x, x", "y"),
        ("(int64 i, bool b, float[2] s) => (bool b2) { b2 = Identity (b) }", "m, c, x", "y"),
    ],
    ids=["input missing", "input too many", "carried output missing"],
)
def test_loop_with_a_wrong_signature(body: str, inputs: str, outputs: str) -> None:
    with raises_error("subgraph-signature", "'Loop:y'"):
        load_onnx(loop(body, inputs=inputs, outputs=outputs))


def test_loop_with_more_outputs_than_its_body() -> None:
    with raises_error("subgraph-signature", "2 results", "1 + 0"):
        load_onnx(loop(STEP, outputs="y, z"))


def test_carried_value_changes_its_element_type() -> None:
    body = "(int64 i, bool b, float[2] s) => (bool b2, int64[2] t) { b2 = Identity (b) t = Identity (k) }"
    with raises_error("element-type", "carried value 0", "f32", "i64"):
        load_onnx(loop(body))


def test_condition_that_is_no_boolean() -> None:
    with raises_error("invalid-onnx", "'cond'", "float"):
        load_onnx(loop(STEP, cond="float c"))
    body = "(int64 i, bool b, float[2] s) => (int64 b2, float[2] t) { b2 = Identity (i) t = Neg (s) }"
    with raises_error("element-type", "the body's condition"):
        load_onnx(loop(body))


def test_trip_count_that_is_no_i64() -> None:
    with raises_error("invalid-onnx", "'M'", "float"):
        load_onnx(loop(STEP, inputs="x, c, x"))


def branches(then: str, otherwise: str) -> onnx.ModelProto:
    return model(
        f"""g (bool c, float[2] x, int64[2] k) => (float[2] y) {{
          y = If (c) <then_branch = a {then}, else_branch = b {otherwise}>
        }}"""
    )


NEGATED = "() => (float[2] r) { r = Neg (x) }"


@pytest.mark.parametrize(
    "then",
    [
        "() => (float[2] r, float[2] q) { r = Neg (x) q = Abs (x) }",
        "(float[2] z) => (float[2] r) { r = Neg (z) }",
    ],
    ids=["outputs", "inputs"],
)
def test_branch_with_a_wrong_signature(then: str) -> None:
    with raises_error("subgraph-signature", "then_branch"):
        load_onnx(branches(then, NEGATED))


def test_branches_of_different_element_type() -> None:
    with raises_error("element-type", "output 0 of the branches"):
        load_onnx(branches(NEGATED, "() => (int64[2] r) { r = Neg (k) }"))


def scan(attributes: str, inputs: str = "s, x") -> onnx.ModelProto:
    return model(
        f"""g (float s, float[3] x) => (float t, float[n] y) {{
          t, y = Scan ({inputs}) <{attributes}
            body = body (float a, float p) => (float b, float q) {{ b = Add (a, p) q = Identity (b) }}>
        }}"""
    )


@pytest.mark.parametrize(
    ("attributes", "inputs", "identifier"),
    [
        ("num_scan_inputs = 3,", "s, x", "subgraph-signature"),
        ("num_scan_inputs = 0,", "s, x", "subgraph-signature"),
        ("num_scan_inputs = 1,", "s, s, x", "subgraph-signature"),
        ("num_scan_inputs = 1, scan_input_axes = [0, 0],", "s, x", "subgraph-signature"),
        ("num_scan_inputs = 1, scan_input_directions = [2],", "s, x", "invalid-onnx"),
        ("num_scan_inputs = 1, scan_input_axes = [1],", "s, x", "axis-range"),
    ],
)
def test_scan_with_a_wrong_signature(attributes: str, inputs: str, identifier: str) -> None:
    load_onnx(scan("num_scan_inputs = 1,")).verify()
    with pytest.raises(loomir.Error) as info:
        load_onnx(scan(attributes, inputs))
    assert info.value.identifier == identifier


def test_scan_of_different_lengths() -> None:
    graph = """g (float[3] x, float[4] w) => (float[n] y) {
      y = Scan (x, w) <num_scan_inputs = 2, body = body (float p, float q) => (float r) { r = Add (p, q) }>
    }"""
    with raises_error("scan-length", "[3, 4]"):
        load_onnx(model(graph))


# -- what is made


def loops_of(proto: onnx.ModelProto) -> LoopOp:
    module = load_onnx(proto)
    module.verify()
    (op,) = [op for op in module.walk() if isinstance(op, LoopOp)]
    return op


def test_condition_that_is_only_passed_through_is_not_carried() -> None:
    op = loops_of(loop(STEP, inputs='m, "", x'))
    assert op.cond is None
    assert op.next.cond is None
    assert len(op.carried) == 1


def test_condition_that_the_body_reads_is_carried() -> None:
    body = "(int64 i, bool b, float[2] s) => (bool b2, float[2] t) { b2 = Not (b) t = Where (b, s, x) }"
    op = loops_of(loop(body, inputs='m, "", x'))
    assert op.next.cond is None
    assert len(op.carried) == 2


def test_long_chain_of_carried_values() -> None:
    """Each takes over the one before, the first one grows: the types are found in a few rounds, not one for each."""
    count = 60
    names = ", ".join(f"s{i}" for i in range(count))
    formal = ", ".join(f"float[n{i}] s{i}" for i in range(count))
    results = ", ".join(f"float[m{i}] t{i}" for i in range(count))
    moves = " ".join(f"t{i} = Identity (s{i - 1})" for i in range(1, count))
    graph = f"""g (int64 m, bool c, float[2] x) => (float[n] y0) {{
      {names.replace("s", "y")} = Loop (m, c, {", ".join(["x"] * count)}) <body =
        body (int64 i, bool b, {formal}) => (bool b2, {results}) {{
          b2 = Identity (b) t0 = Concat <axis = 0> (s0, x) {moves}
        }}>
    }}"""
    op = loops_of(model(graph))
    assert not any(
        isinstance(r.type, UnrankedTensorType) or r.type.get_shape() == (2,)  # pyright: ignore
        for r in op.final[:5]
    )
    outputs = loomir.load(model(graph)).run({"m": 2, "c": True, "x": np.ones(2, np.float32)}, engine="graph")
    assert outputs["y0"].shape == (6,)


def test_illegal_branch_is_kept_until_it_is_known_to_be_dead() -> None:
    """`squeeze` of an extent that is not 1, which the other branch is there for."""
    graph = """g (float[3, 2] x) => (float[n] y) {
      shape = Shape (x)
      zero = Constant <value_ints = [0]> ()
      one = Constant <value_ints = [1]> ()
      first = Gather (shape, zero)
      single = Equal (first, one)
      y = If (single) <then_branch = a () => (float[2] r) { r = Squeeze (x, zero) },
                       else_branch = b () => (float[3, 2] r) { r = Neg (x) }>
    }"""
    module = load_onnx(model(graph))
    module.verify()
    assert any(isinstance(op, IfOp) for op in module.walk())
    outputs = loomir.load(model(graph)).run({"x": np.ones((3, 2), np.float32)}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], -np.ones((3, 2), np.float32))


FORBIDDEN = """g (bool c, float[n, 2] x, int64 k) => (float[m] y, float[p, q] z) {
  zero = Constant <value_ints = [0]> ()
  y, z = If (c) <then_branch = a () => (float[2] r, float[p, 2] s) { r = Squeeze (x, zero) s = Neg (x) },
                 else_branch = b () => (float[k] r, float[3, 2] s) {
                   i = Constant <value_ints = [0, 1]> () r = Gather (x, k) s = Abs (x) }>
}"""


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_forbidden_branch_fails_when_it_is_taken(engine: Engine) -> None:
    """With three rows the first branch is illegal, but nobody knows whether it runs; with one row both are legal."""
    loaded = loomir.load(model(FORBIDDEN), shapes={"x": [3, 2]})
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    outputs = loaded.run({"c": False, "x": x, "k": 2}, engine=engine)
    np.testing.assert_array_equal(outputs["y"], x[2])
    np.testing.assert_array_equal(outputs["z"], x)
    with raises_error("runtime-shape"):
        loaded.run({"c": True, "x": x, "k": 2}, engine=engine)
    one = loomir.load(model(FORBIDDEN), shapes={"x": [1, 2]}).run(
        {"c": True, "x": x[:1], "k": 0}, engine=engine
    )
    np.testing.assert_array_equal(one["y"], x[0])


def test_forbidden_branch_that_is_taken_for_sure() -> None:
    with raises_error("squeeze-extent", "'Squeeze:r'"):
        loomir.load(model(FORBIDDEN), shapes={"x": [3, 2]}, values={"c": True})


def test_both_branches_forbidden() -> None:
    graph = """g (bool c, float[3, 2] x) => (float[m] y) {
      zero = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> ()
      y = If (c) <then_branch = a () => (float[2] r) { r = Squeeze (x, zero) },
                  else_branch = b () => (float[3] r) { r = Squeeze (x, one) }>
    }"""
    with raises_error("squeeze-extent", "'Squeeze:r'"):
        loomir.load(model(graph))


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_forbidden_branch_in_a_loop_and_in_another(engine: Engine) -> None:
    graph = """g (int64 n, float[3] x) => (float[3] y) {
      zero = Constant <value_ints = [0]> () two = Constant <value_int = 2> () ten = Constant <value_int = 10> ()
      t = Constant <value = bool {1}> ()
      y = Loop (n, t, x) <body = body (int64 i, bool b, float[3] v) => (bool b2, float[3] w) {
        b2 = Identity (b)
        late = Less (two, i)
        w = If (late) <then_branch = p () => (float[m] r) {
            later = Less (ten, i)
            r = If (later) <then_branch = q () => (float[m] u) { u = Squeeze (v, zero) },
                            else_branch = o () => (float[m] u) { u = Exp (v) }>
          },
          else_branch = s () => (float[3] r) { r = Add (v, v) }>
      }>
    }"""
    x = np.array([1, 2, 3], np.float32)
    loaded = loomir.load(model(graph))
    np.testing.assert_array_equal(loaded.run({"n": 2, "x": x}, engine=engine)["y"], 4 * x)
    with raises_error("runtime-shape"):
        loaded.run({"n": 12, "x": x * -9}, engine=engine)


@pytest.mark.parametrize(
    "opset", [1, 7, 8, 9, 11, 13, 16, 19, 21, 23, 24, 25, onnx.defs.onnx_opset_version()]
)
def test_every_version(opset: int) -> None:
    """An If in a Loop means the same in all; Scan is there from 8 on, with a batch in its first version."""
    head = f'<ir_version: 8, opset_import: ["" : {opset}]> '
    graph = """g (int64 n, bool c, float[2] x) => (float[2] y, float[k, 2] all) {
      y, all = Loop (n, c, x) <body = body (int64 i, bool b, float[2] s) => (bool b2, float[2] t, float[2] out) {
        b2 = Identity (b)
        t = If (b) <then_branch = p () => (float[2] r) { r = Neg (s) }, else_branch = q () => (float[2] r) { r = Abs (s) }>
        out = Abs (t)
      }>
    }"""
    x = np.array([1, -2], np.float32)
    outputs = loomir.load(model(graph, head)).run({"n": 3, "c": True, "x": x}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], -x)
    np.testing.assert_array_equal(outputs["all"], np.abs([x, x, x]))
    if opset >= 8:
        batch, first = ("1, ", '"", ') if opset == 8 else ("", "")
        graph = f"""g (float[{batch}2] s, float[{batch}3, 2] x) => (float[{batch}2] y, float[{batch}3, 2] all) {{
          y, all = Scan ({first}s, x) <num_scan_inputs = 1, body = body (float[2] s, float[2] part)
            => (float[2] t, float[2] out) {{ t = Mul (s, part) out = Neg (t) }}>
        }}"""
        rows = np.arange(6, dtype=np.float32).reshape(3, 2)
        s = np.ones(2, np.float32)
        feed = {"s": s[None], "x": rows[None]} if opset == 8 else {"s": s, "x": rows}
        outputs = loomir.load(model(graph, head)).run(feed, engine="graph")
        np.testing.assert_array_equal(outputs["all"].reshape(3, 2), -np.cumprod(rows, 0))
