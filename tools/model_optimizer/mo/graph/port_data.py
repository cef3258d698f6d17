"""`port.data`: shape and value of the tensor at a port.

From the middle phase on, data nodes hold them.
"""

from __future__ import annotations

from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import (
    int64_array,
    shape_array,
    strict_compare_tensors,
)


class PortData:
    """Access to the data node at a port.

    In the front phase there is no data node: reading returns None, and nothing can be set.
    """

    __slots__ = ("_port",)

    def __init__(self, port: Any) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        raise attribute_not_covered("Port.data", name)

    def _node(self) -> Any:
        """The data node, or None where there is none."""
        port = self._port
        if port.node.graph.stage == "front":
            return None
        return port.node.neighbour(port.type, port.idx, port.control_flow)

    def _existing(self, what: str) -> Any:
        node = self._node()
        if node is None:
            raise Error(
                "mo-graph-data",
                f"{self._port.type}put port {self._port.idx} has no data node: its {what} cannot be used",
                layer=str(self._port.node.soft_get("name", self._port.node.id)),
                hint="the front phase has no data nodes; later a port has one as soon as it is connected",
            )
        return node

    def get_shape(self) -> Any:
        """Return the shape with unknown dimensions masked; None if unranked.

        None means that not even the rank is known.

        Errors: `mo-graph-data` if nothing is connected.
        """
        return None if self._port.node.graph.stage == "front" else self._existing("shape").shape

    def set_shape(self, shape: Any) -> None:
        """Set the shape.

        Errors: `mo-graph-data` if there is no data node, or one with a value of another shape.
        """
        node = self._existing("shape")
        shape = shape_array(shape)
        held = node.has_valid("value")
        if held and not self._port.node.has_and_set("override_output_shape"):
            old = node.soft_get("force_shape", node.shape)
            if self._port.type == "in" or not strict_compare_tensors(old, shape):
                raise Error(
                    "mo-graph-data",
                    f"a value of shape {old} is there already, which is not {shape}",
                    layer=str(self._port.node.soft_get("name", self._port.node.id)),
                )
        node["shape"] = shape

    def get_value(self) -> Any:
        """The value, or None where it is not known."""
        return self.get_attr("value")

    def set_value(self, value: Any) -> None:
        """Set the value and with it the shape.

        A constant that produces the value gets both. Errors: `mo-graph-data`.
        """
        node = self._existing("value")
        producer = (
            node.in_node(control_flow=self._port.control_flow) if self._port.type == "in" else self._port.node
        )
        forced = node.soft_get("force_shape", producer.soft_get("force_shape", None))
        shape = int64_array(value.shape if forced is None else forced)
        for holder in (node, producer) if producer.soft_get("type") == "Const" else (node,):
            holder["value"], holder["shape"] = value, shape

    def get_attr(self, item: str) -> Any:
        """An attribute of the data node, or None."""
        node = self._node()
        return None if node is None else node.soft_get(item, None)

    def has_valid(self, item: str) -> bool:
        """Return True if the data node's attribute exists and is not None."""
        return self.get_attr(item) is not None
