"""The semantic traps of ONNX control flow, one small model for each, as textual ONNX.

Where `expected` is empty, ONNX Runtime is the oracle. Rows with hand-written `expected` values follow the specification
where ONNX Runtime does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
import onnx.parser

F32 = np.float32
I64 = np.int64


@dataclass
class Trap:
    """One row: `graph` is textual ONNX; `feeds` its inputs, call by call.

    Inputs named `m` or `n` are trip counts: below GRAPH, where everything needs a bound, they are fixed
    when the model is loaded. `error` is what must be raised instead; `lowered_error` what the engines below GRAPH
    raise, because a result has no bound or no rank, or because their error has another name; `c_error` what C, which
    no feed specialises, is refused with.
    """

    name: str
    graph: str
    feeds: list[dict[str, np.ndarray]]
    expected: list[list[np.ndarray]] = field(default_factory=list)
    error: str | None = None
    lowered_error: str | None = None
    c_error: str | None = None
    opset: int = 21

    def model(self) -> onnx.ModelProto:
        """The model."""
        text = f'<ir_version: 8, opset_import: ["" : {self.opset}]> {self.graph}'
        return onnx.parser.parse_model(text)


TRAPS: list[Trap] = []


def trap(
    name: str,
    graph: str,
    *feeds: Mapping[str, object],
    expected: Sequence[Sequence[object]] = (),
    error: str | None = None,
    lowered_error: str | None = None,
    c_error: str | None = None,
    opset: int = 21,
) -> None:
    """Register a row. Python floats, integers and booleans become f32, i64 and i1."""
    calls = [{k: array(v) for k, v in feed.items()} for feed in feeds]
    wanted = [[array(v) for v in outputs] for outputs in expected]
    TRAPS.append(Trap(name, graph, calls, wanted, error, lowered_error, c_error, opset))


def array(value: object) -> np.ndarray:
    """A value with ONNX's usual types."""
    result = np.asarray(value)
    return result.astype({"f": F32, "i": I64}.get(result.dtype.kind, result.dtype))


# A body that doubles its carried value and gives it out; `%s` computes the next condition from i, cond_in and y.
DOUBLING = """
body (int64 i, bool cond_in, float[2] s) => (bool again, float[2] next, float[2] scan) {
  two = Constant <value = float {2.0}> ()
  next = Mul (s, two)
  scan = Identity (s)
  %s
}
"""
TRUE = "again = Constant <value = bool {1}> ()"
FALSE = "again = Constant <value = bool {0}> ()"
PASS = "again = Identity (cond_in)"
BELOW_100 = """
  limit = Constant <value_float = 100.0> ()
  zero = Constant <value_ints = [0]> ()
  total = ReduceSum <keepdims = 0> (next, zero)
  again = Less (total, limit)
"""
FIRST_ONLY = """
  one = Constant <value_int = 1> ()
  again = Less (i, one)
"""


def doubling(trip: str, cond: str, again: str, inputs: str) -> str:
    """A graph around `DOUBLING`; `trip` and `cond` are names, or empty where left out."""
    return f"""
    main ({inputs}float[2] x) => (float[2] y, float[n, 2] scans) {{
      y, scans = Loop ({trip or '""'}, {cond or '""'}, x) <body = {DOUBLING % again}>
    }}
    """


X = [1.0, 2.0]
M, COND = "int64 m, ", "bool c, "

