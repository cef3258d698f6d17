"""Tiles, epilogues and packed weights: what reductions become, and that they compute the same."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.compiler.stages import verify_stage
from loomir.dialects.element_types import memref_type_of
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import has_size_of_tile, is_to_unroll
from loomir.passes.loops.linalg_pack_weights import LinalgPackWeightsPass
from loomir.passes.loops.lower_linalg_to_loops import LowerLinalgToLoopsPass
from loomir.passes.loops.lower_linalg_to_loops.tiling import lanes_of

RNG = np.random.default_rng(0)
SUM = "^bb0(%p: f32, %acc: f32):\n%s = arith.addf %acc, %p : f32\nlinalg.yield %s : f32\n}"
MAC = """^bb0(%p: f32, %q: f32, %acc: f32):
  %m = arith.mulf %p, %q : f32
  %s = arith.addf %acc, %m : f32
  linalg.yield %s : f32
}"""


def parse(arguments: str, body: str) -> ModuleOp:
    text = f"builtin.module {{ func.func @main({arguments}) {{\n%zero = arith.constant 0.0 : f32\n{body}\nfunc.return }} }}"
    module = Parser(make_context(), text).parse_module()
    module.verify()
    return module


def lowered(arguments: str, body: str) -> ModuleOp:
    module = parse(arguments, body)
    LowerLinalgToLoopsPass().apply(make_context(), module)
    verify_stage(module, "loops")
    return module


def tensor(name: str, type: str, role: str = "input") -> str:
    return f'%{name}: memref<{type}> {{loomir.name = "{name}", loomir.role = "{role}"}}'


def weight(name: str, type: str, array: np.ndarray) -> str:
    return f"%{name}: memref<{type}> {{loomir.blob = dense<{array.tolist()}> : tensor<{type}>}}"


def generic(maps: str, iterators: str, ins: str, outs: str, body: str) -> str:
    kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[i] for i in iterators)
    all_maps = ", ".join(f"affine_map<{m.strip()}>" for m in maps.split(";"))
    return f"linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{kinds}]}} ins({ins}) outs({outs}) {{\n{body}"


def fill(name: str, type: str) -> str:
    return f"linalg.fill ins(%zero : f32) outs(%{name} : memref<{type}>)\n"


def f32(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def count(module: ModuleOp, kind: type) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def in_innermost_loops(module: ModuleOp, kind: type) -> list[int]:
    """How many operations of a kind each innermost loop has."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    inner = [loop for loop in loops if not any(isinstance(op, scf.ForOp) for op in loop.body.walk())]
    return [sum(isinstance(op, kind) for op in loop.body.walk()) for loop in inner]


def allocated(module: ModuleOp) -> list[tuple[int, ...]]:
    """The shapes of all buffers, in the arena or on the stack."""
    types = [op.results[0].type for op in module.walk() if isinstance(op, memref.AllocOp | memref.AllocaOp)]
    return [t.get_shape() for t in types if isinstance(t, MemRefType)]


def both(module: ModuleOp, **feed: np.ndarray) -> list[dict[str, np.ndarray]]:
    """The outputs of the interpreter and of the C."""
    results = [LoopsEngine(module)(feed)]
    run_passes(module, "plan-memory")
    return [*results, NativeFunction(module)(feed)]


@pytest.mark.parametrize("columns", [1, 2, 5, 8, 9, 13, 24, 31])
def test_product_of_any_width(columns: int):
    module = lowered(
        ", ".join(
            [
                tensor("a", "3x4xf32"),
                tensor("b", f"4x{columns}xf32"),
                tensor("o", f"3x{columns}xf32", "output"),
            ]
        ),
        fill("o", f"3x{columns}xf32")
        + generic(
            "(i, j, k) -> (i, k); (i, j, k) -> (k, j); (i, j, k) -> (i, j)",
            "ppr",
            f"%a, %b : memref<3x4xf32>, memref<4x{columns}xf32>",
            f"%o : memref<3x{columns}xf32>",
            MAC,
        ),
    )
    a, b = f32(3, 4), f32(4, columns)
    for result in both(module, a=a, b=b):
        np.testing.assert_allclose(result["o"], a @ b, rtol=1e-5, atol=1e-6)


