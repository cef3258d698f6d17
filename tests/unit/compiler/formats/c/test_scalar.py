"""Every scalar operation in C against numpy, on the values where C leaves things undefined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import assert_agree, raises_error
from tests.support_c import run_sanitized

DTYPES = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i1": np.bool_,
}  # fmt: skip


def elementwise(operations: Sequence[tuple[str, Sequence[str], str]], count: int):
    """A LOOPS module with an output per operation (text with {0}, {1} …, operand types, result type).

    An index has no memory of its own: it is loaded from and stored as i64.
    """
    inputs: dict[tuple[int, str], str] = {}
    body: list[str] = []
    outputs: list[str] = []
    for k, (text, operands, result) in enumerate(operations):
        words: list[str] = []
        for position, t in enumerate(operands):
            stored = "i64" if t == "index" else t
            source = inputs.setdefault((position, stored), f"%in{len(inputs)}")
            body.append(f"%l{k}_{position} = memref.load {source}[%i] : memref<{count}x{stored}>")
            words.append(f"%l{k}_{position}")
            if t == "index":
                body.append(f"%x{k}_{position} = arith.index_cast {words[-1]} : i64 to index")
                words[-1] = f"%x{k}_{position}"
        body.append(f"%r{k} = {text.format(*words)}")
        stored = "i64" if result == "index" else result
        if result == "index":
            body.append(f"%s{k} = arith.index_cast %r{k} : index to i64")
        body.append(
            f"memref.store %{'s' if result == 'index' else 'r'}{k}, %out{k}[%i] : memref<{count}x{stored}>"
        )
        outputs.append(
            f'%out{k}: memref<{count}x{stored}> {{loomir.name = "out{k}", loomir.role = "output"}}'
        )
    arguments = [
        f'{word}: memref<{count}x{t}> {{loomir.name = "{word[1:]}", loomir.role = "input"}}'
        for (_, t), word in inputs.items()
    ]
    module = parse_module(f"""
        builtin.module attributes {{loomir.name = "ops"}} {{
          func.func @main({", ".join([*arguments, *outputs])}) {{
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %n = arith.constant {count} : index
            scf.for %i = %c0 to %n step %c1 {{
              {chr(10).join(body)}
            }}
            func.return
          }}
        }}""")
    return module, {key: word[1:] for key, word in inputs.items()}


def check(
    operations: Sequence[tuple[str, Sequence[str], str, Callable[..., object]]],
    values: Sequence[Sequence[object]],
    exact: bool = True,
) -> None:
    """Run the operations on all tuples of `values` and compare with each one's Python function."""
    module, names = elementwise([o[:3] for o in operations], len(values))
    feed = {word: np.array([v[position] for v in values], DTYPES[t]) for (position, t), word in names.items()}
    actual = run_sanitized(module, feed)
    for k, (text, operands, result, function) in enumerate(operations):
        rows = [[DTYPES[t](v[position]) for position, t in enumerate(operands)] for v in values]
        with np.errstate(all="ignore"):
            expected = np.array([function(*row) for row in rows]).astype(DTYPES[result])
        if exact:
            np.testing.assert_array_equal(actual[f"out{k}"], expected, err_msg=f"{text} {values}")
            zero = expected == 0
            if expected.dtype.kind == "f":
                np.testing.assert_array_equal(
                    np.signbit(actual[f"out{k}"][zero]), np.signbit(expected[zero]), err_msg=f"sign: {text}"
                )
        else:
            assert_agree(actual[f"out{k}"], expected, text)


