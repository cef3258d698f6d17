"""Graph that transformations work on.

It is a multigraph of networkx whose nodes are operations and, later, data.

In the front phase edges connect operations directly and have both ports, 'out' and 'in'. From the middle phase on each
output of an operation has a data node with `shape` and `value`: edges to it have 'out', edges from it to operations
'in'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import networkx as nx
import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered, member
from loomir.tools.model_optimizer.mo.graph.attributes import (
    INDEXED,
    INFO,
    EdgeAttributes,
    NameCounts,
    NodeAttributes,
    NodeTable,
    dict_includes,
    dict_includes_compare_attrs,
    names_in,
)
from loomir.tools.model_optimizer.mo.graph.functions import (
    GraphOrder,
    GraphReports,
    add_opoutput,
    check_empty_graph,
    copy_node,
    create_edge,
    create_sub_graph_copy,
    dict_to_ordered_dict,
    dump_graph_for_graphviz,
    erase_node,
    fill_graph_with_nodes,
    get_edge_attribute_between_nodes,
    get_graph_ops,
    get_inputs,
    get_inputs_with_ports,
    get_node_id_by_name,
    get_outputs,
    get_sorted_inputs,
    get_sorted_outputs,
    insert_node_after,
    merge_edge_props,
    print_graph_stat,
    rename_node,
    rename_nodes,
    replace_node,
    set_edge_attribute_between_nodes,
)
from loomir.tools.model_optimizer.mo.graph.node import CONTROL_FLOW, Node
from loomir.tools.model_optimizer.mo.graph.port import Port
from loomir.tools.model_optimizer.mo.op_attributes import add_attrs_props

__all__ = [
    "Graph",
    "Node",
    "Port",
    "add_opoutput",
    "check_empty_graph",
    "copy_node",
    "create_edge",
    "create_sub_graph_copy",
    "dict_includes",
    "dict_includes_compare_attrs",
    "dict_to_ordered_dict",
    "dump_graph_for_graphviz",
    "erase_node",
    "fill_graph_with_nodes",
    "get_edge_attribute_between_nodes",
    "get_graph_ops",
    "get_inputs",
    "get_inputs_with_ports",
    "get_node_id_by_name",
    "get_outputs",
    "get_sorted_inputs",
    "get_sorted_outputs",
    "insert_node_after",
    "merge_edge_props",
    "print_graph_stat",
    "rename_node",
    "rename_nodes",
    "replace_node",
    "set_edge_attribute_between_nodes",
]

KEPT = ("ShapeOf", "Shape", "slice_like")
"""Operation types that stay although their values are known.