def test_neighbours_of_an_extent_that_divides_are_a_row_of_memory():
    module = lowered(
        ", ".join([tensor("a", "3x4xf32"), tensor("b", "4x16xf32"), tensor("o", "3x16xf32", "output")]),
        fill("o", "3x16xf32")
        + generic(
            "(i, j, k) -> (i, k); (i, j, k) -> (k, j); (i, j, k) -> (i, j)",
            "ppr",
            "%a, %b : memref<3x4xf32>, memref<4x16xf32>",
            "%o : memref<3x16xf32>",
            MAC,
        ),
    )
    # The row begins; it and a row of b; it goes to the output.
    assert in_innermost_loops(module, memref.LoadOp) == [0, 2, 1]
    assert [
        memref_type_of(op.memref).get_shape() for op in walk(module) if isinstance(op, memref.AllocaOp)
    ] == [(16,)]
    loops = [op for op in walk(module) if isinstance(op, scf.ForOp)]
    assert [(has_size_of_tile(op), is_to_unroll(op)) for op in loops] == [
        (False, False),  # i
        (True, False),  # j, a tile at a time
        (True, True),
        (False, False),  # k
        (True, True),
        (True, True),
    ]
    a, b = f32(3, 4), f32(4, 16)
    for result in both(module, a=a, b=b):
        np.testing.assert_allclose(result["o"], a @ b, rtol=1e-5, atol=1e-6)


def test_a_tile_loads_what_it_shares_once():
    module = lowered(
        ", ".join([tensor("a", "3x4xf32"), tensor("b", "4x10xf32"), tensor("o", "3x10xf32", "output")]),
        fill("o", "3x10xf32")
        + generic(
            "(i, j, k) -> (i, k); (i, j, k) -> (k, j); (i, j, k) -> (i, j)",
            "ppr",
            "%a, %b : memref<3x4xf32>, memref<4x10xf32>",
            "%o : memref<3x10xf32>",
            MAC,
        ),
    )
    assert in_innermost_loops(module, memref.LoadOp) == [1 + 5]
    assert in_innermost_loops(module, memref.StoreOp) == [0]
    assert count(module, memref.AllocOp) == 0


def test_scattered_results_go_through_a_row():
    # Tiled along i, whose results are 3 apart.
    module = lowered(
        ", ".join([tensor("a", "4x10xf32"), tensor("b", "4x3xf32"), tensor("o", "10x3xf32", "output")]),
        fill("o", "10x3xf32")
        + generic(
            "(i, j, k) -> (k, i); (i, j, k) -> (k, j); (i, j, k) -> (i, j)",
            "ppr",
            "%a, %b : memref<4x10xf32>, memref<4x3xf32>",
            "%o : memref<10x3xf32>",
            MAC,
        ),
    )
    assert allocated(module) == [(5,)]
    assert in_innermost_loops(module, memref.StoreOp) == [0, 1]
    a, b = f32(4, 10), f32(4, 3)
    for result in both(module, a=a, b=b):
        np.testing.assert_allclose(result["o"], a.T @ b, rtol=1e-5, atol=1e-6)


def test_index_and_divided_coordinates():
    # The body counts its own column; the row of b is that of a block of two columns, so that j can't be tiled.
    module = lowered(
        ", ".join([tensor("a", "6xf32"), tensor("b", "2x4xf32"), tensor("o", "6x4xf32", "output")]),
        fill("o", "6x4xf32")
        + generic(
            "(i, j, k) -> (i); (i, j, k) -> (k, j); (i, j, k) -> (i, j)",
            "ppr",
            "%a, %b : memref<6xf32>, memref<2x4xf32>",
            "%o : memref<6x4xf32>",
            """^bb0(%p: f32, %q: f32, %acc: f32):
  %j = linalg.index 1 : index
  %n = arith.index_cast %j : index to i32
  %f = arith.sitofp %n : i32 to f32
  %m = arith.mulf %f, %q : f32
  %t = arith.addf %m, %p : f32
  %s = arith.addf %acc, %t : f32
  linalg.yield %s : f32
}""",
        ),
    )
    a, b = f32(6), f32(2, 4)
    expected = 2 * a[:, None] + (np.arange(4) * b).sum(0)
    for result in both(module, a=a, b=b):
        np.testing.assert_allclose(result["o"], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [1, 6, 16, 19])
