"""OpenVINO's CPU plugin: one thread, one stream, f32."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import openvino as ov

from engines.protocol import Prepared, serve

OPTIONS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": "1",
    "NUM_STREAMS": "1",
    "PERFORMANCE_HINT": "LATENCY",
}


def prepare(model: Path, feed: Mapping[str, np.ndarray]) -> Prepared:
    """Inputs and outputs are shared with numpy, so that a call copies nothing."""
    core = ov.Core()
    network = core.read_model(model)
    known = {name for port in network.inputs for name in port.get_names()}
    given = {name: array for name, array in feed.items() if name in known}
    if network.is_dynamic():
        # As loomir has it: every extent is known when the network is compiled.
        network.reshape({name: list(array.shape) for name, array in given.items()})
    request = core.compile_model(network, "CPU", OPTIONS).create_infer_request()

    def collect(results: object) -> dict[str, np.ndarray]:
        # (Where an Identity gives an output, its tensor has the names on both sides.)
        assert isinstance(results, Mapping)
        return {name: np.array(v) for port, v in results.items() for name in port.get_names()}

    return Prepared(lambda: request.infer(given, share_inputs=True, share_outputs=True), collect)


if __name__ == "__main__":
    serve(f"OpenVINO {ov.__version__.partition('-')[0]}", prepare)
