"""The valid models that the attack damages: `corpus.zip`, which `python -m tests.hostile.corpus` makes anew (five minutes).

It holds small models of every operator: OpenVINO models that the tests load and those that OpenVINO makes of ONNX's node tests; the
node tests, control flow's traps and random programs as ONNX; some of all these as MLIR of each stage. A file of
the repository, so that a seed means the same damage tomorrow.
"""

from __future__ import annotations

import hashlib
import io
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnx.printer

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).with_name("corpus.zip")
EACH = 2
"""Models of the same operators that are kept."""
MLIR_BYTES = 16_000
LOADING_TESTS = (
    "tests/unit/compiler/formats/openvino", "tests/unit/dialects/ov", "tests/conformance/test_openvino_semantics.py",
    "tests/unit/tools/fuzz/test_to_openvino.py",
)  # fmt: skip


@dataclass(frozen=True)
class Model:
    """A valid model: `kind` is `xml`, `onnx`, `onnxtxt` (an `onnx` one as text), `graph`, `structured` or `loops` (MLIR of that stage)."""

    kind: str
    name: str
    data: bytes
    weights: bytes = b""


@cache
def corpus() -> dict[str, list[Model]]:
    """All models by their kind, in one order."""
    models: dict[str, list[Model]] = {}
    with zipfile.ZipFile(CORPUS) as archive:
        names = sorted(archive.namelist())
        for path in names:
            kind, name = path.split("/")
            if kind != "bin":
                weights = archive.read(f"bin/{name}") if f"bin/{name}" in names else b""
                models.setdefault(kind, []).append(Model(kind, name, archive.read(path), weights))
    models["onnxtxt"] = [
        Model("onnxtxt", m.name, onnx.printer.to_text(onnx.load_model_from_string(m.data)).encode())
        for m in models["onnx"]
    ]
    return models


# -- making it


def _digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()[:10]


def _distinct(models: Iterator[tuple[object, Model]]) -> Iterator[Model]:
    """At most `EACH` models of what is the same, none twice."""
    seen: Counter[object] = Counter()
    names: set[str] = set()
    for key, model in models:
        seen[key] += 1
        if seen[key] <= EACH and model.name not in names:
            names.add(model.name)
            yield model


def _openvino(folder: Path) -> Iterator[tuple[object, Model]]:
    """The models of a folder; the same are those with the same layers and attributes."""
    from lxml import etree

    complete = (p for p in folder.glob("*.xml") if p.with_suffix(".bin").exists())
    for path in sorted(complete, key=lambda p: (p.stat().st_size, p.name)):
        data, weights = path.read_bytes(), path.with_suffix(".bin").read_bytes()
        layers = etree.fromstring(data).findall(".//layer")
        key = frozenset((e.get("type"), e.get("version")) for e in layers)
        yield key, Model("xml", f"{_digest(data + weights)}", data, weights)


def _converted(folder: Path) -> None:
    """ONNX's node models as OpenVINO saves them, where loomir loads them."""
    import loomir
    from tests.conformance.onnx_suite import as_array, node_tests
    from tests.conformance.openvino_node_worker import store
    from tests.conformance.openvino_nodes import Worker

    worker = Worker()
    for test in node_tests():
        assert test.model is not None
        assert test.data_sets is not None
        feed = {i.name: as_array(v) for i, v in zip(test.model.graph.input, test.data_sets[0][0])}
        if not all(isinstance(a, np.ndarray) and a.dtype.kind not in "OUST" for a in feed.values()):
            continue
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "model.onnx").write_bytes(test.model.SerializeToString())
            try:
                store(Path(place) / "feed.npz", feed)
                if worker.ask(Path(place)).keys() & {"crash", "convert"}:
                    continue
                loomir.load(Path(place) / "model.xml")
            except (loomir.Error, TypeError, ValueError):
                continue
            for ending in ("xml", "bin"):
                data = (Path(place) / f"model.{ending}").read_bytes()
                if len(data) < 40_000:
                    (folder / f"node_{test.name}.{ending}").write_bytes(data)
            if not (folder / f"node_{test.name}.bin").exists():
                (folder / f"node_{test.name}.xml").unlink(missing_ok=True)
    worker.close()


def _onnx() -> Iterator[tuple[object, Model]]:
    """ONNX's node tests, with the inputs that are parameters as initialisers; the traps; random programs."""
    from loomir.tools.fuzz.generator import program_of
    from loomir.tools.fuzz.onnx_oracle import to_onnx
    from tests.conformance.onnx_scan_traps import TRAPS as SCANS
    from tests.conformance.onnx_suite import as_array, node_tests
    from tests.conformance.onnx_traps import TRAPS

    for trap in (*TRAPS, *SCANS):
        yield (
            trap.name,
            Model("onnx", f"trap_{_digest(trap.name.encode())}", trap.model().SerializeToString()),
        )
    for index in range(40):
        data = to_onnx(program_of(50, index, size=3)).SerializeToString()
        yield index, Model("onnx", f"program_{index:02}", data)
    for test in node_tests():
        assert test.model is not None
        assert test.data_sets is not None
        model, arrays = onnx.ModelProto(), [as_array(v) for v in test.data_sets[0][0]]
        model.CopyFrom(test.model)
        for value, array in list(zip(test.model.graph.input, arrays))[1:]:
            if isinstance(array, np.ndarray) and array.size <= 64 and array.dtype.kind in "iubf":
                model.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
                for own in model.graph.input:
                    if own.name == value.name:
                        model.graph.input.remove(own)
                        break
        data = model.SerializeToString()
        node = model.graph.node[0]
        if len(data) <= 20_000:
            key = (node.op_type, frozenset(a.name for a in node.attribute), len(node.input))
            yield key, Model("onnx", test.name, data)


def _as_mlir(model: Model, folder: Path) -> Iterator[Model]:
    import loomir

    path = folder / ("m.xml" if model.kind == "xml" else "m.onnx")
    path.write_bytes(model.data)
    (folder / "m.bin").write_bytes(model.weights)
    for stage in ("graph", "structured", "loops"):
        try:
            text = loomir.load(path, optimize=stage != "graph").mlir(stage, full_constants=True)
        except loomir.Error:
            return
        if len(text) <= MLIR_BYTES:
            yield Model(stage, model.name, text.encode())


def collected(folder: Path) -> list[Model]:
    """Every model of the corpus, made from tests and packages; a folder with OpenVINO models is not filled again."""
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "tests.hostile.collecting", *LOADING_TESTS],
            cwd=ROOT, env={**os.environ, "COLLECT": str(folder)}, check=False, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        _converted(folder)
    openvino = list(_distinct(_openvino(folder)))
    binary = list(_distinct(_onnx()))
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        sources = [*rng.sample(openvino, min(150, len(openvino))), *rng.sample(binary, 200)]
        lowered = [s for m in sources for s in _as_mlir(m, Path(name))]
    return [*openvino, *binary, *lowered]


def main() -> None:
    models = collected(ROOT / "build" / "corpus")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for model in sorted(models, key=lambda m: (m.kind, m.name)):
            for kind, data in ((model.kind, model.data), ("bin", model.weights)):
                if data or kind != "bin":
                    archive.writestr(
                        zipfile.ZipInfo(f"{kind}/{model.name}", (2026, 1, 1, 0, 0, 0)),
                        data,
                        zipfile.ZIP_DEFLATED,
                    )
    CORPUS.write_bytes(buffer.getvalue())
    print(f"{dict(Counter(m.kind for m in models))}, {len(buffer.getvalue())} bytes")


if __name__ == "__main__":
    main()
