"""The structured engine: tensors and linalg, in lanes as well as per element, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.linalg.ops import GenericOp

from loomir.compiler.engines import InterpreterError, OutOfBoundsError
from loomir.compiler.engines.generics import runs_in_lanes
from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import raises_error

RNG = np.random.default_rng(2)
ITERATORS = {"p": "parallel", "r": "reduction"}
PURE = pytest.mark.parametrize("pure", [False, True])


def f32(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def run_both(text: str, feed: dict[str, object]) -> dict[str, np.ndarray]:
    """The outputs, on which lanes and the pure interpreter agree bit by bit."""
    module = parse_module(text)
    a, b = StructuredEngine(module)(feed), StructuredEngine(module, pure=True)(feed)
    for name in b:
        bits = np.dtype(f"u{b[name].dtype.itemsize}")
        np.testing.assert_array_equal(a[name].view(bits), b[name].view(bits), err_msg=name, strict=True)
    return a


def generic(
    maps: str, iterators: str, ins: dict[str, str], out: str, body: str, *, init: str = "0.0", more: str = ""
) -> str:
    """`main` with one linalg.generic of one output, whose destination is filled with `init` first."""
    shape = out.removeprefix("tensor<").removesuffix(">")
    element = shape.rpartition("x")[2]
    arguments = ", ".join(f'%{n}: {t} {{loomir.name = "{n}"}}' for n, t in ins.items())
    names, types = ", ".join(f"%{n}" for n in ins), ", ".join(ins.values())
    elements = [t.removesuffix(">").rpartition("x")[2].removeprefix("tensor<") for t in ins.values()]
    block = ", ".join([*(f"%{n}_: {e}" for n, e in zip(ins, elements)), f"%o_: {element}"])
    iterator_types = ", ".join(f'"{ITERATORS[c]}"' for c in iterators)
    return f"""
