"""loomir's native engine: C for this processor, called as from Python."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np

import loomir
from engines.protocol import Prepared, serve


def prepare(model: Path, feed: Mapping[str, np.ndarray]) -> Prepared:
    """The extents of the feed are those of the model."""
    shapes = {name: list(array.shape) for name, array in feed.items()}
    compiled = loomir.load(model, machine="native", shapes=shapes).compile()

    def collect(results: object) -> dict[str, np.ndarray]:
        assert isinstance(results, Mapping)
        return {name: np.asarray(array) for name, array in results.items()}

    return Prepared(lambda: compiled.run(feed), collect)


if __name__ == "__main__":
    serve(f"loomir {version('loomir')}", prepare)
