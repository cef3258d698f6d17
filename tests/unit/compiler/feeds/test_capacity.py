"""Programs in which nothing bounds an extent: engines that grow, emitted C that says when its capacity does not suffice."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.engines.native import CStatus, build_program, run_program
from loomir.compiler.feeds.specialising import Growing
from loomir.compiler.formats.c.emit import CCode
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pass_options import with_options
from loomir.compiler.pipeline import PIPELINES
from loomir.passes.structured.bufferize import BufferizePass
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import raises_error
from tests.support_tools import SANITIZE, sanitizing_compilers

Feed = dict[str, np.ndarray]
HEAD = '<ir_version: 10, opset_import: ["" : 17]>\n'


def loop(
    carried: str, body: str, *, inputs: str, outputs: str, arguments: str, nexts: str, before: str = ""
) -> str:
    """A Loop that runs while the iteration's number plus one is less than `n`, so that nothing bounds its trips."""
    results = ", ".join(part.split()[-1] for part in outputs.split(", "))
    return f"""{HEAD}g (int64 n{inputs}) => ({outputs}) {{
        go = Constant<value = bool {{1}}>()
        zero = Constant<value = int64 {{0}}>()
        one = Constant<value = int64 {{1}}>()
        first = Less(zero, n)
        {before}
        {results} = Loop(, first{carried}) <body = b (int64 i, bool c{arguments}) => (bool more, {nexts}) {{
            i1 = Add(i, one)
            more = Less(i1, n)
            f = Cast<to = 1>(i)
            {body}
        }}>
    }}"""


