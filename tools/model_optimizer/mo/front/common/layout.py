"""Meaning of each dimension in a layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import (
    dynamic_dimension,
    int64_array,
    mo_array,
    shape_array,
)

nchw_to_nhwc_permute = int64_array([0, 2, 3, 1])
nhwc_to_nchw_permute = int64_array([0, 3, 1, 2])
supported_layouts = ("NCHW", "NHWC")
indices_mapping = {4: {"NCHW": "NCHW", "NHWC": "NHWC"}, 5: {"NCHW": "NCDHW", "NHWC": "NDHWC"}}
"""By rank and the layout of images, a letter for each dimension."""

PARTS = {"batch": "N", "features": "C", "depth": "D", "height": "H", "width": "W"}


def convert_shape(shape: np.ndarray, permute: Any) -> np.ndarray:
    """The shape with its dimensions in that order."""
    return mo_array([shape[i] for i in permute])


def _position(layout: str, rank: int, letter: str) -> int:
    """Errors: `mo-layout`."""
    letters = indices_mapping.get(rank, {}).get(layout, "")
    if letter not in letters or not letter:
        raise Error("mo-layout", f"layout {layout} has no dimension {letter} at rank {rank}")
    return letters.index(letter)


def get_batch_dim(layout: str, shape_len: int) -> int:
    """Return the batch dimension of a layout.

    Errors: `mo-layout`, as of all of these, for another layout than NCHW and NHWC, or another rank than 4 and 5.
    """
    return _position(layout, shape_len, "N")


def get_features_dim(layout: str, shape_len: int) -> int:
    return _position(layout, shape_len, "C")


def get_depth_dim(layout: str, shape_len: int) -> int:
    return _position(layout, shape_len, "D")


def get_height_dim(layout: str, shape_len: int) -> int:
    return _position(layout, shape_len, "H")


def get_width_dim(layout: str, shape_len: int) -> int:
    return _position(layout, shape_len, "W")


def shape_for_layout(layout: str, **kwargs: Any) -> np.ma.MaskedArray:
    """Return the shape of a layout from its named extents.

    The extents are `batch`, `features`, `height`, `width` and, for rank 5, `depth`. Errors: `mo-layout`.
    """
    if not kwargs.keys() <= PARTS.keys():
        raise Error(
            "mo-layout", f"an extent is one of {', '.join(PARTS)}, and not all of {', '.join(kwargs)} are"
        )
    given = {PARTS[name]: extent for name, extent in kwargs.items() if name != "depth" or extent is not None}
    letters = indices_mapping[5 if "D" in given else 4].get(layout)
    if letters is None or set(letters) != given.keys():
        raise Error("mo-layout", f"a shape of layout {layout} is not made of {', '.join(kwargs)}")
    return shape_array([dynamic_dimension if given[letter] is None else given[letter] for letter in letters])
