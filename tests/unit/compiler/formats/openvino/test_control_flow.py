"""Loops and branches become Loop, TensorIterator and If."""

from __future__ import annotations

from tests.support import raises_error
from tests.unit.compiler.formats.openvino.nets import edges, entries, layer, layers, net

LOOP = """
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<1xf32>, %s: tensor<4x1xf32>, %w: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<f32>, tensor<?x1xf32>) {
  %r, %l, %q = ov.loop trip(%n) while(%c) carried(%x) sliced(%s) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<i1>, tensor<1xf32>, tensor<4x1xf32>) -> (tensor<1xf32>, tensor<f32>, tensor<?x1xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>, %p: tensor<1x1xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %a = ov.add %v, %w : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.next while(%c) carried(%a : tensor<1xf32>) last(%f : tensor<f32>) concat(%p : tensor<1x1xf32>)
  }
  func.return %r, %l, %q : tensor<1xf32>, tensor<f32>, tensor<?x1xf32>
}"""


def test_a_loop() -> None:
    """Trip count and condition, then carried, sliced and captured values; a Parameter for each, and one for the iteration number."""
    loop = layer(net(LOOP), "Loop")
    body = loop.find("body")
    assert body is not None
    assert [p.get("id") for p in loop.iterfind("input/port")] == ["0", "1", "2", "3", "4", "5"]
    assert [p.get("id") for p in loop.iterfind("output/port")] == ["6", "7", "8"]
    types = [type_ for type_, _ in layers(body)]
    assert types == [*["Parameter"] * 5, "Convert", "Add", *["Result"] * 4]
    whole = {"axis": "0", "start": "0", "end": "-1", "stride": "1", "part_size": "1"}
    assert entries(loop, "port_map") == [
        {"external_port_id": "-1", "internal_layer_id": "0", "purpose": "current_iteration"},
        {"external_port_id": "2", "internal_layer_id": "1"},
        {"external_port_id": "3", "internal_layer_id": "2", **whole},
        {"external_port_id": "4", "internal_layer_id": "3"},
        {"external_port_id": "5", "internal_layer_id": "4"},
        {"external_port_id": "-1", "internal_layer_id": "7", "purpose": "execution_condition"},
        {"external_port_id": "6", "internal_layer_id": "8"},
        {"external_port_id": "7", "internal_layer_id": "9"},
        {"external_port_id": "8", "internal_layer_id": "10", **whole},
    ]
    assert entries(loop, "back_edges") == [{"from-layer": "8", "to-layer": "1"}]
    assert edges(body) == [
        (0, 0, 5, 0),
        (1, 0, 6, 0),
        (3, 0, 6, 1),
        (4, 0, 7, 0),
        (6, 2, 8, 0),
        (5, 1, 9, 0),
        (2, 0, 10, 0),
    ]


def test_what_slices_count_is_a_tensor_iterator() -> None:
    root = net("""
func.func @main(%s: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %q = ov.loop sliced(%s) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0>]}
      : (tensor<4x1xf32>) -> tensor<4x1xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<1x1xf32>):
    %a = ov.abs %p : (tensor<1x1xf32>) -> tensor<1x1xf32>
    ov.next concat(%a : tensor<1x1xf32>)
  }
  func.return %q : tensor<4x1xf32>
}""")
    iterator = layer(root, "TensorIterator")
    backwards = {"axis": "0", "start": "-1", "end": "0", "stride": "-1", "part_size": "1"}
    assert entries(iterator, "port_map")[0] == {
        "external_port_id": "0",
        "internal_layer_id": "0",
        **backwards,
    }
    assert not entries(iterator, "back_edges")


def test_a_branch_in_a_branch_reads_through_both() -> None:
    """An outer value is an input and a Parameter at each level, and only where it is read."""
    root = net("""
func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %r = ov.if %c -> (tensor<f32>) {
    %q = ov.if %d -> (tensor<f32>) {
      ov.yield %y : tensor<f32>
    } else {
      %k = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
      ov.yield %k : tensor<f32>
    }
    ov.yield %q : tensor<f32>
  } else {
    ov.yield %x : tensor<f32>
  }
  func.return %r : tensor<f32>
}""")
    outer = layer(root, "If")
    assert len(outer.findall("input/port")) == 4
    then, other = outer.find("then_body"), outer.find("else_body")
    assert then is not None
    assert other is not None
    assert layers(then) == [
        ("Parameter", "captured"),
        ("Parameter", "captured_1"),
        ("If", "ov.if"),
        ("Result", "result_0"),
    ]
    assert layers(other) == [("Parameter", "captured"), ("Result", "result_0")]
    assert [e["external_port_id"] for e in entries(outer, "then_port_map")] == ["1", "2", "4"]
    assert [e["external_port_id"] for e in entries(outer, "else_port_map")] == ["3", "4"]
    inner = layer(then, "If")
    assert [e["external_port_id"] for e in entries(inner, "then_port_map")] == ["1", "2"]
    assert [e["external_port_id"] for e in entries(inner, "else_port_map")] == ["2"]


def nest(depth: int) -> str:
    """Branches within branches."""
    inner = "%y0 = ov.relu %x : (tensor<f32>) -> tensor<f32>"
    for level in range(1, depth + 1):
        branch = f"{inner}\n ov.yield %y{level - 1} : tensor<f32>"
        inner = f"%y{level} = ov.if %c -> (tensor<f32>) {{ {branch} }} else {{ ov.yield %x : tensor<f32> }}"
    return f"func.func @main(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {{ {inner}\n func.return %y{depth} : tensor<f32> }}"


def test_bodies_may_be_nested_as_deep_as_the_reader_takes_them() -> None:
    assert len(net(nest(64)).findall(".//layer[@type='If']")) == 64
    with raises_error("model-too-deep", "more than 64"):
        net(nest(65))
