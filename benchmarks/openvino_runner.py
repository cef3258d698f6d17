"""OpenVINO in a process of its own: it runs `model.onnx` of a folder once for every line it reads.

Prints the seconds of each run. The first one leaves its results in `out.npz`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import openvino as ov


def main(folder: Path) -> None:
    core = ov.Core()
    options = {
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": "1",
        "NUM_STREAMS": "1",
        "PERFORMANCE_HINT": "LATENCY",
    }
    (model,) = [p for p in (folder / "model.onnx", folder / "model.xml") if p.exists()]
    compiled = core.compile_model(core.read_model(model), "CPU", options)
    request = compiled.create_infer_request()
    with np.load(folder / "feed.npz") as stored:
        feed = {name: stored[name] for name in stored.files}
    first = True
    for _ in sys.stdin:
        start = time.perf_counter()
        results = request.infer(feed, share_inputs=True, share_outputs=True)
        seconds = time.perf_counter() - start
        if first:
            named = {output.get_any_name(): np.array(value) for output, value in results.items()}
            np.savez(folder / "out.npz", **named)  # pyright: ignore[reportArgumentType]
            first = False
        print(seconds, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
