"""`lower-linalg-to-loops` against numpy: run before (where linalg on memrefs can be run) and after, on every shape of nest."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.parser import Parser

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.passes.loops.lower_linalg_to_loops import LowerLinalgToLoopsPass
from loomir.passes.loops.lower_linalg_to_loops.padding import Accumulator, KnownNumber, is_neutral


def parse(text: str) -> ModuleOp:
    module = Parser(make_context(), text).parse_module()
    module.verify()
    return module


def lowered(text: str) -> ModuleOp:
    module = parse(text)
    LowerLinalgToLoopsPass().apply(make_context(), module)
    module.verify()
    names = {op.name for op in module.walk()}
    assert not {
        n
        for n in names
        if n.startswith("linalg.") or n in ("memref.dim", "builtin.unrealized_conversion_cast")
    }
    return module


def main(arguments: str, body: str) -> str:
    return f"builtin.module {{ func.func @main({arguments}) {{\n{body}\n func.return }} }}"


def tensor(name: str, type: str, role: str = "input") -> str:
    return f'%{name}: memref<{type}> {{loomir.name = "{name}", loomir.role = "{role}"}}'


def cast(name: str, type: str, padded: str) -> str:
    """%v, which stands for %name with padding around it."""
    return f"%v = builtin.unrealized_conversion_cast %{name} : memref<{type}> to memref<{padded}>"


def run(module: ModuleOp, **feed: np.ndarray) -> np.ndarray:
    (result,) = LoopsEngine(module)(feed).values()
    return result


def f32(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


RNG = np.random.default_rng(0)

MAC = """^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }"""


def count(module: ModuleOp, kind: type) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def test_matmul_accumulates_in_a_scalar_and_needs_no_fill():
    module = lowered(
        main(
            ", ".join([tensor("a", "3x4xf32"), tensor("b", "4x5xf32"), tensor("o", "3x5xf32", "output")]),
            f"""%zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<3x5xf32>)
  linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : memref<3x4xf32>, memref<4x5xf32>) outs(%o : memref<3x5xf32>) {{
  {MAC}""",
        )
    )
    # The five columns are one tile: they share the loads of a.
    assert count(module, scf.ForOp) == 2
    assert count(module, memref.StoreOp) == 5
    assert count(module, memref.LoadOp) == 1 + 5
    a, b = f32(RNG, 3, 4), f32(RNG, 4, 5)
    np.testing.assert_allclose(run(module, a=a, b=b), a @ b, rtol=1e-5)


def test_a_fill_stays_when_its_buffer_is_used_in_between():
    module = lowered(
        main(
            ", ".join(
                [tensor("a", "3x4xf32"), tensor("p", "3xf32", "output"), tensor("o", "3xf32", "output")]
            ),
            """%one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%o : memref<3xf32>)
  linalg.copy ins(%o : memref<3xf32>) outs(%p : memref<3xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : memref<3x4xf32>) outs(%o : memref<3xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  }""",
        )
    )
    assert count(module, memref.CopyOp) == 1
    a = f32(RNG, 3, 4)
    result = LoopsEngine(module)({"a": a})
    np.testing.assert_array_equal(result["p"], np.ones(3, np.float32))
    np.testing.assert_allclose(result["o"], 1 + a.sum(1), rtol=1e-5)


def test_a_fill_stays_when_a_body_loads_from_its_buffer_in_between():
    module = lowered(
        main(
            ", ".join(
                [tensor("a", "3x4xf32"), tensor("p", "3xf32", "output"), tensor("o", "3xf32", "output")]
            ),
            """%one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%o : memref<3xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%one : f32) outs(%p : memref<3xf32>) {
  ^bb0(%q: f32, %old: f32):
    %i = linalg.index 0 : index
    %v = memref.load %o[%i] : memref<3xf32>
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : memref<3x4xf32>) outs(%o : memref<3xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  }""",
        )
    )
    a = f32(RNG, 3, 4)
    result = LoopsEngine(module)({"a": a})
    np.testing.assert_array_equal(result["p"], np.ones(3, np.float32))
    np.testing.assert_allclose(result["o"], 1 + a.sum(1), rtol=1e-5)


@pytest.mark.parametrize("extent", [0, 1, 3])
def test_reduction_of_few_iterations_keeps_what_was_there(extent: int):
    module = lowered(
        main(
            ", ".join([tensor("a", f"2x{extent}xf32"), tensor("b", "2xf32"), tensor("o", "2xf32", "output")]),
            f"""linalg.copy ins(%b : memref<2xf32>) outs(%o : memref<2xf32>)
  linalg.generic {{indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}} ins(%a : memref<2x{extent}xf32>) outs(%o : memref<2xf32>)
      {{
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  }}""",
        )
    )
    # The two rows are a tile, unless there is nothing to sum up.
    assert count(module, scf.ForOp) == 1
    a, b = f32(RNG, 2, extent), f32(RNG, 2)
    np.testing.assert_allclose(run(module, a=a, b=b), b + a.sum(1), rtol=1e-5)


def test_several_outputs_one_of_them_along_the_reduction():
    # Exponential and its sum at once: the first output needs memory, the second a scalar.
    module = lowered(
        main(
            ", ".join(
                [tensor("a", "3x4xf32"), tensor("e", "3x4xf32", "output"), tensor("s", "3xf32", "output")]
            ),
            """%zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<3xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i,
  k) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : memref<3x4xf32>) outs(%e, %s : memref<3x4xf32>,
      memref<3xf32>) {
  ^bb0(%x: f32, %old: f32, %acc: f32):
    %y = math.exp %x : f32
    %t = arith.addf %acc, %y : f32
    linalg.yield %y, %t : f32, f32
  }""",
        )
    )
    assert count(module, scf.ForOp) == 2
    a = f32(RNG, 3, 4)
    result = LoopsEngine(module)({"a": a})
    np.testing.assert_allclose(result["e"], np.exp(a), rtol=1e-5)
    np.testing.assert_allclose(result["s"], np.exp(a).sum(1), rtol=1e-5)


def test_transposed_output_is_stored_contiguously():
    module = lowered(
        main(
            ", ".join([tensor("a", "3x4xf32"), tensor("o", "4x3xf32", "output")]),
            """linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : memref<3x4xf32>) outs(%o : memref<4x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }""",
        )
    )
    (store,) = [op for op in module.walk() if isinstance(op, memref.StoreOp)]
    inner = store.parent_op()
    assert isinstance(inner, scf.ForOp)
    assert store.indices[1] is inner.body.block.args[0]
    a = f32(RNG, 3, 4)
    np.testing.assert_array_equal(run(module, a=a), a.T)


def test_index_floordiv_mod_and_load_in_the_body():
    module = lowered(
        main(
            ", ".join([tensor("a", "6xf32"), tensor("t", "3xf32"), tensor("o", "6x2xf32", "output")]),
            """linalg.generic {indexing_maps = [affine_map<(i, j) -> ((i floordiv 2) * 2 + i mod 2)>,
            affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : memref<6xf32>) outs(%o : memref<6x2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %small = arith.cmpi ult, %i, %c3 : index
    %y = scf.if %small -> (f32) {
      %v = memref.load %t[%i] : memref<3xf32>
      scf.yield %v : f32
    } else {
      scf.yield %x : f32
    }
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %z = arith.addf %y, %f : f32
    linalg.yield %z : f32
  }""",
        )
    )
    a, t = f32(RNG, 6), f32(RNG, 3)
    expected = np.where(np.arange(6) < 3, np.pad(t, (0, 3)), a)[:, None] + np.arange(2, dtype=np.float32)
    np.testing.assert_allclose(run(module, a=a, t=t), expected, rtol=1e-6)


def test_dynamic_extents_come_from_the_views():
    module = lowered(
        """builtin.module { func.func @main(
  %x: memref<24xf32> {loomir.name = "x", loomir.role = "input", loomir.type = tensor<?x3xf32>},
  %n: index {loomir.dim = "x:0"},
  %y: memref<24xf32> {loomir.name = "y", loomir.role = "output", loomir.type = tensor<?xf32>})
  -> (index {loomir.dim = "y:0"}) {
  %c3 = arith.constant 3 : index
  %n3 = arith.muli %n, %c3 : index
  %two = arith.constant 2.0 : f32
  %f = memref.subview %x[0] [%n3] [1] : memref<24xf32> to memref<?xf32, strided<[1]>>
  %s = memref.expand_shape %f [[0, 1]] output_shape [%n, 3] : memref<?xf32, strided<[1]>> into memref<?x3xf32,
  strided<[3, 1]>> %t = memref.collapse_shape %s [[0, 1]] : memref<?x3xf32, strided<[3, 1]>> into
  memref<?xf32, strided<[1]>> %g = memref.subview %y[0] [%n3] [1] : memref<24xf32> to memref<?xf32,
  strided<[1]>> linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
  affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%t, %two : memref<?xf32, strided<[1]>>, f32) outs(%g : memref<?xf32,
      strided<[1]>>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %m = arith.mulf %p, %q : f32
    linalg.yield %m : f32
  }
  func.return %n3 : index } }"""
    )
    for n in (0, 1, 8):
        x = f32(RNG, n, 3)
        np.testing.assert_array_equal(run(module, x=x), 2 * x.reshape(-1))


def convolution(
    stride: int,
    dilation: int,
    low: int,
    high: int,
    kernel: int,
    size: int,
    weights: np.ndarray | None,
    pad: str = "0.0",
) -> str:
    """One dimension, [size, 2] times [kernel, 2, 3]; the weights are a constant if given."""
    out = (size + low + high - (kernel - 1) * dilation - 1) // stride + 1
    wtype = f"{kernel}x2x3xf32"
    if weights is None:
        w = tensor("w", wtype)
    else:
        hexadecimal = '"0x' + weights.astype("<f4").tobytes().hex().upper() + '"'
        w = f"%w: memref<{wtype}> {{loomir.blob = dense<{hexadecimal}> : tensor<{wtype}>}}"
    return main(
        ", ".join([tensor("x", f"{size}x2xf32"), w, tensor("o", f"{out}x3xf32", "output")]),
        f"""%zero = arith.constant 0.0 : f32
  %pad = arith.constant {pad} : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<{out}x3xf32>)
  {cast("x", f"{size}x2xf32", f"{low + size + high}x2xf32")}
  linalg.generic {{indexing_maps = [affine_map<(i, c, k, d) -> (i * {stride} + k * {dilation}, d)>,
      affine_map<(i, c, k, d) -> (k, d, c)>, affine_map<(i, c, k, d) -> ()>, affine_map<(i, c, k, d) -> (i,
      c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}}
      ins(%v, %w, %pad : memref<{low + size + high}x2xf32>, memref<{wtype}>, f32) outs(%o : memref<{out}x3xf32>)
      attrs = {{loomir.pads = [{{operand = 0 : i64, low = array<i64: {low}, 0>, high = array<i64: {high}, 0>,
      value = 2 : i64}}]}} {{
  ^bb0(%p: f32, %q: f32, %z: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }}""",
    )


def convolved(
    x: np.ndarray, w: np.ndarray, stride: int, dilation: int, low: int, high: int, pad: float
) -> np.ndarray:
    x = np.pad(x, ((low, high), (0, 0)), constant_values=pad)
    reach = (len(w) - 1) * dilation + 1
    rows = [
        sum(x[i + k * dilation] @ w[k] for k in range(len(w))) for i in range(0, len(x) - reach + 1, stride)
    ]
    return np.array(rows, np.float32).reshape(-1, w.shape[2])


@pytest.mark.parametrize(
    ("stride", "dilation", "low", "high"),
    [c for c in itertools.product((1, 2, 3), (1, 2), (0, 1, 4), (0, 2, 5)) if c[2] or c[3]],
)
def test_zero_padded_convolution(stride: int, dilation: int, low: int, high: int):
    x, w = f32(RNG, 5, 2), f32(RNG, 3, 2, 3)
    expected = convolved(x, w, stride, dilation, low, high, 0.0)
    restricted = lowered(convolution(stride, dilation, low, high, 3, 5, w))
    assert count(restricted, scf.IfOp) == 0
    np.testing.assert_allclose(run(restricted, x=x), expected, rtol=1e-4, atol=1e-5)
    guarded = lowered(convolution(stride, dilation, low, high, 3, 5, None))
    assert count(guarded, scf.IfOp) == 1
    np.testing.assert_allclose(run(guarded, x=x, w=w), expected, rtol=1e-4, atol=1e-5)


def test_padding_times_infinity_is_not_skipped():
    x, w = f32(RNG, 4, 2), f32(RNG, 3, 2, 3)
    w[0, 0, 0] = np.inf
    expected = convolved(x, w, 1, 1, 1, 1, 0.0)
    assert np.isnan(expected[0, 0])
    module = lowered(convolution(1, 1, 1, 1, 3, 4, w))
    assert count(module, scf.IfOp) == 1
    np.testing.assert_allclose(run(module, x=x), expected, rtol=1e-5)


def test_padding_that_is_not_neutral_is_guarded():
    x, w = f32(RNG, 4, 2), f32(RNG, 3, 2, 3)
    module = lowered(convolution(1, 1, 1, 2, 3, 4, w, pad="1.5"))
    assert count(module, scf.IfOp) == 1
    np.testing.assert_allclose(run(module, x=x), convolved(x, w, 1, 1, 1, 2, 1.5), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("pad", ["0xFF800000", "-1.0"])
def test_max_pooling(pad: str):
    module = lowered(
        main(
            ", ".join([tensor("x", "5x4xf32"), tensor("o", "3x2xf32", "output")]),
            f"""%least = arith.constant 0xFF800000 : f32
  %pad = arith.constant {pad} : f32
  %window = memref.alloc() : memref<3x3xf32>
  linalg.fill ins(%least : f32) outs(%o : memref<3x2xf32>)
  {cast("x", "5x4xf32", "7x5xf32")}
  linalg.generic {{indexing_maps = [affine_map<(i, j, k, l) -> (i * 2 + k, j * 2 + l)>, affine_map<(i, j, k,
  l) -> (k, l)>,
      affine_map<(i, j, k, l) -> ()>, affine_map<(i, j, k, l) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}}
      ins(%v, %window, %pad : memref<7x5xf32>, memref<3x3xf32>, f32) outs(%o : memref<3x2xf32>)
      attrs = {{loomir.pads = [{{operand = 0 : i64, low = array<i64: 1, 1>, high = array<i64: 1, 0>, value = 2
      : i64}}]}} {{
  ^bb0(%p: f32, %q: f32, %z: f32, %acc: f32):
    %s = arith.maximumf %acc, %p : f32
    linalg.yield %s : f32
  }}""",
        )
    )
    assert count(module, scf.IfOp) == (0 if pad.startswith("0x") else 1)
    assert count(module, memref.AllocOp) == 0
    x = f32(RNG, 5, 4)
    padded = np.pad(x, ((1, 1), (1, 0)), constant_values=-np.inf if pad.startswith("0x") else -1.0)
    expected = [[padded[i : i + 3, j : j + 3].max() for j in (0, 2)] for i in (0, 2, 4)]
    np.testing.assert_array_equal(run(module, x=x), np.array(expected, np.float32))


def test_pad_of_dynamic_amount_read_elementwise():
    module = lowered(
        """builtin.module { func.func @main(
  %x: memref<3xf32> {loomir.name = "x", loomir.role = "input"},
  %a: i64 {loomir.name = "a"},
  %y: memref<7xf32> {loomir.name = "y", loomir.role = "output"}) {
  %low = arith.index_cast %a : i64 to index
  %c4 = arith.constant 4 : index
  %high = arith.subi %c4, %low : index
  %v = arith.constant 9.0 : f32
  %padded = builtin.unrealized_conversion_cast %x : memref<3xf32> to memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>,
      affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%padded, %v, %low, %high : memref<?xf32>, f32, index, index) outs(%y : memref<7xf32>)
      attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: -9223372036854775808>,
        high = array<i64: -9223372036854775808>, dynamic = array<i64: 2, 3>, value = 1 : i64}]} {
  ^bb0(%p: f32, %q: f32, %l: index, %h: index, %old: f32):
    %m = arith.negf %p : f32
    linalg.yield %m : f32
  }
  func.return } }"""
    )
    x = f32(RNG, 3)
    for low in range(5):
        expected = -np.pad(x, (low, 4 - low), constant_values=9.0)
        np.testing.assert_array_equal(run(module, x=x, a=np.int64(low)), expected)


def test_quantised_padding_of_the_zero_point_is_restricted():
    module = lowered(
        main(
            ", ".join([tensor("x", "5xi8"), tensor("w", "3xi8"), tensor("o", "5xi32", "output")]),
            """%zero = arith.constant 0 : i32
  %z = arith.constant 7 : i8
  linalg.fill ins(%zero : i32) outs(%o : memref<5xi32>)
  %v = builtin.unrealized_conversion_cast %x : memref<5xi8> to memref<7xi8>
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k)
  -> ()>,
      affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%v, %w, %z : memref<7xi8>, memref<3xi8>, i8) outs(%o : memref<5xi32>)
      attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 1>, high = array<i64: 1>, value = 2 :
      i64}]} {
  ^bb0(%p: i8, %q: i8, %u: i8, %acc: i32):
    %c7 = arith.constant 7 : i32
    %a = arith.extsi %p : i8 to i32
    %b = arith.subi %a, %c7 : i32
    %c = arith.extsi %q : i8 to i32
    %m = arith.muli %b, %c : i32
    %s = arith.addi %acc, %m : i32
    linalg.yield %s : i32
  }""",
        )
    )
    assert count(module, scf.IfOp) == 0
    x, w = RNG.integers(-128, 128, 5).astype(np.int8), RNG.integers(-128, 128, 3).astype(np.int8)
    shifted = np.pad(x.astype(np.int32) - 7, 1)
    np.testing.assert_array_equal(run(module, x=x, w=w), np.correlate(shifted, w.astype(np.int32)))


def test_padding_outside_of_which_no_reduction_leads_runs_none():
    # A 1×1 convolution with padding: the padded coordinate has no reduction loop; the channel loop is emptied
    # instead.
    module = lowered(convolution(2, 1, 1, 2, 1, 4, np.ones((1, 2, 3), np.float32)))
    assert count(module, scf.IfOp) == 0
    x = f32(RNG, 4, 2)
    np.testing.assert_allclose(
        run(module, x=x), convolved(x, np.ones((1, 2, 3)), 2, 1, 1, 2, 0.0), rtol=1e-4, atol=1e-5
    )


def test_locations_are_handed_on():
    module = parse(
        main(
            ", ".join([tensor("a", "3x4xf32"), tensor("o", "3xf32", "output")]),
            """%zero = arith.constant 0.0 : f32 loc("zero")
  linalg.fill ins(%zero : f32) outs(%o : memref<3xf32>) loc("sum")
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : memref<3x4xf32>) outs(%o : memref<3xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } loc("sum")""",
        )
    )
    LowerLinalgToLoopsPass().apply(make_context(), module)
    for op in module.walk():
        if op.name not in ("builtin.module", "func.func", "func.return"):
            assert not isinstance(op.location, UnknownLoc), op.name


def test_an_integer_that_becomes_infinite_is_not_neutral():
    # 100000 is infinite in f16, and 0 · ∞ is NaN; in f32 it is a number.
    for element, expected in (("f16", False), ("f32", True)):
        module = parse(
            main(
                f"%x: memref<1xi32>, %o: memref<1x{element}>",
                f"""%zero = arith.constant 0.0 : {element}
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x : memref<1xi32>) outs(%o : memref<1x{element}>) {{
  ^bb0(%p: i32, %acc: {element}):
    %f = arith.sitofp %p : i32 to {element}
    %m = arith.mulf %f, %zero : {element}
    %s = arith.addf %acc, %m : {element}
    linalg.yield %s : {element}
  }}""",
            )
        )
        (generic,) = [op for op in module.walk() if isinstance(op, GenericOp)]
        assert is_neutral(generic.body.block, [KnownNumber(100000), Accumulator(0)]) is expected
