"""Ten networks: loomir's C for each machine, ONNX Runtime and OpenVINO, one thread each.

    python benchmarks/models.py [--models kws,silero-16k] [--machine generic --machine native] [--runs 15] [--batch 1,8] [--cpu-time]
                                [--compiler gcc] [--flags='-O2 …']

Four networks of MLPerf Tiny, Silero VAD at two rates, magika, and three that `networks/` builds. Medians of runs that take turns; the
results of all are first compared with ONNX Runtime's. The ratio is the time of the faster of ONNX Runtime and OpenVINO, loomir's = 1:
more than 1 means that loomir is faster than both.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from engines.process import Process
from network_as_onnx import network_as_onnx
from networks.mobilenet_v2 import mobilenet_v2
from networks.ppocr import ppocr
from networks.transformer import transformer
from real_models import MODELS
from runners import (
    Build,
    Loomir,
    OnnxRuntime,
    Runner,
    add_build_arguments,
    build_of,
    cell_of_ratio,
    check,
    clock_of,
    print_markdown,
)

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.files import write_arrays
from loomir.compiler.formats.c.emit import CCode, emit_c
from loomir.compiler.model import Model
from loomir.errors import Error
from loomir.tools.compare.measuring import median_seconds

NAN = float("nan")


@dataclass(frozen=True)
class Network:
    """A network at any batch. `fixed` are inputs whose values the compiler knows, `fed` values in place of random ones."""

    name: str
    source: Callable[[int], Path | onnx.ModelProto]
    shapes: Callable[[int], Mapping[str, Sequence[int]]] = lambda batch: {}
    fixed: Mapping[str, np.ndarray] = field(default_factory=dict)
    fed: Callable[[int], Mapping[str, np.ndarray]] = lambda batch: {}

    def load(self, batch: int, machine: str = "generic") -> Model:
        """The model for a machine, all shapes given: extents that nobody says are the batch."""
        source = self.source(batch)
        model = loomir.load(source, shapes=self.shapes(batch), values=self.fixed, machine=machine)
        return model.with_shapes(
            {i.name: [batch if e is None else e for e in i.shape or ()] for i in model.inputs}
        )

    def for_onnx_runtime(self, batch: int, model: Model) -> Path | onnx.ModelProto:
        """Return the model that ONNX Runtime reads.

        It is the source, or `model` converted to ONNX if the source is OpenVINO's.
        """
        source = self.source(batch)
        is_openvino = isinstance(source, Path) and source.suffix == ".xml"
        return network_as_onnx(model) if is_openvino else source

    def feed(self, model: Model, batch: int) -> dict[str, np.ndarray]:
        """A value for each input, the same every time."""
        given = {**random_feed(model), **self.fixed, **self.fed(batch)}
        return {i.name: np.asarray(given[i.name]) for i in model.inputs}


def _of_file(name: str) -> Network:
    """A network of `real_models.py` whose first extents are the batch."""
    (real,) = [m for m in MODELS if m.name == name]
    first = {i: np.asarray(v) for i, v in real.fed.items()}

    def fed(batch: int) -> dict[str, np.ndarray]:
        return {i: np.concatenate([v] * batch) for i, v in first.items()}

    def shapes(batch: int) -> dict[str, list[int]]:
        # Silero's state has the batch behind its two layers: it is the extent 1.
        return {i: [batch if e == 1 else e for e in shape] for i, shape in real.shapes.items()}

    return Network(name, lambda batch: real.file, shapes, real.fixed, fed)


NETWORKS = {
    network.name: network
    for network in (
        *map(_of_file, ("kws", "ad01_fp32", "resnet8", "vww", "silero-16k", "silero-8k", "magika")),
        *(Network(f.__name__, f) for f in (ppocr, mobilenet_v2, transformer)),
    )
}


@dataclass(frozen=True)
class Prepared:
    """A network with all that its runners need."""

    network: Network
    batch: int
    feed: Mapping[str, np.ndarray]
    reference: OnnxRuntime

    @staticmethod
    def of(network: Network, batch: int, clock: str) -> Prepared:
        """With ONNX Runtime's session, whose results the others have to give."""
        model = network.load(batch)
        feed = network.feed(model, batch)
        source = network.for_onnx_runtime(batch, model)
        return Prepared(network, batch, feed, OnnxRuntime(source, feed, clock))

    @property
    def name(self) -> str:
        return self.network.name if self.batch == 1 else f"{self.network.name}, batch {self.batch}"

    def loomir(self, build: Build, folder: Path, clock: str) -> tuple[Loomir, CCode]:
        """loomir's C, compiled and compared."""
        model = self.network.load(self.batch, build.machine)
        shapes = {o.name: tuple(e or 0 for e in o.shape or ()) for o in model.outputs}
        code = emit_c(model.lowered("loops"), "model", weights="pointer")
        runner = Loomir(code, self.feed, shapes, folder, build, clock)
        runner.run()
        check(f"{self.name}, loomir for {build.machine}", runner.outputs, self.reference.outputs)
        return runner, code

    def openvino(self, folder: Path, clock: str) -> Process | None:
        """OpenVINO, compared: what it does not read as it is distributed it gets from loomir's export."""
        write_arrays(folder / "feed.npz", self.feed)
        for put in (self._as_distributed, self._exported):
            put(folder)
            try:
                runner = Process("openvino", folder, clock)
            except RuntimeError:
                continue
            check(f"{self.name}, OpenVINO", runner.outputs, self.reference.outputs)
            return runner
        print(f"{self.name}: OpenVINO does not run it", file=sys.stderr)
        return None

    def _as_distributed(self, folder: Path) -> None:
        source = self.network.source(self.batch)
        if isinstance(source, onnx.ModelProto):
            onnx.save(source, folder / "model.onnx")
        elif source.suffix == ".onnx":
            shutil.copy(source, folder / "model.onnx")
        else:
            for suffix in (".xml", ".bin"):
                shutil.copy(source.with_suffix(suffix), folder / f"model{suffix}")

    def _exported(self, folder: Path) -> None:
        for path in folder.glob("model.*"):
            path.unlink()
        self.network.load(self.batch).save(folder / "model.xml", target="openvino-2026")


