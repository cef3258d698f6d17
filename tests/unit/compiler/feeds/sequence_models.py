"""ONNX models with sequences and optionals that loops carry, branches return and `main` hands out, and feeds for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import onnx
import onnx.parser

HEAD = '<ir_version: 10, opset_import: ["" : 18]>\n'
CONSTANTS = """
    zero = Constant<value = int64 {0}>()
    one = Constant<value = int64 {1}>()
    two = Constant<value = int64 {2}>()
    minus = Constant<value = int64 {-1}>()
    vzero = Constant<value = int64[1] {0}>()
    vone = Constant<value = int64[1] {1}>()
    yes = Constant<value = bool {1}>()
"""


@dataclass(frozen=True)
class Case:
    """A model's text and feeds; `fails` says for which values of n the model stops with an error."""

    text: str
    feeds: list[dict[str, Any]]
    fails: dict[int, str] = field(default_factory=dict)


def n_and(x: np.ndarray | None, *numbers: int) -> list[dict[str, Any]]:
    given = {} if x is None else {"x": x}
    return [{"n": np.array(n, np.int64), **given} for n in numbers]


def body(header: str, lines: str) -> str:
    return f"{HEAD}g {header} {{ {CONSTANTS} {lines} }}"


X2 = np.array([1, 2], np.float32)
X23 = np.arange(6, dtype=np.float32).reshape(2, 3)
X5 = np.arange(5, dtype=np.float32)


def collecting(
    inside: str, after: str, outputs: str, *, start: str = "s0 = SequenceEmpty<dtype = 1>()"
) -> str:
    """A loop of n trips that makes a sequence `s` from `s0`; `inside` gives `s2` from `s1`, `i` and `f`."""
    return body(
        f"(int64 n, float[2] x) => ({outputs})",
        f"""{start}
        s = Loop(n, , s0) <body = b (int64 i, bool c, seq(float[]) s1) => (bool c2, seq(float[]) s2) {{
            c2 = Identity(c)
            f = Cast<to = 1>(i)
            {inside}
        }}>
        {after}""",
    )


LENGTHS = """
            e = Add(i, one)
            ve = Unsqueeze(e, vzero)
            part = Expand(f, ve)
"""
APPEND = "v = Add(x, f)\n s2 = SequenceInsert(s1, v)"
RAGGED = LENGTHS + "s2 = SequenceInsert(s1, part)"

