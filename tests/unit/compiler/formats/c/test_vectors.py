"""Vectors in C: every operation gives, bit for bit, what the interpreters give, with gcc and clang, with and without vector registers."""

from __future__ import annotations

import itertools
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.engines.native import NativeFunction, compile_batch
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.stages import verify_stage
from loomir.errors import Error
from loomir.passes.analysis.machines import machine_of, runs_here
from tests.support_c import compile_strict

STEPS = 40
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
FLAGS = ((), ("-march=native",), ("-march=x86-64-v3",), ("-march=x86-64-v4",))
"""With nothing, SSE2; with instructions for products of bytes or without them, in vectors of three sizes."""

FLOAT = {
    **{
        f"arith.{n}": f"arith.{n} %a, %b : V"
        for n in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf")
    },
    **{f"arith.{n}": f"arith.{n} %a, %b : V" for n in ("maxnumf", "minnumf")},
    "arith.negf": "arith.negf %a : V",
    "math.fma": "math.fma %a, %b, %c : V",
    **{
        f"math.{n}": f"math.{n} %a : V"
        for n in ("sqrt", "floor", "ceil", "absf", "roundeven", "trunc", "rsqrt")
    },
    "math.copysign": "math.copysign %a, %b : V",
}
WRAPPING = (
    "addi",
    "subi",
    "muli",
    "andi",
    "ori",
    "xori",
    "shli",
    "shrsi",
    "shrui",
    "divsi",
    "divui",
    "remsi",
)
EXTREMES = ("remui", "minsi", "maxsi", "minui", "maxui")
INTEGER = {f"arith.{n}": f"arith.{n} %a, %b : V" for n in (*WRAPPING, *EXTREMES)}
FLOAT_PREDICATES = [
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
]
INTEGER_PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def products(lanes: int) -> dict[str, tuple[str, str]]:
    """Products of integers of 32 bits, and of their bytes."""
    vector, wide = f"vector<{lanes}xi32>", f"vector<{lanes}xi64>"
    extended = "\n".join(f"%{x}{x} = arith.extsi %{x} : {vector} to {wide}" for x in "ab")
    number = f"%s = arith.constant 1717986919 : i64\n%t = vector.broadcast %s : i64 to {wide}"
    found = {
        "product": (f"{extended}\n%r = arith.muli %aa, %bb : {wide}", "i64"),
        "product by a number": (f"{extended}\n{number}\n%r = arith.muli %aa, %t : {wide}", "i64"),
        "lower half": (f"%r, %h = arith.mulsi_extended %a, %b : {vector}", "i32"),
        "upper half": (f"%l, %r = arith.mulsi_extended %a, %b : {vector}", "i32"),
    }
    for zero, sign in ((0, ""), (0, ", unsigned"), (-128, ""), (83, ""), (255, ", unsigned")):
        text = f"%r = quads.dot %a, %b, %c {{zero = {zero} : i32{sign}}} : {vector}"
        found[f"dot {zero}{sign}"] = text, "i32"
    return found


