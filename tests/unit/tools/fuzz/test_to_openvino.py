"""Program trees as OpenVINO IR: what the importer and, where it can, OpenVINO make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import loomir
from loomir.tools.fuzz import (
    If,
    Joining,
    Loop,
    Op,
    Program,
    Region,
    Scan,
    ScanAxis,
    Slicing,
    Statement,
    Value,
)
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime, to_onnx
from loomir.tools.fuzz.openvino_layers import LAYERS, NotExpressible
from loomir.tools.fuzz.openvino_network import parts_of, slice_attributes
from loomir.tools.fuzz.openvino_oracle import OpenVINO, known_faults
from loomir.tools.fuzz.to_openvino import to_openvino
from tests.openvino_process import run_openvino
from tests.support import assert_agree

F32, I64, BOOL = "f32", "i64", "bool"


def value(name: str, dtype: str = F32, *shape: int) -> Value:
    return Value(name, dtype, shape)


def constant(name: str, array: object, dtype: str = I64) -> tuple[Value, Op]:
    contents = np.array(array, {F32: np.float32, I64: np.int64, BOOL: np.bool_}[dtype])
    made = Value(name, dtype, contents.shape)
    return made, Op("Constant", (), (made,), {"value": contents})


def program(
    inputs: Sequence[Value],
    statements: Sequence[Statement],
    results: Sequence[Value],
    *feeds: Mapping[str, np.ndarray],
) -> Program:
    return Program("made", Region(tuple(inputs), tuple(statements), tuple(results)), feeds)


def check(made: Program, folder: Path, *, openvino: bool = True) -> etree._Element:
    """ONNX Runtime, the importer of OpenVINO IR and OpenVINO agree; the root of the model."""
    expected = run_onnxruntime(to_onnx(made), made.feeds)
    path = to_openvino(made).save(folder / "p.xml")
    model = loomir.load(path)
    assert [i.name for i in model.inputs] == [v.name for v in made.inputs]
    for feed, wanted in zip(made.feeds, expected):
        for engine in ("graph", "native"):
            ours = model.run(feed, engine=engine)
            for actual, (name, array) in zip(ours.values(), wanted.items(), strict=True):
                assert_agree(actual, array, f"{engine} {name}")
    if openvino:
        theirs = run_openvino(path, [list(f.values()) for f in made.feeds], folder)
        for values, wanted in zip(theirs, expected):
            for actual, (name, array) in zip(values, wanted.items(), strict=True):
                assert_agree(actual, array, f"OpenVINO {name}")
    return etree.parse(path).getroot()


def layers(root: etree._Element, kind: str) -> list[etree._Element]:
    return list(root.iterfind(f".//layer[@type='{kind}']"))


X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def test_branches_read_values_of_all_regions_around(tmp_path: Path) -> None:
    x, c, d = value("x", F32, 2, 3), value("c", BOOL), value("d", BOOL)
    y, a, b, e, r, inner = (value(n, F32, 2, 3) for n in ("y", "a", "b", "e", "r", "inner"))
    deep = If(d, Region((), (Op("Add", (x, y), (a,)),), (a,)), Region((), (), (y,)), (inner,))
    then = Region((), (deep, Op("Mul", (inner, x), (b,))), (b,))
    otherwise = Region((), (Op("Neg", (x,), (e,)),), (e,))
    made = program(
        [x, c, d],
        [Op("Tanh", (x,), (y,)), If(c, then, otherwise, (r,))],
        [r],
        *({"x": X, "c": np.array(p), "d": np.array(q)} for p in (True, False) for q in (True, False)),
    )
    root = check(made, tmp_path)
    outer, nested = layers(root, "If")
    # The condition, and x, d, y once each; the inner one gets what it reads from the Parameters of the outer one's branch.
    assert len(outer.findall("input/port")) == 4
    assert len(nested.findall("input/port")) == 3


def counting_loop(*, condition: bool, trip: int | None) -> Program:
    """Carried sum and scan output of x + i; ends early where the sum is large."""
    x, start = value("x", F32, 3), value("s", F32, 3)
    i, incoming, carried = value("i", I64), value("ci", BOOL), value("v", F32, 3)
    f, row, total, peak, again, both = (
        value("f"),
        value("row", F32, 3),
        value("total", F32, 3),
        value("peak"),
        value("again", BOOL),
        value("both", BOOL),
    )
    limit, limit_op = constant("limit", 6.5, F32)
    body = Region(
        (i, incoming, carried),
        (
            Op("Cast", (i,), (f,), {"to": "f32"}),
            Op("Add", (x, f), (row,)),
            Op("Add", (carried, row), (total,)),
            Op("ReduceMax", (total,), (peak,), {"keepdims": 0}),
            Op("Less", (peak, limit), (again,)),
            Op("And", (again, incoming), (both,)),
        ),
        (both, total, row),
    )
    trips, trip_op = constant("trips", 0 if trip is None else trip)
    true, true_op = constant("true", True, BOOL)
    last, rows = value("last", F32, 3), Value("rows", F32, None)
    loop = Loop(
        trips if trip is not None else None,
        true if condition else None,
        (start,),
        body,
        (last, rows),
        scans=1,
    )
    feed = {"x": np.array([0.5, 1, -1], np.float32), "s": np.zeros(3, np.float32)}
    return program([x, start], [limit_op, trip_op, true_op, loop], [last, rows], feed)


def test_trip_count_alone_ends_a_loop_without_condition(tmp_path: Path) -> None:
    # ONNX Runtime lets the body's condition end it all the same.
    made = counting_loop(condition=False, trip=5)
    x = made.feeds[0]["x"]
    path = to_openvino(made).save(tmp_path / "p.xml")
    ours = [loomir.load(path).run(made.feeds[0], engine=e) for e in ("graph", "native")]
    for last, rows in [
        *(o.values() for o in ours),
        *run_openvino(path, [list(made.feeds[0].values())], tmp_path),
    ]:
        assert_agree(last, 5 * x + 10)
        assert_agree(rows, x + np.arange(5, dtype=np.float32)[:, None])


@pytest.mark.parametrize("trip", [None, 2, 7, 1 << 40])
def test_a_loop_that_ends_early(tmp_path: Path, trip: int | None) -> None:
    # OpenVINO has no early exit where a body reads the condition that came in, and 32 bits for trips.
    root = check(counting_loop(condition=True, trip=trip), tmp_path, openvino=False)
    (loop,) = layers(root, "Loop")
    edges = [(e.get("from-layer"), e.get("to-layer")) for e in loop.iterfind("back_edges/edge")]
    (purpose,) = loop.iterfind("port_map/output[@purpose='execution_condition']")
    assert len(edges) == 2
    assert purpose.get("internal_layer_id") == edges[0][0], (
        "the condition that comes in is the one that went out"
    )


def test_no_trip_for_a_negative_trip_count(tmp_path: Path) -> None:
    n, x = value("n", I64), value("x", F32, 2)
    body_x, twice = value("v", F32, 2), value("w", F32, 2)
    region = Region(
        (value("i", I64), cond := value("c", BOOL), body_x),
        (Op("Add", (body_x, body_x), (twice,)),),
        (cond, twice),
    )
    last = value("last", F32, 2)
    feeds = ({"n": np.array(k), "x": np.array([1, 2], np.float32)} for k in (-1, 0, 3))
    check(program([n, x], [Loop(n, None, (x,), region, (last,))], [last], *feeds), tmp_path, openvino=False)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scan(tmp_path: Path, axis: int, backward: bool) -> None:
    extent, rest = (2, 3) if axis == 0 else (3, 2)
    del extent
    x, state = value("x", F32, 2, 3), value("s", F32, rest)
    carried, element, total, tanh = (value(n, F32, rest) for n in ("v", "e", "t", "h"))
    body = Region(
        (carried, element),
        (Op("Add", (carried, element), (total,)), Op("Tanh", (total,), (tanh,))),
        (total, tanh),
    )
    last, stacked = value("last", F32, rest), Value("stacked", F32, None)
    scan = Scan((state,), (x,), (ScanAxis(axis, backward),), body, (last, stacked), (ScanAxis(1, backward),))
    made = program([x, state], [scan], [last, stacked], {"x": X, "s": np.ones(rest, np.float32)})
    root = check(made, tmp_path)
    (iterator,) = layers(root, "TensorIterator")
    (entry,) = iterator.iterfind("port_map/input[@axis]")
    assert entry.get("axis") == str(axis % 2), "OpenVINO does not read a negative one"
    assert (entry.get("start"), entry.get("end"), entry.get("stride")) == (
        ("-1", "0", "-1") if backward else ("0", "-1", "1")
    )


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("bound", ["parts", "condition"])
def test_parts_of_several_elements(tmp_path: Path, backward: bool, bound: str) -> None:
    x = value("x", F32, 6, 2)
    part, tanh = value("part", F32, 2, 2), value("h", F32, 2, 2)
    i, cond = value("i", I64), value("c", BOOL)
    trips, trip_op = constant("trips", 3)
    true, true_op = constant("true", True, BOOL)
    step = -2 if backward else 2
    slicing = (
        Slicing(x, 0, start=-1, end=0, stride=step, part=2) if backward else Slicing(x, 0, stride=2, part=2)
    )
    body = Region((i, cond, part), (Op("Tanh", (part,), (tanh,)),), (cond, tanh))
    joined = value("joined", F32, 6, 2)
    loop = Loop(
        trips,
        true if bound == "condition" else None,
        (),
        body,
        (joined,),
        sliced=(slicing,),
        joined=(Joining(0, part=2, backward=backward),),
    )
    feed = {"x": np.linspace(-1, 1, 12, dtype=np.float32).reshape(6, 2)}
    root = check(program([x], [trip_op, true_op, loop], [joined], feed), tmp_path, openvino=False)
    assert len(layers(root, "TensorIterator")) == (bound == "parts")
    assert len(layers(root, "Loop")) == (bound == "condition")


@pytest.mark.parametrize(
    ("slicing", "first", "taken"),
    [
        ({}, 0, 4),
        ({"start": 1, "end": 2}, 1, 2),
        ({"start": -3, "end": -2}, 1, 2),
        ({"start": -1, "end": 0, "stride": -1}, 3, 4),
        ({"start": 2, "end": 1, "stride": -1}, 2, 2),
        ({"start": -2, "end": -3, "stride": -1}, 2, 2),
        ({"stride": 2, "part": 2}, 0, 2),
        ({"start": -1, "end": 0, "stride": -2, "part": 2}, 2, 2),
    ],
)
def test_elements_and_positions(slicing: dict[str, int], first: int, taken: int) -> None:
    """Where the importer's reading of the attributes begins, and how many parts it sees."""
    from loomir.dialects.ov.attributes import Slicing as Read

    made = Slicing(value("x", F32, 4), 0, **slicing)
    attributes = slice_attributes(made)
    read = Read(**{k: int(str(v)) for k, v in attributes.items()})
    assert read.trips(4) == taken == parts_of(made)
    assert read.offset(4, 0) == first


