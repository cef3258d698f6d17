"""Every operation that is a layer of OpenVINO's, by random uses: written and read it is the same operation; OpenVINO reads the layer, knows
all its attributes, and no attribute of its own is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler.formats.openvino.writer import SaveOptions, document_of, prepared
from loomir.compiler.model import Model
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers.conversion import properties_of, row_for
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from tests.conformance.openvino_node_worker import store, stored
from tests.conformance.openvino_nodes import Worker
from tests.differential.operator_samples import Sample
from tests.differential.test_operators import ROUNDS, program, samples

WRITTEN = [
    o for o in operations() if issubclass(o, OvOperation) and row_for(o) and o.get_irdl_definition().operands
]

REFUSALS = ("not-in-openvino", "unsupported-type", "unknown-rank", "window-too-large")
"""Errors for uses that are not written."""

seeds = st.integers(0, 2**32 - 1)
sampled = settings(
    max_examples=max(1, ROUNDS // 2), deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


def exported(sample: Sample) -> tuple[ModuleOp, Mapping[str, np.ndarray]] | None:
    """The program with this use as it is written; None where that is refused by name."""
    module, feed = program([sample])
    try:
        return prepared(module, SaveOptions()), feed
    except Error as error:
        if error.identifier not in REFUSALS and not always_fails(sample):
            raise
        return None


def always_fails(sample: Sample) -> bool:
    """Return True if running the use is an error."""
    module, feed = program([sample])
    try:
        Model(module).run(feed, engine="graph")
    except Error:
        return True
    return False


def described(module: ModuleOp) -> list[tuple[object, ...]]:
    """Each operation with its properties, the contents of constants, and the types of its operands and results."""
    found: list[tuple[object, ...]] = []
    for op in walk(module):
        if isinstance(op, OvOperation):
            said = op.array.tobytes() if isinstance(op, ConstantOp) else sorted(properties_of(op).items())
            types = [o.type for o in op.operands], [r.type for r in op.results]
            found.append((op.name, said, *types))
    return found


def save(module: ModuleOp, path: Path) -> tuple[bytes, bytes]:
    """Write what is prepared; the two files."""
    document = document_of(module, "model")
    path.write_bytes(document.xml)
    path.with_suffix(".bin").write_bytes(b"".join(document.pieces()))
    return path.read_bytes(), path.with_suffix(".bin").read_bytes()


@pytest.mark.parametrize("op_class", WRITTEN, ids=lambda o: o.name)
def test_written_and_read_is_the_same(op_class: type[OvOperation], tmp_path: Path) -> None:
    @sampled
    @given(seeds)
    def check(seed: int) -> None:
        for sample in samples(op_class, seed, ROUNDS):
            made = exported(sample)
            if made is None:
                continue
            files = save(made[0], tmp_path / "model.xml")
            assert_well_formed(files[0])
            try:
                read = loomir.load(tmp_path / "model.xml", optimize=False).module
            except Error:
                # What always stops is a Reshape that cannot be.
                assert always_fails(sample), f"{sample}"
                continue
            assert described(read) == described(made[0]), f"{sample}"
            again = prepared(read, SaveOptions())
            assert save(again, tmp_path / "model.xml") == files, f"{sample}"

    check()


# -- what a file must be


def assert_well_formed(xml: bytes) -> None:
    """Ids 0 … n-1 in the order of the file, which is topological; names that differ; ports numbered on, inputs first; an edge to each
    input port."""
    root = etree.fromstring(xml)
    for network in [root, *root.iter("body", "then_body", "else_body")]:
        layers = network.findall("layers/layer")
        assert [int(layer.get("id", "")) for layer in layers] == list(range(len(layers)))
        names = [layer.get("name") for layer in layers]
        assert len(set(names)) == len(names), names
        wanted: list[tuple[int, int]] = []
        for number, layer in enumerate(layers):
            inputs = [int(port.get("id", "")) for port in layer.findall("input/port")]
            outputs = [int(port.get("id", "")) for port in layer.findall("output/port")]
            assert [*inputs, *outputs] == list(range(len(inputs) + len(outputs)))
            wanted += [(number, port) for port in inputs]
        edges = [
            tuple(int(edge.get(key, "")) for key in ("from-layer", "from-port", "to-layer", "to-port"))
            for edge in network.findall("edges/edge")
        ]
        assert all(edge[0] < edge[2] for edge in edges)
        assert sorted(edge[2:] for edge in edges) == wanted


# -- OpenVINO

UNSPECIFIED: Mapping[str, set[str]] = {
    # What OpenVINO's classes show beside the specification's attributes.
    "ROIPooling": {"output_size", "output_roi"},
}

UNDEFINED = "of integers: log of i64 5, sqrt of i32 -1 and the like give other integers"
LENGTH_0 = "a sequence of length 0: OpenVINO's last states are not the first ones"
INDEX = "an index or an offset that is out of range is an error where loomir takes it"

FAULTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "ov.adaptive_max_pool": [("run: .* i64", "AdaptiveMaxPool [4, 1, 4], positions of i64: the plugin has none")],
    "ov.range": [("differs: .*int", "Range of f64 0.5 as u16, of 4.5 to 2.25 as i64: another length")],
    "ov.broadcast": [("differs: .*bool", "bool[3, 1] to [1, 0], bidirectional: [3, 1]")],
    "ov.gather": [("crash", "i16[0, 1, 0, 3]: exit -8")],
    "ov.mod": [("differs: .*int|crash", "i64 0 mod 0")],
    "ov.floor_mod": [("differs: .*int|crash", "i64 0 mod 0")],
    "ov.reduce_prod": [("differs: .*int8", "i8[3, 3, 5, 3, 5, 3]: products that do not fit are not their low bits")],
    "ov.scatter_nd_update": [("run: .*matched tensor rank", "i8[1], indices [1], updates [1] that could be a scalar")],
    "ov.strided_slice": [("crash", "i16[] with a new axis: exit -11")],
    "ov.top_k": [("run: .*K .0.", "k = 0")],
    "ov.col2im": [("crash", "Col2Im f32[2, 4, 6], image [3, 4], kernel [2, 2]: exit -11")],
    "ov.convert": [("differs: .*int", "Convert of f32 -1.0 to u32 gives 2^32 - 1, of 3e9 to i32 -2^31, of NaN to i8 its Clamp's limit")],
    "ov.convert_like": [("differs: .*int", "as Convert")],
    "ov.subtract": [("differs: .*uint", "u32 0 - 6 is 0")],
    "ov.divide": [("differs: .*int", "u64 in i32; -7 / 2 is -3")],
    "ov.negative": [("run: -1 assigned", "Negative of u64 is Multiply by -1, which u64 has not")],
    **{
        name: [("differs: .*int", UNDEFINED)]
        for name in (
            "ov.sqrt", "ov.exp", "ov.log", "ov.sin", "ov.cos", "ov.tan", "ov.asin", "ov.acos", "ov.atan", "ov.sinh", "ov.cosh",
            "ov.asinh", "ov.acosh", "ov.atanh", "ov.tanh", "ov.erf", "ov.power",
        )
    },
    "ov.embedding_bag_offsets": [
        ("run: .*(Offset|invalid embedding)", INDEX),
        ("differs", "f32[5, 2], indices [0, 1, 2], offsets [2]: what lies before the first offset"),
    ],
    "ov.embedding_bag_packed": [("run: .*invalid embedding", INDEX)],
    "ov.interpolate": [("differs: .*int", "integers of the mode linear: rounded otherwise")],
    "ov.non_max_suppression": [("differs: result 2", "a threshold of no elements selected, output_type i32: the number of boxes")],
    "ov.normalize_l2": [("differs", "eps = -1.0")],
    "ov.max_pool": [
        ("differs: result 1", "f32[2, 2, 5, 2], kernel [1, 2], pads_begin [2, 1]: the position of a window without an element"),
        ("differs: .*int", "i16 of a window without an element"),
        ("run: .*evaluate", "bf16 with dilations: the plugin has none"),
    ],
    "ov.avg_pool": [("differs: .*int", "u8, kernel 2: rounded, not cut off")],
    "ov.convolution": [("differs: .*int", "u8[3, 4, 4, 3]: sums that do not fit are not their low bits")],
    "ov.convolution_backprop_data": [("differs: .*int", "u8[3, 4, 4, 3]: sums that do not fit are not their low bits")],
    **{
        name: [("differs: result [12]", LENGTH_0)] for name in ("ov.lstm_sequence", "ov.gru_sequence", "ov.rnn_sequence")
    },
    "ov.gather_tree": [("differs|run: .*precision", "f16 and i64 of steps that are out of range; bf16")],
    "ov.roi_align": [
        ("run: .*(realRois|[Bb]atch)", "no region, or one of an image that there is not"),
        ("differs", "f32[2, 3, 4, 5], half_pixel_for_nn"),
    ],
    "ov.scatter_update": [("read: Updates rank", "updates of more dimensions of 1")],
}  # fmt: skip
"""Known differences of OpenVINO, by operation.

