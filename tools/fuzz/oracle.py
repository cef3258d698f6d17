"""ONNX Runtime, which says what a program means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
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


def onnxruntime_session(model: onnx.ModelProto | str | Path, *, optimised: bool = True) -> Any:
    """Create an `InferenceSession` whose results do not depend on the processor.

    The model is given as a path, or as the model itself. On a processor without VNNI, ONNX Runtime's products of u8 and s8
    are summed in 16 bits, which saturate; `session.x64quantprecision` makes ONNX Runtime widen them first (its
    documentation: "Quantize ONNX Models", on U8S8 and saturation).

    Error: `no-onnxruntime`.
    """
    onnxruntime = require_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = str(model) if isinstance(model, str | Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


GONE = "was false. Trying to get a Tensor"
"""Message of ONNX Runtime 1.31 for an outer-scope value freed too early.

ONNX Runtime freed a value of an outer scope that an inner body still reads. (Observed with a condition that is cast
twice, and read through an Identity two loops further in: `loomir-fuzz --seed 2026 --start 1741`.)
"""


class OracleFault(Exception):
    """Error for a failure by a fault of ONNX Runtime itself.

    Nothing is known of the program.
    """


def run_onnxruntime(
    model: onnx.ModelProto, feeds: Sequence[Mapping[str, np.ndarray]]
) -> list[dict[str, np.ndarray]]:
    """Return ONNX Runtime's outputs for each feed.

    ONNX Runtime runs on one thread, without its own optimisations. Raises `OracleFault`.

    Error: `no-onnxruntime`.
    """
    session = onnxruntime_session(model, optimised=False)
    names = [output.name for output in model.graph.output]
    try:
        return [dict(zip(names, map(np.asarray, session.run(None, dict(feed))))) for feed in feeds]
    except Exception as error:
        if GONE in str(error):
            raise OracleFault("a value of an outer scope is gone") from error
        raise