def test_outputs_that_are_inputs_constants_or_named_twice(tmp_path: Path) -> None:
    x, y = value("x", F32, 2), value("y", F32, 2)
    k, k_op = constant("k", [1.0, 2.0], F32)
    made = program([x], [k_op, Op("Neg", (x,), (y,))], [x, k, y, y], {"x": np.array([1, -1], np.float32)})
    check(made, tmp_path)


def test_what_openvino_has_no_layer_for(tmp_path: Path) -> None:
    x, y = value("x", F32, 2), value("y", F32, 2)
    with pytest.raises(NotExpressible, match="Celu"):
        to_openvino(program([x], [Op("Celu", (x,), (y,))], [y], {}))


def test_every_kind_that_programs_hold_has_a_layer() -> None:
    kinds: set[str] = set()
    for index in range(150):
        made = program_of(4, index, size=8)
        kinds |= {name[3:] for name in made.features if name.startswith("op ")}
        to_openvino(made)
    assert len(kinds) > 40
    assert kinds <= set(LAYERS)


def test_random_programs_mean_the_same(tmp_path: Path) -> None:
    """In the importer all of them, in OpenVINO those that it takes and is not known to get wrong."""
    openvino = OpenVINO()
    compared = 0
    try:
        for index in range(32):
            made = program_of(3, index, size=6)
            expected = run_onnxruntime(to_onnx(made), made.feeds)
            path = to_openvino(made).save(tmp_path / f"{index}.xml")
            model = loomir.load(path, optimize=False)
            for feed, wanted in zip(made.feeds, expected):
                for actual, array in zip(
                    model.run(feed, engine="graph").values(), wanted.values(), strict=True
                ):
                    assert_agree(actual, array, f"{index}")
            theirs = openvino.run(path, made.feeds, tmp_path)
            if isinstance(theirs, str):
                continue
            pairs = [(a, b) for v, w in zip(theirs, expected) for a, b in zip(v, w.values(), strict=True)]
            if known_faults(made) and not all(a.shape == b.shape and np.allclose(a, b) for a, b in pairs):
                continue
            compared += 1
            for actual, array in pairs:
                assert_agree(actual, array, f"OpenVINO {index}")
    finally:
        openvino.close()
    assert compared >= 4


