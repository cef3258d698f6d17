"""Small OpenVINO models, one for each row of the semantics tables, built by OpenVINO's API and saved.

Where the API refuses to build what the specification allows, the saved XML is edited. Expected values are worked out
from the specification by hand: OpenVINO's own run time is wrong in several rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as op

F32 = np.float32


@dataclass
class Case:
    """One row: `build` writes `path`; each feed has its expected outputs in order, or `error` is what must be raised.

    `c_error` is what C, which no feed specialises, must be refused with, where shapes or ranks stay open.
    """

    name: str
    build: Callable[[Path], None]
    feeds: list[dict[str, np.ndarray]]
    expected: list[list[np.ndarray]] = field(default_factory=list)
    error: tuple[str, ...] = ()
    c_error: str | None = None


CASES: list[Case] = []


def case(name: str, feeds, expected=(), *, error=(), c_error: str | None = None):
    """Register the decorated builder as a case."""

    def register(build: Callable[[Path], None]) -> Callable[[Path], None]:
        arrays = [{k: np.asarray(v) for k, v in f.items()} for f in feeds]
        outputs = [[np.asarray(o) for o in e] for e in expected]
        CASES.append(Case(name, build, arrays, outputs, error, c_error))
        return build

    return register


def parameter(shape: Sequence[int], dtype, name: str):
    """A Parameter whose tensor has this name."""
    node = op.parameter(list(shape), dtype)
    node.output(0).get_tensor().set_names({name})
    node.set_friendly_name(name)
    return node


def save(path: Path, results, parameters, *edits: tuple[str, str]) -> None:
    """Write the model, then replace in its XML (regular expressions; each must match)."""
    model = ov.Model([op.result(r) for r in results], list(parameters), path.stem)
    ov.serialize(model, path, path.with_suffix(".bin"))
    if edits:
        text = path.read_text()
        for pattern, replacement in edits:
            text, count = re.subn(pattern, replacement, text, flags=re.S)
            assert count, f"{pattern} is not in the XML"
        path.write_text(text)


def loop(trip, cond, body_parameters, body_results, iteration: int = -1):
    """A Loop whose body's first result is the condition."""
    node = op.loop(trip, cond)
    node.set_function(ov.Model([*body_results], [*body_parameters], "body"))
    node.set_special_body_ports([iteration, 0])
    return node


def const(value, dtype=None):
    return op.constant(np.asarray(value, dtype))


def true_result():
    return op.result(const(True, np.bool_))


# -- trip counts and conditions


def _count_up(path: Path, trip, limit: float = 5.0, edits=()) -> None:
    """carried x + 1 while x + 1 < limit."""
    x = parameter([], F32, "x")
    p = op.parameter([], F32)
    nxt = op.add(p, const(1.0, F32))
    results = [op.result(op.less(nxt, const(limit, F32))), op.result(nxt)]
    node = loop(trip, const(True, np.bool_), [p], results)
    node.set_merged_input(p, x.output(0), results[1].output(0))
    save(path, [node.get_iter_value(results[1].output(0), -1)], [x], *edits)


@case("trip count -1 is no limit", [{"x": F32(0)}], [[F32(5)]])
def _(path: Path) -> None:
    _count_up(path, const(-1, np.int64))


@case("any negative trip count is no limit", [{"x": F32(0)}], [[F32(5)]])
def _(path: Path) -> None:
    _count_up(path, const(-7, np.int32))


@case("trip count 2^40 is 64 bits wide", [{"x": F32(0)}], [[F32(5)]])
def _(path: Path) -> None:
    _count_up(path, const(2**40, np.int64))


def _concat_while(path: Path, trip, cond, *more, edits=()) -> None:
    """carried x + 1 (shape [1, 2]), concatenated on axis 0; the condition stays true."""
    x = parameter([1, 2], F32, "x")
    p = op.parameter([1, 2], F32)
    nxt = op.add(p, const(1.0, F32))
    results = [true_result(), op.result(nxt)]
    node = loop(trip, cond, [p], results)
    node.set_merged_input(p, x.output(0), results[1].output(0))
    last = node.get_iter_value(results[1].output(0), -1)
    joined = node.get_concatenated_slices(results[1].output(0), 0, 1, 1, -1, 0)
    save(path, [last, joined], [x, *more], *edits)


X12 = np.array([[1, 2]], F32)
EMPTY = np.zeros((0, 2), F32)
FOUR = np.array([[2, 3], [3, 4], [4, 5], [5, 6]], F32)


