"""Changes of the graph around a node: insert, replace, bracket."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.late import member

if TYPE_CHECKING:
    _Node = Any
else:
    _Node = object


class NodeEdits(_Node):
    """Methods of a node that change more than the node."""

    __slots__ = ()

    def insert_node_after(self, new_node: Any, node_out_port: int = 0) -> None:
        """Insert `new_node` between output `node_out_port` and its consumers.

        This is for the front phase. The output is connected to input 0 of `new_node`, and output 0 of `new_node` to all
        consumers.

        Errors: `mo-graph-edge` if there are data nodes.
        """
        graph = self.graph
        graph.refuse_data_nodes("insert_node_after")
        for _, consumer, key, edge in list(graph.out_edges(self.id, data=True, keys=True)):
            if edge["out"] == node_out_port:
                graph.remove_edge(self.id, consumer, key)
                graph.create_edge(new_node, self.sibling(consumer), 0, edge["in"])
        graph.create_edge(self, new_node, node_out_port, 0)

    def insert_op_on_input_port(
        self, in_port_idx: int, new_op_class: Any, new_op_attrs: dict[str, Any], value: Any = None
    ) -> Any:
        """Insert a new operation between input `in_port_idx` and its source.

        `value`, if given, becomes a constant at input 1 of the new operation.
        """
        port = self.in_port(in_port_idx)
        new = new_op_class(self.graph, new_op_attrs).create_node()
        source = port.get_source()
        port.get_connection().set_source(new.out_port(0))
        new.in_port(0).connect(source)
        if value is not None:
            attributes = {"value": value, "name": f"{new.name}/value"}
            constant = member("ops.const", "Const")(self.graph, attributes).create_node()
            new.in_port(1).connect(constant.out_port(0))
        return new

    def replace_node(self, new_node: Any, new_node_out_port: int | None = None) -> None:
        """Replace the node by `new_node`, which takes over its consumers.

        The edges keep their attributes, and the node is removed.

        With `new_node_out_port`, that output replaces output 0 of the node. Errors: `mo-graph-edge` for the same node, and with
        `new_node_out_port` if there are other outputs than 0.
        """
        graph = self.graph
        if self.id == new_node.id:
            raise Error("mo-graph-edge", f"'{self.id}' cannot be replaced by itself")
        last = self.out_nodes().values()
        result = next(iter(last)) if len(last) == 1 else None
        for _, consumer, edge in list(graph.out_edges(self.id, data=True)):
            edge = deepcopy(edge)
            if new_node_out_port is not None:
                if edge.get("out", 0) != 0:
                    raise Error(
                        "mo-graph-edge", f"output {edge['out']} of '{self.id}' is used: it has more than one"
                    )
                edge["out"] = new_node_out_port
            graph.add_edge(new_node.id, consumer, **edge)
        if result is not None and result.soft_get("op") == "Result":
            # The new node is an output of the model with a Result of its own.
            graph.remove_node(result.id)
            name = f"{new_node.id}/sink_port_0"
            attributes = {"name": name, "keep_output_port": False}
            member("ops.result", "Result")(graph).create_node([(new_node, 0)], attributes)
        graph.remove_node(self.id)

    def insert_node_with_data_before(
        self,
        inp: Any,
        new_op_class: Any,
        op_before_params: dict[str, Any] | None = None,
        infer_current: bool = False,
        additional_inputs: list[Any] | None = None,
    ) -> None:
        """Insert a new operation between the data node `inp` and this operation.

        This is for graphs with data nodes: the new operation gets its own.
        """
        graph = self.graph
        new = new_op_class(graph, op_before_params or {})
        edge = deepcopy(graph.get_edge_data(inp.id, self.id)[0])
        graph.remove_edge(inp.id, self.id)
        name = {"name": f"{self.name}{new_op_class.op}/Before"}
        data = new.create_node_with_data([inp, *(additional_inputs or [])], name)
        graph.add_edge(data.id, self.id, **edge)
        if infer_current:
            self.infer(self)

    def insert_node_with_data_after(
        self,
        out: Any,
        new_op_class: Any,
        op_after_params: dict[str, Any] | None = None,
        additional_inputs: list[Any] | None = None,
    ) -> None:
        """Insert a new operation between this operation and the data node `out`.

        This is for graphs with data nodes: the new operation computes `out` from this operation's result, which gets a new data
        node.
        """
        graph = self.graph
        new = new_op_class(graph, op_after_params or {})
        graph.remove_edge(self.id, out.id)
        data = graph.add_data_node(self, 0)
        self.infer(self)
        name = {"name": f"{self.name}{new_op_class.op}/After"}
        new.create_node_with_data([data, *(additional_inputs or [])], name, data_nodes=out)

    def bracket_with_different_nodes_with_data(
        self,
        inp: Any,
        out: Any,
        new_op_class_before: Any,
        new_op_class_after: Any,
        op_before_params: dict[str, Any] | None = None,
        op_after_params: dict[str, Any] | None = None,
    ) -> None:
        """Insert one new operation before and another after this operation.

        Both get their data nodes.
        """
        self.insert_node_with_data_before(inp, new_op_class_before, op_before_params)
        self.insert_node_with_data_after(out, new_op_class_after, op_after_params)

    def bracket_op_with_another_op(
        self,
        inp: Any,
        out: Any,
        new_op_class: Any,
        op_before_params: dict[str, Any] | None = None,
        op_after_params: dict[str, Any] | None = None,
    ) -> None:
        """Operations of one class before and after this one."""
        self.bracket_with_different_nodes_with_data(
            inp, out, new_op_class, new_op_class, op_before_params, op_after_params
        )
