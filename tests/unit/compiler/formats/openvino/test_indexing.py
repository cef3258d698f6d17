"""Indexed access, layout, generators and embeddings against OpenVINO: all cases are one model, saved by OpenVINO, run by
it in a process of its own, read back and run in graph and native."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import openvino.opset1 as opset1
import openvino.opset3 as opset3
import openvino.opset5 as opset5
import openvino.opset15 as opset15
import openvino.opset16 as opset16
import pytest

import loomir
from tests.openvino_process import run_openvino
from tests.support import assert_agree

F, LONG, B = np.float32, np.int64, np.bool_


class Builder:
    """A model that grows layer by layer, with what to feed it."""

    def __init__(self) -> None:
        self.parameters: list[ov.op.Parameter] = []
        self.feed: list[np.ndarray] = []
        self.outputs: list[ov.Node] = []
        self.expected: dict[int, np.ndarray] = {}

    def data(self, values: object, dtype: type = F) -> ov.Node:
        """A model input."""
        array = np.asarray(values, dtype)
        self.parameters.append(opset1.parameter(list(array.shape), array.dtype))
        self.feed.append(array)
        return self.parameters[-1]

    def add(self, node: ov.Node, expected: object = None) -> None:
        """A layer whose result is an output. `expected`: what the specification says, where OpenVINO is not asked."""
        if expected is not None:
            self.expected[len(self.outputs)] = np.asarray(expected)
        self.outputs.append(node)


def scattering(b: Builder, rng: np.random.Generator) -> None:
    data = rng.integers(-9, 9, (3, 4))
    at, updates = rng.integers(-3, 3, (5, 4)), rng.integers(-9, 9, (5, 4))
    for dtype in (F, np.int32):
        for reduction in ("sum", "prod", "min", "max", "mean"):
            for use in (True, False):
                operands = (
                    b.data(data, dtype),
                    b.data(at, np.int32),
                    b.data(updates, dtype),
                    opset1.constant(0),
                )
                node = opset15.scatter_elements_update(*operands, reduction, use)
                # Rounded down, says the specification; OpenVINO's CPU plugin rounds towards zero.
                exact = (
                    _floored_means(data, at, updates, use)
                    if (dtype, reduction) == (np.int32, "mean")
                    else None
                )
                b.add(node, exact)
    b.add(
        opset3.scatter_elements_update(
            b.data(data), b.data([[1, 0], [2, 1]], LONG), b.data([[1, 2], [3, 4]]), 1
        )
    )
    tuples, rows = b.data([[0], [2], [0]], np.int32), rng.integers(-9, 9, (3, 4))
    for reduction in ("sum", "sub", "prod", "min", "max"):
        b.add(opset15.scatter_nd_update(b.data(data), tuples, b.data(rows), reduction))
    b.add(opset15.scatter_nd_update(b.data(data), b.data([[1, 3], [-1, 0]], LONG), b.data([7, 8]), "none"))
    flags = (
        b.data([True, False, True, False], B),
        b.data([[0], [1], [2]], LONG),
        b.data([False, True, False], B),
    )
    for reduction, value in {
        "sum": [1, 1, 1, 0],
        "prod": [0, 0, 0, 0],
        "min": [0, 0, 0, 0],
        "max": [1, 1, 1, 0],
    }.items():
        b.add(opset15.scatter_nd_update(*flags, reduction), np.array(value, B))
    b.add(opset15.scatter_nd_update(*flags, "sub"), np.array([1, 1, 1, 0], B))
    b.add(
        opset3.scatter_update(
            b.data(data), b.data([[3], [1]], LONG), b.data(rng.integers(0, 9, (3, 2, 1))), 1
        )
    )
    replaced = np.array([*data[:2], [5, 6, 7, 8]], F)
    b.add(opset3.scatter_update(b.data(data), b.data(2, LONG), b.data([5, 6, 7, 8]), 0), replaced)


def _floored_means(data: np.ndarray, at: np.ndarray, updates: np.ndarray, use: bool) -> np.ndarray:
    made = data.copy()
    for row, column in np.ndindex(*data.shape):
        new = updates[:, column][at[:, column] % len(data) == row]
        if new.size:
            made[row, column] = (new.sum() + use * data[row, column]) // (new.size + use)
    return made.astype(np.int32)


def slice_scattering(b: Builder, rng: np.random.Generator) -> None:
    data = rng.integers(-9, 9, (5, 6))
    for axes, start, stop, step in (
        ([0], [1], [4], [2]), ([1], [-1], [-100], [-2]), ([1, 0], [0, 3], [6, 0], [3, -1]), ([-1], [4], [100], [1]), ([1], [4], [2], [1]),
    ):  # fmt: skip
        part = data
        for a, *cut in zip(axes, start, stop, step):
            part = part[(slice(None),) * (a % 2) + (slice(*cut),)]
        updates = b.data(rng.integers(10, 99, part.shape))
        lists = (opset1.constant(np.array(v)) for v in (start, stop, step, axes))
        wanted = data.astype(F)
        places = [slice(None)] * 2
        for a, *cut in zip(axes, start, stop, step):
            places[a % 2] = slice(*cut)
        wanted[tuple(places)] = b.feed[-1]
        b.add(opset15.slice_scatter(b.data(data), updates, *lists), wanted)


def gathering(b: Builder, rng: np.random.Generator) -> None:
    data = rng.integers(-9, 9, (2, 3, 4))
    b.add(opset15.gather_elements(b.data(data), b.data(rng.integers(0, 3, (2, 5, 4)), np.int32), 1))
    b.add(opset15.gather_elements(b.data(data), b.data(rng.integers(0, 4, (2, 3, 2)), LONG), -1))
    pairs = rng.integers(0, 3, (2, 3, 1))
    b.add(opset15.gather_nd(b.data(data), b.data(pairs, LONG), 1))
    b.add(opset15.gather_nd(b.data(data), b.data(pairs, np.int32), 2))
    b.add(opset15.gather_nd(b.data(data), b.data([[1, -1], [0, 0]], LONG)))
    five = opset5.gather_nd(b.data(data), b.data(pairs, np.int32), 2)
    b.add(five, np.take_along_axis(data, pairs, 2).reshape(6).astype(F))


def layout(b: Builder, rng: np.random.Generator) -> None:
    image = rng.integers(-9, 9, (2, 8, 4, 6))
    for mode in ("blocks_first", "depth_first"):
        b.add(opset1.space_to_depth(b.data(image), mode, 2))
        b.add(opset1.depth_to_space(b.data(image), mode, 2))
        b.add(opset1.depth_to_space(b.data(image[:, :6, 0]), mode, 3))
    b.add(opset15.shuffle_channels(b.data(image), 1, 4))
    b.add(opset15.shuffle_channels(b.data(image), -1, 3))
    blocks, first, last = ([1, 2, 3, 1], [0, 1, 0, 0], [0, 1, 2, 0])
    lists = [opset1.constant(np.array(v)) for v in (blocks, first, last)]
    b.add(opset15.space_to_batch(b.data(image), *lists))
    crops = [opset1.constant(np.array(v)) for v in ([1, 2, 2, 1], [0, 1, 0, 0], [0, 0, 3, 0])]
    b.add(opset15.batch_to_space(b.data(rng.integers(0, 9, (8, 3, 4, 2))), *crops))
    small = rng.integers(-9, 9, (3, 4))
    for shift, axes in (([1, -6, 2], [0, 1, 0]), ([-2], [-1])):
        b.add(opset15.roll(b.data(small), opset1.constant(np.array(shift)), opset1.constant(np.array(axes))))
    both = opset15.roll(b.data(small), opset1.constant(np.array(5)), opset1.constant(np.array([0, 1])))
    b.add(both, np.roll(small, (5, 5), (0, 1)).astype(F))  # OpenVINO's CPU plugin refuses it
    moved = opset15.roll(b.data(small), b.data([1, -5], LONG), opset1.constant(np.array([0, 1])))
    b.add(moved, np.roll(small, (1, -5), (0, 1)).astype(F))
    b.add(opset1.reverse_sequence(b.data(small), b.data([1, 4, 2], np.int32), 0, 1))
    b.add(opset1.reverse_sequence(b.data(small), b.data([1, 3, 2, 2]), -1, 0))
    for axis in (0, -1):
        for exclusive in (False, True):
            b.add(opset3.cum_sum(b.data(small), opset1.constant(np.array(axis)), exclusive, not exclusive))


def generators(b: Builder, rng: np.random.Generator) -> None:
    at = b.data([[0, 3, -1], [2, 1, -4]], np.int32)
    on, off = opset1.constant(np.array(5, F)), opset1.constant(np.array(2, F))
    for axis in (0, 1, -1):
        b.add(opset1.one_hot(at, opset1.constant(np.array(3)), on, off, axis))
    wrapped = opset16.one_hot(at, opset1.constant(np.array(3)), on, off, -1, "normalize")
    rows = np.where(np.mod(b.feed[-1], 3)[..., None] == np.arange(3), 5, 2)
    rows[[0, 1], [1, 2]] = 2
    b.add(wrapped, rows.astype(F))
    for rows_, columns, k, type_ in ((3, 4, 1, "f32"), (2, 2, -1, "i64"), (3, 2, 5, "u8")):
        numbers = (opset1.constant(np.array(v)) for v in (rows_, columns, k))
        b.add(opset15.eye(*numbers, type_))
    numbers = [opset1.constant(np.array(v)) for v in (2, 3, 0)]
    b.add(opset15.eye(*numbers, "i32", opset1.constant(np.array([2, 1]))))


def einsum(b: Builder, rng: np.random.Generator) -> None:
    def of(*extents: int) -> ov.Node:
        return b.data(rng.integers(-4, 5, extents))

    for equation, *shapes in (
        ("ab,bcd,bc->ca", (2, 5), (5, 3, 6), (5, 3)), ("kii->ki", (2, 3, 3)), ("kii->k", (2, 3, 3)), ("ijk->kij", (1, 3, 3)),
        ("a...->...", (3, 3)), ("AbC", (1, 2, 3)), ("dbbc,ca", (2, 3, 3, 4), (4, 5)), ("a...,...->a...", (3, 3), (1,)),
        ("a...b,b...->a...", (9, 1, 4, 3), (3, 11, 7, 1)), ("ab...,ac...,ade->...bc", (2, 3, 4), (2, 7, 1), (2, 4, 7)),
        ("i,i->", (3,), (3,)), ("ij,ij->ij", (2, 3), (1, 3)), ("ij,jk->ik", (2, 3), (1, 4)),
    ):  # fmt: skip
        values = [rng.integers(-4, 5, s).astype(F) for s in shapes]
        node = opset15.einsum([b.data(v) for v in values], equation)
        # OpenVINO broadcasts where numpy does too.
        b.add(node, np.asarray(np.einsum(equation, *values)))


def embedding(b: Builder, rng: np.random.Generator) -> None:
    table = rng.integers(-9, 9, (6, 3))
    picked, weights = [0, 2, 3, 4, 5], rng.integers(1, 4, 5)

    def common() -> tuple[ov.Node, ov.Node]:
        return b.data(table), b.data(picked, np.int32)

    starts = b.data([0, 2, 2, 3], np.int32)
    default, none = opset1.constant(np.array(1, np.int32)), opset1.constant(np.array(-1, np.int32))
    b.add(opset3.embedding_bag_offsets_sum(*common(), starts))
    b.add(opset3.embedding_bag_offsets_sum(*common(), starts, default))
    b.add(opset3.embedding_bag_offsets_sum(*common(), starts, default, b.data(weights)))
    b.add(opset15.embedding_bag_offsets(*common(), starts, none, None, "mean"))
    b.add(opset15.embedding_bag_offsets(*common(), starts, b.data(1, np.int32), b.data(weights)))
    # A last bag without indices, which OpenVINO's CPU plugin refuses.
    rows = np.array([table[0] + table[2], table[3] + table[4] + table[5], 0 * table[0]], F)
    b.add(opset3.embedding_bag_offsets_sum(*common(), b.data([0, 2, 5], np.int32)), rows)
    bags = b.data([[0, 2], [5, 5], [1, 3]], np.int32)
    b.add(opset3.embedding_bag_packed_sum(b.data(table), bags))
    b.add(opset3.embedding_bag_packed_sum(b.data(table), bags, b.data([[1, 2], [3, 4], [5, 6]])))
    b.add(opset15.embedding_bag_packed(b.data(table), bags, None, "mean"))
    ids, number = b.data([0, 0, 2, 2, 4], np.int32), opset1.constant(np.array(6, np.int32))
    b.add(opset3.embedding_segments_sum(*common(), ids, number))
    b.add(opset3.embedding_segments_sum(*common(), ids, number, default, b.data(weights)))


def columns(b: Builder, rng: np.random.Generator) -> None:
    for size, kernel, strides, dilations, begin, end in (
        ((4, 5), (2, 2), (1, 1), (1, 1), (0, 0), (0, 0)),
        ((6, 5), (3, 2), (2, 1), (1, 2), (1, 0), (1, 1)),
        ((3, 3), (2, 3), (2, 2), (1, 1), (1, 1), (0, 2)),
    ):
        places = [
            (d + p + q - e * (k - 1) - 1) // s + 1
            for d, k, s, e, p, q in zip(size, kernel, strides, dilations, begin, end)
        ]
        data = b.data(rng.integers(-9, 9, (2, 3 * kernel[0] * kernel[1], places[0] * places[1])))
        lists = (opset1.constant(np.array(v)) for v in (size, kernel))
        b.add(opset15.col2im(data, *lists, list(strides), list(dilations), list(begin), list(end)))


def searching(b: Builder, rng: np.random.Generator) -> None:
    rows = np.sort(rng.integers(-9, 9, (2, 3, 7)))
    for dtype in (F, np.int32):
        for right in (False, True):
            b.add(
                opset15.search_sorted(
                    b.data(rows, dtype), b.data(rng.integers(-10, 10, (2, 3, 4)), dtype), right
                )
            )
            line = np.sort(rng.integers(-9, 9, 6))
            b.add(
                opset15.search_sorted(
                    b.data(line, dtype), b.data(rng.integers(-10, 10, (2, 9)), dtype), right
                )
            )
    for dtype in (np.int32, F):
        steps, parents = rng.integers(0, 6, (5, 3, 4)), rng.integers(0, 4, (5, 3, 4))
        given = (b.data(v, dtype) for v in (steps, parents, [5, 2, 4]))
        b.add(opset15.gather_tree(*given, opset1.constant(np.array(0, dtype))))


def save(outputs: list[ov.Node], parameters: list[ov.op.Parameter], path: Path) -> None:
    model = ov.Model([opset1.result(o) for o in outputs], parameters, "m")  # pyright: ignore[reportGeneralTypeIssues]
    ov.serialize(model, path, path.with_suffix(".bin"))


@pytest.mark.parametrize(
    "build",
    [scattering, slice_scattering, gathering, layout, generators, einsum, embedding, columns, searching],
)
def test_agrees_with_openvino(build, tmp_path: Path) -> None:
    b = Builder()
    build(b, np.random.default_rng(len(build.__name__)))
    path = tmp_path / "model.xml"
    save(b.outputs, b.parameters, path)
    asked = [k for k in range(len(b.outputs)) if k not in b.expected]
    theirs: list[np.ndarray] = []
    if asked:
        part = tmp_path / "asked.xml"
        save([b.outputs[k] for k in asked], b.parameters, part)
        (theirs,) = run_openvino(part, [b.feed], tmp_path)
    expected = {**b.expected, **dict(zip(asked, theirs))}
    model = loomir.load(path)
    feed = dict(zip([i.name for i in model.inputs], b.feed))
    for k, output in enumerate(model.outputs):
        assert output.shape == expected[k].shape, f"{build.__name__} {k}: {output} inferred"
    for engine in ("graph", "native"):
        results = list(model.run(feed, engine=engine).values())
        for k, node in enumerate(b.outputs):
            what = f"{build.__name__} {k} {engine} {node.get_type_name()} {node.get_attributes()}"
            assert_agree(results[k], expected[k], what)


REVERSE = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="a" type="Const" version="opset1"><data element_type="TYPE" shape="2" offset="0" size="SIZE"/>
<output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
<layer id="2" name="r" type="Reverse" version="opset1"><data mode="MODE"/>
<input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""


@pytest.mark.parametrize(
    ("mode", "axes", "flipped"),
    [("index", np.array([1, -2]), np.s_[::-1, ::-1]), ("mask", np.array([False, True]), np.s_[:, ::-1])],
)
def test_reverse(mode: str, axes: np.ndarray, flipped, tmp_path: Path) -> None:
    """OpenVINO's Python interface has no Reverse."""
    type_ = "boolean" if mode == "mask" else "i64"
    text = REVERSE.replace("MODE", mode).replace("TYPE", type_).replace("SIZE", str(axes.nbytes))
    (tmp_path / "m.xml").write_text(text)
    (tmp_path / "m.bin").write_bytes(axes.tobytes())
    x = np.arange(6, dtype=F).reshape(2, 3)
    model = loomir.load(tmp_path / "m.xml")
    for engine in ("graph", "native"):
        (result,) = model.run({model.inputs[0].name: x}, engine=engine).values()
        assert_agree(result, x[flipped])