def operations(t: str, lanes: int) -> dict[str, tuple[str, str]]:
    """Of an element type: text of the lines that compute `%r`, and the element type of that."""
    vector, mask = f"vector<{lanes}x{t}>", f"vector<{lanes}xi1>"
    found: dict[str, tuple[str, str]] = {}
    if t[0] == "f":
        compare, predicates, plain = "cmpf", FLOAT_PREDICATES, FLOAT
        for to in ("i8", "i16", "i32", "i64"):
            for n in ("fptosi", "fptoui"):
                found[f"{n} {to}"] = f"%r = arith.{n} %a : {vector} to vector<{lanes}x{to}>", to
        other = "f64" if t == "f32" else "f32"
        cast = "extf" if t == "f32" else "truncf"
        found[cast] = f"%r = arith.{cast} %a : {vector} to vector<{lanes}x{other}>", other
        same = "i32" if t == "f32" else "i64"
        found["bitcast"] = f"%r = arith.bitcast %a : {vector} to vector<{lanes}x{same}>", same
    else:
        compare, predicates, plain = "cmpi", INTEGER_PREDICATES, INTEGER
        for to in ("f32", "f64"):
            for n in ("sitofp", "uitofp"):
                found[f"{n} {to}"] = f"%r = arith.{n} %a : {vector} to vector<{lanes}x{to}>", to
        for to in ("i8", "i16", "i32", "i64"):
            if int(to[1:]) != int(t[1:]):
                wider = int(to[1:]) > int(t[1:])
                for n in ("extsi", "extui") if wider else ("trunci",):
                    found[f"{n} {to}"] = f"%r = arith.{n} %a : {vector} to vector<{lanes}x{to}>", to
        for n in ("shli", "shrsi", "shrui"):
            for by in (0, 3, int(t[1:]) - 1, int(t[1:])):
                constant = f"%s = arith.constant {by} : {t}\n%t = vector.broadcast %s : {t} to {vector}"
                found[f"{n} by {by}"] = f"{constant}\n%r = arith.{n} %a, %t : {vector}", t
        if t in ("i32", "i64"):
            same = "f" + t[1:]
            found["bitcast"] = f"%r = arith.bitcast %a : {vector} to vector<{lanes}x{same}>", same
        if t == "i32":
            found |= products(lanes)
    for name, text in plain.items():
        found[name] = f"%r = {text.replace('V', vector)}", t
    for p in predicates:
        found[f"{compare} {p}"] = f"%r = arith.{compare} {p}, %a, %b : {vector}", "i1"
    found["select"] = (
        f"%m = arith.{compare} {predicates[4]}, %a, %b : {vector}\n%r = arith.select %m, %a, %c : {mask}, {vector}",
        t,
    )
    number = ("0.5", "ogt") if t[0] == "f" else ("5", "sgt")
    for limit in (number[0], f"-{number[0]}", *(["0.0", "-0.0", "0x7FC00000"] if t == "f32" else [])):
        # What NaN is compared with is not chosen; -0 is no less than 0.
        constant = f"%s = arith.constant {limit} : {t}\n%t = vector.broadcast %s : {t} to {vector}"
        found[f"at most {limit}"] = (
            f"{constant}\n%m = arith.{compare} {number[1]}, %a, %t : {vector}\n%r = arith.select %m, %t, %a : {mask}, {vector}",
            t,
        )
    found["masks"] = (
        f"%m = arith.{compare} {predicates[2]}, %a, %b : {vector}\n"
        f"%n = arith.{compare} {predicates[1]}, %b, %c : {vector}\n"
        f"%o = arith.xori %m, %n : {mask}\n%p = arith.ori %o, %n : {mask}\n%q = arith.andi %p, %m : {mask}\n"
        f"%r = arith.uitofp %q : {mask} to vector<{lanes}xf32>",
        "f32",
    )
    found["one condition"] = (
        f"%s = memref.load %x[%i] : memref<SIZEx{t}>\n%u = memref.load %y[%i] : memref<SIZEx{t}>\n"
        f"%k = arith.{compare} {predicates[4]}, %s, %u : {t}\n%r = arith.select %k, %a, %b : {vector}",
        t,
    )
    found["broadcast"] = (
        f"%s = memref.load %x[%i] : memref<SIZEx{t}>\n%r = vector.broadcast %s : {t} to {vector}",
        t,
    )
    return found


def masks(t: str, lanes: int) -> dict[str, tuple[str, str]]:
    """Comparisons, and logic of them, as numbers of every type: what gcc 12 made -1 of where lanes were assigned (docs/upstream.md)."""
    vector, mask = f"vector<{lanes}x{t}>", f"vector<{lanes}xi1>"
    compare, predicates = ("cmpf", FLOAT_PREDICATES[1:-1]) if t[0] == "f" else ("cmpi", INTEGER_PREDICATES)
    first = f"%m = arith.{compare} {predicates[4]}, %a, %b : {vector}\n"
    two = f"{first}%n = arith.{compare} {predicates[1]}, %b, %c : {vector}\n"
    true = f"%true = arith.constant true\n%all = vector.broadcast %true : i1 to {mask}\n"
    made = {p: f"%q = arith.{compare} {p}, %a, %b : {vector}" for p in predicates}
    made |= {n: f"{two}%q = arith.{n} %m, %n : {mask}" for n in ("andi", "ori", "xori")}
    made["not"] = f"{first}{true}%q = arith.xori %m, %all : {mask}"
    if t[0] == "i":
        made["trunci"] = f"%q = arith.trunci %a : {vector} to {mask}"
    found: dict[str, tuple[str, str]] = {}
    for start, (name, text) in enumerate(made.items()):
        # (Of each a few types, and the one of as many bits always.)
        types = ["i8", "i16", "i32", "i64", "f32", "f64"]
        same_bits = f"i{t[1:]}"
        for to in {same_bits: None, types[start % 6]: None}:
            other, one, zero = f"vector<{lanes}x{to}>", *(("1.0", "0.0") if to[0] == "f" else ("1", "0"))
            cast = "uitofp" if to[0] == "f" else "extui"
            found[f"{name} as {to}"] = f"{text}\n%r = arith.{cast} %q : {mask} to {other}", to
            numbers = "".join(
                f"%{n}_ = arith.constant {v} : {to}\n%{n} = vector.broadcast %{n}_ : {to} to {other}\n"
                for n, v in (("one", one), ("zero", zero))
            )
            found[f"{name} chooses {to}"] = (
                f"{text}\n{numbers}%r = arith.select %q, %zero, %one : {mask}, {other}",
                to,
            )
    if t[0] == "i":
        numbers = "".join(
            f"%{n} = arith.constant {v} : {t}\n%{n}s = vector.broadcast %{n} : {t} to {vector}\n"
            for n, v in (("zero", 0), ("one", 1))
        )
        found["sign"] = (
            f"{numbers}%q = arith.cmpi ugt, %a, %zeros : {vector}\n%r = arith.select %q, %ones, %a : {mask}, {vector}",
            t,
        )
        found["at most one"] = f"{numbers}%r = arith.minui %a, %ones : {vector}", t
        found["one by it"] = f"{numbers}%r = arith.divui %ones, %a : {vector}", t
    return found