CASES: dict[str, Case] = {
    "append_and_return": Case(
        collecting(APPEND, "y = Identity(s)", "seq(float[]) y"), n_and(X2, 0, 1, 3, 70)
    ),
    "append_and_put_together": Case(
        collecting(APPEND, "y = ConcatFromSequence<axis = 0>(s)", "float[k] y"), n_and(X2, 1, 4, 80)
    ),
    "append_and_stack": Case(
        collecting(APPEND, "y = ConcatFromSequence<axis = -1, new_axis = 1>(s)", "float[2,k] y"),
        n_and(X2, 1, 4),
        {0: "runtime-shape"},
    ),
    "append_and_pick": Case(
        collecting(
            APPEND,
            "y = SequenceAt(s, two)\n z = SequenceAt(s, minus)\n k = SequenceLength(s)",
            "float[2] y, float[2] z, int64 k",
        ),
        n_and(X2, 3, 4),
        {0: "runtime-index", 2: "runtime-index"},
    ),
    "in_front": Case(
        collecting("v = Add(x, f)\n s2 = SequenceInsert(s1, v, zero)", "y = Identity(s)", "seq(float[]) y"),
        n_and(X2, 0, 1, 5),
    ),
    "in_the_middle": Case(
        collecting(
            "v = Add(x, f)\n l = SequenceLength(s1)\n h = Div(l, two)\n s2 = SequenceInsert(s1, v, h)",
            "y = Identity(s)\n z = SequenceAt(s, minus)",
            "seq(float[]) y, float[2] z",
        ),
        n_and(X2, 1, 2, 7),
        {0: "runtime-index"},
    ),
    "before_the_last": Case(
        collecting(
            "v = Add(x, f)\n s2 = SequenceInsert(s1, v, minus)",
            "y = Identity(s)",
            "seq(float[]) y",
            start="s0 = SequenceConstruct(x, x)",
        ),
        n_and(X2, 0, 1, 5),
    ),
    "erase_the_first_of_many": Case(
        collecting(
            "v = Add(x, f)\n a = SequenceInsert(s1, v)\n b = SequenceInsert(a, x)\n s2 = SequenceErase(b, zero)",
            "y = Identity(s)\n t = SequenceErase(s)\n k = SequenceLength(t)",
            "seq(float[]) y, int64 k",
        ),
        n_and(X2, 1, 2, 6),
        {0: "runtime-index"},
    ),
    "ragged_and_return": Case(
        collecting(RAGGED, "y = Identity(s)", "seq(float[]) y"), n_and(X2, 0, 1, 3, 70)
    ),
    "ragged_and_put_together": Case(
        collecting(RAGGED, "y = ConcatFromSequence<axis = 0>(s)", "float[k] y"),
        n_and(X2, 1, 2, 6),
        {0: "runtime-shape"},
    ),
    "ragged_and_pick": Case(
        collecting(RAGGED, "y = SequenceAt(s, two)\n z = SequenceAt(s, minus)", "float[p] y, float[q] z"),
        n_and(X2, 3, 9),
        {0: "runtime-index"},
    ),
    "ragged_in_front_and_erased": Case(
        collecting(
            LENGTHS
            + "a = SequenceInsert(s1, part, zero)\n b = SequenceInsert(a, x, one)\n s2 = SequenceErase(b, minus)",
            "y = Identity(s)",
            "seq(float[]) y",
        ),
        n_and(X2, 0, 1, 2, 5),
    ),
    "ragged_rows_on_the_second_axis": Case(
        collecting(
            """e = Add(i, one)
            ve = Unsqueeze(e, vzero)
            vtwo = Unsqueeze(two, vzero)
            shape = Concat<axis = 0>(vtwo, ve)
            part = Expand(f, shape)
            s2 = SequenceInsert(s1, part)""",
            "y = ConcatFromSequence<axis = 1>(s)\n z = SequenceAt(s, minus)",
            "float[2,k] y, float[2,m] z",
        ),
        n_and(X2, 1, 4),
    ),
    "while_it_is_short": Case(
        body(
            "(int64 n, float[2] x) => (seq(float[]) y, int64 k)",
            """s0 = SequenceEmpty<dtype = 1>()
            first = Less(zero, n)
            y = Loop(, first, s0) <body = b (int64 i, bool c, seq(float[]) s1) => (bool c2, seq(float[]) s2) {
                s2 = SequenceInsert(s1, x)
                l = SequenceLength(s2)
                c2 = Less(l, n)
            }>
            k = SequenceLength(y)""",
        ),
        n_and(X2, 0, 1, 5, 90),
    ),
    "two_that_swap": Case(
        body(
            "(int64 n, float[2] x) => (seq(float[]) y, seq(float[]) z)",
            """s0 = SequenceEmpty<dtype = 1>()
            t0 = SequenceConstruct(x)
            y, z = Loop(n, , s0, t0) <body = b (int64 i, bool c, seq(float[]) s1, seq(float[]) t1)
                => (bool c2, seq(float[]) s2, seq(float[]) t2) {
                c2 = Identity(c)
                s2 = SequenceInsert(t1, x)
                t2 = Identity(s1)
            }>""",
        ),
        n_and(X2, 0, 1, 2, 5),
    ),
    "an_inner_loop_appends": Case(
        collecting(
            """s2 = Loop(i, , s1) <body = d (int64 j, bool c3, seq(float[]) s3) => (bool c4, seq(float[]) s4) {
                c4 = Identity(c3)
                g = Cast<to = 1>(j)
                v = Add(x, g)
                w = Add(v, f)
                s4 = SequenceInsert(s3, w)
            }>""",
            "y = Identity(s)",
            "seq(float[]) y",
        ),
        n_and(X2, 0, 1, 2, 5),
    ),
    "appends_sometimes": Case(
        collecting(
            """r = Mod(i, two)
            odd = Cast<to = 9>(r)
            s2 = If(odd) <then_branch = t () => (seq(float[]) p) { v = Add(x, f)\n p = SequenceInsert(s1, v) },
                else_branch = e () => (seq(float[]) q) { q = Identity(s1) }>""",
            "y = Identity(s)",
            "seq(float[]) y",
        ),
        n_and(X2, 0, 1, 2, 7),
    ),
    "an_if_gives_one_of_two": Case(
        body(
            "(int64 n, float[2] x) => (seq(float[]) y, int64 k)",
            """many = Less(two, n)
            y = If(many) <then_branch = t () => (seq(float[]) p) { p = SequenceConstruct(x, x, x) },
                else_branch = e () => (seq(float[]) q) { q = SequenceConstruct(x) }>
            k = SequenceLength(y)""",
        ),
        n_and(X2, 1, 5),
    ),
    "an_if_gives_elements_of_two_lengths": Case(
        body(
            "(int64 n, float[2] x) => (seq(float[]) y, float[k] z)",
            """many = Less(two, n)
            xx = Concat<axis = 0>(x, x)
            y = If(many) <then_branch = t () => (seq(float[]) p) { p = SequenceConstruct(x, xx) },
                else_branch = e () => (seq(float[]) q) { q = SequenceEmpty<dtype = 1>() }>
            u = SequenceInsert(y, xx)
            z = SequenceAt(u, zero)""",
        ),
        n_and(X2, 1, 5),
    ),
    "elements_of_several_ranks": Case(
        body(
            "(int64 n, float[2,3] x) => (seq(float) y, int64 k)",
            """many = Less(two, n)
            v = ReduceSum<keepdims = 0>(x)
            w = ReduceSum<keepdims = 0>(x, vzero)
            y = If(many) <then_branch = t () => (seq(float) p) { p = SequenceConstruct(x, v) },
                else_branch = e () => (seq(float) q) { q = SequenceConstruct(w) }>
            k = SequenceLength(y)""",
        ),
        n_and(X23, 1, 5),
    ),
    "split_a_range": Case(
        body(
            "(int64 n) => (seq(int64[]) y, int64[k] z)",
            "r = Range(zero, n, one)\n y = SplitToSequence<axis = 0>(r, two)\n z = ConcatFromSequence<axis = 0>(y)",
        ),
        n_and(None, 1, 2, 5),
    ),
    "split_without_the_axis": Case(
        body(
            "(int64 n) => (seq(int64) y, int64[k,2] z)",
            """r = Range(zero, n, one)
            c = Unsqueeze(r, vone)
            two2 = Concat<axis = 1>(c, c)
            y = SplitToSequence<axis = 0, keepdims = 0>(two2)
            z = ConcatFromSequence<axis = 0, new_axis = 1>(y)""",
        ),
        n_and(None, 1, 2, 5),
    ),
    "split_in_given_parts": Case(
        body(
            "(int64 n, float[5] x) => (seq(float[]) y, float[k] z)",
            """five = Constant<value = int64 {5}>()
            rest = Sub(five, n)
            a = Unsqueeze(n, vzero)
            b = Unsqueeze(rest, vzero)
            parts = Concat<axis = 0>(a, b)
            y = SplitToSequence<axis = 0>(x, parts)
            z = SequenceAt(y, one)""",
        ),
        n_and(X5, 0, 1, 5),
        {6: "runtime-shape"},
    ),
    "split_columns": Case(
        body(
            "(int64 n, float[2,3] x) => (seq(float) y, float[2,k] z)",
            "y = SplitToSequence<axis = 1>(x, n)\n z = SequenceAt(y, minus)",
        ),
        n_and(X23, 1, 2, 3, 4),
        {0: "runtime-shape"},
    ),
    "an_optional_is_carried": Case(
        body(
            "(int64 n, float[2] x) => (float[2] y, bool h)",
            """o0 = Optional<type = float[2]>()
            o = Loop(n, , o0) <body = b (int64 i, bool c, optional(float[2]) o1) => (bool c2, optional(float[2]) o2) {
                c2 = Identity(c)
                h1 = OptionalHasElement(o1)
                v = If(h1) <then_branch = t () => (float[2] p) { g = OptionalGetElement(o1)\n p = Add(g, x) },
                    else_branch = e () => (float[2] q) { q = Identity(x) }>
                o2 = Optional(v)
            }>
            h = OptionalHasElement(o)
            y = If(h) <then_branch = t2 () => (float[2] p2) { p2 = OptionalGetElement(o) },
                else_branch = e2 () => (float[2] q2) { q2 = Neg(x) }>""",
        ),
        n_and(X2, 0, 1, 4),
    ),
    "an_optional_is_returned": Case(
        body(
            "(int64 n, float[2] x) => (optional(float[2]) y, optional(seq(float[2])) z)",
            """many = Less(two, n)
            y, z = If(many) <then_branch = t () => (optional(float[2]) p, optional(seq(float[2])) ps) {
                p = Optional(x)
                ps = Optional<type = seq(float[2])>()
            }, else_branch = e () => (optional(float[2]) q, optional(seq(float[2])) qs) {
                q = Optional<type = float[2]>()
                s = SequenceConstruct(x, x)
                qs = Optional(s)
            }>""",
        ),
        n_and(X2, 1, 5),
    ),
    "each_element_of_a_split": Case(
        body(
            "(int64 n, float[5] x) => (seq(float[]) y)",
            """s = SplitToSequence<axis = 0>(x, n)
            y = SequenceMap(s) <body = m (float[k] e) => (float[k] d) { d = Add(e, e) }>""",
        ),
        n_and(X5, 1, 2, 5),
    ),
    "booleans": Case(
        body(
            "(int64 n) => (seq(bool[]) y, bool[k] z)",
            """r = Range(zero, n, one)
            b = Less(one, r)
            y = SplitToSequence<axis = 0>(b, two)
            z = SequenceAt(y, minus)""",
        ),
        n_and(None, 1, 2, 5),
    ),
    "half_floats": Case(
        body(
            "(int64 n) => (seq(float16[]) y, float16[k] z)",
            """r = Range(zero, n, one)
            h = Cast<to = 10>(r)
            y = SplitToSequence<axis = 0>(h, two)
            z = ConcatFromSequence<axis = 0>(y)""",
        ),
        n_and(None, 1, 2, 5),
    ),
}


@cache
def model(name: str) -> onnx.ModelProto:
    """The model of a case."""
    made = onnx.parser.parse_model(CASES[name].text)
    onnx.checker.check_model(made)
    return made