func.func @main({arguments}) -> ({out} {{loomir.name = "r"}}) {{
  {more}
  %init = arith.constant {init} : {element}
  %e = tensor.empty() : {out}
  %f = linalg.fill ins(%init : {element}) outs(%e : {out}) -> {out}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterator_types}]}}
      ins({names} : {types}) outs(%f : {out}) {{
  ^bb0({block}):
    {body}
  }} -> {out}
  func.return %r : {out}
}}"""


def generic_of(text: str) -> GenericOp:
    """The one linalg.generic of a program."""
    return next(op for op in parse_module(text).walk() if isinstance(op, GenericOp))


MAC = "%m = arith.mulf %x_, %w_ : f32\n%s = arith.addf %o_, %m : f32\nlinalg.yield %s : f32"


@pytest.mark.parametrize(("m", "k", "n"), [(1, 7, 5), (4, 16, 3), (3, 0, 2), (0, 4, 2)])
def test_matmul(m: int, k: int, n: int):
    text = generic(
        "affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>",
        "ppr",
        {"x": f"tensor<{m}x{k}xf32>", "w": f"tensor<{k}x{n}xf32>"},
        f"tensor<{m}x{n}xf32>",
        MAC,
    )
    x, w = f32(m, k), f32(k, n)
    np.testing.assert_allclose(run_both(text, {"x": x, "w": w})["r"], x @ w, rtol=1e-4, atol=1e-5)


def test_strided_dilated_convolution():
    text = generic(
        "affine_map<(n, f, y, x, c, h, w) -> (n, c, y * 2 + h * 3, x + w)>, "
        "affine_map<(n, f, y, x, c, h, w) -> (f, c, h, w)>, "
        "affine_map<(n, f, y, x, c, h, w) -> (n, f, y, x)>",
        "pppprrr",
        {"x": "tensor<2x3x11x7xf32>", "w": "tensor<4x3x3x2xf32>"},
        "tensor<2x4x3x6xf32>",
        MAC,
    )
    x, w = f32(2, 3, 11, 7), f32(4, 3, 3, 2)
    expected = np.zeros((2, 4, 3, 6))
    for h in range(3):
        for v in range(2):
            expected += np.einsum("ncyx,fc->nfyx", x[:, :, 3 * h : 3 * h + 5 : 2, v : v + 6], w[:, :, h, v])
    np.testing.assert_allclose(run_both(text, {"x": x, "w": w})["r"], expected, rtol=1e-4, atol=1e-5)


def test_pooling_with_a_window_that_only_gives_extents():
    text = generic(
        "affine_map<(y, x, h, w) -> (y * 2 + h, x * 2 + w)>, "
        "affine_map<(y, x, h, w) -> (h, w)>, "
        "affine_map<(y, x, h, w) -> (y, x)>",
        "pprr",
        {"x": "tensor<6x8xf32>", "w": "tensor<2x2xf32>"},
        "tensor<3x4xf32>",
        "%s = arith.maximumf %o_, %x_ : f32\nlinalg.yield %s : f32",
        init="0xFF800000",
    )
    x = f32(6, 8)
    out = run_both(text, {"x": x, "w": f32(2, 2)})
    np.testing.assert_array_equal(out["r"], x.reshape(3, 2, 4, 2).max((1, 3)))


def test_transpose_broadcast_and_a_scalar_operand():
    text = generic(
        "affine_map<(i, j) -> (j, i)>, "
        "affine_map<(i, j) -> (j)>, "
        "affine_map<(i, j) -> ()>, "
        "affine_map<(i, j) -> (i, j)>",
        "pp",
        {"x": "tensor<3x4xf32>", "w": "tensor<3xf32>", "s": "f32"},
        "tensor<4x3xf32>",
        "%a = arith.addf %x_, %w_ : f32\n%b = arith.mulf %a, %s_ : f32\nlinalg.yield %b : f32",
    )
    x, w, s = f32(3, 4), f32(3), np.float32(2.5)
    np.testing.assert_array_equal(run_both(text, {"x": x, "w": w, "s": s})["r"], (x.T + w) * s)


def test_divided_maps_read_several_times():
    text = generic(
        "affine_map<(i, j) -> (i floordiv 2, j mod 3)>, "
        "affine_map<(i, j) -> (i, j)>, "
        "affine_map<(i, j) -> (i, j)>",
        "pp",
        {"x": "tensor<2x3xi32>", "w": "tensor<4x6xi32>"},
        "tensor<4x6xi32>",
        "%a = arith.addi %x_, %w_ : i32\nlinalg.yield %a : i32",
        init="0",
    )
    x, w = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(24, dtype=np.int32).reshape(4, 6)
    np.testing.assert_array_equal(run_both(text, {"x": x, "w": w})["r"], np.tile(x, 2).repeat(2, 0) + w)


GUARDED = generic(
    "affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>",
    "pp",
    {
        "k": "tensor<5xi64>",
    },
    "tensor<5x3xf32>",
    """%n = arith.constant 4 : i64
    %ok = arith.cmpi ult, %k_, %n : i64
    %at = arith.index_cast %k_ : i64 to index
    %j = linalg.index 1 : index
    %v = scf.if %ok -> (f32) {
      %l = tensor.extract %t[%at, %j] : tensor<4x3xf32>
      scf.yield %l : f32
    } else {
      scf.yield %o_ : f32
    }
    linalg.yield %v : f32""",
    init="-1.0",
    more="",
).replace("main(", 'main(%t: tensor<4x3xf32> {loomir.name = "t"}, ', 1)


def test_the_branch_not_taken_may_reach_outside():
    t, k = f32(4, 3), np.array([0, 7, 3, -1, 2])
    expected = np.where(((k >= 0) & (k < 4))[:, None], t[k % 4], np.float32(-1))
    np.testing.assert_array_equal(run_both(GUARDED, {"t": t, "k": k})["r"], expected)


@PURE
def test_a_gather_outside_is_a_compiler_bug(pure: bool):
    text = GUARDED.replace("cmpi ult, %k_, %n", "cmpi sle, %k_, %n")
    engine = StructuredEngine(parse_module(text), pure=pure)
    with pytest.raises(OutOfBoundsError):
        engine({"t": f32(4, 3), "k": np.array([0, 4, 0, 0, 0])})


GATHER = generic(
    "affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>",
    "pp",
    {"k": "tensor<5xi64>"},
    "tensor<5x3xf32>",
    """%n = arith.constant 9 : i64
    %ok = arith.cmpi slt, %k_, %n : i64
    cf.assert %ok, "index: it is 9 or more"
    %at = arith.index_cast %k_ : i64 to index
    %j = linalg.index 1 : index
    %l = tensor.extract %t[%at, %j] : tensor<4x3xf32>
    linalg.yield %l : f32""",
).replace("main(", 'main(%t: tensor<4x3xf32> {loomir.name = "t"}, ', 1)


def test_gather():
    t, k = f32(4, 3), np.array([0, 3, 3, 1, 2])
    assert runs_in_lanes(generic_of(GATHER))
    assert not runs_in_lanes(generic_of(GUARDED))
    np.testing.assert_array_equal(run_both(GATHER, {"t": t, "k": k})["r"], t[k])


@PURE
@pytest.mark.parametrize("outside", [-1, 4])
def test_each_index_of_a_gather_is_checked(outside: int, pure: bool):
    engine = StructuredEngine(parse_module(GATHER), pure=pure)
    with pytest.raises(OutOfBoundsError):
        engine({"t": f32(4, 3), "k": np.array([0, 3, outside, 1, 2])})
    with raises_error("runtime-index", "it is 9 or more"):
        engine({"t": f32(4, 3), "k": np.array([0, 3, 0, 9, 2])})


@PURE
def test_outputs_that_are_swapped(pure: bool):
    text = """
