"""Programs that many threads run at once, each call with a feed of its own, and how many of them are wrong.

`python -m tests.unit.compiler.thread_programs [--runs 1000] [--threads 8]` runs all of them in every engine and prints the counts.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx.parser

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.model import Model
from loomir.compiler.option_names import ENGINES, Engine
from loomir.errors import Error

Feed = Mapping[str, Any]
THREADS = 8
INTERVALS = (1e-6, 1e-5)


@dataclass(frozen=True)
class Program:
    """A model that is made anew by `make`, and feeds whose outputs all differ."""

    name: str
    make: Callable[[], Model]
    feeds: Sequence[Feed]


def onnx_program(graph: str, **options: Any) -> Callable[[], Model]:
    """A model of textual ONNX."""
    return lambda: loomir.load(
        onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 17]> {graph}'), **options
    )


def vector(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


NESTED = """g (int64 n, float[4] x) => (float[4] y, float[t,4] z) {
    more = Constant<value = bool {1}>()
    y, z = Loop(n, more, x) <body = outer (int64 i, bool c, float[4] a) => (bool c1, float[4] a1, float[4] s) {
        c1 = Identity(c)
        s = Loop(i, c, a) <body = inner (int64 j, bool d, float[4] b) => (bool d1, float[4] b1) {
            d1 = Identity(d)
            f = Cast<to = 1>(j)
            b0 = Mul(b, x)
            b1 = Add(b0, f)
        }>
        zero = Constant<value = float {0}>()
        sum = ReduceSum<keepdims = 0>(s)
        positive = Greater(sum, zero)
        a1 = If(positive) <then_branch = t () => (float[4] p) { p = Sub(x, s) },
                           else_branch = e () => (float[4] q) { q = Mul(s, x) }>
    }>
}"""

OPEN = """g (float[r,c] x) => (float[r,c] y, float[c,c] z) {
    t = Transpose<perm = [1, 0]>(x)
    z = MatMul(t, x)
    s = Shape(x)
    from = Constant<value = int64[1] {0}>()
    to = Constant<value = int64[1] {1}>()
    rows = Slice(s, from, to)
    n = Squeeze(rows)
    more = Constant<value = bool {1}>()
    y = Loop(n, more, x) <body = b (int64 i, bool c1, float[r,c] a) => (bool c2, float[r,c] a1) {
        c2 = Identity(c1)
        f = Cast<to = 1>(i)
        m = Mul(a, x)
        a1 = Add(m, f)
    }>
}"""

GROWING = """g (int64 n, float[1,3] x) => (float[t,3] y) {
    one = Constant<value = int64 {1}>()
    zero = Constant<value = int64 {0}>()
    first = Less(zero, n)
    y = Loop(, first, x) <body = b (int64 i, bool c, float[s,3] a) => (bool more, float[u,3] a1) {
        i1 = Add(i, one)
        more = Less(i1, n)
        f = Cast<to = 1>(i)
        r = Add(x, f)
        a1 = Concat<axis = 0>(a, r)
    }>
}"""

SEQUENCE = """g (int64 n, float[2] x) => (seq(float[2]) y) {
    empty = SequenceEmpty<dtype = 1>()
    more = Constant<value = bool {1}>()
    y = Loop(n, more, empty) <body = b (int64 i, bool c, seq(float[2]) s) => (bool c1, seq(float[2]) s1) {
        c1 = Identity(c)
        f = Cast<to = 1>(i)
        v = Add(x, f)
        s1 = SequenceInsert(s, v)
    }>
}"""

STATE = """
func.func @main(%h: tensor<3xf32> {loomir.name = "h", loomir.state = "v"}, %x: tensor<3xf32> {loomir.name = "x"})
    -> (tensor<3xf32> {loomir.name = "h", loomir.state = "v"}, tensor<3xf32> {loomir.name = "y"}) {
  %s = ov.add %h, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %p = ov.multiply %s, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %s, %p : tensor<3xf32>, tensor<3xf32>
}"""

TRIPS = """g (int64 n) => (int64 y) {
    more = Constant<value = bool {1}>()
    zero = Constant<value = int64 {0}>()
    y = Loop(n, more, zero) <body = b (int64 i, bool c, int64 a) => (bool c1, int64 a1) {
        c1 = Identity(c)
        square = Mul(i, i)
        a1 = Add(a, square)
    }>
}"""

PROGRAMS = [
    Program(
        "nested loops and branches",
        onnx_program(NESTED),
        [{"n": np.int64(k % 5), "x": vector(k, 4)} for k in range(16)],
    ),
    Program(
        "a program for each shape",
        onnx_program(OPEN),
        [{"x": vector(k, 1 + k % 3, 1 + k % 4)} for k in range(12)],
    ),
    Program(
        "one program for all shapes",
        onnx_program(OPEN, max_shapes={"x": [4, 5]}),
        [{"x": vector(k, 1 + k % 4, 1 + k % 5)} for k in range(16)],
    ),
    Program(
        "a capacity that grows",
        onnx_program(GROWING),
        [{"n": np.int64(n), "x": vector(n, 1, 3)} for n in (1, 70, 3, 140, 2, 40, 5, 90)],
    ),
    Program(
        "sequences",
        onnx_program(SEQUENCE),
        [{"n": np.int64(k % 6), "x": vector(k, 2)} for k in range(12)],
    ),
    Program(
        "states",
        lambda: Model(parse_module(STATE)),
        [{"x": vector(k, 3), **({"h": vector(k + 1, 3)} if k % 3 else {})} for k in range(12)],
    ),
    Program(
        "a bound on iterations that some calls reach",
        onnx_program(TRIPS, max_iterations=20),
        [{"n": np.int64(n)} for n in (20, 19, 21, 3, 40, 15, 20, 100)],
    ),
]


@contextmanager
def switching(interval: float) -> Iterator[None]:
    """Threads take turns as often as this (seconds)."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def outcome(model: Model, feed: Feed, engine: Engine) -> object:
    """The outputs in a form that can be compared, or the identifier of the error."""
    try:
        return [_plain(v) for v in model.run(feed, engine=engine).values()]
    except Error as error:
        return error.identifier


