"""Outputs of a model as a command prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from loomir.dialects.element_types import dtype_name


def print_outputs(outputs: Mapping[str, Any]) -> None:
    """Print the name, element type, shape and contents of each output.

    A sequence is printed by its elements.
    """
    for name, value in outputs.items():
        if value is None:
            print(f"{name}: none")
            continue
        if isinstance(value, list):
            print(f"{name}: sequence of {len(value)}")
        for each, array in arrays_of({name: value}):
            print(f"{each}: {dtype_name(array.dtype)}{list(array.shape)}")
            print(np.array2string(array, threshold=64, precision=6))


def arrays_of(outputs: Mapping[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Generate the arrays among outputs, with their names.

    The elements of a sequence `x` are `x[0]`, `x[1]` …
    """
    for name, value in outputs.items():
        if isinstance(value, list):
            yield from ((f"{name}[{index}]", array) for index, array in enumerate(value))
        elif value is not None:
            yield name, value