func.func @main(%x: memref<9xf32> {loomir.name = "x", loomir.role = "input"},
    %a: memref<9xf32> {loomir.name = "a", loomir.role = "output"},
    %b: memref<9xf32> {loomir.name = "b", loomir.role = "output"}) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%a : memref<9xf32>)
  linalg.copy ins(%x : memref<9xf32>) outs(%b : memref<9xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%a, %b : memref<9xf32>, memref<9xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %q, %p : f32, f32
  }
  func.return
}"""
    x = f32(9)
    out = StructuredEngine(parse_module(text), pure=pure)({"x": x})
    np.testing.assert_array_equal(out["a"], x)
    np.testing.assert_array_equal(out["b"], np.ones(9, np.float32))


def test_index_is_the_iteration():
    text = generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>",
        "pr",
        {"x": "tensor<4x5xi64>"},
        "tensor<4xi64>",
        """%i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.constant 10 : index
    %t = arith.muli %i, %c : index
    %p = arith.addi %t, %j : index
    %q = arith.index_cast %p : index to i64
    %a = arith.muli %q, %x_ : i64
    %s = arith.addi %o_, %a : i64
    linalg.yield %s : i64""",
        init="0",
    )
    x = RNG.integers(-9, 9, (4, 5))
    weights = 10 * np.arange(4)[:, None] + np.arange(5)
    np.testing.assert_array_equal(run_both(text, {"x": x})["r"], (weights * x).sum(1))


def test_several_outputs_arg_max():
    text = """
func.func @main(%x: tensor<3x7xf32> {loomir.name = "x"}) -> (tensor<3xf32> {loomir.name = "v"},
    tensor<3xi64> {loomir.name = "k"}) {
  %low = arith.constant 0xFF800000 : f32
  %no = arith.constant -1 : i64
  %ev = tensor.empty() : tensor<3xf32>
  %ek = tensor.empty() : tensor<3xi64>
  %fv = linalg.fill ins(%low : f32) outs(%ev : tensor<3xf32>) -> tensor<3xf32>
  %fk = linalg.fill ins(%no : i64) outs(%ek : tensor<3xi64>) -> tensor<3xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x7xf32>) outs(%fv,
          %fk : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %v: f32, %k: i64):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i64
    %gt = arith.cmpf ogt, %a, %v : f32
    %nv = arith.select %gt, %a, %v : f32
    %nk = arith.select %gt, %jj, %k : i64
    linalg.yield %nv, %nk : f32, i64
  } -> tensor<3xf32>, tensor<3xi64>
  func.return %r#0, %r#1 : tensor<3xf32>, tensor<3xi64>
}"""
    x = f32(3, 7)
    out = run_both(text, {"x": x})
    np.testing.assert_array_equal(out["v"], x.max(1))
    np.testing.assert_array_equal(out["k"], x.argmax(1))


def test_an_output_that_is_not_one_element_per_parallel_point_does_not_run_in_lanes():
    text = generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>",
        "pp",
        {"x": "tensor<4x5xi32>"},
        "tensor<4xi32>",
        "%s = arith.addi %o_, %x_ : i32\nlinalg.yield %s : i32",
        init="0",
    )
    assert not runs_in_lanes(generic_of(text))
    x = RNG.integers(-9, 9, (4, 5)).astype(np.int32)
    np.testing.assert_array_equal(run_both(text, {"x": x})["r"], x.sum(1))


@pytest.mark.parametrize("element", ["f16", "bf16", "f64", "i8", "i1"])
def test_element_types(element: str):
    from tests.support_elementwise import DTYPES

    is_float = element in ("f16", "bf16", "f64")
    operation = "arith.mulf" if is_float else "arith.muli"
    text = generic(
        "affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>",
        "p",
        {"x": f"tensor<9x{element}>", "w": f"tensor<9x{element}>"},
        f"tensor<9x{element}>",
        f"%s = {operation} %x_, %w_ : {element}\nlinalg.yield %s : {element}",
        init="0.0" if is_float else "0",
    )
    x, w = (RNG.integers(-99, 99, 9).astype(DTYPES[element]) for _ in range(2))
    expected = (x & w) if element == "i1" else x * w
    np.testing.assert_array_equal(run_both(text, {"x": x, "w": w})["r"], expected, strict=True)


@PURE
@pytest.mark.parametrize("n", [0, 1, 5, 8])
def test_dynamic_values_are_views_of_their_capacity(n: int, pure: bool):
    text = """
