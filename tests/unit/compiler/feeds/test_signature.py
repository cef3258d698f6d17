"""The user's view of a lowered function: what is taken, what is refused, what comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import loomir
from loomir.compiler.feeds.signature import ARENA_FILL, Signature
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import assert_agree, raises_error

LOOPS = """
func.func @main(
    %x: memref<24xf32> {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?x3xf32>},
    %n: index {loomir.dim = "x:0"},
    %u: memref<2xi8> {loomir.name = "u", loomir.role = "input", loomir.type = tensor<2xui8>},
    %s: i32 {loomir.name = "s", loomir.role = "input"},
    %w: memref<2xi1> {loomir.blob = dense<[true, false]> : tensor<2xi1>},
    %y: memref<8xi8> {loomir.name = "y", loomir.role = "output", loomir.type = tensor<?xui8>},
    %z: memref<2x2xf32> {loomir.name = "z", loomir.role = "output"},
    %arena: memref<64xi8> {loomir.role = "arena", loomir.align = 32 : i64})
    -> (index {loomir.dim = "y:0"}, i1 {loomir.name = "flag"}) {
  %t = arith.constant true
  func.return %n, %t : index, i1
}"""

FEED = {
    "x": np.arange(6, dtype=np.float32).reshape(2, 3),
    "u": np.array([1, 255], np.uint8),
    "s": np.int32(-4),
}


def signature(text: str) -> Signature:
    function = parse_module(text).body.block.first_op
    assert isinstance(function, FuncOp)
    return Signature.of(function)


def test_ports() -> None:
    s = signature(LOOPS)
    assert [(p.name, str(p), p.kind) for p in s.inputs] == [
        ("x", "float32[?,3]", "dynamic"),
        ("u", "uint8[2]", "static"),
        ("s", "int32[]", "scalar"),
    ]
    assert [(p.name, str(p), p.kind) for p in s.outputs] == [
        ("y", "uint8[?]", "dynamic"),
        ("z", "float32[2,2]", "static"),
        ("flag", "bool[]", "scalar"),
    ]
    assert s.inputs[0].bounds == (8, 3)
    assert s.arena is not None
    assert s.arena.align == 32


def test_pack_and_unpack() -> None:
    s = signature(LOOPS)
    x, n, u, scalar, w, y, z, arena = s.pack(FEED)
    assert isinstance(x, np.ndarray)
    np.testing.assert_array_equal(x[:6], np.arange(6))
    assert n == 2
    assert isinstance(u, np.ndarray)
    assert u.dtype == np.int8
    assert u.tolist() == [1, -1]
    assert scalar == -4
    assert isinstance(w, np.ndarray)
    assert w.view(np.uint8).tolist() == [1, 0]
    assert isinstance(y, np.ndarray)
    assert isinstance(z, np.ndarray)
    assert isinstance(arena, np.ndarray)
    assert arena.ctypes.data % 32 == 0
    assert set(arena.view(np.uint8).tolist()) == {ARENA_FILL}
    y[:3] = [1, 2, -1]
    z[...] = 7
    out = s.unpack([x, n, u, scalar, w, y, z, arena], [3, True])
    assert out["y"].dtype == np.uint8
    assert out["y"].tolist() == [1, 2, 255]
    assert out["z"].shape == (2, 2)
    assert out["flag"].shape == ()
    assert out["flag"].dtype == np.bool_


def test_structured_results() -> None:
    """In STRUCTURED every output is a result, a dynamic one with its dimensions behind it."""
    s = signature("""
        func.func @main(%x: tensor<6xf16> {loomir.name = "x", loomir.type = tensor<?x?xf16>},
            %a: index {loomir.dim = "x:0"}, %b: index {loomir.dim = "x:1"})
            -> (tensor<6xf16> {loomir.name = "a:b", loomir.type = tensor<?x?xf16>},
                index {loomir.dim = "a:b:0"}, index {loomir.dim = "a:b:1"}) {
          func.return %x, %a, %b : tensor<6xf16>, index, index
        }""")
    x = np.arange(6, dtype=np.float16).reshape(3, 2)
    arguments = s.pack({"x": x})
    np.testing.assert_array_equal(s.unpack(arguments, arguments)["a:b"], x)
    assert s.inputs[0].bounds == (None, None)
    with raises_error("input-shape"):
        s.pack({"x": np.zeros((3, 3), np.float16)})


def test_names_by_default() -> None:
    s = signature("""
        func.func @main(%x: f32, %y: memref<2xf32> {loomir.role = "output"}) -> f32 {
          func.return %x : f32
        }""")
    assert [p.name for p in s.inputs] == ["arg0"]
    assert [p.name for p in s.outputs] == ["result0", "result1"]


def test_missing_and_unknown_inputs() -> None:
    s = signature(LOOPS)
    with raises_error("input-missing", "'s'", "int32[]"):
        s.pack({k: v for k, v in FEED.items() if k != "s"})
    with raises_error("input-unknown", "'q'", "x: float32[≤8,3]"):
        s.pack({**FEED, "q": np.zeros(1)})


@pytest.mark.parametrize(
    "value",
    [np.int64(1), np.zeros((), np.float32), 1.5, True, 1 << 40, "1"],
    ids=["wide", "float", "python-float", "bool", "large", "text"],
)
def test_wrong_element_types(value: object) -> None:
    with raises_error("input-dtype", "'s'", "int32"):
        signature(LOOPS).pack({**FEED, "s": value})


def test_python_numbers_are_taken() -> None:
    s = signature(LOOPS)
    assert s.pack({**FEED, "s": 5})[3] == 5
    assert s.pack({**FEED, "u": [0, 200]})[2].tolist() == [0, -56]  # pyright: ignore
    with raises_error("input-dtype"):
        s.pack({**FEED, "u": [0, -1]})


@pytest.mark.parametrize("shape", [(3,), (9, 3), (2, 4), (2, 3, 1)])
def test_wrong_shapes(shape: tuple[int, ...]) -> None:
    with raises_error("input-shape", "'x'", str(list(shape))):
        signature(LOOPS).pack({**FEED, "x": np.zeros(shape, np.float32)})


def test_views_of_inputs() -> None:
    """An input that is no contiguous array is copied; a large one that is, is not."""
    s = signature(LOOPS)
    backwards = np.array([1, 255], np.uint8)[::-1]
    assert s.pack({**FEED, "u": backwards})[2].tolist() == [-1, 1]  # pyright: ignore
    u = FEED["u"]
    packed = s.pack(FEED)[2]
    assert isinstance(packed, np.ndarray)
    assert np.shares_memory(packed, u)


def test_contradictions() -> None:
    with raises_error("bad-interface", "has loomir.dim for dimensions"):
        signature("""
            func.func @main(%x: memref<6xf32> {loomir.name = "x", loomir.type = tensor<?x3xf32>}) {
              func.return
            }""")
    with raises_error("bad-interface", "does not exist"):
        signature('func.func @main(%n: index {loomir.dim = "x:0"}) { func.return }')
    with raises_error("bad-interface", "is held in"):
        signature("""
            func.func @main(%x: memref<6xf32> {loomir.name = "x", loomir.type = tensor<2x2xf32>}) {
              func.return
            }""")


@pytest.mark.parametrize("engine", ["graph", "structured", "loops", "interpreter", "native"])
def test_results_without_names(engine: str, tmp_path: Path) -> None:
    """The order of results is independent of which of them are scalars.

    This holds in every engine.
    """
    path = tmp_path / "unnamed.mlir"
    path.write_text("""func.func @main(%a: tensor<i64>, %x: tensor<?xf32>, %z: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<i64>, tensor<?xf32>, tensor<i64>, tensor<2xf32>) {
  %k = ov.multiply %a, %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %n = ov.add %a, %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %y = ov.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %w = ov.exp %z : (tensor<2xf32>) -> tensor<2xf32>
  %v = ov.abs %z : (tensor<2xf32>) -> tensor<2xf32>
  func.return %w, %k, %y, %n, %v : tensor<2xf32>, tensor<i64>, tensor<?xf32>, tensor<i64>, tensor<2xf32>
}""")
    x, z = np.arange(3, dtype=np.float32), np.zeros(2, np.float32)
    model = loomir.load(path, max_shapes={"arg1": [5]})
    outputs = model.run({"arg0": np.int64(5), "arg1": x, "arg2": z}, engine=engine)
    assert list(outputs) == [f"result{k}" for k in range(5)]
    for output, expected in zip(outputs.values(), (z + 1, np.int64(25), x + x, np.int64(10), z)):
        assert_agree(output, np.asarray(expected))