PROGRAMS = {
    # Concatenated outputs.
    "scan": loop(
        "", "v = Add(x, f)", inputs=", float[2] x", outputs="float[t,2] y", arguments="", nexts="float[2] v"
    ),
    "scan_of_scalars_and_of_nothing": loop(
        "",
        "v = Mul(f, f)\n w = Slice(x, zero1, zero1)",
        before="zero1 = Constant<value = int64[1] {0}>()",
        inputs=", float[2] x",
        outputs="float[t] y, float[t,0] z",
        arguments="",
        nexts="float v, float[0] w",
    ),
    "scan_of_parts_with_an_extent_from_the_data": loop(
        "",
        "v = Expand(f, shape)",
        before="m = Constant<value = int64 {5}>()\n rest = Mod(n, m)\n"
        "ax = Constant<value = int64[1] {0}>()\n shape = Unsqueeze(rest, ax)",
        inputs="",
        outputs="float[t,s] y",
        arguments="",
        nexts="float[s] v",
    ),
    # Carried values.
    "rows": loop(
        ", x",
        # (What a trip adds depends on what is there: it could be joined otherwise.)
        "m = ReduceMax<keepdims = 0>(a)\n g = Min(f, m)\n h = Max(f, g)\n r = Add(row, h)\n a1 = Concat<axis = 0>(a, r)",
        before="row = Constant<value = float[2,3] {1,2,3,4,5,6}>()",
        inputs=", float[1,3] x",
        outputs="float[t,3] y",
        arguments=", float[s,3] a",
        nexts="float[u,3] a1",
    ),
    "rows_in_front_and_scan": loop(
        ", x",
        "a1 = Concat<axis = 0>(x, a)\n m = ReduceSum<keepdims = 0>(a1)",
        inputs=", float[1,3] x",
        outputs="float[t,3] y, float[k] sums",
        arguments=", float[s,3] a",
        nexts="float[u,3] a1, float m",
    ),
    "rows_beside_a_view_of_what_was_before": loop(
        ", x",
        """from = Constant<value = int64[1] {0}>()
            to = Constant<value = int64[1] {2}>()
            few = Slice(a, from, to)
            a1 = Concat<axis = 0>(a, x)
            m = ReduceSum<keepdims = 0>(few)
            k = ReduceSum<keepdims = 0>(a1)
            mk = Add(m, k)""",
        inputs=", float[1,3] x",
        outputs="float[t,3] y, float[k] sums",
        arguments=", float[s,3] a",
        nexts="float[u,3] a1, float mk",
    ),
    "columns_that_double": loop(
        ", x",
        "b = Add(a, f)\n a1 = Concat<axis = 1>(a, b)",
        inputs=", float[2,1] x",
        outputs="float[2,t] y",
        arguments=", float[2,s] a",
        nexts="float[2,u] a1",
    ),
    "both_dimensions": loop(
        ", x",
        """b = Concat<axis = 0>(a, a)
            start = Constant<value = int64[1] {0}>()
            stop = Constant<value = int64[1] {5}>()
            few = Slice(b, start, stop)
            a1 = Concat<axis = 1>(few, few)""",
        inputs=", float[1,1] x",
        outputs="float[s,t] y",
        arguments=", float[p,q] a",
        nexts="float[u,w] a1",
    ),
    "grows_or_shrinks": loop(
        ", x",
        """two = Constant<value = int64 {2}>()
            odd = Mod(i, two)
            odd1 = Cast<to = 9>(odd)
            a1 = If(odd1) <then_branch = t () => (float[u] p) {
                from = Constant<value = int64[1] {1}>()
                to = Constant<value = int64[1] {9223372036854775807}>()
                p = Slice(a, from, to)
            }, else_branch = e () => (float[u] q) { q = Concat<axis = 0>(a, x, x) }>""",
        inputs=", float[2] x",
        outputs="float[t] y",
        arguments=", float[s] a",
        nexts="float[u] a1",
    ),
    "two_that_grow_and_swap": loop(
        ", x, x",
        "a1 = Concat<axis = 0>(b, x)\n b1 = Concat<axis = 0>(a, x, x)",
        inputs=", float[1] x",
        outputs="float[t] y, float[u] z",
        arguments=", float[p] a, float[q] b",
        nexts="float[r] a1, float[s] b1",
    ),
    "through_an_inner_loop": loop(
        ", x",
        """a1, parts = Loop(i1, , a) <body = inner (int64 j, bool c2, float[s2] d) => (bool c3, float[s3] d1, float[1] o) {
                c3 = Identity(c2)
                o = Add(x, f)
                d1 = Concat<axis = 0>(d, o)
            }>
            sum = ReduceSum<keepdims = 0>(parts)""",
        inputs=", float[1] x",
        outputs="float[t] y, float[k] sums",
        arguments=", float[s] a",
        nexts="float[u] a1, float sum",
    ),
    # Extents from the data.
    "range": HEAD + "g (int64 n, int64 zero, int64 step) => (int64[t] y) { y = Range(zero, n, step) }",
    "pad": HEAD
    + """g (int64 n, float[2,3] x) => (float[s,t] y) {
        ax = Constant<value = int64[1] {0}>()
        one = Constant<value = int64[1] {1}>()
        k = Unsqueeze(n, ax)
        pads = Concat<axis = 0>(ax, k, one, ax)
        y = Pad(x, pads)
    }""",
    "reshape_and_fill": HEAD
    + """g (int64 n) => (float[t,2] y, float[t,3] z) {
        ax = Constant<value = int64[1] {0}>()
        two = Constant<value = int64[1] {2}>()
        three = Constant<value = int64[1] {3}>()
        k = Unsqueeze(n, ax)
        shape = Concat<axis = 0>(k, two)
        filled = Concat<axis = 0>(k, three)
        z = ConstantOfShape(filled)
        zero = Constant<value = int64 {0}>()
        one = Constant<value = int64 {1}>()
        r = Range(zero, n, one)
        f = Cast<to = 1>(r)
        both = Concat<axis = 0>(f, f)
        y = Reshape(both, shape)
    }""",
    "two_nested_whiles": loop(
        ", x",
        """a1 = Loop(, first, a) <body = d (int64 j, bool c3, float[s2] e) => (bool c4, float[s3] e2) {
                j1 = Add(j, one)
                c4 = Less(j1, i1)
                e2 = Concat<axis = 0>(x, e)
            }>
            size = Shape(a1)""",
        inputs=", float[1] x",
        outputs="float[t] y, int64[k,1] sizes",
        arguments=", float[s] a",
        nexts="float[u] a1, int64[1] size",
    ),
    "tile": HEAD
    + """g (int64 n, float[1,2] x) => (float[t,4] y) {
        two = Constant<value = int64[1] {2}>()
        ax = Constant<value = int64[1] {0}>()
        k = Unsqueeze(n, ax)
        times = Concat<axis = 0>(k, two)
        y = Tile(x, times)
    }""",
}


