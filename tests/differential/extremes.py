"""Uses of operators whose positions, extents and counts are run-time values, each with what it means in exact integers.

A `Use` is a model and the values that its integer inputs take in turn (`EXTREMES`: the ends of 64 bits and the numbers around
zero). `expected` computes with Python's integers, which do not wrap: an array, or None where the specification allows no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import onnx
import onnx.parser

import loomir
from tests.differential import exact
from tests.differential.exact import DATA, MOST

MIN, MAX = -(1 << 63), (1 << 63) - 1
EXTREMES = (MIN, MIN + 1, -1, 0, 1, MAX - 1, MAX)
FEW = (MIN, -1, 2, MAX)
"""For uses with three such inputs and more."""


@dataclass(frozen=True)
class Use:
    """`graph` is the text of an ONNX graph or of a `func.func` with the integer inputs of `values`, and maybe `x`, which is
    `data`; its output is `y`."""

    name: str
    graph: str
    values: Mapping[str, Sequence[object]]
    expected: Callable[..., np.ndarray | None]
    data: np.ndarray | None = None
    dtype: str = "int64"

    def load(self, folder: Path) -> loomir.Model:
        """The model; a program of GRAPH goes through a file."""
        options = {"max_capacity": MOST, "max_iterations": 1000}
        if not self.graph.startswith("func.func"):
            opsets = '<ir_version: 11, opset_import: ["" : 24]>'
            return loomir.load(onnx.parser.parse_model(f"{opsets} {self.graph}"), **options)
        path = folder / "use.mlir"
        path.write_text(self.graph)
        return loomir.load(path, **options)

    def feeds(self) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray | None]]:
        """Each feed with the result."""
        for chosen in product(*self.values.values()):
            feed = {name: np.array(v, self.dtype) for name, v in zip(self.values, chosen)}
            wanted = self.expected(*chosen)
            if self.data is not None:
                feed["x"] = self.data
            yield feed, wanted


_GATHER_ND = "g (float[5] x, int64 a) => (float y) { s = Constant <value_ints = [1]> () i = Reshape (a, s) y = GatherND (x, i) }"
_ONE = "one = Constant <value_ints = [1]> ()"
_ROW = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
_FOUR = DATA[:4]
_SQUARE = DATA[:4].reshape(2, 2)
_NONE = np.zeros((0, 3), np.float32)


def _vector(*names: str) -> str:
    """Scalars as one vector `v`."""
    parts = " ".join(f"v_{n} = Reshape ({n}, one)" for n in names)
    return f"{_ONE} {parts} v = Concat <axis = 0> ({', '.join(f'v_{n}' for n in names)})"


def _pads(mode: str) -> str:
    return f'g (float[5] x, int64 a, int64 b) => (float[n] y) {{ {_vector("a", "b")} y = Pad <mode = "{mode}"> (x, v) }}'


USES: tuple[Use, ...] = (
    Use(
        "slice",
        f"g (float[5] x, int64 a, int64 b, int64 c) => (float[n] y) {{ {_ONE} s = Reshape (a, one) e = Reshape (b, one) "
        "t = Reshape (c, one) axes = Constant <value_ints = [0]> () y = Slice (x, s, e, axes, t) }",
        {"a": EXTREMES, "b": EXTREMES, "c": EXTREMES},
        exact.slice_,
        DATA,
    ),
    Use(
        "slice of a dynamic dimension",
        f"g (float[k] x, int64 a, int64 b, int64 c) => (float[n] y) {{ {_ONE} s = Reshape (a, one) e = Reshape (b, one) "
        "t = Reshape (c, one) axes = Constant <value_ints = [0]> () y = Slice (x, s, e, axes, t) }",
        {"a": EXTREMES, "b": EXTREMES, "c": FEW},
        exact.slice_,
        DATA,
    ),
    *(
        Use(
            f"slice by a constant {step}",
            f"g (float[k] x, int64 a, int64 b) => (float[n] y) {{ {_ONE} s = Reshape (a, one) e = Reshape (b, one) "
            f"t = Constant <value_ints = [{step}]> () axes = Constant <value_ints = [0]> () y = Slice (x, s, e, axes, t) }}",
            {"a": EXTREMES, "b": EXTREMES},
            lambda a, b, step=step: exact.slice_(a, b, step),
            DATA,
        )
        for step in (MIN, MIN + 1, -1, 1, MAX)
    ),
    *(
        Use(
            f"slice from a constant {start} by a constant {step}",
            f"g (float[k] x, int64 b) => (float[n] y) {{ {_ONE} s = Constant <value_ints = [{start}]> () e = Reshape (b, one) "
            f"t = Constant <value_ints = [{step}]> () axes = Constant <value_ints = [0]> () y = Slice (x, s, e, axes, t) }}",
            {"b": EXTREMES},
            lambda b, start=start, step=step: exact.slice_(start, b, step),
            DATA,
        )
        for start in (MIN, MAX)
        for step in (MIN, -1, MAX)
    ),
    Use(
        "gather",
        "g (float[5] x, int64 a) => (float y) { y = Gather (x, a) }",
        {"a": EXTREMES},
        exact.gather,
        DATA,
    ),
    Use(
        "gather of several",
        f"g (float[k] x, int64 a, int64 b) => (float[2] y) {{ {_vector('a', 'b')} y = Gather (x, v) }}",
        {"a": EXTREMES, "b": EXTREMES},
        exact.gathered,
        DATA,
    ),
    Use("gather_nd", _GATHER_ND, {"a": EXTREMES}, exact.gather, DATA),
    Use(
        "gather_elements",
        f"g (float[5] x, int64 a, int64 b) => (float[2] y) {{ {_vector('a', 'b')} y = GatherElements (x, v) }}",
        {"a": EXTREMES, "b": EXTREMES},
        exact.gathered,
        DATA,
    ),
    Use(
        "scatter_nd",
        "g (float[5] x, int64 a) => (float[5] y) { s = Constant <value_ints = [1, 1]> () i = Reshape (a, s) "
        "u = Constant <value_floats = [-1.0]> () y = ScatterND (x, i, u) }",
        {"a": EXTREMES},
        exact.scattered,
        DATA,
    ),
    Use(
        "scatter_elements",
        f"g (float[5] x, int64 a) => (float[5] y) {{ {_ONE} i = Reshape (a, one) "
        "u = Constant <value_floats = [-1.0]> () y = ScatterElements (x, i, u) }",
        {"a": EXTREMES},
        exact.scattered,
        DATA,
    ),
    Use(
        "pad by wrapping", _pads("wrap"), {"a": (*EXTREMES, -3), "b": (*EXTREMES, -3, 4)}, exact.wrapped, DATA
    ),
    Use("pad", _pads("constant"), {"a": (*EXTREMES, -3), "b": (*EXTREMES, -3, 4)}, exact.pad, DATA),
    Use("pad with edges", _pads("edge"), {"a": (*EXTREMES, -3), "b": (*EXTREMES, -3, 4)}, exact.edge, DATA),
    Use(
        "pad reflected",
        _pads("reflect"),
        {"a": (*EXTREMES, -3), "b": (*EXTREMES, -3, 4)},
        exact.reflected,
        DATA,
    ),
    Use(
        "tile",
        f"g (float[4] x, int64 a) => (float[n] y) {{ {_ONE} r = Reshape (a, one) y = Tile (x, r) }}",
        {"a": (*EXTREMES, 3, 1 << 62, (1 << 62) + 1)},
        exact.tile,
        _FOUR,
    ),
    Use(
        "tile both",
        f"g (float[2, 2] x, int64 a, int64 b) => (float[n, m] y) {{ {_vector('a', 'b')} y = Tile (x, v) }}",
        {"a": (*EXTREMES, 1 << 62), "b": (*EXTREMES, 1 << 62)},
        exact.tile_both,
        _SQUARE,
    ),
    Use(
        "range",
        "g (int64 a, int64 b, int64 c) => (int64[n] y) { y = Range (a, b, c) }",
        {"a": EXTREMES, "b": EXTREMES, "c": EXTREMES},
        exact.range_,
    ),
    *(
        Use(
            f"range by a constant {step}",
            f"g (int64 a, int64 b) => (int64[n] y) {{ c = Constant <value_int = {step}> () y = Range (a, b, c) }}",
            {"a": EXTREMES, "b": EXTREMES},
            lambda a, b, step=step: exact.range_(a, b, step),
        )
        for step in (MIN, -2, 1, MAX)
    ),
    Use(
        "range from a constant",
        "g (int64 b) => (int64[n] y) { a = Constant <value_int = -3> () c = Constant <value_int = 2> () y = Range (a, b, c) }",
        {"b": EXTREMES},
        lambda b: exact.range_(-3, b, 2),
    ),
    Use(
        "one_hot",
        "g (int64 a, int64 b) => (float[n] y) { v = Constant <value_floats = [0.0, 1.0]> () y = OneHot (a, b, v) }",
        {"a": EXTREMES, "b": (*EXTREMES, 4)},
        exact.one_hot,
    ),
    Use(
        "top_k",
        f"g (float[5] x, int64 a) => (float[n] y) {{ {_ONE} k = Reshape (a, one) y, i = TopK (x, k) }}",
        {"a": (*EXTREMES, 3, 5, 6)},
        exact.top_k,
        DATA,
    ),
    Use(
        "loop",
        "g (int64 a) => (int64 y) { z = Constant <value_int = 0> () y = Loop (a, , z) <body = b (int64 i, bool c, int64 v) "
        "=> (bool d, int64 w) { d = Constant <value = bool {1}> () o = Constant <value_int = 1> () w = Add (v, o) }> }",
        {"a": (MIN, MIN + 1, -1, 0, 1, 3)},
        lambda a: np.array(max(a, 0), np.int64),
    ),
    Use(
        "loop until a condition",
        "g (int64 a) => (int64 y) { t = Constant <value = bool {1}> () z = Constant <value_int = 0> () "
        "y = Loop (a, t, z) <body = b (int64 i, bool c, int64 v) => (bool d, int64 w) { o = Constant <value_int = 1> () "
        "w = Add (v, o) m = Constant <value_int = 3> () d = Less (w, m) }> }",
        {"a": (MIN, MIN + 1, -1, 0, 1, 3, MAX - 1, MAX)},
        lambda a: np.array(min(max(a, 0), 3), np.int64),
    ),
    Use(
        "reshape",
        f"g (float[2, 2] x, int64 a, int64 b) => (float[n, m] y) {{ {_vector('a', 'b')} y = Reshape (x, v) }}",
        {"a": (*EXTREMES, 2, 1 << 32, (1 << 62) + 1), "b": (*EXTREMES, 4, 1 << 32, (1 << 62) + 1)},
        lambda a, b: exact.reshape((a, b), _SQUARE),
        _SQUARE,
    ),
    Use(
        "reshape of one element",
        f"g (float[1] x, int64 a, int64 b) => (float[n, m] y) {{ {_vector('a', 'b')} y = Reshape (x, v) }}",
        {"a": EXTREMES, "b": EXTREMES},
        lambda a, b: exact.reshape((a, b), DATA[:1]),
        DATA[:1],
    ),
    Use(
        "reshape of a dynamic dimension to three",
        f"g (float[k] x, int64 a, int64 b, int64 c) => (float[n, m, o] y) {{ {_vector('a', 'b', 'c')} y = Reshape (x, v) }}",
        {"a": (*FEW, 1, 1 << 32), "b": (*FEW, 1, 1 << 32), "c": (*FEW, 4, 1 << 32)},
        lambda a, b, c: exact.reshape((a, b, c), _FOUR),
        _FOUR,
    ),
    Use(
        "reshape of nothing",
        f"g (float[0, 3] x, int64 a, int64 b) => (float[n, m] y) {{ {_vector('a', 'b')} y = Reshape (x, v) }}",
        {"a": (MIN, -1, 0, 2), "b": (MIN, -1, 0, 2)},
        lambda a, b: exact.reshape((a, b), _NONE),
        _NONE,
    ),
    Use(
        "expand",
        f"g (float[2, 1] x, int64 a, int64 b) => (float[n, m] y) {{ {_vector('a', 'b')} y = Expand (x, v) }}",
        {"a": (*EXTREMES, 2, 1 << 32), "b": (*EXTREMES, 3, 1 << 32)},
        exact.expand,
        DATA[:2].reshape(2, 1),
    ),
    Use(
        "constant_of_shape",
        f"g (int64 a) => (float[n] y) {{ {_ONE} s = Reshape (a, one) y = ConstantOfShape (s) }}",
        {"a": (*EXTREMES, 3)},
        exact.filled,
    ),
    Use(
        "split",
        f"g (float[5] x, int64 a, int64 b, int64 c) => (float[n] p, float[m] y, float[o] q) {{ {_vector('a', 'b', 'c')} "
        "p, y, q = Split <axis = 0> (x, v) }",
        {"a": (*EXTREMES, 2), "b": (*EXTREMES, 3), "c": (*EXTREMES, 7)},
        exact.split,
        DATA,
    ),
    Use(
        "split of a sequence",
        f"g (float[5] x, int64 a, int64 b, int64 c) => (float[n] y) {{ {_vector('a', 'b', 'c')} "
        "o = Constant <value_int = 1> () s = SplitToSequence (x, v) y = SequenceAt (s, o) }",
        {"a": (*FEW, 0), "b": (*FEW, 3), "c": (*FEW, 7)},
        exact.split_exactly,
        DATA,
    ),
    Use(
        "split into chunks",
        "g (float[5] x, int64 a) => (int64 y) { s = SplitToSequence (x, a) y = SequenceLength (s) }",
        {"a": (*EXTREMES, 2)},
        exact.chunks,
        DATA,
    ),
    Use(
        "sequence_at",
        "g (float[5] x, int64 a) => (float y) { s = SplitToSequence <keepdims = 0> (x) y = SequenceAt (s, a) }",
        {"a": EXTREMES},
        exact.gather,
        DATA,
    ),
    *(
        Use(
            f"trilu {'upper' if upper else 'lower'}",
            f"g (float[3, 3] x, int64 a) => (float[3, 3] y) {{ y = Trilu <upper = {upper}> (x, a) }}",
            {"a": EXTREMES},
            lambda a, upper=upper: exact.triangle(a, bool(upper)),
            _ROW,
        )
        for upper in (0, 1)
    ),
)
