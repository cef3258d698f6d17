"""ONNX Runtime as users call it: one thread, one operator after the other, all its optimisations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime

from engines.protocol import Prepared, serve


def session_of(model: Path | bytes) -> onnxruntime.InferenceSession:
    """A session for a file, or for the bytes of one."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    source = str(model) if isinstance(model, Path) else model
    return onnxruntime.InferenceSession(source, options, ["CPUExecutionProvider"])


def given_to(session: onnxruntime.InferenceSession, feed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The part of a feed that the session reads (what a graph no longer reads it has no input of)."""
    known = {i.name for i in session.get_inputs()}
    return {name: array for name, array in feed.items() if name in known}


def prepare(model: Path, feed: Mapping[str, np.ndarray]) -> Prepared:
    """A session and its names."""
    session = session_of(model)
    given, names = given_to(session, feed), [o.name for o in session.get_outputs()]
    return Prepared(
        lambda: session.run(None, given),
        lambda results: dict(zip(names, map(np.asarray, results))),  # pyright: ignore[reportArgumentType]
    )


if __name__ == "__main__":
    serve(f"ONNX Runtime {onnxruntime.__version__}", prepare)
