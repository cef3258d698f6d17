"""Models that fail when they are loaded or run, each with what is fed and the one identifier of the mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnx.parser

HEAD = '<ir_version: 10, opset_import: ["" : 21]>'


@dataclass(frozen=True)
class Mistake:
    """A model in ONNX's textual form, a feed for which it fails, and how.

    `known` are inputs that can be fixed (`values=`), so that the mistake may be found before the model runs; `options` are of `load`.
    """

    identifier: str
    text: str
    feed: dict[str, Any]
    known: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def model(self) -> onnx.ModelProto:
        return onnx.parser.parse_model(HEAD + self.text)


def f32(*shape: int) -> np.ndarray:
    """1, 2, 3 … in this shape."""
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


def i64(value: Any) -> np.ndarray:
    """Integers."""
    return np.array(value, np.int64)


DOUBLED = "float[2] s) => (bool d, float[2] r) { d = Identity(c) r = Add(s, s) }"
TWICE_AS_LONG = "float[A] s) => (bool d, float[B] r) { d = Identity(c) r = Concat<axis=0>(s, s) }"


SMALL = (("max_bytes", 4096),)
"""So that engines that let their buffers grow need not grow far."""


def repeated(inputs: str, trip: str, condition: str, body: str) -> str:
    """A graph with a loop that carries x."""
    return f"g ({inputs}) => (float[K] y) {{ y = Loop<body = b (int64 i, bool c, {body}>({trip}, {condition}, x) }}"


MISTAKES: dict[str, Mistake] = {
    # indices
    "gather": Mistake("runtime-index", "g (float[3,2] x, int64[2] i) => (float[2,2] y) { y = Gather(x, i) }",
        {"x": f32(3, 2), "i": i64([0, 3])}, ("i",)),
    "gather below": Mistake("runtime-index", "g (float[3,2] x, int64[2] i) => (float[2,2] y) { y = Gather(x, i) }",
        {"x": f32(3, 2), "i": i64([0, -4])}, ("i",)),
    "gather, dynamic dimensions": Mistake("runtime-index", "g (float[N,2] x, int64[M] i) => (float[M,2] y) { y = Gather(x, i) }",
        {"x": f32(3, 2), "i": i64([0, 3])}, ("i",)),
    "gather of nothing": Mistake("runtime-index", "g (float[N,2] x, int64[M] i) => (float[M,2] y) { y = Gather(x, i) }",
        {"x": f32(0, 2), "i": i64([0])}, ("i",)),
    "gather, all known": Mistake("runtime-index", "g (int64[3] x, int64 i) => (int64 y) { y = Gather(x, i) }",
        {"x": i64([1, 2, 3]), "i": i64(3)}, ("x", "i")),
    "gather elements": Mistake("runtime-index", "g (float[3,2] x, int64[1,2] i) => (float[1,2] y) { y = GatherElements(x, i) }",
        {"x": f32(3, 2), "i": i64([[0, 3]])}, ("i",)),
    "gather nd": Mistake("runtime-index", "g (float[3,2] x, int64[1,2] i) => (float[1] y) { y = GatherND(x, i) }",
        {"x": f32(3, 2), "i": i64([[0, 2]])}, ("i",)),
    "scatter elements": Mistake("runtime-index",
        "g (float[3] x, int64[2] i, float[2] u) => (float[3] y) { y = ScatterElements(x, i, u) }",
        {"x": f32(3), "i": i64([0, 3]), "u": f32(2)}, ("i",)),
    "scatter nd": Mistake("runtime-index",
        "g (float[3] x, int64[1,1] i, float[1] u) => (float[3] y) { y = ScatterND(x, i, u) }",
        {"x": f32(3), "i": i64([[-4]]), "u": f32(1)}, ("i",)),
    "sequence position": Mistake("runtime-index",
        "g (float[2] a, int64 p) => (float[2] y) { s = SequenceConstruct(a, a) y = SequenceAt(s, p) }",
        {"a": f32(2), "p": i64(2)}, ("p",)),
    "sequence erase": Mistake("runtime-index",
        "g (seq(float[2]) s, int64 p) => (seq(float[2]) y) { y = SequenceErase(s, p) }",
        {"s": [f32(2)], "p": i64(-2)}, ("p",)),
    # shapes
    "broadcast": Mistake("runtime-shape", "g (float[N] x, float[M] z) => (float[K] y) { y = Add(x, z) }",
        {"x": f32(2), "z": f32(3)}),
    "broadcast of what data decides": Mistake("runtime-shape",
        """g (float[4] x, float[3] z) => (float[K] y) {
          n = NonZero(x) a = Constant<value_ints=[-1]>() m = Reshape(n, a) f = Cast<to=1>(m) y = Add(f, z) }""",
        {"x": f32(4), "z": f32(3)}, ("x",)),
    "expand": Mistake("runtime-shape", "g (float[2] x, int64[1] n) => (float[K] y) { y = Expand(x, n) }",
        {"x": f32(2), "n": i64([3])}, ("n",)),
    "expand, negative": Mistake("runtime-shape", "g (float[1] x, int64[1] n) => (float[K] y) { y = Expand(x, n) }",
        {"x": f32(1), "n": i64([-3])}, ("n",)),
    "reshape": Mistake("runtime-shape", "g (float[2,3] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(2, 3), "n": i64([4, 2])}, ("n",)),
    "reshape, far too large": Mistake("runtime-shape", "g (float[2,3] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(2, 3), "n": i64([1000, 1000])}, ("n",)),
    "reshape, too small": Mistake("runtime-shape", "g (float[2,3] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(2, 3), "n": i64([1, 2])}, ("n",)),
    "reshape, dynamic dimension": Mistake("runtime-shape", "g (float[N] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(6), "n": i64([4, 2])}, ("n",)),
    "reshape to what does not divide": Mistake("runtime-shape", "g (float[N] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(6), "n": i64([4, -1])}, ("n",)),
    "reshape, negative": Mistake("runtime-shape", "g (float[6] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(6), "n": i64([-2, -3])}, ("n",)),
    "reshape, two inferred": Mistake("runtime-shape", "g (float[6] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(6), "n": i64([-1, -1])}, ("n",)),
    "reshape, int64 max": Mistake("runtime-shape", "g (float[6] x, int64[2] n) => (float[A,B] y) { y = Reshape(x, n) }",
        {"x": f32(6), "n": i64([2**63 - 1, 2**63 - 1])}, ("n",)),
    "squeeze": Mistake("runtime-shape", "g (float[N,2] x) => (float[2] y) { a = Constant<value_ints=[0]>() y = Squeeze(x, a) }",
        {"x": f32(3, 2)}),
    "concat": Mistake("runtime-shape", "g (float[2,N] x, float[2,M] z) => (float[4,K] y) { y = Concat<axis=0>(x, z) }",
        {"x": f32(2, 3), "z": f32(2, 4)}),
    "concat of a sequence": Mistake("runtime-shape",
        "g (seq(float[N]) s) => (float[K,N] y) { y = ConcatFromSequence<axis=0, new_axis=1>(s) }", {"s": [f32(2), f32(3)]}),
    "concat of no sequence": Mistake("runtime-shape",
        "g (seq(float[2]) s) => (float[N] y) { y = ConcatFromSequence<axis=0>(s) }", {"s": []}),
    "matmul": Mistake("runtime-shape", "g (float[2,N] x, float[M,2] z) => (float[2,2] y) { y = MatMul(x, z) }",
        {"x": f32(2, 3), "z": f32(4, 2)}),
    "tile, negative": Mistake("runtime-shape", "g (float[2] x, int64[1] n) => (float[K] y) { y = Tile(x, n) }",
        {"x": f32(2), "n": i64([-1])}, ("n",)),
    "constant of shape, negative": Mistake("runtime-shape", "g (int64[1] n) => (float[K] y) { y = ConstantOfShape(n) }",
        {"n": i64([-1])}, ("n",)),
    "pad, reflect too far": Mistake("runtime-shape", 'g (float[3] x, int64[2] n) => (float[K] y) { y = Pad<mode="reflect">(x, n) }',
        {"x": f32(3), "n": i64([3, 0])}, ("n",)),
    "slice, step 0": Mistake("runtime-shape",
        """g (float[3] x, int64[1] s) => (float[K] y) {
          a = Constant<value_ints=[0]>() b = Constant<value_ints=[3]>() y = Slice(x, a, b, a, s) }""",
        {"x": f32(3), "s": i64([0])}, ("s",)),
    "range, step 0": Mistake("runtime-shape", "g (int64 a, int64 b, int64 s) => (int64[K] y) { y = Range(a, b, s) }",
        {"a": i64(0), "b": i64(3), "s": i64(0)}, ("a", "b", "s")),
    "top k": Mistake("runtime-shape", "g (float[N] x, int64[1] k) => (float[K] y) { y, i = TopK(x, k) }",
        {"x": f32(3), "k": i64([4])}, ("k",)),
    "top k, negative": Mistake("runtime-shape", "g (float[3] x, int64[1] k) => (float[K] y) { y, i = TopK(x, k) }",
        {"x": f32(3), "k": i64([-1])}, ("k",)),
    "arg max of nothing": Mistake("runtime-shape", "g (float[N,2] x) => (int64[1,2] y) { y = ArgMax<axis=0>(x) }",
        {"x": f32(0, 2)}),
    "split": Mistake("runtime-shape", "g (float[4] x, int64[2] n) => (float[A] y, float[B] z) { y, z = Split<axis=0>(x, n) }",
        {"x": f32(4), "n": i64([2, 3])}, ("n",)),
    "split, negative": Mistake("runtime-shape", "g (float[4] x, int64[2] n) => (float[A] y, float[B] z) { y, z = Split<axis=0>(x, n) }",
        {"x": f32(4), "n": i64([5, -1])}, ("n",)),
    "split to a sequence": Mistake("runtime-shape",
        "g (float[N] x, int64[K] k) => (seq(float[M]) y) { y = SplitToSequence(x, k) }", {"x": f32(5), "k": i64([2, 2])}, ("k",)),
    "split to a sequence, parts of nothing": Mistake("runtime-shape",
        "g (float[N] x, int64 k) => (seq(float[M]) y) { y = SplitToSequence(x, k) }", {"x": f32(5), "k": i64(0)}, ("k",)),
    "convolution window": Mistake("runtime-shape",
        "g (float[1,1,N] x, float[1,1,3] w) => (float[1,1,M] y) { y = Conv(x, w) }", {"x": f32(1, 1, 2), "w": f32(1, 1, 3)}),
    "convolution channels": Mistake("runtime-shape",
        "g (float[1,N,4] x, float[1,1,3] w) => (float[1,1,M] y) { y = Conv(x, w) }", {"x": f32(1, 2, 4), "w": f32(1, 1, 3)}),
    # loops
    "scan inputs of two lengths": Mistake("runtime-shape",
        """g (float[N] x, float[M] z) => (float[K] y) {
          y = Scan<num_scan_inputs=2, body = b (float u, float v) => (float w) { w = Add(u, v) }>(x, z) }""",
        {"x": f32(3), "z": f32(2)}),
    "parts that change their shape": Mistake("runtime-shape",
        """g (int64 n, float[N] x) => (float[K] y) {
          t = Constant<value = bool {1}>()
          l, y = Loop<body = b (int64 i, bool c, float[A] s) => (bool d, float[B] r, float[B] o) {
            d = Identity(c) r = Concat<axis=0>(s, s) o = Identity(r) }>(n, t, x) }""",
        {"n": i64(3), "x": f32(2)}, ("n",)),
    "endless": Mistake("endless-loop",
        repeated("float[2] x", '""', '""', DOUBLED),
        {"x": f32(2)}),
    "too many iterations": Mistake("limit-iterations",
        repeated("int64 n, float[2] x", "n", '""', DOUBLED),
        {"n": i64(1000), "x": f32(2)}, ("n",), (("max_iterations", 100),)),
    "a condition that stays true": Mistake("endless-loop",
        repeated("bool t, float[2] x", '""', "t", DOUBLED),
        {"t": np.bool_(True), "x": f32(2)}, ("t",), (("max_iterations", 100),)),
    "scan map of two lengths": Mistake("runtime-index",
        """g (seq(float[N]) a, seq(float[N]) b) => (seq(float[N]) y) {
          y = SequenceMap(a,b)<body = q (float[N] u, float[N] v) => (float[N] w) { w = Add(u, v) }> }""",
        {"a": [f32(1), f32(3)], "b": [f32(1)]}),
    "a branch that the shapes forbid": Mistake("runtime-shape",
        """g (bool c, float[N,2] x) => (float[M] y) {
          y = If(c)<then_branch = t () => (float[M] u) { a = Constant<value_ints=[0]>() u = Squeeze(x, a) },
            else_branch = e () => (float[M] v) { b = Constant<value_ints=[-1]>() v = Reshape(x, b) }> }""",
        {"c": np.bool_(True), "x": f32(3, 2)}, ("c",)),
    # sizes
    "a tensor that grows": Mistake("limit-bytes",
        repeated("int64 n, float[N] x", "n", '""', TWICE_AS_LONG),
        {"n": i64(30), "x": f32(2)}, (), SMALL),
    "a tensor too large": Mistake("limit-bytes", "g (int64[1] n) => (float[K] y) { y = ConstantOfShape(n) }",
        {"n": i64([1 << 40])}, ("n",), SMALL),
    "a tensor beyond int64": Mistake("limit-bytes", "g (int64[3] n) => (float[A,B,C] y) { y = ConstantOfShape(n) }",
        {"n": i64([1 << 62, 1 << 62, 1 << 62])}, ("n",), SMALL),
    "tile too large": Mistake("limit-bytes", "g (float[2] x, int64[1] n) => (float[K] y) { y = Tile(x, n) }",
        {"x": f32(2), "n": i64([2**62])}, ("n",), SMALL),
    "range too long": Mistake("limit-bytes", "g (int64 a, int64 b, int64 s) => (int64[K] y) { y = Range(a, b, s) }",
        {"a": i64(0), "b": i64(1 << 40), "s": i64(1)}, ("a", "b", "s"), SMALL),
    # optionals
    "an optional without a value": Mistake("runtime-absent", "g (optional(float[2]) o) => (float[2] y) { y = OptionalGetElement(o) }",
        {"o": None}),
    "an optional that a condition leaves empty": Mistake("runtime-absent",
        """g (bool c, float[2] x) => (float[2] y) {
          o = If(c)<then_branch = t () => (optional(float[2]) u) { u = Optional(x) },
            else_branch = e () => (optional(float[2]) v) { v = Optional<type = float[2]>() }>
          y = OptionalGetElement(o) }""",
        {"c": np.bool_(False), "x": f32(2)}, ("c",)),
}  # fmt: skip