def _plain(value: Any) -> object:
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return value.dtype.str, value.shape, value.tobytes()


def in_threads(work: Callable[[int], object], threads: int = THREADS) -> list[object]:
    """Return the result of `work` for each thread's number.

    All threads begin at once. An exception is a result too.
    """
    start = threading.Barrier(threads)
    results: list[object] = [None] * threads

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = work(number)
        except Exception as error:
            results[number] = error

    workers = [threading.Thread(target=run, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


def wrong_calls(
    program: Program, engine: Engine, *, runs: int, interval: float, threads: int = THREADS
) -> int:
    """How many of `runs` calls by each thread, of one new Model, give anything but what the call gives alone."""
    alone = program.make()
    expected = [outcome(alone, feed, engine) for feed in program.feeds]
    assert len(set(map(repr, expected))) > 1, "all calls give the same: nothing would be seen"
    model = program.make()

    def work(number: int) -> int:
        wrong = 0
        for call in range(runs):
            # Neighbours have different feeds, and each thread meets all of them.
            k = (number * 5 + call * 3 + call // len(expected)) % len(expected)
            wrong += outcome(model, program.feeds[k], engine) != expected[k]
        return wrong

    with switching(interval):
        results = in_threads(work, threads)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return sum(r for r in results if isinstance(r, int))


def main() -> None:
    """Every program in every engine."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--runs", type=int, default=1000, help="calls of each thread in each engine")
    options = parser.parse_args()
    each = -(-options.runs // len(PROGRAMS))
    failed = 0
    for engine in ENGINES:
        calls = wrong = 0
        for number, program in enumerate(PROGRAMS):
            wrong += wrong_calls(
                program, engine, runs=each, interval=INTERVALS[number % 2], threads=options.threads
            )
            calls += each * options.threads
        print(f"{engine}: {wrong} of {calls} calls wrong", flush=True)
        failed += wrong
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
