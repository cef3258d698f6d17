"""Attributes of operations: IR texts, layouts, small helpers.

All nodes that an operation creates have attributes that list the attributes that hold dimensions or shapes.

A layout gives each dimension its meaning: attributes say where batch, channels and spatial dimensions are, and some
depend on a tensor's layout at a port.

The small functions at the end are those that extensions import from `utils.utils`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.shapes import dynamic_dimension, int64_array, mo_array, shape_array

DIM_ATTRIBUTES = ("spatial_dims", "channel_dims", "batch_dims", "axis")
SHAPE_ATTRIBUTES = ("shape", "pad", "window", "stride", "output_shape")


def update_attrs(attrs: Any, attr: str, new: str | list[str]) -> None:
    """Add the missing items of `new` to the list `attrs[attr]`.

    The list is created if it does not exist.
    """
    old = attrs[attr] if attr in attrs else ()  # noqa: SIM401 (a node has no get)
    attrs[attr] = list(dict.fromkeys([*old, *([new] if isinstance(new, str) else new)]))


def add_attrs_props(attrs: dict[str, Any]) -> dict[str, Any]:
    """Adds which attributes hold dimensions and which shapes; returns `attrs`."""
    update_attrs(attrs, "dim_attrs", list(DIM_ATTRIBUTES))
    update_attrs(attrs, "shape_attrs", list(SHAPE_ATTRIBUTES))
    return attrs


def bool_to_str(node: Any, attr: str) -> str | None:
    """Convert a truth value to IR's text; None if there is none.

    0, 1 and their digits are also truth values. Errors: `mo-op-attribute`.
    """
    value = node.soft_get(attr, None)
    if value is None:
        return None
    if str(value) in ("0", "1", "True", "False"):
        return str(str(value) in ("1", "True")).lower()
    what = f"attribute '{attr}' is {value}, which is not a boolean"
    raise Error("mo-op-attribute", what, layer=str(node.soft_get("name")), op=str(node.soft_get("op")))


def joined(node: Any, attr: str) -> str | None:
    """Convert an attribute to text; None if there is none.

    The elements of a list are separated by commas.
    """
    if not node.has_valid(attr):
        return None
    value = node[attr]
    return ",".join(map(str, value)) if isinstance(value, list | tuple) or np.ndim(value) else str(value)


attr_getter = joined


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


def layout_attrs() -> dict[str, Any]:
    """Those of images with channels in front."""
    return {
        "spatial_dims": int64_array([2, 3]),
        "channel_dims": int64_array([1]),
        "batch_dims": int64_array([0]),
        "layout": "NCHW",
    }


def _elements_moved(node: Any, permutation: Any, attr: str) -> Any:
    """A list by dimension: its elements move with them."""
    return node[attr][permutation.perm]


def _positions_renamed(node: Any, permutation: Any, attr: str) -> Any:
    """Numbers of dimensions: they become the new numbers."""
    return permutation.inv[node[attr]]


def _order_moved(node: Any, permutation: Any, attr: str) -> Any:
    return permutation.inv[node[attr][permutation.perm]]


def _mask_moved(node: Any, permutation: Any, attr: str) -> Any:
    """Permute the mask of a slice according to its own length.

    The tensor's rank does not matter.
    """
    return node[attr][PermuteAttrs.get_nhwc_to_nchw_permutation(len(node[attr])).perm]


_BY_DIMENSION = (
    "dim",
    "pad",
    "pads",
    "shape",
    "stride",
    "window",
    "dilation",
    "kernel_shape",
    "output_shape",
)
_MASKS = ("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask")
_POSITIONS = (
    *("axes", "axis", "seq_axis", "batch_axis", "batch_dims", "channel_dims", "spatial_dims"),
    *("input_channel_dim", "output_channel_dim", "kernel_spatial_idx", "input_feature_channel"),
    "output_feature_channel",
)


class PermuteAttrs:
    """Changes of a node's attributes with the layout at a port.

    A port is, for example, 'input:0' or 'output:0'.
    """

    class Permutation(NamedTuple):
        """Permutation of dimensions and its inverse.

        `perm[i]` is the old number of the new dimension i, `inv` the inverse.
        """

        perm: Any
        inv: Any

    class Attr(NamedTuple):
        """`func(node, permutation, name)` gives the new value."""

        name: str
        port: str
        func: Callable[[Any, Any, str], Any]

    common_permutation = staticmethod(_elements_moved)
    slice_permutation = staticmethod(_mask_moved)
    common_permutation_inv = staticmethod(_positions_renamed)
    common_attrs_permutation: dict[str, Callable[[Any, Any, str], Any]] = {
        **dict.fromkeys(_BY_DIMENSION, _elements_moved),
        **dict.fromkeys(_MASKS, _mask_moved),
        **dict.fromkeys(_POSITIONS, _positions_renamed),
        "order": _order_moved,
    }

    def __init__(self) -> None:
        self.attrs: dict[str, PermuteAttrs.Attr] = {}

    def update_attrs(self, attrs: Iterable[tuple[Any, ...]]) -> PermuteAttrs:
        """Add attributes: pairs of name and port, or triples with a function.

        Errors: `mo-permutation`.
        """
        for name, port, *function in attrs:
            func = function[0] if function else self.common_attrs_permutation.get(name)
            kind, _, number = port.partition(":")
            if func is None or kind not in ("input", "output") or not number.isdigit():
                raise Error(
                    "mo-permutation",
                    f"the change of attribute '{name}' with the layout of '{port}' is unknown",
                    hint="a port is 'input:0' or 'output:0'; an attribute of a name of its own needs a function",
                )
            self.attrs[name] = self.Attr(name, port, func)
        return self

    def permute_attrs(self, node: Any) -> None:
        """Changes the attributes of those ports whose data nodes have a permutation."""
        for name, port, func in self.attrs.values():
            kind, _, number = port.partition(":")
            data = (node.in_node if kind == "input" else node.out_node)(int(number))
            if data.has_valid("permutation"):
                permutation = data.permutation
                node[name] = func(node, permutation(node) if callable(permutation) else permutation, name)

    @staticmethod
    def create_permute_attrs(node: Any, attrs: Iterable[tuple[Any, ...]] = ()) -> None:
        """Adds them to the node's. Errors: `mo-permutation`."""
        if not node.has_valid("permute_attrs"):
            node["permute_attrs"] = PermuteAttrs()
        node["permute_attrs"].update_attrs(attrs)

    @staticmethod
    def set_permutation(node1: Any, node2: Any, permutation: Any, override: bool = False) -> None:
        """Set the permutation of the edge between two nodes.

        Errors: `mo-permutation` if the edge has another one and `override` is not set.
        """
        edge = node1.graph.get_edge_data(node1.id, node2.id)[0]
        if "permutation" in edge and not override and not np.array_equal(edge["permutation"], permutation):
            raise Error(
                "mo-permutation", f"the edge from '{node1.id}' to '{node2.id}' has another permutation"
            )
        edge["permutation"] = permutation

    @staticmethod
    def get_inverse_permutation(perm: Any) -> list[int]:
        inverse = [0] * len(perm)
        for new, old in enumerate(perm):
            inverse[old] = new
        return inverse

    @staticmethod
    def _moving_channels(order: list[int]) -> PermuteAttrs.Permutation:
        # Tensors of rank 3 keep their layout.
        perm = sorted(order) if len(order) == 3 else order
        return PermuteAttrs.Permutation(
            int64_array(perm), int64_array(PermuteAttrs.get_inverse_permutation(perm))
        )

    @staticmethod
    def get_nhwc_to_nchw_permutation(dims_number: int) -> PermuteAttrs.Permutation:
        """For tensors of that rank."""
        rest = list(range(1, dims_number))
        return PermuteAttrs._moving_channels([0, *rest[-1:], *rest[:-1]][:dims_number])

    @staticmethod
    def get_nchw_to_nhwc_permutation(dims_number: int) -> PermuteAttrs.Permutation:
        """For tensors of that rank."""
        rest = list(range(1, dims_number))
        return PermuteAttrs._moving_channels([0, *rest[1:], *rest[:1]][:dims_number])