def feeds(name: str) -> list[Feed]:
    program = model(name).graph
    shapes = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in program.input}
    numbers = (0, 1, 6) if name in ("columns_that_double", "both_dimensions") else (0, 1, 9, 40)
    made: list[Feed] = []
    for n in numbers:
        feed: Feed = {"n": np.array(n, np.int64)}
        for other, shape in shapes.items():
            if other in ("zero", "step"):
                feed[other] = np.array(("zero", "step").index(other), np.int64)
            elif other != "n":
                feed[other] = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
        made.append(feed)
    return made


@cache
def model(name: str) -> onnx.ModelProto:
    made = onnx.parser.parse_model(PROGRAMS[name])
    onnx.checker.check_model(made)
    return made


@cache
def expected(name: str) -> list[Feed]:
    session = onnxruntime_session(model(name))
    names = [o.name for o in model(name).graph.output]
    runs = [session.run(names, feed) for feed in feeds(name)]
    return [{n: np.asarray(v) for n, v in zip(names, values)} for values in runs]


def assert_same(got: Feed, want: Feed) -> None:
    for name, value in want.items():
        assert got[name].dtype == value.dtype, name
        np.testing.assert_allclose(got[name], value, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("engine", ["structured", "loops", "native"])
def test_engines_find_the_capacity(name: str, engine) -> None:
    program = loomir.load(model(name))
    for feed, want in zip(feeds(name), expected(name)):
        assert_same(program.run(feed, engine=engine), want)


@pytest.mark.parametrize("name", PROGRAMS)
def test_emitted_c_has_the_capacity_that_it_is_given(name: str, tmp_path: Path) -> None:
    """Data within the capacity gives correct results; larger data is an error.

    In neither case does the code read or write out of bounds (sanitizers).
    """
    program = loomir.load(model(name))
    with raises_error("unbounded-shape", "--capacity"):
        program.emit_c(tmp_path)
    code = program.emit_c(tmp_path, capacity=21)
    build_program(code, tmp_path, compiler=sanitizing_compilers()[:1], flags=("-O1", *SANITIZE))
    statuses: set[str] = set()
    for feed, want in zip(feeds(name), expected(name)):
        got = outcome(code, tmp_path, feed)
        if isinstance(got, str):
            statuses.add(got)
            assert max(d for value in want.values() for d in value.shape) > 21
        else:
            statuses.add("OK")
            assert_same(got, want)
    assert statuses == {"OK", "ERROR_CAPACITY"}


def outcome(code: CCode, folder: Path, feed: Feed) -> Feed | str:
    """The outputs of emitted C, or the status that it gives."""
    try:
        return run_program(code, folder, feed)
    except CStatus as status:
        return status.args[0]


def engine_of(program: loomir.Model) -> Growing:
    """The only engine that the program has been run in."""
    (made,) = program._engines.values()  # pyright: ignore
    assert isinstance(made, Growing)
    return made


def test_a_run_is_repeated_only_as_often_as_the_capacity_is_doubled() -> None:
    program = loomir.load(model("rows"))
    x = np.ones((1, 3), np.float32)
    for n, capacity in ((3, 64), (40, 128), (50, 128), (1, 128), (200, 512)):
        y = program.run({"n": np.array(n, np.int64), "x": x}, engine="loops")["y"]
        assert y.shape == (1 + 2 * n, 3)
        assert engine_of(program).now.capacity == capacity


@pytest.mark.parametrize("engine", ["structured", "native"])
def test_growth_ends_at_the_largest_capacity(engine) -> None:
    program = loomir.load(model("rows"), max_capacity=100)
    x = np.ones((1, 3), np.float32)
    assert program.run({"n": np.array(49, np.int64), "x": x}, engine=engine)["y"].shape == (99, 3)
    with raises_error("limit-bytes", "100, the largest capacity allowed"):
        program.run({"n": np.array(50, np.int64), "x": x}, engine=engine)
    with raises_error("unbounded-shape"):
        loomir.load(model("rows"), max_capacity=0).run({"n": np.array(1, np.int64), "x": x}, engine=engine)
    with raises_error("bad-option", "max_capacity"):
        loomir.load(model("rows"), max_capacity=-1)


def test_a_capacity_that_a_pipeline_gives_is_not_enlarged() -> None:
    passes = with_options(PIPELINES["structured"], "ov-bound-shapes", capacity=9)
    program = loomir.load(model("rows"), pipelines={**PIPELINES, "structured": passes})
    x = np.ones((1, 3), np.float32)
    assert program.run({"n": np.array(4, np.int64), "x": x}, engine="loops")["y"].shape == (9, 3)
    with raises_error("runtime-capacity"):
        program.run({"n": np.array(5, np.int64), "x": x}, engine="loops")


def test_growth_ends_at_the_memory_that_a_tensor_may_take() -> None:
    program = loomir.load(model("rows"), max_bytes=3000)
    with raises_error("limit-bytes", "--max-bytes"):
        program.run({"n": np.array(10**6, np.int64), "x": np.ones((1, 3), np.float32)}, engine="native")


def test_a_bound_that_a_program_has_is_not_enlarged() -> None:
    """An input beyond its largest shape: no capacity helps, and none is tried."""
    text = HEAD + "g (float[n] x, int64[1] k) => (float[m] y) { y = Expand(x, k) }"
    program = loomir.load(onnx.parser.parse_model(text), shapes={"x": [1]}, max_capacity=1)
    assert program.run({"x": np.ones(1, np.float32), "k": np.array([1])})["y"].shape == (1,)
    with raises_error("limit-bytes"):
        program.run({"x": np.ones(1, np.float32), "k": np.array([2])})
    assert engine_of(program).now.capacity == 1


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("direction", ["", ", start = -1, end = 0, stride = -1"])
def test_concatenation_on_any_axis_and_backwards(axis: int, direction: str) -> None:
    shape, part = ("?x2", "1x2") if axis == 0 else ("2x?", "2x1")
    text = f"""
    func.func @main(%n: tensor<i64> {{loomir.name = "n"}}, %x: tensor<{part}xi64> {{loomir.name = "x"}})
        -> (tensor<{shape}xi64> {{loomir.name = "y"}}) {{
      %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
      %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
      %y = ov.loop while(%true) {{concats = [#ov.slice<axis = {axis}{direction}>]}} : (tensor<i1>) -> (tensor<{shape}xi64>) {{
      ^bb0(%i: tensor<i64>):
        %k = ov.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
        %p = ov.add %x, %i : (tensor<{part}xi64>, tensor<i64>) -> tensor<{part}xi64>
        %more = ov.less %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
        ov.next while(%more) concat(%p : tensor<{part}xi64>)
      }}
      func.return %y : tensor<{shape}xi64>
    }}"""
    program = loomir.Model(parse_module(text))
    for n in (1, 64, 65):
        feed = {"n": np.array(n, np.int64), "x": np.arange(2).reshape([int(e) for e in part.split("x")])}
        want = program.run(feed, engine="graph")["y"]
        for engine in ("structured", "loops"):
            np.testing.assert_array_equal(program.run(feed, engine=engine)["y"], want)


def test_rows_are_appended_in_place() -> None:
    """The concatenation is made in the buffer that carries it, which has exactly the capacity's room."""
    structured = loomir.load(model("rows")).lowered("structured", capacity=21)
    assert not BufferizePass.explain(structured.clone())
    text = loomir.load(model("rows")).mlir("loops", capacity=21)
    assert "memref<63xf32>" in text
    assert "memref<69xf32>" not in text


def test_the_header_says_the_capacity(tmp_path: Path) -> None:
    code = loomir.load(model("rows")).emit_c(tmp_path, "rows", capacity=21)
    assert "#define ROWS_CAPACITY 21\n" in code.header
    assert "made for up to 21" in code.header
    assert "at most [21,3], room for 63" in code.header
    with raises_error("bad-option", "capacity=0"):
        loomir.load(model("rows")).emit_c(tmp_path, capacity=0)