def wrap(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def integer_operations(t: str) -> list[tuple[str, Sequence[str], str, Callable[..., object]]]:
    width = 64 if t == "index" else int(t[1:])
    mask = (1 << width) - 1

    def signed(f: Callable[[int, int], int]):
        return lambda a, b: wrap(f(int(a), int(b)), width)

    def unsigned(f: Callable[[int, int], int]):
        return lambda a, b: wrap(f(int(a) & mask, int(b) & mask), width)

    def trunc_div(a: int, b: int) -> int:
        return 0 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)

    def rem(a: int, b: int) -> int:
        return 0 if b == 0 else int(math.fmod(a, b)) if width < 53 else a - b * trunc_div(a, b)

    def shift(f: Callable[[int, int], int]):
        return lambda a, n: f(a, n) if n < width else 0

    # The amount of an arithmetic shift is unsigned too.
    def shrs(a: object, n: object) -> int:
        return int(a) >> min(int(n) & mask, width - 1)  # pyright: ignore

    rules: dict[str, Callable[..., object]] = {
        "addi": signed(lambda a, b: a + b),
        "subi": signed(lambda a, b: a - b),
        "muli": signed(lambda a, b: a * b),
        "divsi": signed(trunc_div),
        "remsi": signed(rem),
        "divui": unsigned(lambda a, b: a // b if b else 0),
        "remui": unsigned(lambda a, b: a % b if b else 0),
        "floordivsi": signed(lambda a, b: a // b if b else 0),
        "ceildivsi": signed(lambda a, b: -(-a // b) if b else 0),
        "ceildivui": unsigned(lambda a, b: -(-a // b) if b else 0),
        "minsi": signed(min),
        "maxsi": signed(max),
        "minui": unsigned(min),
        "maxui": unsigned(max),
        "andi": signed(lambda a, b: a & b),
        "ori": signed(lambda a, b: a | b),
        "xori": signed(lambda a, b: a ^ b),
        "shli": unsigned(shift(lambda a, n: a << n)),
        "shrui": unsigned(shift(lambda a, n: a >> n)),
        "shrsi": shrs,
    }
    operations = [(f"arith.{name} {{0}}, {{1}} : {t}", (t, t), t, f) for name, f in rules.items()]
    compare: dict[str, Callable[[int, int], bool]] = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    }  # fmt: skip
    for word, f in compare.items():
        for sign in ("",) if word in ("eq", "ne") else ("s", "u"):
            seen = (lambda v: int(v) & mask) if sign == "u" else int
            operations.append((
                f"arith.cmpi {sign}{word}, {{0}}, {{1}} : {t}", (t, t), "i1",
                lambda a, b, f=f, seen=seen: f(seen(a), seen(b)),
            ))  # fmt: skip
    return operations


def integer_values(t: str) -> list[tuple[int, int]]:
    width = 64 if t == "index" else int(t[1:])
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    edges = [low, low + 1, -7, -2, -1, 0, 1, 2, 3, 7, width - 1, width, width + 1, high - 1, high]
    edges = [e for e in edges if low <= e <= high]
    return [(a, b) for a in edges for b in edges]


@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64", "index"])
def test_integers(t: str) -> None:
    check(integer_operations(t), integer_values(t))


@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64"])
def test_integer_math(t: str) -> None:
    width = int(t[1:])
    mask = (1 << width) - 1
    bits = [(lambda v: bin(int(v) & mask)[2:].zfill(width))][0]

    def power(a: int, b: int) -> int:
        if b < 0:
            return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
        return wrap(pow(a, b, 1 << width), width)

    check(
        [
            (f"math.absi {{0}} : {t}", (t,), t, lambda a: wrap(abs(int(a)), width)),
            (f"math.ctlz {{0}} : {t}", (t,), t, lambda a: len(bits(a)) - len(bits(a).lstrip("0"))),
            (f"math.cttz {{0}} : {t}", (t,), t, lambda a: len(bits(a)) - len(bits(a).rstrip("0"))),
            (f"math.ctpop {{0}} : {t}", (t,), t, lambda a: bits(a).count("1")),
            (f"math.ipowi {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: power(int(a), int(b))),
        ],
        integer_values(t),
    )


@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64"])
def test_extended(t: str) -> None:
    """Both results at once: the second one is only reachable with a name of its own."""
    width, mask = int(t[1:]), (1 << int(t[1:])) - 1
    values = integer_values(t)
    n = len(values)
    module = parse_module(f"""
        func.func @main(
            %a: memref<{n}x{t}> {{loomir.role = "input"}}, %b: memref<{n}x{t}> {{loomir.role = "input"}},
            %s: memref<{n}x{t}> {{loomir.role = "output"}}, %o: memref<{n}xi1> {{loomir.role = "output"}},
            %u: memref<{n}x{t}> {{loomir.role = "output"}}, %v: memref<{n}x{t}> {{loomir.role = "output"}}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = arith.constant {n} : index
          scf.for %i = %c0 to %n step %c1 {{
            %x = memref.load %a[%i] : memref<{n}x{t}>
            %y = memref.load %b[%i] : memref<{n}x{t}>
            %sum, %carry = arith.addui_extended %x, %y : {t}, i1
            %ul, %uh = arith.mului_extended %x, %y : {t}
            %sl, %sh = arith.mulsi_extended %x, %y : {t}
            memref.store %sum, %s[%i] : memref<{n}x{t}>
            memref.store %carry, %o[%i] : memref<{n}xi1>
            memref.store %uh, %u[%i] : memref<{n}x{t}>
            memref.store %sh, %v[%i] : memref<{n}x{t}>
          }}
          func.return
        }}""")
    a, b = (np.array([v[k] for v in values], DTYPES[t]) for k in (0, 1))
    actual = run_sanitized(module, {"arg0": a, "arg1": b})
    for k, (x, y) in enumerate(values):
        assert actual["result0"][k] == wrap(x + y, width)
        assert actual["result1"][k] == ((x & mask) + (y & mask) > mask)
        assert actual["result2"][k] == wrap((x & mask) * (y & mask) >> width, width)
        assert actual["result3"][k] == wrap(x * y >> width, width)


def test_booleans() -> None:
    pairs = [(a, b) for a in (False, True) for b in (False, True)]
    rules: dict[str, Callable[[bool, bool], object]] = {
        "addi": lambda a, b: a != b, "subi": lambda a, b: a != b, "muli": lambda a, b: a and b,
        "andi": lambda a, b: a and b, "ori": lambda a, b: a or b, "xori": lambda a, b: a != b,
        "minsi": lambda a, b: a or b, "maxsi": lambda a, b: a and b,
        "minui": lambda a, b: a and b, "maxui": lambda a, b: a or b,
    }  # fmt: skip
    operations = [(f"arith.{w} {{0}}, {{1}} : i1", ("i1", "i1"), "i1", f) for w, f in rules.items()]
    for word, f in {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
        "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b,
        "ugt": lambda a, b: a > b, "uge": lambda a, b: a >= b,
        "slt": lambda a, b: -a < -b, "sle": lambda a, b: -a <= -b,
        "sgt": lambda a, b: -a > -b, "sge": lambda a, b: -a >= -b,
    }.items():  # fmt: skip
        operations.append((
            f"arith.cmpi {word}, {{0}}, {{1}} : i1", ("i1", "i1"), "i1",
            lambda a, b, f=f: f(int(a), int(b)),
        ))  # fmt: skip
    operations += [
        ("arith.extsi {0} : i1 to i32", ("i1",), "i32", lambda a: -int(a)),
        ("arith.extui {0} : i1 to i32", ("i1",), "i32", int),
        ("arith.sitofp {0} : i1 to f32", ("i1",), "f32", lambda a: -float(a) if a else 0.0),
        ("arith.uitofp {0} : i1 to f32", ("i1",), "f32", float),
        ("arith.index_cast {0} : i1 to index", ("i1",), "index", lambda a: -int(a)),
        ("arith.select {0}, {1}, {0} : i1", ("i1", "i1"), "i1", lambda a, b: b if a else a),
    ]
    check(operations, pairs)


FLOATS = [0.0, -0.0, 1.0, -1.5, 3.25, 1e-40, 6.1e-5, 65504.0, 1e30, -1e30, math.inf, -math.inf, math.nan]


def maximum(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b == 0:
        return 0.0 if math.copysign(1, a) > 0 or math.copysign(1, b) > 0 else -0.0
    return max(a, b)


def minimum(a: float, b: float) -> float:
    return -maximum(-a, -b)


@pytest.mark.parametrize("t", ["f32", "f64", "f16"])
def test_floats(t: str) -> None:
    values = [(a, b) for a in FLOATS for b in FLOATS]
    if t == "f16":
        values = [(a, b) for a, b in values if abs(a) != 1e30 and abs(b) != 1e30]
    operations: list[tuple[str, Sequence[str], str, Callable[..., object]]] = [
        (f"arith.addf {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: a + b),
        (f"arith.subf {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: a - b),
        (f"arith.mulf {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: a * b),
        (f"arith.divf {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: a / b),
        (f"arith.maximumf {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: maximum(float(a), float(b))),
        (f"arith.minimumf {{0}}, {{1}} : {t}", (t, t), t, lambda a, b: minimum(float(a), float(b))),
        (f"arith.negf {{0}} : {t}", (t,), t, lambda a: -a),
        (f"math.copysign {{0}}, {{1}} : {t}", (t, t), t, np.copysign),
    ]
    unordered: dict[str, Callable[[float, float], object]] = {
        "oeq": lambda a, b: a == b, "ogt": lambda a, b: a > b, "oge": lambda a, b: a >= b,
        "olt": lambda a, b: a < b, "ole": lambda a, b: a <= b, "one": lambda a, b: a < b or a > b,
        "ord": lambda a, b: a == a and b == b, "ueq": lambda a, b: not (a < b or a > b),
        "ugt": lambda a, b: not a <= b, "uge": lambda a, b: not a < b, "ult": lambda a, b: not a >= b,
        "ule": lambda a, b: not a > b, "une": lambda a, b: a != b, "uno": lambda a, b: a != a or b != b,
        "true": lambda a, b: True, "false": lambda a, b: False,
    }  # fmt: skip
    operations += [
        (f"arith.cmpf {word}, {{0}}, {{1}} : {t}", (t, t), "i1", lambda a, b, f=f: f(float(a), float(b)))
        for word, f in unordered.items()
    ]
    operations.append((f"arith.cmpf uno, {{0}}, {{0}} : {t}", (t,), "i1", lambda a: a != a))
    check(operations, values)


def test_extrema_of_constants() -> None:
    """maximumf and minimumf against a literal are printed as a comparison: mind signed zeros and NaN."""
    module = parse_module("""
        func.func @main(%a: memref<6xf32> {loomir.role = "input"},
            %y: memref<8x6xf32> {loomir.role = "output"}) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c3 = arith.constant 3 : index
          %c4 = arith.constant 4 : index
          %c5 = arith.constant 5 : index
          %c6 = arith.constant 6 : index
          %c7 = arith.constant 7 : index
          %pz = arith.constant 0.0 : f32
          %nz = arith.constant -0.0 : f32
          %two = arith.constant 2.0 : f32
          %nan = arith.constant 0x7FC00000 : f32
          scf.for %i = %c0 to %c6 step %c1 {
            %x = memref.load %a[%i] : memref<6xf32>
            %r0 = arith.maximumf %x, %pz : f32
            %r1 = arith.maximumf %nz, %x : f32
            %r2 = arith.maximumf %x, %two : f32
            %r3 = arith.maximumf %x, %nan : f32
            %r4 = arith.minimumf %x, %pz : f32
            %r5 = arith.minimumf %nz, %x : f32
            %r6 = arith.minimumf %x, %two : f32
            %r7 = arith.minimumf %x, %nan : f32
            memref.store %r0, %y[%c0, %i] : memref<8x6xf32>
            memref.store %r1, %y[%c1, %i] : memref<8x6xf32>
            memref.store %r2, %y[%c2, %i] : memref<8x6xf32>
            memref.store %r3, %y[%c3, %i] : memref<8x6xf32>
            memref.store %r4, %y[%c4, %i] : memref<8x6xf32>
            memref.store %r5, %y[%c5, %i] : memref<8x6xf32>
            memref.store %r6, %y[%c6, %i] : memref<8x6xf32>
            memref.store %r7, %y[%c7, %i] : memref<8x6xf32>
          }
          func.return
        }""")
    values = [0.0, -0.0, math.nan, 5.0, -5.0, math.inf]
    actual = run_sanitized(module, {"arg0": np.array(values, np.float32)})["result0"]
    expected = np.array(
        [[f(v, c) for v in values] for f in (maximum, minimum) for c in (0.0, -0.0, 2.0, math.nan)],
        np.float32,
    )
    np.testing.assert_array_equal(actual, expected)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(actual)[zero], np.signbit(expected)[zero])


@pytest.mark.parametrize("t", ["f32", "f64"])
def test_math(t: str) -> None:
    kind = DTYPES[t]
    unary: dict[str, Callable[[float], object]] = {
        "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "sqrt": np.sqrt, "cbrt": np.cbrt, "tanh": np.tanh,
        "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh,
        "atan": np.arctan, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint,
        "absf": np.abs, "erf": lambda a: kind(math.erf(a)), "log1p": np.log1p,
        "rsqrt": lambda a: 1 / np.sqrt(a), "log": np.log, "log2": np.log2, "log10": np.log10,
        "round": lambda a: np.copysign(np.floor(abs(a) + 0.5), a),
    }  # fmt: skip
    positive = {"sqrt", "log", "log2", "log10", "rsqrt", "log1p"}
    values = [(a, b) for a in (0.25, 0.5, 1.0, 1.5, 2.5, 3.7, 10.0) for b in (0.5, -2.0, 3.0)]
    check([(f"math.{w} {{0}} : {t}", (t,), t, f) for w, f in unary.items()], values, exact=False)
    negative = [(-a, b) for a, b in values]
    rest = [(f"math.{w} {{0}} : {t}", (t,), t, f) for w, f in unary.items() if w not in positive]
    check(rest, negative, exact=False)
    inner = {"acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh}
    check([(f"math.{w} {{0}} : {t}", (t,), t, f) for w, f in inner.items()], [(0.5,), (-0.25,)], exact=False)
    check(
        [
            (f"math.powf {{0}}, {{1}} : {t}", (t, t), t, np.power),
            (f"math.atan2 {{0}}, {{1}} : {t}", (t, t), t, np.arctan2),
            (f"arith.maxnumf {{0}}, {{1}} : {t}", (t, t), t, np.fmax),
            (f"arith.minnumf {{0}}, {{1}} : {t}", (t, t), t, np.fmin),
            (f"math.fma {{0}}, {{1}}, {{0}} : {t}", (t, t), t, lambda a, b: a * b + a),
            (f"math.acosh {{0}} : {t}", (t,), t, lambda a: np.arccosh(max(a, kind(1.0)))),
        ][:5],
        values,
        exact=False,
    )
    check(
        [(f"math.fpowi {{0}}, {{1}} : {t}, i32", (t, "i32"), t, lambda a, n: a ** float(n))],
        [(a, n) for a in (0.5, -1.5, 2.0) for n in (-3, 0, 1, 7)],
        exact=False,
    )


def saturate(value: float, low: int, high: int) -> int:
    if math.isnan(value):
        return 0
    return low if value < low else high if value > high else int(value)


@pytest.mark.parametrize("real", ["f32", "f64"])
def test_float_to_integer(real: str) -> None:
    """C leaves all but the first few undefined; here they saturate, and NaN is 0."""
    values: list[tuple[float]] = [
        (v,) for v in (0.0, -0.0, 1.9, -1.9, -0.9, math.nan, math.inf, -math.inf, 1e30, -1e30)
    ]
    for width in (8, 16, 32, 64):
        for edge in (2.0 ** (width - 1), -(2.0 ** (width - 1)), 2.0**width):
            kind = DTYPES[real]
            values += [(edge,), (edge - 1,), (edge + 1,), (float(np.nextafter(kind(edge), kind(0))),)]
            values.append((float(np.nextafter(kind(edge), kind(math.copysign(math.inf, edge)))),))
    operations: list[tuple[str, Sequence[str], str, Callable[..., object]]] = []
    for width in (8, 16, 32, 64):
        t, half = f"i{width}", 1 << (width - 1)
        operations += [
            (f"arith.fptosi {{0}} : {real} to {t}", (real,), t,
             lambda a, half=half: saturate(float(a), -half, half - 1)),
            (f"arith.fptoui {{0}} : {real} to {t}", (real,), t,
             lambda a, half=half, width=width: wrap(saturate(float(a), 0, 2 * half - 1), width)),
        ]  # fmt: skip
    check(operations, values)


@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64"])
def test_integer_casts(t: str) -> None:
    width, mask = int(t[1:]), (1 << int(t[1:])) - 1
    operations: list[tuple[str, Sequence[str], str, Callable[..., object]]] = [
        (f"arith.sitofp {{0}} : {t} to f32", (t,), "f32", lambda a: np.float32(a)),
        (f"arith.uitofp {{0}} : {t} to f64", (t,), "f64", lambda a: np.float64(np.uint64(int(a) & mask))),
        (f"arith.index_cast {{0}} : {t} to index", (t,), "index", int),
    ]
    for other in (8, 16, 32, 64):
        if other > width:
            operations.append((f"arith.extsi {{0}} : {t} to i{other}", (t,), f"i{other}", int))
            operations.append(
                (f"arith.extui {{0}} : {t} to i{other}", (t,), f"i{other}", lambda a: int(a) & mask)
            )
        if other < width:
            operations.append(
                (
                    f"arith.trunci {{0}} : {t} to i{other}",
                    (t,),
                    f"i{other}",
                    lambda a, o=other: wrap(int(a), o),
                )
            )
    operations.append((f"arith.trunci {{0}} : {t} to i1", (t,), "i1", lambda a: int(a) & 1 == 1))
    if width < 64:
        operations.append(
            (f"arith.index_cast {{0}} : index to {t}", ("index",), t, lambda a: wrap(int(a), width))
        )
    check(operations, [(v,) for v in sorted({a for a, _ in integer_values(t)})])


def test_float_casts() -> None:
    values = [(v,) for v in FLOATS] + [
        (v,) for v in (1.0009765, 1 / 3, 2049.0, 65519.9, 65520.0, 5.9e-8, 2.9e-8, 3e-8)
    ]
    check(
        [
            ("arith.extf {0} : f32 to f64", ("f32",), "f64", np.float64),
            ("arith.truncf {0} : f64 to f32", ("f64",), "f32", np.float32),
            ("arith.truncf {0} : f32 to f16", ("f32",), "f16", np.float16),
            ("arith.extf {0} : f16 to f32", ("f16",), "f32", np.float32),
        ],
        values,
    )
    patterns = [(v,) for v in (0, 1, -1, 0x3F800000, -0x80000000, 0x7F800000)]
    check(
        [("arith.bitcast {0} : i32 to f32", ("i32",), "f32", lambda a: np.int32(a).view(np.float32))],
        patterns,
    )
    check(
        [
            ("arith.bitcast {0} : f32 to i32", ("f32",), "i32", lambda a: np.float32(a).view(np.int32)),
            ("arith.bitcast {0} : f64 to i64", ("f64",), "i64", lambda a: np.float64(a).view(np.int64)),
            ("arith.bitcast {0} : f16 to i16", ("f16",), "i16", lambda a: np.float16(a).view(np.int16)),
        ],
        [(1.0,), (-0.0,), (0.5,), (math.inf,)],
    )


def test_every_half_survives() -> None:
    """All 65536 values of f16 go through load and store unchanged but for the payload of a NaN."""
    module = parse_module("""
        func.func @main(%a: memref<65536xf16> {loomir.role = "input"},
            %y: memref<65536xf16> {loomir.role = "output"}) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = arith.constant 65536 : index
          scf.for %i = %c0 to %n step %c1 {
            %x = memref.load %a[%i] : memref<65536xf16>
            memref.store %x, %y[%i] : memref<65536xf16>
          }
          func.return
        }""")
    values = np.arange(65536, dtype=np.uint16).view(np.float16)
    actual = run_sanitized(module, {"arg0": values})["result0"]
    number = ~np.isnan(values)
    np.testing.assert_array_equal(actual.view(np.uint16)[number], values.view(np.uint16)[number])
    assert np.isnan(actual[~number]).all()


def test_unsupported_types_are_refused() -> None:
    module = parse_module("""
        func.func @main(%a: i64 {loomir.name = "a"}) -> (i64 {loomir.name = "r"}) {
          %b = arith.trunci %a : i64 to i24
          %c = arith.extsi %b : i24 to i64
          func.return %c : i64
        }""")
    with raises_error("c-unsupported-type", "i24"):
        emit_c(module, "m")