func.func @main(%cap: tensor<24xf32> {loomir.name = "x", loomir.type = tensor<?x3xf32>},
    %n: index {loomir.dim = "x:0"})
    -> (tensor<24xf32> {loomir.name = "y", loomir.type = tensor<?x3xf32>}, index {loomir.dim = "y:0"}) {
  %c3 = arith.constant 3 : index
  %n3 = arith.muli %n, %c3 : index
  %fl = tensor.extract_slice %cap[0] [%n3] [1] : tensor<24xf32> to tensor<?xf32>
  %x = tensor.expand_shape %fl [[0, 1]] output_shape [%n, 3] : tensor<?xf32> into tensor<?x3xf32>
  %e = tensor.empty() : tensor<24xf32>
  %ef = tensor.extract_slice %e[0] [%n3] [1] : tensor<24xf32> to tensor<?xf32>
  %eo = tensor.expand_shape %ef [[0, 1]] output_shape [%n, 3] : tensor<?xf32> into tensor<?x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x3xf32>) outs(%eo : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  %yf = tensor.collapse_shape %y [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %yc = tensor.insert_slice %yf into %e[0] [%n3] [1] : tensor<?xf32> into tensor<24xf32>
  func.return %yc, %n : tensor<24xf32>, index
}"""
    x = f32(n, 3)
    out = StructuredEngine(parse_module(text), pure=pure)({"x": x})
    np.testing.assert_array_equal(out["y"], x + x, strict=True)


@PURE
def test_slices_pads_and_elements(pure: bool):
    text = """
func.func @main(%x: tensor<4x6xi32> {loomir.name = "x"}, %k: i64 {loomir.name = "k"})
    -> (tensor<2x3xi32> {loomir.name = "s"}, tensor<6x7xi32> {loomir.name = "p"},
        tensor<4x6xi32> {loomir.name = "i"}, i32 {loomir.name = "e"}) {
  %v = arith.constant -7 : i32
  %at = arith.index_cast %k : i64 to index
  %s = tensor.extract_slice %x[1, %at] [2, 3] [2, 2] : tensor<4x6xi32> to tensor<2x3xi32>
  %p = tensor.pad %x low[0, %at] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : i32
  } : tensor<4x6xi32> to tensor<6x?xi32>
  %q = tensor.extract_slice %p[0, 0] [6, 7] [1, 1] : tensor<6x?xi32> to tensor<6x7xi32>
  %e = tensor.extract %x[%at, %at] : tensor<4x6xi32>
  %t = tensor.insert %v into %x[%at, %at] : tensor<4x6xi32>
  %u = tensor.insert_slice %s into %t[%at, 0] [2, 3] [1, 2] : tensor<2x3xi32> into tensor<4x6xi32>
  func.return %s, %q, %u, %e : tensor<2x3xi32>, tensor<6x7xi32>, tensor<4x6xi32>, i32
}"""
    engine = StructuredEngine(parse_module(text), pure=pure)
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    out = engine({"x": x, "k": np.int64(1)})
    np.testing.assert_array_equal(out["s"], x[1::2, 1::2])
    np.testing.assert_array_equal(out["p"], np.pad(x, ((0, 2), (1, 0)), constant_values=-7))
    expected = x.copy()
    expected[1, 1] = -7
    expected[1:3, ::2] = x[1::2, 1::2]
    np.testing.assert_array_equal(out["i"], expected)
    assert out["e"] == x[1, 1]
    for outside in (-1, 4, 2):
        with pytest.raises(OutOfBoundsError):
            engine({"x": x, "k": np.int64(outside)})


@PURE
def test_undefined_contents_show(pure: bool):
    text = """
func.func @main() -> (tensor<3xf32> {loomir.name = "a"}, tensor<2xi32> {loomir.name = "b"}) {
  %a = tensor.empty() : tensor<3xf32>
  %b = tensor.empty() : tensor<2xi32>
  func.return %a, %b : tensor<3xf32>, tensor<2xi32>
}"""
    out = StructuredEngine(parse_module(text), pure=pure)({})
    assert np.isnan(out["a"]).all()
    assert (out["b"] == -0x5A5A5A5B).all()


def test_loops_over_tensors():
    text = """