def program(text: str, t: str, result: str, lanes: int) -> ModuleOp:
    """`text` for vectors at every index of three inputs, which no alignment helps to load."""
    size = STEPS + lanes
    module = parse_module(f"""
func.func @main(%x: memref<{size}x{t}> {{loomir.name = "x"}}, %y: memref<{size}x{t}> {{loomir.name = "y"}},
    %z: memref<{size}x{t}> {{loomir.name = "z"}},
    %out: memref<{STEPS}x{lanes}x{result}> {{loomir.name = "out", loomir.role = "output"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant {STEPS} : index
  scf.for %i = %c0 to %end step %c1 {{
    %a = vector.load %x[%i] : memref<{size}x{t}>, vector<{lanes}x{t}>
    %b = vector.load %y[%i] : memref<{size}x{t}>, vector<{lanes}x{t}>
    %c = vector.load %z[%i] : memref<{size}x{t}>, vector<{lanes}x{t}>
    {text.replace("SIZE", str(size))}
    vector.store %r, %out[%i, %c0] : memref<{STEPS}x{lanes}x{result}>, vector<{lanes}x{result}>
  }}
  func.return
}}
""")
    verify_stage(module, "loops")
    assert str(parse_module(str(module))) == str(module)
    return module


def values(t: str, lanes: int, seed: int) -> np.ndarray:
    """Values of a type, half of them those at which operations differ."""
    rng, count = np.random.default_rng(seed), STEPS + lanes
    dtype = np.dtype({"f32": "f4", "f64": "f8"}.get(t, f"i{int(t[1:]) // 8}"))
    if t[0] == "f":
        special = [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1.0,
            -1.0,
            0.5,
            2.5,
            127.5,
            -128.75,
            2.0**31,
            -(2.0**63),
            1e-40,
            3e38,
        ]
        plain = rng.standard_normal(count) * 10.0 ** rng.integers(-6, 6, count)
    else:
        info = np.iinfo(dtype)
        special = [0, 1, -1, info.min, info.max, info.min + 1, 2, 3, 7, info.bits - 1, info.bits]
        plain = rng.integers(info.min, info.max, count, dtype)
    chosen = np.array(special, dtype)[rng.integers(0, len(special), count)]
    return np.where(rng.random(count) < 0.5, chosen, plain.astype(dtype))


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Bits, but for those of a NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        nan = np.isnan(a)
        return bool((nan == np.isnan(b)).all()) and a[~nan].tobytes() == b[~nan].tobytes()
    return a.tobytes() == b.tobytes()


def have_instructions(flags: tuple[str, ...]) -> bool:
    """Return True if this processor has the instructions that flags of a compiler name."""
    names = [flag.partition("=")[2] for flag in flags if flag.startswith("-march=")]
    return all(runs_here(machine_of(name)) for name in names)


