"""Node attributes that depend on a tensor's layout at a port."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array


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
                    f"it is not known how attribute '{name}' changes with the layout of '{port}'",
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