@case(
    "condition false at run time: carried = initial, concat of length 0",
    [{"x": X12, "go": np.bool_(False)}],
    [[X12, EMPTY]],
)
@case(
    "zero iterations after a longer call: length 0",
    [{"x": X12, "go": np.bool_(True)}, {"x": X12, "go": np.bool_(False)}],
    [[FOUR[3:], FOUR], [X12, EMPTY]],
)
def _(path: Path) -> None:
    go = parameter([], np.bool_, "go")
    _concat_while(path, const(4, np.int64), go, go)


@case("constant trip count 0 with concat: length 0", [{"x": X12}], [[X12, EMPTY]])
def _(path: Path) -> None:
    _concat_while(path, const(0, np.int64), const(True, np.bool_))


@case("constant condition false with concat: length 0", [{"x": X12}], [[X12, EMPTY]])
def _(path: Path) -> None:
    _concat_while(path, const(4, np.int64), const(False, np.bool_))


@case(
    "trip count fed at run time: zero, then three",
    [{"x": X12, "n": np.int64(0)}, {"x": X12, "n": np.int64(3)}],
    [[X12, EMPTY], [FOUR[2:3], FOUR[:3]]],
)
def _(path: Path) -> None:
    n = parameter([], np.int64, "n")
    _concat_while(path, n, const(True, np.bool_), n)


@case(
    "last value that is not carried, zero iterations: zeros; and after a longer call",
    [{"x": X12, "go": np.bool_(True)}, {"x": X12, "go": np.bool_(False)}],
    [[X12 * 2], [X12 * 0]],
)
def _(path: Path) -> None:
    x, go = parameter([1, 2], F32, "x"), parameter([], np.bool_, "go")
    p = op.parameter([1, 2], F32)
    results = [true_result(), op.result(op.multiply(p, const(2.0, F32)))]
    node = loop(const(2, np.int64), go, [p], results)
    node.set_invariant_input(p, x.output(0))
    save(path, [node.get_iter_value(results[1].output(0), -1)], [x, go])


def _trip_form(trip, cond) -> Callable[[Path], None]:
    return lambda path: _concat_while(path, trip, cond)


for _name, _trip, _cond in (
    ("scalar i64", const(4, np.int64), const(True, np.bool_)),
    ("scalar i32", const(4, np.int32), const(True, np.bool_)),
    ("1-D i64", const([4], np.int64), const([True], np.bool_)),
    ("1-D i32", const([4], np.int32), const([True], np.bool_)),
):
    case(f"trip count and condition as {_name}", [{"x": X12}], [[FOUR[3:], FOUR]])(_trip_form(_trip, _cond))


@case("early exit: concat has as many slices as iterations", [{"x": F32(2)}], [[np.array([3, 4, 5], F32)]])
def _(path: Path) -> None:
    x = parameter([], F32, "x")
    p = op.parameter([], F32)
    nxt = op.add(p, const(1.0, F32))
    results = [
        op.result(op.less(nxt, const(5.0, F32))),
        op.result(nxt),
        op.result(op.unsqueeze(nxt, const([0], np.int64))),
    ]
    node = loop(const(10, np.int64), const(True, np.bool_), [p], results)
    node.set_merged_input(p, x.output(0), results[1].output(0))
    save(path, [node.get_concatenated_slices(results[2].output(0), 0, 1, 1, -1, 0)], [x])


# -- back edges


@case("swap: back edges are simultaneous", [{"a": F32(3), "b": F32(7)}], [[F32(7), F32(3)]])
def _(path: Path) -> None:
    a, b = parameter([], F32, "a"), parameter([], F32, "b")
    p, q = op.parameter([], F32), op.parameter([], F32)
    results = [true_result(), op.result(q), op.result(p)]
    node = loop(const(3, np.int64), const(True, np.bool_), [p, q], results)
    node.set_merged_input(p, a.output(0), results[1].output(0))
    node.set_merged_input(q, b.output(0), results[2].output(0))
    save(
        path,
        [node.get_iter_value(results[1].output(0), -1), node.get_iter_value(results[2].output(0), -1)],
        [a, b],
    )