def row(network: Network, batch: int, builds: Sequence[Build], runs: int, clock: str) -> list[str]:
    """The line of a network: loomir per machine, the two others, and the ratio per machine."""
    prepared = Prepared.of(network, batch, clock)
    runners: dict[str, Runner] = {}
    sizes: list[str] = []
    with tempfile.TemporaryDirectory() as work:
        for build in builds:
            folder = Path(work) / build.machine
            folder.mkdir()
            runner, code = prepared.loomir(build, folder, clock)
            runners[build.machine] = runner.run
            sizes = [f"{code.arena_bytes:,}", f"{code.weight_bytes:,}"]
        runners["ONNX Runtime"] = prepared.reference.run
        folder = Path(work) / "OpenVINO"
        folder.mkdir()
        openvino = prepared.openvino(folder, clock)
        if openvino is None:
            seconds = {"OpenVINO": NAN, **median_seconds(runners, runs)}
        else:
            with closing(openvino):
                seconds = median_seconds({**runners, "OpenVINO": openvino.run}, runs)
    others = [s for s in (seconds["ONNX Runtime"], seconds["OpenVINO"]) if s == s]
    names = [*(b.machine for b in builds), "ONNX Runtime", "OpenVINO"]
    ratios = [cell_of_ratio(min(others) / seconds[b.machine]) for b in builds]
    return [prepared.name, *(_milliseconds(seconds[n]) for n in names), *ratios, *sizes]


def _milliseconds(seconds: float) -> str:
    return "–" if seconds != seconds else f"{seconds * 1e3:.3f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--models", default=",".join(NETWORKS), help="which, with commas between (default: %(default)s)"
    )
    parser.add_argument(
        "--machine", action="append", metavar="NAME", help="for which machines (default: generic and native)"
    )
    parser.add_argument("--runs", type=int, default=15, help="turns (default: %(default)s)")
    parser.add_argument("--batch", default="1", help="batches, such as 1,8 (default: %(default)s)")
    add_build_arguments(parser)
    options = parser.parse_args()
    names, build, clock = options.models.split(","), build_of(options), clock_of(options)
    if unknown := set(names) - set(NETWORKS):
        parser.error(f"no such network: {', '.join(sorted(unknown))}")
    try:
        batches = [int(word) for word in options.batch.split(",")]
        builds = [build.for_machine(name) for name in dict.fromkeys(options.machine or ("generic", "native"))]
    except (ValueError, Error) as error:
        parser.error(str(error))

    def lines() -> Iterator[list[str]]:
        for name in names:
            for batch in batches:
                yield row(NETWORKS[name], batch, builds, options.runs, clock)

    machines = [b.machine for b in builds]
    header = ["network", *(f"loomir, {m}" for m in machines), "ONNX Runtime", "OpenVINO"]
    header += [*(f"ratio, {m}" for m in machines), "arena", "weights"]
    print_markdown(f"{build.version}, {options.flags}; {clock} time", header, lines())


if __name__ == "__main__":
    main()