@pytest.mark.parametrize("lanes", [4, 8, 16, 2])
@pytest.mark.parametrize("t", ["f32", "f64", "i8", "i16", "i32", "i64"])
def test_every_operation(t: str, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = {name: values(t, lanes, seed) for seed, name in enumerate("xyz")}
    cases = operations(t, lanes)
    modules = [program(text, t, result, lanes) for text, result in cases.values()]
    wanted = [LoopsEngine(m, pure=True)(feed)["out"] for m in modules]
    for name, module, expected in zip(cases, modules, wanted):
        assert same(LoopsEngine(module)(feed)["out"], expected), f"{name}: generated Python"
    # All lengths with one compiler and set of flags, all of those with the usual length.
    builds = list(itertools.product(COMPILERS, filter(have_instructions, FLAGS)))
    for compiler, flags in builds if lanes == 8 else builds[lanes % len(builds) :][:1]:
        monkeypatch.setenv("CC", compiler)
        for name, run, expected in zip(cases, compile_batch(modules, flags=flags), wanted):
            assert not isinstance(run, Exception), f"{name}: {run}"
            assert same(run(feed)["out"], expected), f"{name}: {compiler} {flags}"


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("t", ["f32", "f64", "i8", "i16", "i32", "i64"])
def test_masks_are_numbers(t: str, compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At -O3 the loop over lanes is unrolled before it would become vectors, in each of these lengths."""
    monkeypatch.setenv("CC", compiler)
    # (Of each length others; of clang, which was never wrong, fewer.)
    step = 3 if compiler == "gcc" else 12
    cases = [
        (text, result, lanes)
        for start, lanes in enumerate((2, 4, 8, 16))
        for text, result in list(masks(t, lanes).values())[start % step :: step]
    ]
    feed = {name: values(t, 16, seed) for seed, name in enumerate("xyz")}
    modules = [program(text, t, result, lanes) for text, result, lanes in cases]
    feeds = [{name: array[: STEPS + lanes] for name, array in feed.items()} for *_, lanes in cases]
    wanted = [LoopsEngine(module)(given)["out"] for module, given in zip(modules, feeds)]
    for flags in filter(
        have_instructions, (("-O2",), ("-O3",), ("-O2", "-march=x86-64-v3"), ("-O3", "-march=x86-64-v4"))
    ):
        runs = compile_batch(modules, flags=flags)
        for case, run, given, expected in zip(cases, runs, feeds, wanted):
            assert not isinstance(run, Exception), f"{case}: {run}"
            assert same(run(given)["out"], expected), f"{case}: {compiler} {flags}"


def test_no_lane_of_a_vector_is_assigned() -> None:
    """Of functions for processors without the instruction neither (docs/upstream.md)."""
    for t in ("f32", "i8", "i32", "i64"):
        for name, (text, result) in list({**operations(t, 8), **masks(t, 8)}.items())[
            :: 1 if t == "i32" else 6
        ]:
            lines = emit_c(program(text, t, result, 8), "model").source.splitlines()
            written = {m[1] for line in lines if (m := re.match(r"\s+(\w+)\[\w+\] = ", line))}
            arrays = {m[1] for line in lines if (m := re.match(r"\s+\w+ (\w+)\[\d+\];", line))}
            assert written <= arrays, f"{t} {name}: {written - arrays}"


CARRIED = """
func.func @main(%x: memref<64xf32> {loomir.name = "x"}, %n: index {loomir.name = "n"},
    %out: memref<2x4xf32> {loomir.name = "out", loomir.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %ramp = arith.constant dense<[1.0, 2.0, 3.0, -4.5]> : vector<4xf32>
  %sum, %previous = scf.for %i = %c0 to %n step %c4 iter_args(%s = %zero, %p = %ramp) -> (vector<4xf32>, vector<4xf32>) {
    %v = vector.load %x[%i] : memref<64xf32>, vector<4xf32>
    %e = arith.cmpi eq, %i, %c4 : index
    %w = scf.if %e -> (vector<4xf32>) {
      %double = arith.addf %v, %v : vector<4xf32>
      scf.yield %double : vector<4xf32>
    } else {
      scf.yield %p : vector<4xf32>
    }
    %t = math.fma %v, %w, %s : vector<4xf32>
    scf.yield %w, %t : vector<4xf32>, vector<4xf32>
  }
  %k, %last = scf.while (%j = %c0, %q = %previous) : (index, vector<4xf32>) -> (index, vector<4xf32>) {
    %more = arith.cmpi slt, %j, %c4 : index
    scf.condition(%more) %j, %q : index, vector<4xf32>
  } do {
  ^bb0(%j: index, %q: vector<4xf32>):
    %next = arith.addi %j, %c1 : index
    %r = arith.mulf %q, %ramp : vector<4xf32>
    scf.yield %next, %r : index, vector<4xf32>
  }
  vector.store %sum, %out[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
  vector.store %last, %out[%c1, %c0] : memref<2x4xf32>, vector<4xf32>
  func.return
}
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_vectors_are_carried(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", compiler)
    module = parse_module(CARRIED)
    verify_stage(module, "loops")
    native = NativeFunction(module, machine="native")
    x = np.random.default_rng(5).standard_normal(64).astype(np.float32)
    feeds = [{"x": x * k, "n": np.int64(n)} for k, n in ((1, 0), (1, 8), (3, 64), (-1, 4))]
    wanted = [LoopsEngine(module, pure=True)(feed)["out"] for feed in feeds]
    for feed, expected in zip(feeds, wanted):
        assert same(LoopsEngine(module)(feed)["out"], expected)
        assert same(native(feed)["out"], expected)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda feed: native(feed)["out"], feeds * 10))
    assert all(same(a, b) for a, b in zip(found, wanted * 10))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_compiler_warns(compiler: str, tmp_path: Path) -> None:
    # A process for each is dear: of the operations of each type one in eight, not the same ones.
    for start, (t, lanes) in enumerate((("f32", 4), ("f64", 8), ("i8", 16), ("i32", 8), ("i64", 2))):
        for text, result in list(operations(t, lanes).values())[start::8]:
            code = emit_c(program(text, t, result, lanes), "model")
            compile_strict(code, tmp_path, compiler, ("-O1",))
    for level in ("-march=x86-64-v3", "-march=x86-64-v4", "-march=native"):
        for text, result in products(8).values():
            code = emit_c(program(text, "i32", result, 8), "model")
            compile_strict(code, tmp_path, compiler, ("-O1", level))
    compile_strict(emit_c(parse_module(CARRIED), "carried"), tmp_path, compiler, ("-O2", "-march=x86-64-v3"))


@pytest.mark.parametrize(
    "name", ["arith.addi", "arith.subi", "arith.muli", "shli by 3", "shrsi by 31", "bitcast"]
)
def test_integers_that_need_no_loop_over_lanes(name: str) -> None:
    text, result = operations("i32", 8)[name]
    assert "LOOMIR_LANES" not in emit_c(program(text, "i32", result, 8), "model").source


def test_a_limit_is_a_number_that_compilers_do_not_know() -> None:
    """Without it gcc 12 makes a comparison and a choice; a number that is only compared, or only chosen, is written as it is."""
    text, result = operations("f32", 8)["at most 0.5"]
    source = emit_c(program(text, "f32", result, 8), "model").source
    assert "    LOOMIR_BOUND float literal = 0.5f;\n" in source
    assert "#define LOOMIR_BOUND const volatile\n" in source
    for near in (text.replace("%t, %a", "%a, %b"), text.replace("%t, %a :", "%t, %b :")):
        assert near != text
        assert "LOOMIR_BOUND" not in emit_c(program(near, "f32", result, 8), "model").source


def test_what_is_read_is_read_before_it_is_written() -> None:
    """A scalar that waits for its use, and a vector over the same memory."""
    module = parse_module("""
func.func @main(%x: memref<4xf32> {loomir.name = "x"}, %out: memref<8xf32> {loomir.name = "out", loomir.role = "output"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %v, %out[%c0] : memref<8xf32>, vector<4xf32>
  vector.store %v, %out[%c4] : memref<8xf32>, vector<4xf32>
  %s = memref.load %out[%c5] : memref<8xf32>
  %w = arith.addf %v, %v : vector<4xf32>
  vector.store %w, %out[%c4] : memref<8xf32>, vector<4xf32>
  memref.store %s, %out[%c0] : memref<8xf32>
  func.return
}""")
    feed = {"x": np.arange(4, dtype=np.float32)}
    for engine in (LoopsEngine(module), NativeFunction(module)):
        assert engine(feed)["out"].tolist() == [1, 1, 2, 3, 0, 2, 4, 6]


@pytest.mark.parametrize("element", ["vector<3xf32>", "vector<8xf16>"])
def test_there_is_no_type_for(element: str) -> None:
    module = parse_module(f"""
func.func @main(%x: memref<9x{element[-4:-1]}> {{loomir.name = "x", loomir.role = "output"}}) {{
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<9x{element[-4:-1]}>, {element}
  vector.store %v, %x[%c0] : memref<9x{element[-4:-1]}>, {element}
  func.return
}}""")
    with pytest.raises(Error, match="c-unsupported-type"):
        emit_c(module, "m")