@case(
    "(a, b, c) → (a + b + c, a, b)",
    [{"a": [F32(1)], "b": [F32(2)], "c": [F32(3)]}],
    [[np.array([16], F32), np.array([9], F32), np.array([6], F32)]],
)
def _(path: Path) -> None:
    outer = [parameter([1], F32, n) for n in "abc"]
    p, q, r = (op.parameter([1], F32) for _ in range(3))
    results = [true_result(), op.result(op.add(op.add(p, q), r)), op.result(p), op.result(q)]
    node = loop(const(3, np.int64), const(True, np.bool_), [p, q, r], results)
    for inner, value, result in zip((p, q, r), outer, results[1:]):
        node.set_merged_input(inner, value.output(0), result.output(0))
    save(path, [node.get_iter_value(r.output(0), -1) for r in results[1:]], outer)


@case("i64 carried values keep 64 bits", [{"x": np.int64(2**40)}], [[np.int64(2**43)]])
def _(path: Path) -> None:
    x = parameter([], np.int64, "x")
    p = op.parameter([], np.int64)
    results = [true_result(), op.result(op.multiply(p, const(2, np.int64)))]
    node = loop(const(3, np.int64), const(True, np.bool_), [p], results)
    node.set_merged_input(p, x.output(0), results[1].output(0))
    save(path, [node.get_iter_value(results[1].output(0), -1)], [x])


@case(
    "carried value that grows",
    [{"x": np.array([1, 2], F32)}],
    [[np.array([1, 2, 0, 1, 2], F32)]],
)
def _(path: Path) -> None:
    x = parameter([2], F32, "x")
    p, i = op.parameter(ov.PartialShape([-1]), F32), op.parameter([], np.int64)
    number = op.unsqueeze(op.convert(i, "f32"), const([0], np.int64))
    results = [true_result(), op.result(op.concat([p, number], 0))]
    node = loop(const(3, np.int64), const(True, np.bool_), [i, p], results, iteration=0)
    node.set_merged_input(p, x.output(0), results[1].output(0))
    save(path, [node.get_iter_value(results[1].output(0), -1)], [x])


def _iteration(shape: Sequence[int], dtype) -> Callable[[Path], None]:
    def build(path: Path) -> None:
        x = parameter([1], F32, "x")
        i, p = op.parameter(list(shape), dtype), op.parameter([1], F32)
        number = op.reshape(op.convert(i, "f32"), const([1], np.int64), False)
        results = [true_result(), op.result(op.add(p, number))]
        node = loop(const(4, np.int64), const(True, np.bool_), [i, p], results, iteration=0)
        node.set_merged_input(p, x.output(0), results[1].output(0))
        save(path, [node.get_iter_value(results[1].output(0), -1)], [x])

    return build


for _shape, _dtype in (([], np.int64), ([], np.int32), ([1], np.int64), ([1], np.int32)):
    case(
        f"current_iteration has the Parameter's type: {np.dtype(_dtype)}{_shape}",
        [{"x": np.array([10], F32)}],
        [[np.array([16], F32)]],
    )(_iteration(_shape, _dtype))


# -- slices and concatenations

X42 = np.arange(8, dtype=F32).reshape(4, 2)


def _sliced(
    path: Path, *edits, trip=None, start=0, stride=1, part=1, end=-1, axis=0, shape=(4, 2), unused=False
) -> None:
    """A TensorIterator (or a Loop where there is a trip count): accumulates the parts and concatenates the running sums."""
    x = parameter(shape, F32, "x")
    part_shape = [part if k == axis % len(shape) else e for k, e in enumerate(shape)]
    initial = np.zeros(part_shape, F32)
    s, p = op.parameter(part_shape, F32), op.parameter(part_shape, F32)
    nxt = op.add(p, const(np.ones(part_shape, F32)) if unused else s)
    if trip is None:
        node = op.tensor_iterator()
        results = [op.result(nxt)]
        node.set_body(ov.Model(results, [s, p], "body"))
    else:
        results = [true_result(), op.result(nxt)]
        node = loop(trip, const(True, np.bool_), [s, p], results)
    node.set_sliced_input(s, x.output(0), start, stride, part, end, axis)
    node.set_merged_input(p, const(initial).output(0), results[-1].output(0))
    last = node.get_iter_value(results[-1].output(0), -1)
    joined = node.get_concatenated_slices(results[-1].output(0), 0, part, part, -1, axis)
    save(path, [last, joined], [x], *edits)


OUTPUT_CUT = r'<output axis="0" (external_port_id="\d+" internal_layer_id="\d+")[^/]*'
"""The part of the XML that says how an output is concatenated."""

SUMS = np.cumsum(X42, axis=0, dtype=F32)


@case("TensorIterator: the slices are the trip count", [{"x": X42}], [[SUMS[3:], SUMS]])
def _(path: Path) -> None:
    _sliced(path)