Each is the text that `problems` returns, with the case that was measured.
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    process = Worker()
    yield process
    process.close()


def problems(sample: Sample, worker: Worker, folder: Path) -> list[str]:
    """Return OpenVINO's deviations for a use of an operation.

    OpenVINO does not read it, has other attributes for it, does not run it, or gives different results.
    """
    made = exported(sample)
    if made is None:
        return []
    module, feed = made
    xml, _ = save(module, folder / "model.xml")
    store(folder / "feed.npz", dict(feed))
    answer = worker.ask(folder)
    if "crash" in answer:
        return ["crash"]
    if "read" in answer:
        return [f"read: {last_line(answer['read'])}"]
    layers = answer["layers"]
    assert isinstance(layers, dict)
    found: list[str] = []
    for layer in etree.fromstring(xml).iterfind("layers/layer"):
        type_, data = layer.get("type", ""), layer.find("data")
        if type_ in ("Parameter", "Const", "Result"):
            continue
        said = set() if data is None else {str(key) for key in data.attrib}
        known = set(layers[layer.get("name", "")]) - UNSPECIFIED.get(type_, set())
        found += [f"{type_}: unknown {name}" for name in sorted(said - known)]
        found += [f"{type_}: missing {name}" for name in sorted(known - said)]
    try:
        outputs = Model(program([sample])[0]).run(dict(feed), engine="graph")
    except Error:
        return found  # Its data is at fault, which OpenVINO need not say.
    if "run" in answer:
        return [*found, f"run: {last_line(answer['run'])}"]
    theirs = stored(folder / "results.npz")
    return [
        *found,
        *(f"differs: {text}" for text in differences(list(outputs.values()), list(theirs.values()))),
    ]


