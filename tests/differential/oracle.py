"""ONNX Runtime as the oracle of differential tests, and the engines compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from loomir.compiler.model import ENGINES, Engine, Model
from loomir.tools.fuzz.onnx_oracle import run_onnxruntime
from tests.support import assert_all_agree

__all__ = ["assert_engines_agree", "run_onnxruntime"]


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