@case("slice with start 1", [{"x": X42}], [[np.cumsum(X42[1:], 0, F32)[2:], np.cumsum(X42[1:], 0, F32)]])
def _(path: Path) -> None:
    _sliced(path, start=1)


@case(
    "slice backwards",
    [{"x": X42}],
    [[np.cumsum(X42[::-1], 0, F32)[3:], np.cumsum(X42[::-1], 0, F32)]],
)
def _(path: Path) -> None:
    _sliced(path, start=-1, stride=-1, end=0)


@case("slices of two", [{"x": X42}], [[X42[:2] + X42[2:], np.concatenate([X42[:2], X42[:2] + X42[2:]])]])
def _(path: Path) -> None:
    _sliced(path, part=2, stride=2)


@case("slices on axis 1", [{"x": X42}], [[np.cumsum(X42, 1, F32)[:, 1:], np.cumsum(X42, 1, F32)]])
def _(path: Path) -> None:
    _sliced(path, axis=1)


@case("slices and concat on axis -1", [{"x": X42}], [[np.cumsum(X42, 1, F32)[:, 1:], np.cumsum(X42, 1, F32)]])
def _(path: Path) -> None:
    _sliced(path, (r'axis="1"', 'axis="-1"'), axis=1)


@case("concat backwards", [{"x": X42}], [[SUMS[3:], SUMS[::-1]]])
def _(path: Path) -> None:
    _sliced(path, (OUTPUT_CUT, r'<output \1 axis="0" start="-1" end="0" stride="-1" part_size="1"'))


@case(
    "TensorIterator whose sliced Parameter is unused keeps its count",
    [{"x": X42}],
    [[np.full((1, 2), 4, F32), np.array([[1, 1], [2, 2], [3, 3], [4, 4]], F32)]],
)
def _(path: Path) -> None:
    _sliced(path, unused=True)


@case("trip count below the slices", [{"x": X42}], [[SUMS[1:2], SUMS[:2]]])
def _(path: Path) -> None:
    _sliced(path, trip=const(2, np.int64))


@case(
    "trip count beyond the slices is an error",
    [{"x": X42}],
    error=("runtime-shape",),
)
def _(path: Path) -> None:
    _sliced(path, trip=const(5, np.int64))


@case("part_size that does not divide is an error", [{"x": np.zeros((5, 2), F32)}], error=("loop-part-size",))
def _(path: Path) -> None:
    _sliced(path, (r'shape="4,2"', 'shape="5,2"'), part=2, stride=2)


@case(
    "scan value of size 2 on the axis",
    [{"x": np.array([[1, 2], [3, 4]], F32)}],
    [[np.array([[4, 5], [6, 7]], F32), np.array([[2, 3], [4, 5], [3, 4], [5, 6], [4, 5], [6, 7]], F32)]],
)
def _(path: Path) -> None:
    # The API builds it with a part of one row; a body of two rows is what the XML then says.
    cut = r'<output \1 axis="0" start="0" end="-1" stride="2" part_size="2"'
    _concat_while(
        path,
        const(3, np.int64),
        const(True, np.bool_),
        edits=(('shape="1,2"', 'shape="2,2"'), (OUTPUT_CUT, cut)),
    )


@case("scan value that changes shape is an error", [{"x": X12}], error=("runtime-shape",))
def _(path: Path) -> None:
    x = parameter([1, 2], F32, "x")
    p = op.parameter(ov.PartialShape([1, -1]), F32)
    results = [true_result(), op.result(op.concat([p, const(np.zeros((1, 1), F32))], 1))]
    node = loop(const(3, np.int64), const(True, np.bool_), [p], results)
    node.set_merged_input(p, x.output(0), results[1].output(0))
    save(path, [node.get_concatenated_slices(results[1].output(0), 0, 1, 1, -1, 0)], [x])


# -- nesting


