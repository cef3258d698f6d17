"""Faults of feeds, options and calls, and their errors.

They are the second part of the table of docs/errors.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.model import Engine, Model
from loomir.compiler.options import CheckOptions
from loomir.compiler.pipeline import run_passes
from loomir.tools.transform import TransformPass
from tests.hostile.fault import ENGINES, fault
from tests.hostile.faults import X1, graph, openvino

# -- a feed that does not fit


class Refusing:
    """Array-like object that refuses conversion.

    A tensor on another device, or one that has a gradient, does so.
    """

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise RuntimeError("it must be moved first")


def fed(what: str, identifier: str, feed: Any) -> None:
    for engine in ENGINES:

        @fault(f"{what} ({engine})", identifier)
        def attempt(folder: Path, engine: Engine = engine) -> object:
            return openvino(folder).run(feed, engine=engine)


fed("an input of another element type", "input-dtype", {"x": np.ones(2, np.float64)})
fed("an input of another rank", "input-shape", {"x": np.ones((2, 1), np.float32)})
fed("an input of another shape", "input-shape", {"x": np.ones(3, np.float32)})
fed("an input left out", "input-missing", {})
fed("a feed that is no dict", "input-missing", [np.ones(2, np.float32)])
fed("no feed", "input-missing", None)
fed("text", "input-dtype", {"x": "one"})
fed("a list of texts", "input-dtype", {"x": ["1", "2"]})
fed("an array of texts", "input-dtype", {"x": np.array(["1", "2"])})
fed("a dict for an array", "input-dtype", {"x": {0: 1.0, 1: 2.0}})
fed("a set", "input-dtype", {"x": {1.0, 2.0}})
fed("a generator", "input-dtype", {"x": (float(k) for k in range(2))})
fed("a list with None in it", "input-dtype", {"x": [1.0, None]})
fed("an array of objects", "input-dtype", {"x": np.array([1.0, 2.0], object)})
fed("a structured array", "input-dtype", {"x": np.zeros(2, [("a", np.float32)])})
fed("a complex number", "input-dtype", {"x": [1j, 2]})
fed("an integer of 400 digits", "input-dtype", {"x": [10**400, 1]})
fed("a float beyond those of the input", "input-dtype", {"x": [1e300, 1]})
fed("booleans for floats", "input-dtype", {"x": [True, False]})
fed(
    "an array with masked elements", "input-dtype", {"x": np.ma.array([1, 2], np.float32, mask=[False, True])}
)
fed("a tensor of another library that gives no array", "input-dtype", {"x": Refusing()})
fed("lists of several lengths", "input-shape", {"x": [[1.0, 2.0], [3.0]]})
fed("None for a tensor", "input-sequence", {"x": None})
fed("a name that is no text", "input-unknown", {"x": np.ones(2, np.float32), 7: 1})


def integers(what: str, element: str, value: Any) -> None:
    for engine in ENGINES:

        @fault(f"{what} ({engine})", "input-dtype")
        def attempt(folder: Path, engine: Engine = engine) -> object:
            model = loomir.load(graph("y = Identity(x)", f"{element}[n] x", f"{element}[n] y", opset=25))
            return model.run({"x": value}, engine=engine)


integers("a float for an integer", "int64", [1.5])
integers("a float without a fraction for an integer", "int64", [1.0])
integers("a boolean for an integer", "int64", [True])
integers("an integer for a boolean", "bool", [1])
integers("an integer that the input's type does not have", "int8", [128])
integers("2⁶³ for a signed integer", "int64", [1 << 63])
integers("an array of unsigned integers for signed ones", "int64", np.array([1 << 63], np.uint64))
integers("a negative number for an unsigned one", "uint64", [-1])
integers("16 for an integer of four bits", "uint4", [16])
fed("an input that the model does not have", "input-unknown", {"x": np.ones(2, np.float32), "z": 1})


# -- sequences and optionals

SEQUENCE = "seq(float[2]) s, int64 i"


def sequence_fault(
    what: str, identifier: str, feed: Mapping[str, object], body: str = "y = SequenceAt(s, i)"
) -> None:
    for engine in ENGINES:

        @fault(f"{what} ({engine})", identifier)
        def attempt(folder: Path, engine: Engine = engine) -> object:
            model = loomir.load(graph(body, SEQUENCE, "float[n] y"))
            return model.run({"i": np.array(1)} | feed, engine=engine)  # pyright: ignore[reportArgumentType]


TWO = [np.ones(2, np.float32)] * 2
sequence_fault("an array for a sequence", "input-sequence", {"s": np.ones((2, 2), np.float32)})
sequence_fault("None for a sequence", "input-sequence", {"s": None})
sequence_fault(
    "an array of another shape beside a sequence", "input-shape", {"s": TWO, "i": np.array([1, 2])}
)
sequence_fault("an element of another type", "input-dtype", {"s": [np.ones(2)]})
sequence_fault("an element of another shape", "input-shape", {"s": [np.ones(3, np.float32)]})
sequence_fault("a position that is too large", "runtime-index", {"s": TWO, "i": np.array(2)})
sequence_fault("a position in an empty sequence", "runtime-index", {"s": [], "i": np.array(0)})
sequence_fault("a position that is too small", "runtime-index", {"s": TWO, "i": np.array(-(1 << 63))})


@fault("the value of an absent optional", "runtime-absent")
def absent(folder: Path) -> object:
    model = loomir.load(graph("y = OptionalGetElement(o)", "optional(float[2]) o", "float[2] y"))
    return model.run({"o": None}, engine="graph")


@fault("a sequence of which all elements double (graph)", "limit-bytes")
def doubling(folder: Path) -> object:
    text = """t = Constant<value = bool {1}>() often = Constant<value_int = 100>()
      e = SequenceConstruct(x, x)
      z = Loop<body = b (int64 i, bool c, seq(float[k]) v) => (bool d, seq(float[m]) w) {
        d = Identity(c)
        u = ConcatFromSequence<axis = 0>(v)
        w = SequenceConstruct(u, u)
      }>(often, t, e)
      y = ConcatFromSequence<axis = 0>(z)"""
    return loomir.load(graph(text, "float[1] x", "float[n] y"), max_bytes=1 << 20).run(X1, engine="graph")


# -- options

MLIR = """func.func @main(%x: tensor<?xf32> {loomir.name = "x"}) -> (tensor<?xf32> {loomir.name = "y"}) {
  %y = ov.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}"""


def open_model(folder: Path, **options: Any) -> Model:
    """|x| of any number of elements."""
    (folder / "m.mlir").write_text(MLIR)
    return loomir.load(folder / "m.mlir", **options)


def option(what: str, identifier: str, **options: Any) -> None:
    fault(what, identifier)(lambda folder: open_model(folder, **options))


for limit in ("max_iterations", "max_bytes", "max_capacity", "max_specialisations"):
    option(f"{limit}: a negative number", "bad-option", **{limit: -1})
    option(f"{limit}: an integer of 400 digits", "bad-option", **{limit: 10**400})
    option(f"{limit}: a float", "bad-option", **{limit: 1.5})
    option(f"{limit}: a boolean", "bad-option", **{limit: True})
    option(f"{limit}: text", "bad-option", **{limit: "10"})
option("shapes that are no dict", "bad-option", shapes=[1, 2])
option("a shape of an input that is not there", "unknown-input", shapes={"z": [1]})
option("a shape of what is no name", "bad-option", shapes={0: [1]})
option("a shape with a negative extent", "bad-shape", shapes={"x": [-1]})
option("a shape with an extent beyond 64 bits", "bad-shape", shapes={"x": [1 << 63]})
option("a shape of texts", "bad-shape", shapes={"x": ["2"]})
option("a shape that is text", "bad-shape", shapes={"x": "2"})
option("a shape that is a number", "bad-shape", shapes={"x": 2})
option("a shape of floats", "bad-shape", shapes={"x": [2.0]})
option("a shape of another rank", "shape-mismatch", shapes={"x": [2, 2]})
option("a shape of 33 dimensions", "shape-too-large", shapes={"x": [1] * 33})
option("a shape of more elements than addresses", "shape-too-large", shapes={"x": [1 << 62]})
option("a largest shape with a negative extent", "bad-shape", max_shapes={"x": [-1]})
option("a largest shape with an extent beyond 64 bits", "bad-shape", max_shapes={"x": [1 << 63]})
option("a largest shape of another rank", "shape-mismatch", max_shapes={"x": [None, None]})
option("values that are no dict", "bad-option", values=[("x", 1)])
option("a value of an input that is not there", "unknown-input", values={"z": 1})
option("a value of lists of several lengths", "value-mismatch", values={"x": [[1], [1, 2]]})
option("a value that is text", "value-mismatch", values={"x": "1"})
option("a value that is a dict", "value-mismatch", values={"x": {}})
option("a value of 400 digits", "value-mismatch", values={"x": [10**400]})
option("a value of another rank", "value-mismatch", values={"x": [[1.0]]})
option("a semantics that is none", "bad-option", semantics="x")
option("a semantics that is a list", "bad-option", semantics=["specification"])
option("a root of external data that is no folder", "bad-option", external_data_root="nowhere")
option("a profile that is a number", "bad-option", profile=7)
option("a profile that is not there", "file-unreadable", profile="nowhere.json")
option("a level that is none", "bad-option", level="O9")
option("a level that is a number", "bad-option", level=2)
option("a machine that is none", "bad-option", machine="z80")
option("pipelines that are no dict", "bad-option", pipelines=["canonicalize"])
option("a pipeline of a step that is not there", "bad-option", pipelines={"metal": ["canonicalize"]})
option("a pipeline that is a number", "bad-option", pipelines={"graph": 7})
option("a pass that is not there", "bad-pipeline", pipelines={"graph": ["no-such-pass"]})
option("checks of passes that are a number", "bad-option", check_each_pass=3)
option("verify_each: text", "bad-option", verify_each="yes")
option("optimize: None", "bad-option", optimize=None)
option("an option that is not there", "bad-option", sahpes={"x": [1]})
fault("a call of load without a model", "bad-option")(lambda folder: loomir.load())  # pyright: ignore[reportCallIssue]
fault("an option that is not named", "bad-option")(lambda folder: loomir.load("m.onnx", {}))  # pyright: ignore[reportCallIssue]


def checking(what: str, **options: Any) -> None:
    fault(f"checks of passes: {what}", "bad-option")(lambda folder: CheckOptions(**options))


checking("no inputs", feeds=0)
checking("a negative seed", seed=-1)
checking("a time that is no number", reduce_seconds=float("nan"))
checking("inputs that are no dict", given=[1])


@fault("a model that is a number", "bad-option")
def no_path(folder: Path) -> object:
    return loomir.load(7)  # pyright: ignore[reportArgumentType]


def used(what: str, identifier: str, use: Callable[[Model, Path], object]) -> None:
    fault(what, identifier)(lambda folder: use(open_model(folder, shapes={"x": [2]}), folder))


def profiled(content: str) -> Callable[[Path], object]:
    def load(folder: Path) -> object:
        path = folder / "profile.json"
        path.write_text(content)
        return open_model(folder, profile=path)

    return load


fault("a profile that is no JSON", "bad-profile")(profiled("{"))
fault("a profile that is a list", "bad-profile")(profiled("[1]"))
fault("a profile with a loop that the model does not have", "bad-profile")(
    profiled(
        '{"loomir-profile": 1, "model": "m", "stage": "graph", "level": "O0", "runs": 1, "branches": {}, "layers": {},'
        ' "loops": {"Loop_9": {"operation": "ov.loop", "trips": {"1": 1}}}}'
    )
)


def scheduled(model: Model, folder: Path, layer: str) -> None:
    schedule = folder / "schedule.mlir"
    schedule.write_text(
        "transform.named_sequence @__transform_main(%p: !transform.any_op) {"
        f' %l = ov_transform.loop "{layer}" in %p ov_transform.unroll %l transform.yield }}'
    )
    run_passes(model.module.clone(), [TransformPass(str(schedule))])


TWO_FLOATS = {"x": np.ones(2, np.float32)}
used("an engine that does not exist", "bad-engine", lambda m, _: m.run(TWO_FLOATS, engine="x"))  # pyright: ignore
used("an engine that is a list", "bad-engine", lambda m, _: m.run(TWO_FLOATS, engine=[]))  # pyright: ignore
used("an engine to compile for that does not exist", "bad-engine", lambda m, _: m.compile("x"))  # pyright: ignore
used("more arrays than inputs in a call", "input-count", lambda m, _: m([1.0, 2.0], [1.0, 2.0]))
used("an input by position and by name", "input-count", lambda m, _: m([1.0, 2.0], x=[1.0, 2.0]))


def received(what: str, out: Any) -> None:
    used(what, "bad-option", lambda m, _: m.run(TWO_FLOATS, out=out))


received("an array for an output of another element type", np.ones(2, np.float64))
received("an array for an output of another shape", np.ones(3, np.float32))
received("an array for an output with gaps", np.ones(4, np.float32)[::2])
received("an array for an output that is read-only", np.broadcast_to(np.float32(1), 2))
received("a list of numbers for an output", [1.0, 2.0])
received("an array for an output that is not there", {"no": np.ones(2, np.float32)})
received("arrays for more outputs than there are", [np.ones(2, np.float32)] * 3)
used("a stage that does not exist", "bad-stage", lambda m, _: m.mlir("metal"))  # pyright: ignore
used("a stage that is a list", "bad-stage", lambda m, _: m.lowered([]))  # pyright: ignore
used("a pass to optimize with that is not there", "bad-pipeline", lambda m, _: m.optimize("no-such-pass"))
used("a pipeline to optimize with that is a list", "bad-pipeline", lambda m, _: m.optimize([]))  # pyright: ignore
used("an option that a pass does not have", "bad-pipeline", lambda m, _: m.optimize("cse{x=1}"))
used("a pipeline that ends with a comma", "bad-pipeline", lambda m, _: m.optimize("cse,"))
used("passes on an operation that has none", "bad-pipeline", lambda m, _: m.optimize("ov.loop(cse)"))
used(
    "a level up to a pass that it does not have",
    "bad-pipeline",
    lambda m, _: m.optimize("O2{before=no-such-pass}"),
)
used(
    "a schedule for a loop that is not there",
    "bad-transform",
    lambda m, folder: scheduled(m, folder, "frist"),
)
used("a capacity of 0", "bad-option", lambda m, folder: m.emit_c(folder, capacity=0))
used("a capacity of text", "bad-option", lambda m, folder: m.emit_c(folder, capacity="9"))  # pyright: ignore
used("a capacity beyond 31 bits", "bad-option", lambda m, folder: m.lowered("loops", capacity=1 << 31))
used("a name of C that is a number", "bad-option", lambda m, folder: m.emit_c(folder, 7))  # pyright: ignore
used("a folder that is a number", "bad-option", lambda m, folder: m.emit_c(7))  # pyright: ignore
used("a folder with NUL in it", "file-unwritable", lambda m, folder: m.emit_c(folder / "a\0b"))
used("a folder below a file", "file-unwritable", lambda m, folder: m.emit_c(folder / "m.mlir" / "c"))
used("a shape that the model has no more", "shape-mismatch", lambda m, _: m.with_shapes({"x": [3]}))
used("another shape with a negative extent", "bad-shape", lambda m, _: m.with_shapes({"x": [-3]}))
used("a negative seed of samples", "bad-option", lambda m, _: random_feed(m, -1))
