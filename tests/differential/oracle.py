"""ONNX Runtime as the oracle of differential tests, and the engines compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnxruntime

from loomir.compiler.model import ENGINES, Engine, Model
from tests.support import assert_all_agree


def run_onnxruntime(
    model: onnx.ModelProto, feeds: Sequence[Mapping[str, np.ndarray]]
) -> list[dict[str, np.ndarray]]:
    """The outputs for each feed, without ONNX Runtime's own optimisations."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in model.graph.output]
    return [dict(zip(names, map(np.asarray, session.run(None, dict(feed))))) for feed in feeds]


def assert_engines_agree(
    model: Model,
    feeds: Sequence[Mapping[str, np.ndarray]],
    expected: Sequence[Mapping[str, np.ndarray]],
    *,
    engines: Sequence[Engine] = ENGINES,
    what: str = "",
) -> None:
    """Every engine gives what is expected for every feed."""
    for engine in engines:
        for number, (feed, wanted) in enumerate(zip(feeds, expected)):
            outputs = {name: np.asarray(value) for name, value in model.run(feed, engine=engine).items()}
            assert_all_agree(outputs, wanted, f"{what} {engine}, feed {number}:")
