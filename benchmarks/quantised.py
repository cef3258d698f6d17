"""Quantised networks on one core: loomir's integers, ONNX Runtime and OpenVINO, one thread each.

    python benchmarks/quantised.py [--models kws_int8,vww_int8] [--machine native] [--runs 25] [--compiler C] [--flags='-O2 …'] [--cpu-time]

The int8 networks of MLPerf Tiny: loomir and OpenVINO read the IR, ONNX Runtime what `quantised_as_onnx.py` makes of it, with QDQ. Medians
of runs that take turns. loomir's integers are first compared with those of its graph engine, all of which are the same;
`exact_integers.py` says how often the others round otherwise. The ratio is the time of the faster of both, loomir's = 1.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from embedded import QUANTISED, network
from engines.process import Process
from quantised_as_onnx import quantised_network
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
    measure,
    print_markdown,
    some_of,
)

from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.files import write_arrays
from loomir.compiler.formats.c.emit import emit_c
from loomir.errors import Error


def row(name: str, builds: Sequence[Build], runs: int, clock: str) -> list[str]:
    """The line of a network: loomir per machine, the two others, and the ratio per machine."""
    (file,) = [model.file for model in MODELS if model.name == name]
    runners: dict[str, Runner] = {}
    sizes: list[str] = []
    feed = random_feed(network(name, "O2", floats=False))
    expected = network(name, "O2", floats=False).run(feed, engine="graph")
    with tempfile.TemporaryDirectory() as work:
        for build in builds:
            model = network(name, "O2", floats=False, machine=build.machine)
            shapes = {o.name: tuple(e or 0 for e in o.shape or ()) for o in model.outputs}
            code = emit_c(model.lowered("loops"), "model", weights="pointer")
            folder = Path(work) / build.machine
            folder.mkdir()
            runner = Loomir(code, feed, shapes, folder, build, clock)
            runner.run()
            check(f"{name}, loomir for {build.machine}", runner.outputs, expected)
            runners[build.machine] = runner.run
            sizes = [f"{code.arena_bytes:,}", f"{code.weight_bytes:,}"]
        made = quantised_network(file, "qdq")
        (x,) = feed.values()
        runners["ONNX Runtime"] = OnnxRuntime(made, {made.graph.input[0].name: x}, clock).run
        folder = Path(work) / "OpenVINO"
        folder.mkdir()
        for suffix in (".xml", ".bin"):
            shutil.copy(file.with_suffix(suffix), folder / f"model{suffix}")
        write_arrays(folder / "feed.npz", feed)
        with closing(Process("openvino", folder, clock)) as openvino:
            seconds = measure({**runners, "OpenVINO": openvino.run}, runs)
    fastest = min(seconds["ONNX Runtime"], seconds["OpenVINO"])
    names = [*(b.machine for b in builds), "ONNX Runtime", "OpenVINO"]
    ratios = [cell_of_ratio(fastest / seconds[b.machine]) for b in builds]
    return [name, *(f"{seconds[n] * 1e3:.3f} ms" for n in names), *ratios, *sizes]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--models",
        type=some_of(QUANTISED),
        default=",".join(QUANTISED),
        metavar="NAMES",
        help="some of %(default)s",
    )
    parser.add_argument(
        "--machine", action="append", metavar="NAME", help="for which machines (default: generic and native)"
    )
    parser.add_argument("--runs", type=int, default=25, help="turns (default: %(default)s)")
    add_build_arguments(parser)
    options = parser.parse_args()
    build, clock = build_of(options), clock_of(options)
    try:
        builds = [build.for_machine(name) for name in dict.fromkeys(options.machine or ("generic", "native"))]
    except Error as error:
        parser.error(str(error))

    def lines() -> Iterator[list[str]]:
        for name in options.models:
            yield row(name, builds, options.runs, clock)

    machines = [b.machine for b in builds]
    header = ["network", *(f"loomir, {m}" for m in machines), "ONNX Runtime", "OpenVINO"]
    header += [*(f"ratio, {m}" for m in machines), "arena", "weights"]
    print_markdown(f"{build.version}, {options.flags}; {clock} time", header, lines())


if __name__ == "__main__":
    main()