Computations on their results stay too, so that the model can be reshaped.
"""

DATA_ATTRIBUTES = {"kind": "data", "value": None, "shape": None, "data_type": None, "infer": None}
"""Attributes of a new data node, besides its name."""


class Graph(GraphOrder, GraphReports, nx.MultiDiGraph):
    """Graph of nodes by identifier, with attributes.

    `graph` is a dictionary of the attributes of the whole graph.

    `stage` is 'front', 'middle' or 'back', None while a model is loaded. In `strict_mode` an edge that does not fit is an
    error.
    """

    node_dict_factory: Any = NodeTable
    node_attr_dict_factory: Any = NodeAttributes
    edge_attr_dict_factory: Any = EdgeAttributes
    _node: NodeTable

    def __init__(self, data: Any = None, **attr: Any) -> None:
        self.stage: str | None = None
        self.strict_mode = True
        self._names = NameCounts()
        self.unique_id_count = 0
        self.op_names_statistic: Counter[str] = Counter()
        self.inputs_order: list[str] = []
        self.outputs_order: list[str] = []
        super().__init__(data, **attr)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise attribute_not_covered("Graph", name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        new = type(self)()
        memo[id(self)] = new
        new.graph.update(deepcopy(self.graph, memo))
        for node, attributes in self._node.items():
            new.add_node(node, **deepcopy(dict(attributes), memo))
        for source, target, key, attributes in self.edges(keys=True, data=True):
            new.add_edge(source, target, key, **deepcopy(attributes, memo))
        # Only now: what is there was allowed once, whatever the stage allows to be added.
        for name in ("stage", "strict_mode", "unique_id_count", "inputs_order", "outputs_order"):
            setattr(new, name, deepcopy(getattr(self, name), memo))
        return new

    @property
    def node(self) -> Any:
        """Attributes by node."""
        return self.nodes

    # Nodes and edges.

    def add_node(self, node_for_adding: Any, **attr: Any) -> None:
        super().add_node(node_for_adding, **attr)
        Node(self, node_for_adding).update_node()

    def add_nodes_from(self, nodes_for_adding: Iterable[Any], **attr: Any) -> None:
        """Add nodes, each given as an identifier, or paired with attributes.

        `attr` are attributes of all these nodes.
        """
        for each in nodes_for_adding:
            node, own = (
                each
                if isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], dict)
                else (each, {})
            )
            self.add_node(node, **{**attr, **own})

    def add_edge(self, u_for_edge: Any, v_for_edge: Any, key: Any = None, **attr: Any) -> Any:
        """Add an edge.

        Errors, in strict mode: `mo-graph-node` and `mo-graph-edge`, if the stage does not allow the edge or a port is missing.
        """
        if self.strict_mode:
            self._check_edge(Node(self, u_for_edge), Node(self, v_for_edge), attr)
        key = super().add_edge(u_for_edge, v_for_edge, key=key, **attr)
        self._succ[u_for_edge][v_for_edge][key].bind(self._names, u_for_edge)
        return key

    def remove_edge(self, u: Any, v: Any, key: Any = None) -> None:
        """Remove the edge with `key` between the nodes, or the last."""
        edges = self._succ.get(u, {}).get(v, {})
        if edges and (key is None or key in edges):
            edges[next(reversed(edges)) if key is None else key].release()
        super().remove_edge(u, v, key=key)

    def remove_node(self, n: Any) -> None:
        """The node, and all edges at it."""
        for edges in (*self._succ.get(n, {}).values(), *self._pred.get(n, {}).values()):
            for edge in edges.values():
                edge.release()
        super().remove_node(n)

    def remove_nodes_from(self, nodes: Iterable[Any]) -> None:
        """Those of the nodes that are there."""
        for node in list(nodes):
            if node in self:
                self.remove_node(node)

    def names_of_output(self, node: Any, port: Any) -> list[Any]:
        """Return the pairs that name the tensor of an output.

        The pairs are those of all edges from the output, without duplicates.
        """
        return self._names.of((node, port))

    def _check_edge(self, source: Node, target: Node, edge: dict[str, Any]) -> None:
        kinds = source.soft_get("kind"), target.soft_get("kind")
        if self.stage == "front":
            allowed, ports = [("op", "op")], (("out", source), ("in", target))
        elif self.stage in ("middle", "back"):
            allowed = [("op", "data"), ("data", "op")]
            ports = (("out", source),) if kinds[0] == "op" else (("in", target),)
        else:
            return
        what = f"from '{source.id}' to '{target.id}'"
        if kinds not in allowed:
            hint = "the front phase connects operations, later phases an operation and a data node"
            raise Error(
                "mo-graph-edge",
                f"no edge goes {what}, from {kinds[0]} to {kinds[1]} in {self.stage}",
                hint=hint,
            )
        control_flow = edge.get("control_flow_edge") is True and self.stage == "front"
        for name, node in ports:
            if name not in edge:
                raise Error(
                    "mo-graph-edge", f"the edge {what} has no attribute '{name}', the number of a port"
                )
            idx = f"{CONTROL_FLOW}{edge[name]}" if control_flow else edge[name]
            if not node.has_port(name, idx, control_flow):
                raise Error("mo-graph-edge", f"the edge {what} needs {name}put port {idx} of '{node.id}'")

    def add_edges_from(self, ebunch_to_add: Iterable[Any], **attr: Any) -> None:
        """Add edges given as tuples.

        A tuple has two ends, optionally followed by a key, attributes or both; `attr` are attributes of all edges. Errors:
        `mo-graph-edge`.
        """
        for edge in ebunch_to_add:
            key, own = None, {}
            if len(edge) == 4:
                *_, key, own = edge
            elif len(edge) == 3:
                own = edge[2]
            elif len(edge) != 2:
                raise Error("mo-graph-edge", f"an edge is a tuple of 2, 3 or 4, not {edge}")
            self.add_edge(edge[0], edge[1], key=key, **{**attr, **own})

    def create_edge(
        self,
        src_node: Node,
        dst_node: Node,
        out_port: int = 0,
        in_port: int = 0,
        edge_attrs: dict[str, Any] | None = None,
    ) -> None:
        """Add an edge from an operation's output to an operation's input.

        Errors: as `add_edge`.
        """
        attributes = {
            **(edge_attrs or {}),
            "in": in_port,
            "out": out_port,
            "in_attrs": ["in", "permutation"],
            "out_attrs": ["out", "permutation"],
            "data_attrs": [INFO],
        }
        self.add_edge(src_node.id, dst_node.id, **attributes)

    def add_data_node(self, op_node: Node, out_port: Any, attrs: Any = None, edge_attrs: Any = None) -> Node:
        """Add a data node at output `out_port` of an operation.

        The output must not have one. Errors: `mo-graph-data`.
        """
        if op_node.neighbour("out", out_port, False) is not None:
            raise Error("mo-graph-data", f"output {out_port} of '{op_node.id}' has a data node already")
        identifier = self.unique_id(op_node.id)
        self.add_node(identifier, **add_attrs_props({**DATA_ATTRIBUTES, "name": identifier, **(attrs or {})}))
        self.add_edge(op_node.id, identifier, **{"out": out_port, **(edge_attrs or {})})
        return Node(self, identifier)

    def refuse_data_nodes(self, what: str) -> None:
        """Errors: `mo-graph-edge` if there are data nodes, which `what` is not for."""
        if any(self._node.index.having("kind", "data")):
            raise Error("mo-graph-edge", f"{what} is for the front phase, but there are data nodes")

    def erase_node(self, node: Node) -> None:
        """Remove a node and connect its only input's source to its consumers.

        This is for the front phase. Errors: `mo-graph-edge`.
        """
        self.refuse_data_nodes("erase_node")
        inputs, outputs = (
            list(self.in_edges(node.id, data=True)),
            list(self.out_edges(node.id, data=True)),
        )
        if len(inputs) > 1 or len(node.out_nodes()) > 1:
            raise Error("mo-graph-edge", f"'{node.id}' has several inputs or outputs and cannot be erased")
        self.remove_node(node.id)
        if not inputs:
            return
        source, _, taken = inputs[0]
        if not outputs and node.soft_get("op") == "Result":
            # What is an output of the model stays one.
            add_opoutput(self, source, taken["out"], cut=False)
        for _, target, edge in outputs:
            self.add_edge(source, target, **{**edge, "out": taken["out"]})

    # Finding nodes.

    def get_nodes_with_attributes(self, **attrs: Any) -> list[Any]:
        """Return identifiers of the nodes with these attributes, in graph order."""
        found = [
            self._node.index.having(k, v) for k, v in attrs.items() if k in INDEXED and isinstance(v, str)
        ]
        if not found:
            return [n for n, d in self._node.items() if _includes(d, attrs)]
        fewest = min(found, key=len)
        return sorted(
            (n for n in fewest if _includes(self._node[n], attrs)), key=lambda n: self._node[n].serial
        )

    def get_op_nodes(self, **attrs: Any) -> list[Node]:
        """Operations whose attributes include these."""
        return [Node(self, n) for n in self.get_nodes_with_attributes(kind="op", **attrs)]

    def get_data_nodes(self, has_value: bool | None = None) -> list[Node]:
        """Data nodes: all, or those with a value, or those without."""
        nodes = [Node(self, n) for n in self.get_nodes_with_attributes(kind="data")]
        return [node for node in nodes if has_value is None or node.has_valid("value") == has_value]

    def get_node_id_by_name(self, name: str) -> Any:
        """Errors: `mo-graph-node` if no node or several have the name."""
        nodes = self.get_nodes_with_attributes(name=name)
        if len(nodes) != 1:
            raise Error("mo-graph-node", f"{len(nodes)} nodes have the name '{name}', not one")
        return nodes[0]

    def get_inputs_with_ports(
        self,
        match: dict[str, Node],
        pattern_edges: Iterable[Sequence[Any]],
        input_names_in_pattern: Iterable[str],
    ) -> list[tuple[Node, int]]:
        """Return each named node of a match with its used output.

        The output is that of the only edge from the node in the pattern.

        Errors: `mo-graph-edge` if a name has none or several edges in the pattern.
        """
        pairs: list[tuple[Node, int]] = []
        for name in input_names_in_pattern:
            targets = [match[edge[1]] for edge in pattern_edges if edge[0] == name]
            if len(targets) != 1:
                raise Error("mo-graph-edge", f"'{name}' has {len(targets)} edges in the pattern, not one")
            pairs.append((match[name], self.get_edge_data(match[name].id, targets[0].id)[0]["out"]))
        return pairs

    def unique_id(self, prefix: str = "") -> str:
        """Return an unused node identifier.

        It is `prefix` itself if that is free, otherwise `prefix` followed by a number.
        """
        self.unique_id_count = max(self.unique_id_count, self.number_of_nodes()) + 1
        if prefix and not self.has_node(prefix):
            return str(prefix)
        while self.has_node(f"{prefix}{self.unique_id_count}"):
            self.unique_id_count += 1
        return f"{prefix}{self.unique_id_count}"

    # The graph as a whole.

    def clean_up(self, undead_node_types: list[str] | None = None) -> None:
        """Infer marked nodes, and remove dead and constant computations.

        Dead nodes lead to no output. Constant computations only compute constants.

        Computations on shapes stay unless the command has `static_shape`; `undead_node_types` are more types that stay.
        """
        static = getattr(self.graph.get("cmd_params"), "static_shape", False)
        kept = [*(undead_node_types or []), *(() if static else KEPT)]
        member("middle.passes.eliminate", "clean_up")(self, kept)

    def create_sub_graph_copy(self, nodes_to_extract: Iterable[Any]) -> Graph:
        """Return an independent graph with copies of the nodes and their edges.

        Only the edges between these nodes are copied.
        """
        return self.subgraph(nodes_to_extract).copy()

    def get_tensor_names_set(self) -> set[str]:
        """The framework's names of all tensors."""
        names: set[str] = set()
        if self.stage in ("front", None):
            for _, _, edge in self.edges(data=True):
                names.update(names_in(edge.get(INFO) or ()))
        else:
            for attributes in self._node.values():
                names.update(names_in(attributes.get(INFO) or ()))
        return names

    def has_tensor_name(self, tensor_name: str) -> bool:
        return tensor_name in self.get_tensor_names_set()

    def set_node_attributes(self, name: str, values: Any) -> None:
        """An attribute of all nodes, or by node."""
        nx.set_node_attributes(self, values=values, name=name)


def _includes(attributes: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(k in attributes and np.all(attributes[k] == v) for k, v in wanted.items())