func.func @main(%x: tensor<6xi32> {loomir.name = "x"}) -> (tensor<6xi32> {loomir.name = "y"},
    i64 {loomir.name = "swaps"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0 : i64
  %o = arith.constant 1 : i64
  %r:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%t = %x, %n = %z) -> (tensor<6xi32>, i64) {
    %s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%u = %t, %m = %n) -> (tensor<6xi32>, i64) {
      %i1 = arith.addi %i, %c1 : index
      %a = tensor.extract %u[%i] : tensor<6xi32>
      %b = tensor.extract %u[%i1] : tensor<6xi32>
      %gt = arith.cmpi sgt, %a, %b : i32
      %w:2 = scf.if %gt -> (tensor<6xi32>, i64) {
        %p = tensor.insert %b into %u[%i] : tensor<6xi32>
        %q = tensor.insert %a into %p[%i1] : tensor<6xi32>
        %m1 = arith.addi %m, %o : i64
        scf.yield %q, %m1 : tensor<6xi32>, i64
      } else {
        scf.yield %u, %m : tensor<6xi32>, i64
      }
      scf.yield %w#0, %w#1 : tensor<6xi32>, i64
    }
    scf.yield %s#0, %s#1 : tensor<6xi32>, i64
  }
  func.return %r#0, %r#1 : tensor<6xi32>, i64
}"""
    x = np.array([5, -3, 9, 0, 2, -8], np.int32)
    out = run_both(text, {"x": x})
    np.testing.assert_array_equal(out["y"], np.sort(x))
    assert out["swaps"] == sum(a > b for i, a in enumerate(x) for b in x[i:])


@PURE
@pytest.mark.parametrize("kind", ["capacity", "limit", "shape", "index"])
def test_asserts(kind: str, pure: bool):
    text = f"""
func.func @main(%ok: i1 {{loomir.name = "ok"}}) {{
  cf.assert %ok, "{kind}: it does not fit"
  func.return
}}"""
    engine = StructuredEngine(parse_module(text), pure=pure)
    engine({"ok": np.bool_(True)})
    if kind == "capacity":
        with raises_error("runtime-capacity", "it does not fit"):
            engine({"ok": np.bool_(False)})
    elif kind == "limit":
        with raises_error("limit-iterations", "it does not fit"):
            engine({"ok": np.bool_(False)})
    elif kind == "shape":
        with raises_error("runtime-shape", "it does not fit"):
            engine({"ok": np.bool_(False)})
    else:
        with raises_error("runtime-index", "it does not fit"):
            engine({"ok": np.bool_(False)})


def test_disagreeing_extents_are_a_compiler_bug():
    text = """
func.func @main(%x: tensor<6xf32> {loomir.name = "x"}, %k: i64 {loomir.name = "k"})
    -> (tensor<6xf32> {loomir.name = "y"}) {
  %n = arith.index_cast %k : i64 to index
  %s = tensor.extract_slice %x[0] [%n] [1] : tensor<6xf32> to tensor<?xf32>
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}"""
    x = f32(6)
    np.testing.assert_array_equal(run_both(text, {"x": x, "k": np.int64(6)})["y"], x)
    for pure in (False, True):
        with pytest.raises(InterpreterError, match="extents 5 and 6"):
            StructuredEngine(parse_module(text), pure=pure)({"x": x, "k": np.int64(5)})


@PURE
def test_memref_form_with_padding_in_no_buffer(pure: bool):
    text = """
func.func @main(%x: memref<5xf32> {loomir.name = "x", loomir.role = "input"},
    %w: memref<3xf32> {loomir.name = "w", loomir.role = "input"},
                %n: index {loomir.name = "n"}, %y: memref<5xf32> {loomir.name = "y",
                    loomir.role = "output"}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<5xf32>)
  %v = builtin.unrealized_conversion_cast %x : memref<5xf32> to memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>,
      affine_map<(i, k) -> ()>,
      affine_map<(i, k) -> ()>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%v, %w, %zero, %n : memref<?xf32>, memref<3xf32>, f32, index) outs(%y : memref<5xf32>)
      attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: -9223372036854775808>,
          high = array<i64: 1>,
                               dynamic = array<i64: 3>, value = 2 : i64}]} {
  ^bb0(%a: f32, %b: f32, %p: f32, %q: index, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  func.return
}"""
    x, w = f32(5), f32(3)
    out = StructuredEngine(parse_module(text), pure=pure)({"x": x, "w": w, "n": np.int64(1)})
    np.testing.assert_allclose(out["y"], np.correlate(x, w, "same"), rtol=1e-5, atol=1e-6)
