"""tract: a model in Rust, analysed and optimised, by its binding for Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import tract

from engines.protocol import Prepared, serve


def prepare(model: Path, feed: Mapping[str, np.ndarray]) -> Prepared:
    """The extents of the feed are those of the model."""
    inference = tract.onnx().load(model)
    count = inference.input_count()
    given = [np.ascontiguousarray(feed[inference.input_name(k)]) for k in range(count)]
    for k, array in enumerate(given):
        kind = {"float": "F", "int": "I"}.get(array.dtype.name.rstrip("0123456789"), "")
        element = f"{kind}{8 * array.itemsize}" if kind else array.dtype.name
        inference.set_input_fact(k, ",".join([*map(str, array.shape), element]))
    runnable = inference.into_model().into_runnable()
    names = [o.name for o in onnx.load(model).graph.output]

    def collect(results: object) -> dict[str, np.ndarray]:
        assert isinstance(results, list)
        return {name: np.array(each.to_numpy()) for name, each in zip(names, results)}

    return Prepared(lambda: runnable.run(given), collect)


if __name__ == "__main__":
    serve(f"tract {tract.version()}", prepare)