@case(
    "nested loops, captured values, a branch inside",
    [{"x": np.array([1, 2], F32)}],
    [[np.array([73, 98], F32)]],
)
def _(path: Path) -> None:
    # for i in 0..2: for j in 0..1: acc += (i == 1 ? 10·x : x) + 8, from acc = x
    x = parameter([2], F32, "x")
    acc, cap, i = op.parameter([2], F32), op.parameter([2], F32), op.parameter([], np.int64)
    inner_acc, inner_cap, inner_i = op.parameter([2], F32), op.parameter([2], F32), op.parameter([], np.int64)

    t, e = op.parameter([2], F32), op.parameter([2], F32)
    node_if = op.if_op(op.equal(inner_i, const(1, np.int64)).output(0))
    then_result = op.result(op.multiply(t, const(10.0, F32)))
    else_result = op.result(op.add(e, const(0.0, F32)))
    node_if.set_then_body(ov.Model([then_result], [t], "then"))
    node_if.set_else_body(ov.Model([else_result], [e], "else"))
    node_if.set_input(inner_cap.output(0), t, e)
    chosen = node_if.set_output(then_result, else_result)
    inner_results = [true_result(), op.result(op.add(op.add(inner_acc, chosen), const(8.0, F32)))]
    inner = loop(const(2, np.int64), const(True, np.bool_), [inner_acc, inner_cap, inner_i], inner_results)
    inner.set_merged_input(inner_acc, acc.output(0), inner_results[1].output(0))
    inner.set_invariant_input(inner_cap, cap.output(0))
    inner.set_invariant_input(inner_i, i.output(0))
    results = [true_result(), op.result(inner.get_iter_value(inner_results[1].output(0), -1))]
    node = loop(const(3, np.int64), const(True, np.bool_), [acc, cap, i], results, iteration=2)
    node.set_merged_input(acc, x.output(0), results[1].output(0))
    node.set_invariant_input(cap, x.output(0))
    # acc = x + 2·(x + 10·x + x) + 6·8 = 25·x + 48
    save(path, [node.get_iter_value(results[1].output(0), -1)], [x])


# -- branches


def _branches(path: Path, then, otherwise, *edits) -> None:
    """If on `go` over x of shape [2, 3]."""
    x, go = parameter([2, 3], F32, "x"), parameter([], np.bool_, "go")
    t, e = op.parameter([2, 3], F32), op.parameter([2, 3], F32)
    node = op.if_op(go.output(0))
    then_result, else_result = op.result(then(t)), op.result(otherwise(e))
    node.set_then_body(ov.Model([then_result], [t], "then"))
    node.set_else_body(ov.Model([else_result], [e], "else"))
    node.set_input(x.output(0), t, e)
    save(path, [node.set_output(then_result, else_result)], [x, go], *edits)


X23 = np.arange(6, dtype=F32).reshape(2, 3)
BOTH = [{"x": X23, "go": np.bool_(True)}, {"x": X23, "go": np.bool_(False)}]


@case("If with equal shapes", BOTH, [[X23 + 1], [X23 * 2]])
def _(path: Path) -> None:
    _branches(path, lambda t: op.add(t, const(1.0, F32)), lambda e: op.multiply(e, const(2.0, F32)))


@case("If whose branches differ in dimensions", BOTH, [[X23], [np.concatenate([X23, X23 * 2])]])
def _(path: Path) -> None:
    _branches(
        path,
        lambda t: op.add(t, const(0.0, F32)),
        lambda e: op.concat([e, op.multiply(e, const(2.0, F32))], 0),
    )


@case("If whose branches differ in rank", BOTH, [[X23], [X23.reshape(-1)]])
def _(path: Path) -> None:
    _branches(
        path, lambda t: op.add(t, const(0.0, F32)), lambda e: op.reshape(e, const([6], np.int64), False)
    )


@case("If whose branches differ in element type is an error", [BOTH[0]], error=("if-element-type",))
def _(path: Path) -> None:
    _branches(
        path,
        lambda t: op.convert(op.add(t, const(0.0, F32)), "f32"),
        lambda e: op.convert(e, "f32"),
        (r'(<else_body>.*?)destination_type="f32"', r'\1destination_type="i32"'),
    )


# -- operators


@case(
    "integer Divide rounds down (m_pythondiv)",
    [{"a": np.array([-7, 7, -8, 7], np.int32), "b": np.array([2, 2, 2, -2], np.int32)}],
    [[np.array([-4, 3, -4, -4], np.int32)]],
)
def _(path: Path) -> None:
    a, b = parameter([4], np.int32, "a"), parameter([4], np.int32, "b")
    save(path, [op.divide(a, b)], [a, b])


@case(
    "Gather out of range gives 0",
    [{"x": np.array([1, 2, 3], F32), "i": np.array([0, 3, -1, -4, 2], np.int64)}],
    [[np.array([1, 0, 3, 0, 3], F32)]],
)
def _(path: Path) -> None:
    x, i = parameter([3], F32, "x"), parameter([5], np.int64, "i")
    save(path, [op.gather(x, i, const(0, np.int64))], [x, i])
