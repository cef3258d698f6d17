"""Time of a call from Python: `Model.run`, a compiled model and ONNX Runtime, one thread each; then eight threads on one model.

    python benchmarks/calls.py [--models relu,kws,silero-16k] [--rounds 300] [--threads 8] [--repeat 9]

Rounds of calls take turns, so that a slow moment of the machine hits all. The ratios are medians over the rounds of loomir's time to
ONNX Runtime's in the same round: below 1, loomir is faster. Throughput in threads is that of all threads together, divided by that of one
thread that makes all the calls: 1 on one core, up to the number of cores. Every result is compared before the measurement, and every
result of a thread during it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import onnx.parser
import onnxruntime
from models import NETWORKS, Network
from runners import OnnxRuntime, check, print_markdown, some_of

from loomir.compiler.calls import CompiledModel

Call = Callable[[], Any]
COLUMNS = (
    "model",
    "compiled",
    "`run`",
    "ONNX Runtime",
    "compiled / ONNX Runtime",
    "`run` / ONNX Runtime",
    "{} threads",
)


def relu(batch: int) -> onnx.ModelProto:
    """One Relu on 4 floats."""
    return onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> relu (float[{batch},4] x) => (float[{batch},4] y) {{ y = Relu(x) }}'
    )


MODELS = {"relu": Network("relu", relu), **NETWORKS}
USUAL = ("relu", "kws", "silero-16k", "ad01_fp32", "resnet8")


def seconds(call: Call, count: int) -> float:
    """Seconds of one call, in a round of `count`."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def measure(calls: Mapping[str, Call], rounds: int) -> dict[str, list[float]]:
    """The seconds of each call in each round. A round takes about half a millisecond."""
    counts = {name: max(1, round(0.0005 / seconds(call, 3))) for name, call in calls.items()}
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(seconds(call, counts[name]))
    return found


def in_threads(
    compiled: CompiledModel, feed: Mapping[str, Any], threads: int, count: int
) -> tuple[float, int]:
    """Return the time of all threads together, which begin at once, and how many results were wrong."""
    wanted = compiled.run(feed)
    start, wrong = threading.Barrier(threads + 1), [0] * threads

    def work(number: int) -> None:
        start.wait()
        for _ in range(count):
            outputs = compiled.run(feed)
            wrong[number] += any(outputs[n].tobytes() != a.tobytes() for n, a in wanted.items())

    running = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    start.wait()
    begun = time.perf_counter()
    for thread in running:
        thread.join()
    return time.perf_counter() - begun, sum(wrong)


def throughput(compiled: CompiledModel, feed: Mapping[str, Any], threads: int, repeat: int) -> float:
    """Throughput of many threads, divided by that of one which makes as many calls; the median of pairs."""
    count = max(4, round(0.02 / seconds(lambda: compiled.run(feed), 5)))
    ratios: list[float] = []
    for _ in range(repeat):
        alone, wrong = in_threads(compiled, feed, 1, threads * count)
        together, also = in_threads(compiled, feed, threads, count)
        if wrong or also:
            raise SystemExit(f"{compiled.name}: {wrong + also} results of threads are wrong")
        ratios.append(alone / together)
    return statistics.median(ratios)


def row(network: Network, rounds: int, threads: int, repeat: int) -> list[str]:
    """The line of a model."""
    model = network.load(1, "native")
    feed = network.feed(model, 1)
    reference = OnnxRuntime(network.for_onnx_runtime(1, model), feed)
    compiled = model.compile()
    check(network.name, compiled.run(feed), reference.outputs)
    found = measure(
        {"compiled": lambda: compiled.run(feed), "run": lambda: model.run(feed), "other": reference.call},
        rounds,
    )
    times = [f"{1e6 * statistics.median(found[name]):,.1f} µs" for name in found]
    ratios = [
        f"{statistics.median(a / b for a, b in zip(found[name], found['other'])):.2f} ×"
        for name in ("compiled", "run")
    ]
    return [network.name, *times, *ratios, f"{throughput(compiled, feed, threads, repeat):.2f} ×"]


def rows(names: Sequence[str], rounds: int, threads: int, repeat: int) -> Iterator[list[str]]:
    """The lines of models, each as soon as it is there."""
    for name in names:
        yield row(MODELS[name], rounds, threads, repeat)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=some_of(list(MODELS)), default=list(USUAL), metavar="M,…")
    parser.add_argument("--rounds", type=int, default=300, metavar="N")
    parser.add_argument("--threads", type=int, default=8, metavar="N")
    parser.add_argument("--repeat", type=int, default=9, metavar="N", help="pairs of runs in threads")
    options = parser.parse_args()
    title = f"{date.today()}, Python {sys.version.split()[0]}, numpy {np.__version__}, ONNX Runtime {onnxruntime.__version__}"
    header = [column.format(options.threads) for column in COLUMNS]
    print_markdown(title, header, rows(options.models, options.rounds, options.threads, options.repeat))


if __name__ == "__main__":
    main()