def test_padded_windows_are_tiled_along_what_has_no_padding(rows: int):
    # A convolution of one dimension: o[c, i] = Σ w[c, k] · x[i + k - 1].
    shape = f"{rows}x5xf32"
    module = lowered(
        ", ".join([tensor("x", "5xf32"), tensor("w", f"{rows}x3xf32"), tensor("o", shape, "output")]),
        fill("o", shape)
        + "%v = builtin.unrealized_conversion_cast %x : memref<5xf32> to memref<7xf32>\n"
        + generic(
            "(c, i, k) -> (i + k); (c, i, k) -> (c, k); (c, i, k) -> (); (c, i, k) -> (c, i)",
            "ppr",
            f"%v, %w, %zero : memref<7xf32>, memref<{rows}x3xf32>, f32",
            f"%o : memref<{shape}>",
            MAC.replace("%acc: f32):", "%z: f32, %acc: f32):"),
        ).replace(
            "{\n^bb0",
            "attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 1>, high = array<i64: 1>, value = 2 : i64}]} {\n^bb0",
            1,
        ),
    )
    x, w = f32(5), f32(rows, 3)
    expected = np.stack([np.convolve(np.pad(x, 1), line[::-1], "valid") for line in w])
    for result in both(module, x=x, w=w):
        np.testing.assert_allclose(result["o"], expected, rtol=1e-5, atol=1e-6)


BIAS = """^bb0(%p: f32, %q: f32, %old: f32):
  %s = arith.addf %p, %q : f32
  %r = arith.maximumf %s, %zero : f32
  linalg.yield %r : f32
}"""


def with_epilogue(between: str = "", source: str = "%t : memref<4x8xf32>", after: str = "") -> ModuleOp:
    """o = max(sum over k of a + bias, 0), by way of %t."""
    return lowered(
        ", ".join(
            [tensor("a", "4x8x3xf32"), tensor("b", "4xf32"), tensor("o", "4x8xf32", "output")]
            + ([tensor("second", "4x8xf32", "output")] if after else [])
        ),
        "%t = memref.alloc() : memref<4x8xf32>\n"
        + fill("t", "4x8xf32")
        + generic(
            "(i, j, k) -> (i, j, k); (i, j, k) -> (i, j)",
            "ppr",
            "%a : memref<4x8x3xf32>",
            "%t : memref<4x8xf32>",
            SUM,
        )
        + f"\n{between}\n"
        + generic(
            "(i, j) -> (i, j); (i, j) -> (i); (i, j) -> (i, j)",
            "pp",
            f"{source.partition(' :')[0]}, %b : {source.partition(': ')[2]}, memref<4xf32>",
            "%o : memref<4x8xf32>",
            BIAS,
        )
        + f"\n{after}",
    )


def check_epilogue(module: ModuleOp):
    a, b = f32(4, 8, 3), f32(4)
    for result in both(module, a=a, b=b):
        np.testing.assert_allclose(result["o"], np.maximum(a.sum(2) + b[:, None], 0), rtol=1e-5, atol=1e-6)


def test_an_epilogue_takes_the_accumulator():
    module = with_epilogue()
    # The only memory is the row of eight; the sum itself has none.
    assert allocated(module) == [(8,)]
    check_epilogue(module)


def test_an_epilogue_behind_extents_of_one():
    module = with_epilogue(
        "%e = memref.expand_shape %t [[0], [1, 2]] output_shape [4, 8, 1] : memref<4x8xf32> into memref<4x8x1xf32>\n"
        "%c = memref.collapse_shape %e [[0], [1, 2]] : memref<4x8x1xf32> into memref<4x8xf32>",
        "%c : memref<4x8xf32>",
    )
    assert allocated(module) == [(8,)]
    check_epilogue(module)


