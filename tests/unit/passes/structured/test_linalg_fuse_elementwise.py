"""`linalg-fuse-elementwise`: what is fused and what is not, and that random programs compute the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.passes.structured.linalg_fuse_elementwise import LinalgFuseElementwisePass
from tests.support import count_calls
from tests.tiers import sample


def fuse(text: str) -> ModuleOp:
    module = parse_module(text)
    LinalgFuseElementwisePass().apply(make_context(), module)
    module.verify()
    return module


def generics(module: ModuleOp) -> list[GenericOp]:
    return [op for op in module.walk() if isinstance(op, GenericOp)]


def main(body: str, result: str, type: str, arguments: str = "") -> str:
    return f"""builtin.module {{ func.func @main(
      %x: tensor<4x6xf32> {{loomir.name = "x"}}, %w: tensor<6xf32> {{loomir.name = "w"}}, %s: f32
      {{loomir.name = "s"}}{arguments}
    ) -> ({type} {{loomir.name = "y"}}) {{
      %e = tensor.empty() : tensor<4x6xf32>
      %er = tensor.empty() : tensor<4xf32>
      %et = tensor.empty() : tensor<6x4xf32>
      {body}
      func.return {result} : {type} }} }}"""


def generic(
    result: str, inputs: dict[str, tuple[str, str]], out: tuple[str, str, str], body: str, loops: str = "pp"
) -> str:
    """inputs and out: SSA name → (map results, type); the body names its arguments %0, %1 … and %old."""
    names = {"p": '"parallel"', "r": '"reduction"'}
    dims = ", ".join(f"d{i}" for i in range(len(loops)))
    maps = ", ".join(f"affine_map<({dims}) -> ({m})>" for m, _ in [*inputs.values(), out[1:]])
    args = "".join(f"%a{i}: f32, " for i in range(len(inputs)))
    ins = f"ins({', '.join(inputs)} : {', '.join(t for _, t in inputs.values())})" if inputs else ""
    return f"""{result} = linalg.generic {{indexing_maps = [{maps}],
        iterator_types = [{", ".join(names[c] for c in loops)}]}} {ins} outs({out[0]} : {out[2]}) {{
      ^bb0({args}%old: f32):
        {body}
      }} -> {out[2]}
      """


M, R, T, V = "tensor<4x6xf32>", "tensor<4xf32>", "tensor<6x4xf32>", "tensor<6xf32>"
EXP = "%v = math.exp %a0 : f32\n linalg.yield %v : f32"
ADD = "%v = arith.addf %a0, %a1 : f32\n linalg.yield %v : f32"
SUM = "%v = arith.addf %a0, %old : f32\n linalg.yield %v : f32"
MOVE = "linalg.yield %a0 : f32"
RNG = np.random.default_rng(3)
X, W, S = (RNG.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (6,), ()))


def run(module: ModuleOp) -> np.ndarray:
    return StructuredEngine(module)({"x": X, "w": W, "s": S})["y"]


def expect(text: str, count: int, expected: np.ndarray) -> ModuleOp:
    module = fuse(text)
    assert len(generics(module)) == count
    np.testing.assert_allclose(run(module), expected, rtol=1e-5)
    return module


def test_a_chain_becomes_one():
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += generic("%b", {"%a": ("d0, d1", M), "%w": ("d1", V)}, ("%e", "d0, d1", M), ADD)
    body += generic("%c", {"%b": ("d0, d1", M), "%x": ("d0, d1", M)}, ("%e", "d0, d1", M), ADD)
    module = expect(main(body, "%c", M), 1, np.exp(X) + W + X)
    (fused,) = generics(module)
    # %x is read once for both of its uses.
    assert len(fused.inputs) == 2


def test_both_arms_of_a_diamond():
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += generic("%b", {"%a": ("d0, d1", M), "%w": ("d1", V)}, ("%e", "d0, d1", M), ADD)
    body += generic("%c", {"%a": ("d0, d1", M), "%b": ("d0, d1", M)}, ("%e", "d0, d1", M), ADD)
    expect(main(body, "%c", M), 1, 2 * np.exp(X) + W)


def test_two_ways_of_reading_one_producer_stay():
    empty = "%q = tensor.empty() : tensor<4x4xf32>\n"
    square = "tensor<4x4xf32>"
    body = empty + generic("%a", {"%er": ("d0", R), "%x": ("d0, d0", M)}, ("%q", "d0, d1", square), EXP)
    body = empty + generic(
        "%a",
        {"%s": ("", "f32")},
        ("%q", "d0, d1", square),
        "%i = linalg.index 0 : index\n"
        "%k = arith.index_cast %i : index to i32\n%f = arith.sitofp %k : i32 to f32\n%v = arith.addf %f, %a0 : f32\n linalg.yield %v : f32",
    )
    body += generic("%b", {"%a": ("d0, d1", square)}, ("%q", "d0, d1", square), EXP)
    # A value can't be two operands of the helper's dictionary: spell the second consumer out.
    body += f"""%c = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>,
        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}}
        ins(%b, %b : {square}, {square}) outs(%q : {square}) {{
      ^bb0(%a0: f32, %a1: f32, %old: f32):
        {ADD}
      }} -> {square}
      """
    index = np.exp(np.arange(4, dtype=np.float32)[:, None] + S + np.zeros((4, 4), np.float32))
    expect(main(body, "%c", square), 2, index + index.T)


def test_a_transposed_producer_and_its_indices():
    index = """%i = linalg.index 1 : index
        %k = arith.index_cast %i : index to i32
        %f = arith.sitofp %k : i32 to f32
        %v = arith.addf %f, %a0 : f32
        linalg.yield %v : f32"""
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%et", "d1, d0", T), index)
    body += generic("%b", {"%a": ("d1, d0", T), "%w": ("d1", V)}, ("%e", "d0, d1", M), ADD)
    expect(main(body, "%b", M), 1, X + np.arange(6, dtype=np.float32) + W)


def test_into_a_reduction_that_reads_each_element_once():
    body = "%z = arith.constant 0.0 : f32\n%f = linalg.fill ins(%z : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>\n"
    body += generic("%a", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += generic("%b", {"%a": ("d0, d1", M)}, ("%f", "d0", R), SUM, "pr")
    module = expect(main(body, "%b", R), 1, np.exp(X).sum(1))
    # The accumulator's fill stays.
    assert len([op for op in module.walk() if isinstance(op, FillOp)]) == 1


def product(left: str) -> str:
    text = "%z = arith.constant 0.0 : f32\n%q = tensor.empty() : tensor<4x4xf32>\n"
    text += "%f = linalg.fill ins(%z : f32) outs(%q : tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    body = "%m = arith.mulf %a0, %a1 : f32\n%v = arith.addf %old, %m : f32\n linalg.yield %v : f32"
    inputs = {left: ("d0, d2", M), "%x": ("d1, d2", M)}
    return text + generic("%b", inputs, ("%f", "d0, d1", "tensor<4x4xf32>"), body, "ppr")


def test_a_product_would_compute_its_producer_again():
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP) + product("%a")
    expect(main(body, "%b", "tensor<4x4xf32>"), 2, np.exp(X) @ X.T)


def test_a_product_takes_in_a_broadcast():
    body = generic("%a", {"%w": ("d1", V)}, ("%e", "d0, d1", M), MOVE) + product("%a")
    expect(main(body, "%b", "tensor<4x4xf32>"), 1, np.broadcast_to(W, (4, 6)) @ X.T)


def test_a_fill_becomes_a_scalar():
    body = f"%f = linalg.fill ins(%s : f32) outs(%e : {M}) -> {M}\n"
    body += generic("%a", {"%x": ("d0, d1", M), "%f": ("d0, d1", M)}, ("%e", "d0, d1", M), ADD)
    module = expect(main(body, "%a", M), 1, X + S)
    assert not [op for op in module.walk() if isinstance(op, FillOp)]


def test_a_fill_that_alone_tells_an_extent_stays():
    body = f"%f = linalg.fill ins(%s : f32) outs(%e : {M}) -> {M}\n%z = arith.constant 0.0 : f32\n"
    body += f"%g = linalg.fill ins(%z : f32) outs(%er : {R}) -> {R}\n"
    body += generic("%a", {"%f": ("d0, d1", M)}, ("%g", "d0", R), SUM, "pr")
    module = expect(main(body, "%a", R), 1, np.full(4, 6 * S))
    assert len([op for op in module.walk() if isinstance(op, FillOp)]) == 2


def test_an_output_that_is_read_is_not_fused_away():
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%x", "d0, d1", M), SUM)
    body += generic("%b", {"%a": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    expect(main(body, "%b", M), 2, np.exp(X + X))


def test_a_value_used_twice_is_computed_once():
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += generic("%b", {"%a": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += generic("%c", {"%a": ("d0, d1", M)}, ("%et", "d1, d0", T), EXP)
    body += generic(
        "%d",
        {"%b": ("d0, d1", M), "%c": ("d1, d0", T), "%a": ("d0, d1", M)},
        ("%e", "d0, d1", M),
        "%t = arith.addf %a0, %a1 : f32\n%v = arith.addf %t, %a2 : f32\nlinalg.yield %v : f32",
    )
    # All four agree on how %a is read, so all are one in the end.
    expect(main(body, "%d", M), 1, 2 * np.exp(np.exp(X)) + np.exp(X))


def test_a_producer_stays_outside_of_a_loop():
    body = generic("%a", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += f"""%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> ({M}) {{
      """
    body += generic("%b", {"%a": ("d0, d1", M), "%t": ("d0, d1", M)}, ("%e", "d0, d1", M), ADD)
    body += f"scf.yield %b : {M}\n}}\n"
    expect(main(body, "%r", M), 2, X + 3 * np.exp(X))


def test_an_input_that_is_overwritten_in_between_stays_early():
    row = "tensor<1x6xf32>"
    body = generic("%x1", {"%x": ("d0, d1", M)}, ("%e", "d0, d1", M), MOVE)
    body += generic("%x2", {"%x1": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    body += f"%keep = tensor.extract_slice %x1[0, 0] [1, 6] [1, 1] : {M} to {row}\n"
    body += f"%row = tensor.extract_slice %x2[0, 0] [1, 6] [1, 1] : {M} to {row}\n"
    body += generic("%a", {"%x2": ("d0, d1", M)}, ("%et", "d1, d0", T), EXP)
    body += f"%new = tensor.insert_slice %keep into %x2[1, 0] [1, 6] [1, 1] : {row} into {M}\n"
    body += generic("%b", {"%a": ("d1, d0", T), "%new": ("d0, d1", M)}, ("%e", "d0, d1", M), ADD)
    x2 = np.exp(X)
    new = x2.copy()
    new[1] = X[0]
    expect(main(body, "%b", M), 4, np.exp(x2) + new)


def test_dynamic_views_keep_their_destination():
    text = """builtin.module { func.func @main(%x: tensor<24xf32> {loomir.name = "x", loomir.type = tensor<?x3xf32>},
        %n: index {loomir.dim = "x:0"}) -> (tensor<24xf32> {loomir.name = "y", loomir.type = tensor<?x3xf32>},
        index {loomir.dim = "y:0"}) {
      %c3 = arith.constant 3 : index
      %n3 = arith.muli %n, %c3 : index
      %xf = tensor.extract_slice %x[0] [%n3] [1] : tensor<24xf32> to tensor<?xf32>
      %xs = tensor.expand_shape %xf [[0, 1]] output_shape [%n, 3] : tensor<?xf32> into tensor<?x3xf32>
"""
    previous = "%xs"
    for k in range(2):
        text += f"""%e{k} = tensor.empty() : tensor<24xf32>
      %f{k} = tensor.extract_slice %e{k}[0] [%n3] [1] : tensor<24xf32> to tensor<?xf32>
      %o{k} = tensor.expand_shape %f{k} [[0, 1]] output_shape [%n, 3] : tensor<?xf32> into tensor<?x3xf32>
      %y{k} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}} ins({previous} : tensor<?x3xf32>) outs(%o{k} :
          tensor<?x3xf32>) {{
        ^bb0(%a0: f32, %old: f32):
          {EXP}
      }} -> tensor<?x3xf32>
"""
        previous = f"%y{k}"
    text += """%c = tensor.collapse_shape %y1 [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
      %r = tensor.insert_slice %c into %e1[0] [%n3] [1] : tensor<?xf32> into tensor<24xf32>
      func.return %r, %n : tensor<24xf32>, index } }"""
    module = fuse(text)
    (fused,) = generics(module)
    assert isinstance(fused.outputs[0].owner, tensor.ExpandShapeOp)
    assert len([op for op in module.walk() if isinstance(op, tensor.EmptyOp)]) == 1
    x = X.reshape(8, 3)[:5]
    np.testing.assert_allclose(StructuredEngine(module)({"x": x})["y"], np.exp(np.exp(x)), rtol=1e-5)


def test_results_of_one_producer_with_several():
    body = f"""%a, %b = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}}
        ins(%x : {M}) outs(%e, %et : {M}, {T}) {{
      ^bb0(%p: f32, %u: f32, %v: f32):
        %m = math.exp %p : f32
        %n = arith.negf %p : f32
        linalg.yield %m, %n : f32, f32
      }} -> ({M}, {T})
      """.replace(f"-> ({M}, {T})", f"-> {M}, {T}")
    both = body + generic("%c", {"%a": ("d0, d1", M), "%b": ("d1, d0", T)}, ("%e", "d0, d1", M), ADD)
    expect(main(both, "%c", M), 1, np.exp(X) - X)
    other = generic("%c", {"%a": ("d0, d1", M)}, ("%e", "d0, d1", M), EXP)
    other += generic("%d", {"%b": ("d1, d0", T)}, ("%e", "d0, d1", M), EXP)
    other += f"""%k = arith.constant 0 : index
      %h = tensor.extract %d[%k, %k] : {M}
      """
    other += generic("%g", {"%c": ("d0, d1", M), "%h": ("", "f32")}, ("%e", "d0, d1", M), ADD)
    expect(main(body + other, "%g", M), 3, np.exp(np.exp(X)) + np.exp(-X[0, 0]))


def random_program(seed: int) -> str:
    """Elementwise operations, transpositions, broadcasts, fills, reductions and updates in place, used again at will."""
    rng = random.Random(seed)
    body, matrices, transposed, rows = "", ["%x"], [], ["%w"]
    for n in range(rng.randint(4, 16)):
        v = f"%v{n}"
        kind = rng.choice(
            ["unary", "binary", "binary", "transpose", "back", "fill", "row", "update", "reduce", "index"]
        )
        m = rng.choice(matrices[-3:])
        if kind == "unary":
            tanh = "%v = math.tanh %a0 : f32\n linalg.yield %v : f32"
            body += generic(v, {m: ("d0, d1", M)}, ("%e", "d0, d1", M), tanh)
        elif kind == "binary":
            others = {o: ("d0, d1", M) for o in matrices if o != m} | dict.fromkeys(transposed, ("d1, d0", T))
            others |= dict.fromkeys(rows, ("d1", V)) | {"%s": ("", "f32")}
            o = rng.choice(sorted(others))
            body += generic(v, {m: ("d0, d1", M), o: others[o]}, ("%e", "d0, d1", M), ADD)
        elif kind == "transpose":
            body += generic(
                v, {m: ("d1, d0", M)}, ("%et", "d0, d1", T), rng.choice([MOVE, EXP.replace("exp", "sin")])
            )
            transposed.append(v)
            continue
        elif kind == "back" and transposed:
            body += generic(v, {rng.choice(transposed): ("d0, d1", T)}, ("%e", "d1, d0", M), MOVE)
        elif kind == "row":
            body += f"%er{n} = tensor.empty() : {V}\n%z{n} = arith.constant 0.5 : f32\n"
            body += f"%fr{n} = linalg.fill ins(%z{n} : f32) outs(%er{n} : {V}) -> {V}\n"
            body += generic(v, {m: ("d1, d0", M)}, (f"%fr{n}", "d0", V), SUM, "pr")
            rows.append(v)
            continue
        elif kind == "update":
            row = "tensor<1x6xf32>"
            body += (
                f"%u{n} = tensor.extract_slice {rng.choice(matrices)}[0, 0] [1, 6] [1, 1] : {M} to {row}\n"
            )
            body += f"{v} = tensor.insert_slice %u{n} into {m}[2, 0] [1, 6] [1, 1] : {row} into {M}\n"
        elif kind == "index":
            body += generic(
                v,
                {m: ("d0, d1", M)},
                ("%e", "d0, d1", M),
                f"""%i = linalg.index {n % 2} : index
                %k = arith.index_cast %i : index to i32
                %f = arith.sitofp %k : i32 to f32
                %v = arith.addf %a0, %f : f32
                linalg.yield %v : f32""",
            )
        else:
            body += f"{v} = linalg.fill ins(%s : f32) outs(%e : {M}) -> {M}\n"
        matrices.append(v)
    return main(body, matrices[-1], M)


@pytest.mark.parametrize("seed", sample(range(60), 3))
def test_random_programs_compute_the_same(seed: int):
    text = random_program(seed)
    before, after = parse_module(text), fuse(text)
    assert len(generics(after)) <= len(generics(before))
    np.testing.assert_allclose(run(after), run(before), rtol=1e-5)


def test_long_chains_take_linear_work():
    def calls(length: int) -> int:
        body, previous = "", "%x"
        for n in range(length):
            body += generic(f"%v{n}", {previous: ("d0, d1", M), "%w": ("d1", V)}, ("%e", "d0, d1", M), ADD)
            previous = f"%v{n}"
        module = parse_module(main(body, previous, M))
        context = make_context()
        count = count_calls(lambda: LinalgFuseElementwisePass().apply(context, module))
        assert len(generics(module)) == 1
        return count

    # Four times as long: linear would be four times the work, quadratic sixteen.
    assert calls(400) < 6 * calls(100)
