"""ONNX Runtime, which says what a program means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from loomir.errors import Error


def require_onnxruntime() -> Any:
    """The package. Error: `no-onnxruntime`."""
    try:
        import onnxruntime
    except ImportError as error:
        raise Error(
            "no-onnxruntime",
            "random programs are compared with ONNX Runtime, which is not installed",
            hint="pip install 'loomir[fuzz]'",
        ) from error
    return onnxruntime


def run_onnxruntime(
    model: onnx.ModelProto, feeds: Sequence[Mapping[str, np.ndarray]]
) -> list[dict[str, np.ndarray]]:
    """The outputs for each feed, without ONNX Runtime's own optimisations, on one thread. Error: `no-onnxruntime`."""
    onnxruntime = require_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in model.graph.output]
    return [dict(zip(names, map(np.asarray, session.run(None, dict(feed))))) for feed in feeds]
