"""Every network and program that the benchmarks measure builds, runs and gives what ONNX Runtime gives. Nothing is timed here."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import onnx.helper
import onnx.numpy_helper
import pytest
from accuracy import rows as accuracy_rows
from calls import COLUMNS, MODELS, in_threads
from calls import row as row_of_calls
from embedded import checksum, generated, network
from exact_integers import rows as exact_rows
from kernels import peak_of
from microcontrollers import CORTEX_M4F
from models import NETWORKS, Network
from networks.mobilenet_v2 import TABLE, mobilenet_v2
from networks.ppocr import BLOCKS, ppocr
from networks.transformer import transformer
from operators import KERNELS
from profile_use import measure
from programs import Program
from recurrent import RECURRENT, attention, gru, lstm, selective_scan
from runners import Build, Hand, OnnxRuntime, check

import loomir
from loomir.compiler.engines.libraries import FLAGS
from loomir.compiler.formats.c.emit import emit_c, write_c
from loomir.passes.analysis.machines import machine_of
from tests.support_tools import needs

SMALL = {
    "ppocr": partial(ppocr, width=32, blocks=(BLOCKS[0], (32, 32, 5, (2, 1), True))),
    "mobilenet_v2": partial(mobilenet_v2, size=32, width=0.25, table=((1, 16, 1, 1), *TABLE[1:2])),
    "transformer": partial(transformer, layers=1, tokens=8, wide=16, heads=2),
}
"""The networks that the benchmarks build, with fewer and smaller layers."""


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_gives_what_onnx_runtime_gives(name: str) -> None:
    network = Network(name, SMALL[name]) if name in SMALL else NETWORKS[name]
    model = network.load(1)
    feed = network.feed(model, 1)
    expected = OnnxRuntime(network.for_onnx_runtime(1, model), feed).outputs
    check(name, model.run(feed), expected)


@pytest.mark.parametrize("name", [*SMALL, "kws", "silero-16k"])
def test_a_batch_is_as_many_samples(name: str) -> None:
    network = Network(name, SMALL[name]) if name in SMALL else NETWORKS[name]
    model = network.load(2)
    feed = network.feed(model, 2)
    outputs = model.run(feed)
    check(name, outputs, OnnxRuntime(network.for_onnx_runtime(2, model), feed).outputs)
    assert next(iter(outputs.values())).shape[0] == 2


def test_calls_are_measured_and_compared() -> None:
    """In two threads each result counts."""
    row = row_of_calls(MODELS["relu"], rounds=2, threads=2, repeat=1)
    assert len(row) == len(COLUMNS)
    assert row[0] == "relu"
    assert all(float(cell.rstrip(" ×µs")) > 0 for cell in row[1:])
    model = MODELS["relu"].load(1)
    compiled = model.compile()
    assert in_threads(compiled, {"x": np.ones((1, 4), np.float32)}, 2, 10)[1] == 0


def test_a_network_built_is_the_same_every_time() -> None:
    for make in SMALL.values():
        assert make(1).SerializeToString() == make(1).SerializeToString()


def test_what_differs_is_not_measured() -> None:
    y = np.ones(3, np.float32)
    check("equal", {"y": y * np.float32(1 + 1e-5)}, {"y": y})
    for other in (y * 2, np.full(3, np.nan, np.float32), np.ones(2, np.float32)):
        with pytest.raises(SystemExit, match="output 'y' differs"):
            check("other", {"y": other}, {"y": y})


def test_a_build_for_a_machine_has_its_flags() -> None:
    build = Build(("cc",)).for_machine("x86-64-v3")
    assert build.flags == (*FLAGS, *machine_of("x86-64-v3").flags)


@pytest.mark.parametrize("name", KERNELS)
def test_an_operator_gives_what_onnx_runtime_gives(name: str) -> None:
    kernel = KERNELS[name]()
    assert kernel.moved > 0
    expected = OnnxRuntime(kernel.model, kernel.feed).outputs
    check(name, loomir.load(kernel.model).run(kernel.feed), expected)


def test_operations_are_counted() -> None:
    """Two for each product: 16 outputs of 16 · 3 · 3 on a plane of 56 × 56."""
    assert KERNELS["conv3x3-16"]().flops == 2 * 16 * 56 * 56 * 16 * 3 * 3
    assert KERNELS["depthwise3x3"]().flops == 2 * 64 * 56 * 56 * 3 * 3
    assert KERNELS["matmul-16"]().flops == 2 * 16 * 256 * 256


@needs("gcc")
def test_the_peak_is_something() -> None:
    peak = peak_of(Build(("gcc",)), memory=1 << 20, work=20_000)
    assert min(peak.flops, peak.cache, peak.memory) > 0


SHORT = (lstm(3), gru(3), selective_scan(4, 3, 5), attention(4, 2, 4))


@pytest.mark.parametrize("program", SHORT, ids=lambda program: program.name)
def test_a_recurrent_program_gives_what_onnx_runtime_gives(program: Program) -> None:
    expected = OnnxRuntime(program.model, program.feed).outputs
    check(program.name, loomir.load(program.model).run(program.feed), expected)
    if program.spelled is not None:
        check(f"{program.name}, spelled out", OnnxRuntime(program.spelled, program.feed).outputs, expected)


@needs("gcc")
@pytest.mark.parametrize("name", RECURRENT)
def test_the_c_by_hand_gives_what_onnx_runtime_gives(name: str, tmp_path: Path) -> None:
    program = RECURRENT[name]()
    hand = Hand(program, tmp_path, Build(("gcc",)))
    hand.run()
    check(name, hand.outputs, OnnxRuntime(program.model, program.feed).outputs)


def test_an_embedded_network_has_no_float() -> None:
    model = network("ad01_int8", "Os", floats=False)
    source = emit_c(model.lowered("loops"), "model").source
    assert "float" not in source
    assert "double" not in source
    (x,) = model.inputs
    feed = generated(x.shape or ())
    assert (feed.min(), feed.max()) == (-128, 127)
    (found,), (wanted,) = (
        made.run({x.name: feed}, engine="graph").values()
        for made in (model, network("ad01_int8", "Os", floats=True))
    )
    assert np.abs(found.astype(int) - wanted.astype(int)).max() <= 1


@needs("arm-none-eabi-gcc")
@needs("qemu-system-arm")
@pytest.mark.parametrize("zero", [0, -3, 127])
def test_products_of_bytes_on_a_cortex_m4(zero: int, tmp_path: Path) -> None:
    """By its own instructions, signed bytes less any zero; of the sums, twice, the lowest bytes."""
    rng = np.random.default_rng(4)
    first, second = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((32, 8), (8, 6)))
    nodes = [
        onnx.helper.make_node("MatMulInteger", ["x", "a", "z"], ["sum"]),
        onnx.helper.make_node("Cast", ["sum"], ["between"], to=onnx.TensorProto.INT8),
        onnx.helper.make_node("MatMulInteger", ["between", "b", "z"], ["total"]),
        onnx.helper.make_node("Cast", ["total"], ["y"], to=onnx.TensorProto.INT8),
    ]
    x, y = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT8, shape)
        for name, shape in (("x", [5, 32]), ("y", [5, 6]))
    )
    constants = [
        onnx.numpy_helper.from_array(np.asarray(array), name)
        for name, array in (("a", first), ("b", second), ("z", np.int8(zero)))
    ]
    graph = onnx.helper.make_graph(nodes, "bytes", [x], [y], constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    code = emit_c(loomir.load(model, machine="cortex-m4").lowered("loops"), "model")
    assert "smlad" in code.source
    write_c(code, tmp_path)
    program = CORTEX_M4F.linked(tmp_path / "model.c", "-O2", 160, 30, element="int8_t")
    fed = generated([5, 32])
    for weights in (first, second):
        fed = ((fed.astype(np.int64) - zero) @ weights.astype(np.int64)).astype(np.int8)
    assert CORTEX_M4F.run(program).bits == checksum(fed)


@pytest.mark.parametrize("name", ["kws_int8", "resnet8_int8"])
def test_the_onnx_forms_of_a_quantised_network_have_its_integers(name: str) -> None:
    model = network(name, "O2", floats=False)
    (x,) = model.inputs
    feed = generated(x.shape or ())
    (wanted,) = model.run({x.name: feed}, engine="native").values()
    for form in ("qdq", "qlinear"):
        made = network(name, "O2", floats=False, form=form)
        (found,) = made.run({made.inputs[0].name: feed}, engine="native").values()
        assert np.array_equal(found, wanted), form


def test_integers_of_networks_are_those_of_exact_arithmetic() -> None:
    """Each quantised tensor of networks with and without sums of two tensors."""
    found = list(exact_rows(["ad01_int8", "resnet8_int8"], 4, 2, others=False))
    assert [row[3] for row in found] == ["0", "0"]
    assert all(row[4].endswith("0 wrong") for row in found)


def test_integers_say_what_the_quantised_network_says() -> None:
    found = {row[0]: row for row in accuracy_rows(300, 0, epochs=4)}
    assert list(found) == [
        "floats",
        *(
            f"{form}, {how}"
            for form in ("QDQ", "QOperator")
            for how in ("quantised", "integers", "integers, int8 in and out")
        ),
    ]
    assert all(row[3] == "100.00%" for title, row in found.items() if "integers" in title)
    assert float(found["floats"][1].rstrip("%")) > 80


@needs("valgrind")
@pytest.mark.parametrize(
    "name",
    ["torch-script/list_appended_and_stacked", "onnxscript/half_precision_in_a_loop", "torch-script/types_in_a_loop"],
)  # fmt: skip
def test_a_profile_saves_instructions(name: str) -> None:
    """`measure` holds the results equal. (The margin leaves room for other compilers.)"""
    row = measure(name)
    assert row is not None
    assert row.using < 0.95 * row.without