@pytest.mark.parametrize("op_class", WRITTEN, ids=lambda o: o.name)
def test_openvino_reads_and_runs(op_class: type[OvOperation], worker: Worker, tmp_path: Path) -> None:
    @sampled
    @given(seeds)
    def check(seed: int) -> None:
        for sample in samples(op_class, seed, ROUNDS):
            for problem in problems(sample, worker, tmp_path):
                known = any(re.match(pattern, problem) for pattern, _ in FAULTS.get(op_class.name, ()))
                assert known, f"{sample}: {problem}"

    check()


def last_line(text: object) -> str:
    return str(text).strip().splitlines()[-1]


def differences(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> list[str]:
    """In which results two runs differ, beyond what rounding explains."""
    found: list[str] = []
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            found.append(f"result {number} is {b.dtype}{list(b.shape)}, not {a.dtype}{list(a.shape)}")
            continue
        x, y = a.astype(np.float64), b.astype(np.float64)
        scale = TOLERANCES.get(a.dtype.name, 0.0)
        with np.errstate(invalid="ignore"):
            near = (
                (x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= scale * np.maximum(1, np.abs(x)))
            )
        if not near.all():
            found.append(f"result {number} of {a.dtype}")
    return found


TOLERANCES = {"float64": 1e-4, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
"""(OpenVINO computes f64 in f32.)"""