def test_openvino_that_refuses_is_heard_and_serves_on(tmp_path: Path) -> None:
    x, y = value("x", F32, 2), value("y", F32, 2)
    made = program([x], [Op("Neg", (x,), (y,))], [y], {"x": np.array([1, -1], np.float32)})
    path = to_openvino(made).save(tmp_path / "p.xml")
    (tmp_path / "bad.xml").write_text("<net/>")
    openvino = OpenVINO()
    try:
        answer = openvino.run(tmp_path / "bad.xml", made.feeds, tmp_path)
        assert isinstance(answer, str)
        assert answer.startswith("refused:")
        ((result,),) = openvino.run(path, made.feeds, tmp_path)
        np.testing.assert_array_equal(result, [-1, 1])
    finally:
        openvino.close()


@pytest.mark.parametrize("used", [True, False])
def test_parts_that_only_what_is_dead_reads_are_parts_that_nobody_reads(used: bool) -> None:
    """OpenVINO leaves out what no result needs, and runs once then (seed 641122, program 133)."""
    x, part, negated = value("x", F32, 3), value("p", F32), value("m", F32)
    inner = Op("Neg", (part,), (negated,))
    number, one = constant("k", 2.0, F32)
    total = value("y", F32, 3)
    body = Region((part,), (one, inner), (negated if used else number,))
    scan = Scan((), (x,), (ScanAxis(0),), body, (total,), (ScanAxis(0),))
    made = program([x], [scan], [total], {"x": np.zeros(3, np.float32)})
    assert known_faults(made) == ([] if used else ["parts that nobody reads"])