def test_no_epilogue_where_the_sum_is_needed_again():
    module = with_epilogue(after="linalg.copy ins(%t : memref<4x8xf32>) outs(%second : memref<4x8xf32>)")
    assert (4, 8) in allocated(module)
    check_epilogue(module)


def test_no_epilogue_where_the_sum_is_read_otherwise():
    # A transposition by reshaping: 4 × 8 read as 32, then as 4 × 8 again, is not one to one.
    module = with_epilogue(
        "%f = memref.collapse_shape %t [[0, 1]] : memref<4x8xf32> into memref<32xf32>\n"
        "%c = memref.expand_shape %f [[0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>",
        "%c : memref<4x8xf32>",
    )
    assert (4, 8) in allocated(module)
    check_epilogue(module)


def test_no_epilogue_into_the_memory_that_the_sum_reads():
    # o = x + Σ_k x[k, j]: the result replaces x, so every sum has to be there before.
    module = lowered(
        ", ".join([tensor("a", "4x8xf32"), tensor("o", "4x8xf32", "output")]),
        "%x = memref.alloc() : memref<4x8xf32>\nlinalg.copy ins(%a : memref<4x8xf32>) outs(%x : memref<4x8xf32>)\n"
        "%t = memref.alloc() : memref<4x8xf32>\n"
        + fill("t", "4x8xf32")
        + generic(
            "(i, j, k) -> (k, j); (i, j, k) -> (i, j)",
            "ppr",
            "%x : memref<4x8xf32>",
            "%t : memref<4x8xf32>",
            SUM,
        )
        + "\n"
        + generic(
            "(i, j) -> (i, j); (i, j) -> (i, j); (i, j) -> (i, j)",
            "pp",
            "%t, %x : memref<4x8xf32>, memref<4x8xf32>",
            "%x : memref<4x8xf32>",
            "^bb0(%p: f32, %q: f32, %old: f32):\n%s = arith.addf %p, %q : f32\nlinalg.yield %s : f32\n}",
        )
        + "\nlinalg.copy ins(%x : memref<4x8xf32>) outs(%o : memref<4x8xf32>)",
    )
    a = f32(4, 8)
    for result in both(module, a=a):
        np.testing.assert_allclose(result["o"], a + a.sum(0), rtol=1e-5, atol=1e-6)


def test_no_epilogue_into_the_memory_that_the_body_of_the_sum_loads():
    # o = x + Σ_k a[j, k] · x[15 - j], the latter as a gather reads it: no input of the sum is x.
    module = lowered(
        ", ".join([tensor("a", "16x8xf32"), tensor("o", "16xf32", "output")]),
        "%x = memref.alloc() : memref<16xf32>\n%t = memref.alloc() : memref<16xf32>\n"
        + generic(
            "(j) -> (j, 0); (j) -> (j)",
            "p",
            "%a : memref<16x8xf32>",
            "%x : memref<16xf32>",
            "^bb0(%p: f32, %old: f32):\nlinalg.yield %p : f32\n}",
        )
        + "\n"
        + fill("t", "16xf32")
        + generic(
            "(j, k) -> (j, k); (j, k) -> (j)",
            "pr",
            "%a : memref<16x8xf32>",
            "%t : memref<16xf32>",
            """^bb0(%p: f32, %acc: f32):
  %c15 = arith.constant 15 : index
  %j = linalg.index 0 : index
  %i = arith.subi %c15, %j : index
  %v = memref.load %x[%i] : memref<16xf32>
  %m = arith.mulf %p, %v : f32
  %s = arith.addf %acc, %m : f32
  linalg.yield %s : f32
}""",
        )
        + "\n"
        + generic(
            "(j) -> (j); (j) -> (j); (j) -> (j)",
            "p",
            "%t, %x : memref<16xf32>, memref<16xf32>",
            "%x : memref<16xf32>",
            "^bb0(%p: f32, %q: f32, %old: f32):\n%s = arith.addf %p, %q : f32\nlinalg.yield %s : f32\n}",
        )
        + "\nlinalg.copy ins(%x : memref<16xf32>) outs(%o : memref<16xf32>)",
    )
    a = f32(16, 8)
    x = a[:, 0]
    for result in both(module, a=a):
        np.testing.assert_allclose(result["o"], x + (a * x[::-1, None]).sum(1), rtol=1e-5, atol=1e-6)


