"""OpenVINO in a process of its own: it runs `model.onnx` or `model.xml` of a folder once for every line it reads.

Prints the seconds of each run, of the wall clock or with `cpu` of this process's processor time.
The first one leaves its results in `out.npz`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import openvino as ov


def main(folder: Path, clock: str) -> None:
    now = time.process_time if clock == "cpu" else time.perf_counter
    core = ov.Core()
    options = {
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": "1",
        "NUM_STREAMS": "1",
        "PERFORMANCE_HINT": "LATENCY",
    }
    (model,) = [p for p in (folder / "model.onnx", folder / "model.xml") if p.exists()]
    with np.load(folder / "feed.npz") as stored:
        feed = {name: stored[name] for name in stored.files}
    network = core.read_model(model)
    known = {name for port in network.inputs for name in port.get_names()}
    feed = {name: array for name, array in feed.items() if name in known}
    if network.is_dynamic():
        # As loomir has it: every extent is known when the network is compiled.
        network.reshape({name: list(array.shape) for name, array in feed.items()})
    compiled = core.compile_model(network, "CPU", options)
    request = compiled.create_infer_request()
    first = True
    for _ in sys.stdin:
        start = now()
        results = request.infer(feed, share_inputs=True, share_outputs=True)
        seconds = now() - start
        if first:
            # (Where an Identity gives an output, its tensor has the names on both sides.)
            named = {name: np.array(v) for port, v in results.items() for name in port.get_names()}
            np.savez(folder / "out.npz", **named)  # pyright: ignore[reportArgumentType]
            first = False
        print(seconds, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3] or ["wall"])