trap("trip count reached first", doubling("m", "c", BELOW_100, M + COND), {"m": 3, "c": True, "x": X})
trap(
    "condition ends first",
    doubling("m", "c", BELOW_100, M + COND),
    {"m": 50, "c": True, "x": X},
    {"m": 50, "c": True, "x": [60.0, 0.0]},
)
trap(
    "condition ends first, initial condition constant",
    """
    main (int64 m, float[2] x) => (float[2] y, float[n, 2] scans) {
      c = Constant <value = bool {1}> ()
      y, scans = Loop (m, c, x) <body = %s>
    }
    """
    % (DOUBLING % BELOW_100),
    {"m": 50, "x": X},
)
trap("initial condition false", doubling("m", "c", TRUE, M + COND), {"m": 3, "c": False, "x": X})
trap("trip count 0", doubling("m", "c", TRUE, M + COND), {"m": 0, "c": True, "x": X})
trap("negative trip count", doubling("m", "c", TRUE, M + COND), {"m": -3, "c": True, "x": X})
trap("negative trip count, no condition", doubling("m", "", TRUE, M), {"m": -1, "x": X}, {"m": 2, "x": X})
trap(
    "no trip count",
    doubling("", "c", BELOW_100, COND),
    {"c": True, "x": X},
    {"c": False, "x": X},
)
trap(
    "no trip count, nothing concatenated",
    doubling("", "c", BELOW_100, COND)
    .replace("y, scans = Loop", "y, unused = Loop")
    .replace(", float[n, 2] scans)", ")", 1),
    {"c": True, "x": X},
    {"c": False, "x": X},
)
trap("no condition", doubling("m", "", TRUE, M), {"m": 4, "x": X}, {"m": 0, "x": X})
trap(
    "condition passed through",
    doubling("m", "c", PASS, M + COND),
    {"m": 4, "c": True, "x": X},
    {"m": 4, "c": False, "x": X},
)
trap("constant true condition", doubling("m", "c", TRUE, M + COND), {"m": 2, "c": True, "x": X})
trap("constant false condition", doubling("m", "c", FALSE, M + COND), {"m": 5, "c": True, "x": X})
FOUR_TRIPS = [[[16.0, 32.0], [[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [8.0, 16.0]]]]
trap(
    "no condition, the body's false is ignored",
    doubling("m", "", FALSE, M),
    {"m": 4, "x": X},
    expected=FOUR_TRIPS,
)
trap(
    "no condition, the body's i < 1 is ignored",
    doubling("m", "", FIRST_ONLY, M),
    {"m": 4, "x": X},
    expected=FOUR_TRIPS,
)
trap(
    "no condition, but the body reads its own",
    """
    main (int64 m) => (int64 hits) {
      zero = Constant <value_int = 0> ()
      hits = Loop (m, "", zero) <body = body (int64 i, bool before, int64 s) => (bool after, int64 next) {
        one = Constant <value_int = 1> ()
        two = Constant <value_int = 2> ()
        odd = Mod (i, two)
        after = Cast <to = 9> (odd)
        more = Add (s, one)
        next = Where (before, more, s)
      }>
    }
    """,
    {"m": 6},
    # Iterations see: true (the first), then what the iteration before gave: false, true, false, true, false.
    expected=[[3]],
)
trap(
    "trip count and condition of one element",
    """
    main (int64[1] m, bool[1] c, float[2] x) => (float[2] y, float[n, 2] scans) {
      y, scans = Loop (m, c, x) <body =
        body (int64[1] i, bool[1] cond_in, float[2] s) => (bool[1] again, float[2] next, float[2] scan) {
          again = Identity (cond_in)
          step = Cast <to = 1> (i)
          next = Add (s, step)
          scan = Identity (next)
        }>
    }
    """,
    {"m": [3], "c": [True], "x": X},
)
trap(
    "iteration number",
    """
    main (int64 m) => (int64 last, int64[n] all) {
      start = Constant <value_int = -1> ()
      c = Constant <value = bool {1}> ()
      last, all = Loop (m, c, start) <body = body (int64 i, bool k, int64 s) => (bool k2, int64 i2, int64 i3) {
        k2 = Identity (k)
        i2 = Identity (i)
        i3 = Mul (i, i)
      }>
    }
    """,
    {"m": 5},
    {"m": 1},
)
trap(
    "swap",
    """
    main (int64 m, float[2] a, float[2] b) => (float[2] p, float[2] q) {
      c = Constant <value = bool {1}> ()
      p, q = Loop (m, c, a, b) <body =
        body (int64 i, bool k, float[2] s, float[2] t) => (bool k, float[2] t, float[2] s) {}>
    }
    """,
    {"m": 3, "a": X, "b": [5.0, 6.0]},
    {"m": 4, "a": X, "b": [5.0, 6.0]},
)
trap(
    "passed through and captured",
    """
    main (int64 m, float[2] a, float[2] b) => (float[2] p, float[2] q, float[n, 2] r) {
      c = Constant <value = bool {1}> ()
      p, q, r = Loop (m, c, a, a) <body =
        body (int64 i, bool k, float[2] s, float[2] t) => (bool k2, float[2] s2, float[2] t2, float[2] u) {
          k2 = Identity (k)
          s2 = Identity (s)
          t2 = Identity (b)
          u = Identity (b)
        }>
    }
    """,
    {"m": 2, "a": X, "b": [5.0, 6.0]},
    {"m": 0, "a": X, "b": [5.0, 6.0]},
)
trap(
    "carried value grows",
    """
    main (int64 m, float[n] x) => (float[k] y) {
      c = Constant <value = bool {1}> ()
      y = Loop (m, c, x) <body = body (int64 i, bool k, float[l] s) => (bool k2, float[l2] t) {
        k2 = Identity (k)
        t = Concat <axis = 0> (s, x)
      }>
    }
    """,
    {"m": 3, "x": X},
    {"m": 0, "x": X},
)
trap(
    "carried value changes its rank",
    """
    main (int64 m, float[2] x) => (float y) {
      c = Constant <value = bool {1}> ()
      zero = Constant <value_ints = [0]> ()
      z = Loop (m, c, x) <body = body (int64 i, bool k, float[l] s) => (bool k2, float[1, l] t) {
        k2 = Identity (k)
        t = Unsqueeze (s, zero)
      }>
      y = ReduceSum <keepdims = 0> (z)
    }
    """,
    {"m": 3, "x": X},
    {"m": 0, "x": X},
)
trap(
    "nested with captures",
    """
    main (int64 m, int64 n, float[2] x) => (float[2] y, float[a, b, 2] z) {
      c = Constant <value = bool {1}> ()
      y, z = Loop (m, c, x) <body =
        outer (int64 i, bool k, float[2] s) => (bool k2, float[2] s2, float[b, 2] parts) {
          k2 = Identity (k)
          step = Cast <to = 1> (i)
          s2, parts = Loop (n, k, s) <body =
            inner (int64 j, bool h, float[2] t) => (bool h2, float[2] t2, float[2] u) {
              h2 = Identity (h)
              more = Add (t, step)
              t2 = Add (more, x)
              u = Mul (t2, s)
            }>
        }>
    }
    """,
    {"m": 2, "n": 3, "x": X},
    {"m": 3, "n": 1, "x": X},
    {"m": 2, "n": 0, "x": X},
)
trap(
    "If inside a loop",
    """
    main (int64 m, float[2] x) => (float[2] y, float[n, 2] all) {
      c = Constant <value = bool {1}> ()
      y, all = Loop (m, c, x) <body = body (int64 i, bool k, float[2] s) => (bool k2, float[2] t, float[2] u) {
        k2 = Identity (k)
        two = Constant <value_int = 2> ()
        rest = Mod (i, two)
        odd = Cast <to = 9> (rest)
        t = If (odd) <then_branch = a () => (float[2] t) { t = Add (s, x) },
                      else_branch = b () => (float[2] t) { t = Mul (s, s) }>
        u = Identity (t)
      }>
    }
    """,
    {"m": 3, "x": X},
)
trap(
    "scan output of an early exit",
    doubling("m", "c", FIRST_ONLY, M + COND),
    {"m": 9, "c": True, "x": X},
    {"m": 1, "c": True, "x": X},
)
trap(
    "scan output changes its shape",
    """
    main (int64 m, float[2] x) => (float[2] y, float[n, k] all) {
      c = Constant <value = bool {1}> ()
      y, all = Loop (m, c, x) <body = body (int64 i, bool k, float[2] s) => (bool k2, float[2] s2, float[l] part) {
        k2 = Identity (k)
        s2 = Identity (s)
        zero = Constant <value_ints = [0]> ()
        one = Constant <value_ints = [1]> ()
        next = Add (i, one)
        part = Slice (s, zero, next)
      }>
    }
    """,
    {"m": 2, "x": X},
    error="runtime-shape",
)
# (ONNX Runtime: 0, which it gives for every extent that no body declares.)
trap(
    "zero trips, inner extent known only in the body",
    """
    main (int64 m, int64[1] k, float[2] x) => (float[a, b] all) {
      c = Constant <value = bool {1}> ()
      all = Loop (m, c) <body = body (int64 i, bool h) => (bool h2, float[l] part) {
        h2 = Identity (h)
        zero = Constant <value_ints = [0]> ()
        part = Slice (x, zero, k)
      }>
    }
    """,
    {"m": 0, "k": [1], "x": X},
    expected=[[np.zeros((0, 1), F32)]],
)
trap(
    "zero trips, inner extents static",
    """
    main (float[3, 2] x) => (float[a, 3, 2] all) {
      c = Constant <value = bool {1}> ()
      m = Constant <value_int = 0> ()
      all = Loop (m, c) <body = body (int64 i, bool h) => (bool h2, float[3, 2] part) {
        h2 = Identity (h)
        part = Neg (x)
      }>
    }
    """,
    {"x": np.ones((3, 2))},
)
trap(
    "loop of opset 1",
    doubling("m", "c", TRUE, M + COND),
    {"m": 3, "c": True, "x": X},
    opset=9,
)
trap("loop of opset 11", doubling("m", "c", TRUE, M + COND), {"m": 3, "c": True, "x": X}, opset=11)
trap("loop of opset 13", doubling("m", "c", TRUE, M + COND), {"m": 3, "c": True, "x": X}, opset=13)
trap("loop of opset 16", doubling("m", "c", TRUE, M + COND), {"m": 3, "c": True, "x": X}, opset=16)
trap("loop of opset 19", doubling("m", "c", TRUE, M + COND), {"m": 3, "c": True, "x": X}, opset=19)
trap("loop of opset 23", doubling("m", "c", TRUE, M + COND), {"m": 3, "c": True, "x": X}, opset=23)

# -- If


def branches(then: str, otherwise: str, result: str, inputs: str = "") -> str:
    """`y = c ? then : otherwise`, both being bodies that define `r`."""
    return f"""
    main (bool c, {inputs}float[2] x) => ({result} y) {{
      y = If (c) <then_branch = a () => ({result} r) {{ {then} }},
                  else_branch = b () => ({result} r) {{ {otherwise} }}>
    }}
    """


BOTH = ({"c": True, "x": X}, {"c": False, "x": X})
trap("branches of one shape", branches("r = Neg (x)", "r = Add (x, x)", "float[2]"), *BOTH)
trap("branch gives an outer value", branches("r = Identity (x)", "r = Add (x, x)", "float[2]"), *BOTH)
trap(
    "branches of different extents",
    branches("r = Neg (x)", "r = Concat <axis = 0> (x, x)", "float[n]"),
    *BOTH,
)
UNSQUEEZE = "axes = Constant <value_ints = [0]> () r = Unsqueeze (x, axes)"
trap(
    "branches of different rank",
    branches("r = Neg (x)", UNSQUEEZE, "float[n]").replace("(float[n] y)", "(float y)"),
    *BOTH,
    expected=[[[-1.0, -2.0]], [[[1.0, 2.0]]]],
)
trap(
    "untaken branch is not evaluated",
    branches("r = Gather (x, k)", "r = Identity (x)", "float[n]", "int64[2] k, "),
    {"c": False, "k": [7, -9], "x": X},
    {"c": True, "k": [1, -2], "x": X},
)
trap(
    "taken branch with an index out of range",
    branches("r = Gather (x, k)", "r = Identity (x)", "float[n]", "int64[2] k, "),
    {"c": True, "k": [7, -9], "x": X},
    error="runtime-index",
)
trap(
    "condition of one element",
    branches("r = Neg (x)", "r = Add (x, x)", "float[2]").replace("bool c", "bool[1] c"),
    {"c": [True], "x": X},
    {"c": [False], "x": X},
)
trap(
    "branch that its shape forbids",
    """
    main (float[3, 2] x) => (float[a, b] y) {
      shape = Shape (x)
      zero = Constant <value_int = 0> ()
      one = Constant <value_int = 1> ()
      first = Gather (shape, zero)
      single = Equal (first, one)
      y = If (single) <then_branch = a () => (float[a, b] r) {
                         axes = Constant <value_ints = [0]> ()
                         s = Squeeze (x, axes)
                         r = Unsqueeze (s, axes)
                       },
                       else_branch = b () => (float[a, b] r) { r = Neg (x) }>
    }
    """,
    {"x": np.arange(6.0).reshape(3, 2)},
    expected=[[-np.arange(6.0).reshape(3, 2)]],  # ONNX Runtime refuses the model
)