def test_no_epilogue_behind_a_write_of_what_the_sum_reads():
    module = lowered(
        ", ".join(
            [tensor("a", "4x8xf32"), tensor("o", "4xf32", "output"), tensor("second", "4x8xf32", "output")]
        ),
        "%x = memref.alloc() : memref<4x8xf32>\nlinalg.copy ins(%a : memref<4x8xf32>) outs(%x : memref<4x8xf32>)\n"
        "%t = memref.alloc() : memref<4xf32>\n"
        + fill("t", "4xf32")
        + generic("(i, k) -> (i, k); (i, k) -> (i)", "pr", "%x : memref<4x8xf32>", "%t : memref<4xf32>", SUM)
        + "\n"
        + fill("x", "4x8xf32")
        + generic(
            "(i) -> (i); (i) -> (i)",
            "p",
            "%t : memref<4xf32>",
            "%o : memref<4xf32>",
            "^bb0(%p: f32, %old: f32):\n%s = arith.negf %p : f32\nlinalg.yield %s : f32\n}",
        )
        + "\nlinalg.copy ins(%x : memref<4x8xf32>) outs(%second : memref<4x8xf32>)",
    )
    a = f32(4, 8)
    for result in both(module, a=a):
        np.testing.assert_allclose(result["o"], -a.sum(1), rtol=1e-5, atol=1e-6)


def packed(arguments: str, body: str) -> tuple[ModuleOp, list[tuple[int, ...]]]:
    """The module behind the pass, and the shapes of `main`'s arguments."""
    module = parse(arguments, body)
    LinalgPackWeightsPass().apply(make_context(), module)
    module.verify()
    (function,) = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    shapes = [a.type.get_shape() for a in function.args if isinstance(a.type, MemRefType)]
    LowerLinalgToLoopsPass().apply(make_context(), module)
    verify_stage(module, "loops")
    return module, shapes


def test_a_transposed_weight_is_packed():
    x, w = f32(1, 3), np.arange(24, dtype=np.float32).reshape(8, 3)
    module, shapes = packed(
        ", ".join([tensor("x", "1x3xf32"), weight("w", "8x3xf32", w), tensor("o", "1x8xf32", "output")]),
        fill("o", "1x8xf32")
        + generic(
            "(i, j, k) -> (i, k); (i, j, k) -> (j, k); (i, j, k) -> (i, j)",
            "ppr",
            "%x, %w : memref<1x3xf32>, memref<8x3xf32>",
            "%o : memref<1x8xf32>",
            MAC,
        ),
    )
    assert shapes == [(1, 3), (3, 8), (1, 8)]
    for result in both(module, x=x):
        np.testing.assert_allclose(result["o"], x @ w.T, rtol=1e-5)


def test_a_weight_of_two_uses_is_not_packed():
    x, w = f32(1, 3), np.arange(24, dtype=np.float32).reshape(8, 3)
    product = generic(
        "(i, j, k) -> (i, k); (i, j, k) -> (j, k); (i, j, k) -> (i, j)",
        "ppr",
        "%x, %w : memref<1x3xf32>, memref<8x3xf32>",
        "%o : memref<1x8xf32>",
        MAC,
    )
    module, shapes = packed(
        ", ".join(
            [
                tensor("x", "1x3xf32"),
                weight("w", "8x3xf32", w),
                tensor("o", "1x8xf32", "output"),
                tensor("second", "1x8xf32", "output"),
            ]
        ),
        fill("o", "1x8xf32") + product + "\n" + fill("second", "1x8xf32") + product.replace("%o", "%second"),
    )
    assert (8, 3) in shapes
    for result in both(module, x=x):
        np.testing.assert_allclose(result["o"], x @ w.T, rtol=1e-5)
        np.testing.assert_allclose(result["second"], x @ w.T, rtol=1e-5)


def test_lanes():
    assert [lanes_of(n) for n in (2, 7, 8, 9, 10, 12, 13, 49, 64)] == [2, 7, 8, 5, 5, 4, 7, 7, 8]