def refer_to_faq_msg(question_num: int) -> str:
    """Return a message suffix that refers to the Model Optimizer's FAQ.

    It names the question of the FAQ about the message.
    """
    return f" (question {question_num} of the Model Optimizer's FAQ)"


def check_values_equal(val1: Any, val2: Any) -> Any:
    """Return True if two values are equal; each may be None."""
    if val1 is None or val2 is None:
        return val1 is None and val2 is None
    return val1 == val2


class NamedAttrsClass:
    """An object with these fields."""

    def __init__(self, class_attrs: dict[str, Any]) -> None:
        vars(self).update(class_attrs)


def match_shapes(pattern: np.ndarray, shape: np.ndarray) -> bool:
    """Return True if `shape` matches `pattern`.

    Zeros and unknown dimensions of the pattern match any extent.
    """
    if pattern.size != shape.size:
        return False
    asked = [
        i for i, dimension in enumerate(pattern) if dimension is not dynamic_dimension and dimension != 0
    ]
    return bool(np.ma.allequal(pattern[asked], shape[asked]))


def symm_match_shapes(shape1: np.ndarray, shape2: np.ndarray) -> bool:
    """Return True if one of the shapes matches the other as pattern."""
    return match_shapes(shape1, shape2) or match_shapes(shape2, shape1)


def deprecated_api(
    class_name: Any = None, new_method_name: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: calls warn, and name what to use."""

    def deprecated(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def warning(*arguments: Any, **options: Any) -> Any:
            owner = getattr(class_name, "__name__", class_name)
            better = f": use {owner}.{new_method_name or function.__name__}" if owner else ""
            warnings.warn(f"{function.__name__} is deprecated{better}", DeprecationWarning, stacklevel=2)
            return function(*arguments, **options)

        return warning

    return deprecated


array_to_str = joined


def shrink_str_value(value: Any, max_symbols: int = 100) -> str:
    """`value` as text of at most that many characters."""
    text = str(value)
    return text if len(text) <= max_symbols else text.strip("\n")[: max_symbols - 3] + "..."


def group_by_with_binary_predicate(
    xs: Sequence[Any], predicate: Callable[[Any, Any], bool]
) -> list[list[Any]]:
    """Split `xs` into groups of consecutive elements.

    A new group begins where `predicate` of an element and the next is false.
    """
    groups: list[list[Any]] = [[xs[0]]] if xs else []
    for before, after in pairwise(xs):
        if predicate(before, after):
            groups[-1].append(after)
        else:
            groups.append([after])
    return groups


def unique_by(xs: Sequence[Any], predicate: Callable[[Any, Any], bool]) -> list[Any]:
    """The first of each of those groups."""
    return [group[0] for group in group_by_with_binary_predicate(xs, predicate)]
