"""Shapes are broadcast as numpy does it, with unknown extents; what cannot be is no shape, or an error for a value."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from loomir.tools.model_optimizer.mo import shapes as b
from loomir.tools.model_optimizer.mo.shapes import int64_array, shape_array, unmask_shape
from tests.support import raises_error

UNKNOWN = -1000000007


def numpys(*shapes: Any) -> list[int] | None:
    """Return numpy's broadcast shape of known shapes."""
    try:
        return list(np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError:
        return None


@pytest.mark.parametrize("seed", range(50))
def test_known_shapes(seed: int) -> None:
    rng = random.Random(seed)
    first, second = ([rng.choice([1, 2, 3]) for _ in range(rng.randint(0, 3))] for _ in range(2))
    both, one = numpys(first, second), None
    if both is not None and both == second:
        one = both
    assert unmask_shape(b.bi_directional_shape_broadcasting(shape_array(first), shape_array(second))) == both
    assert unmask_shape(b.uni_directional_shape_broadcasting(shape_array(first), shape_array(second))) == one


def test_unknown_extents() -> None:
    first, second = shape_array([UNKNOWN, 3, UNKNOWN]), shape_array([4, UNKNOWN, 1])
    assert unmask_shape(b.bi_directional_shape_broadcasting(first, second)) == [4, 3, -1]
    assert unmask_shape(b.uni_directional_shape_broadcasting(first, second)) == [4, 3, 1]


def test_values() -> None:
    value = np.array([[1.0], [2.0]], dtype=np.float32)
    assert b.uni_directional_broadcasting(value, int64_array([2, 2])).tolist() == [[1, 1], [2, 2]]
    assert b.bi_directional_broadcasting(value, int64_array([3])).shape == (2, 3)
    by_axis = b.explicit_broadcasting(np.array([1, 2]), int64_array([2, 3]), int64_array([0]))
    assert by_axis.tolist() == [[1, 1, 1], [2, 2, 2]]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (b.uni_directional_broadcasting, ([3, 3],)),
        (b.bi_directional_broadcasting, ([3, 3],)),
        (b.explicit_broadcasting, ([2, 3], [1, 0])),
        (b.explicit_broadcasting, ([3, 2], [0, 1])),
        (b.explicit_broadcasting, ([2, 1], [0])),
    ],
)
def test_values_that_do_not_fit(function: Any, arguments: Any) -> None:
    with raises_error("mo-infer-shape"):
        function(np.ones((2, 1)), *map(int64_array, arguments))
