"""Conversion of a graph to the operations of its block.

Unchanged operations are kept in place; new or changed nodes become layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.ov.layers import OWN
from loomir.dialects.ov.layers.format import VERSIONS, first_opset, operator_name
from loomir.errors import Error
from loomir.tools.model_optimizer.mo.bridge.node_attributes import (
    ARGUMENT,
    CAPTURE,
    ORDER,
    RESULT,
    SourceOperation,
    attribute_of,
    layer_attributes,
    layer_of,
    source_operation,
)
from loomir.tools.model_optimizer.mo.bridge.operations import INTERNAL, refit, remember
from loomir.tools.model_optimizer.mo.bridge.stage_adaptors import StageAdaptor, located_as
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node


def read_block(graph: Graph, block: Block, form: StageAdaptor) -> None:
    """Make a block that reads no outer values what the graph says.

    Operations that no node stands for any more go. Errors: `mo-graph-cycle` with the path; `mo-graph-input` for an input that nothing
    gives or a new Parameter in a body; `mo-graph-output` for an output of the block that is gone; `mo-node-type` for a node of which
    nothing says what it is, or that has graphs and became another; those of `layer_attributes`.
    """
    all_blocks = _AllBlocks()
    _Reading(graph, block, form, [], all_blocks).run()
    for op in reversed(all_blocks.before):
        if op.parent is None:
            # (What used it stands in the same list, behind it, or was given other operands.)
            op.erase(safe_erase=False)


@dataclass(eq=False)
class _AllBlocks:
    """State shared by the readings of a block and its nested blocks."""

    used: set[Operation] = field(default_factory=set)
    """Operations that a node already represents.

    The next node created from such an operation is a copy.
    """
    before: list[Operation] = field(default_factory=list)
    """Those that stood in the blocks."""


class _Reading:
    def __init__(
        self, graph: Graph, block: Block, form: StageAdaptor, captures: list[SSAValue], all_blocks: _AllBlocks
    ) -> None:
        self._graph, self._block, self._form = graph, block, form
        self._captures = captures
        """The outer values that Parameters stand for."""
        self._all = all_blocks
        self._values: dict[tuple[Any, int], SSAValue] = {}
        self._absent: Operation | None = None
        """Operation that stands for omitted inputs, None until one exists."""

    def run(self) -> None:
        last = self._block.last_op
        assert last is not None
        before = [op for op in self._block.ops if op is not last]
        order = _ordered(self._graph)
        self._all.before += before
        for op in before:
            op.detach()
        last.detach()
        absent = next(((i, op) for i, op in enumerate(before) if self._form.is_absent(op)), None)
        for node in order:
            if absent is not None and self._absent is None and node.soft_get(ORDER, -1) > absent[0]:
                self._stand_in(absent[1])
            self._read(node)
        self._end(last)
        if self._absent is not None and self._absent.results[0].first_use is None:
            self._absent.detach()
            self._absent.erase()

    # Nodes.

    def _read(self, node: Node) -> None:
        op_name = node.soft_get("op", None)
        if op_name == "Result":
            return
        if op_name == "Parameter":
            self._values[node.id, 0] = self._parameter(node)
            return
        origin = source_operation(node)
        if origin is not None and self._is_as_it_was(node, origin):
            self._keep(node, origin)
            return
        if origin is not None and origin.op.regions:
            raise self._error(
                node,
                "mo-node-type",
                "it has graphs, and another type, other attributes or more inputs than before",
                "change the contents of the graphs, or replace the node",
            )
        if op_name == "Const":
            self._constant(node)
            return
        self._layer(node)

    def _parameter(self, node: Node) -> SSAValue:
        if (index := node.soft_get(ARGUMENT, None)) is not None:
            return self._block.args[index]
        if (index := node.soft_get(CAPTURE, None)) is not None:
            return self._captures[index]
        raise self._error(
            node,
            "mo-graph-input",
            "a transformation created this Parameter, which no input of the model feeds",
            "add inputs by cutting the model (--input)",
        )

    def _is_as_it_was(self, node: Node, origin: SourceOperation) -> bool:
        """Return True if the node's original operation still describes the node.

        The operation receives changed values of its own attributes.
        """
        if origin.changed(node):
            return False
        known = len(origin.op.operands) - len(origin.told) + len(origin.captures)
        if origin.op.regions:
            return max(_sources(node), default=0) < known
        if not self._form.takes_any and len(_sources(node)) != known:
            return False
        changes = origin.own_changes(node)
        return not changes or node.soft_get("op", None) != "Const"

    def _own(self, origin: SourceOperation) -> Operation:
        """Return the operation itself, or a copy for a copied node."""
        op = origin.op
        if op in self._all.used:
            return self._form.copied(op)
        self._all.used.add(op)
        # (Where a transformation moved the node, it may stand in a block that is read later.)
        if op.parent is not None:
            op.detach()
        return op

    def _keep(self, node: Node, origin: SourceOperation) -> None:
        op = self._own(origin)
        sources = _sources(node)
        own = len(op.operands) - len(origin.told)
        as_before = origin.noted is None or origin.noted.ports == sources.keys()
        if self._form.takes_any and not origin.captures and not as_before:
            own = max((*(port + 1 for port in sources), 0))
        told = [self._told(node, array) for array in origin.told_now(node)]
        op.operands = [*(self._operand(node, port, sources) for port in range(own)), *told]
        refit(op, *origin.changed_attributes(node))
        captures = [self._operand(node, own + index, sources) for index in range(len(origin.captures))]
        if str(node.soft_get("name", node.id)) != origin.name:
            self._form.rename(op, str(node.name))
        self._add(node, op)
        for name, region in self._form.bodies(op):
            body = node.soft_get(name, None)
            graph = body if isinstance(body, Graph) else origin.bodies[name]
            _Reading(graph, region.block, self._form, captures, self._all).run()

    def _told(self, node: Node, array: np.ndarray) -> SSAValue:
        op = self._form.constant(array, str(node.name))
        located_as(op, str(node.name))
        self._block.add_op(op)
        return op.results[0]

    def _constant(self, node: Node) -> None:
        value = node.soft_get("value", None)
        if not isinstance(value, np.ndarray | np.generic):
            raise self._error(
                node, "mo-node-type", "this constant has no value", "Const(graph, {'value': …})"
            )
        op = self._form.constant(np.asarray(value), str(node.name))
        located_as(op, str(node.name))
        self._add(node, op)

    def _layer(self, node: Node) -> None:
        meaning = INTERNAL.get(node.soft_get("op", ""))
        if meaning is not None:
            operands = {port: self._values[source] for port, source in _sources(node).items()}
            self._values[node.id, 0] = meaning(
                node, operands, _Layers(self._form, self._block, str(node.name))
            )
            return
        type_, version = layer_of(node)
        if not isinstance(type_, str):
            raise self._error(
                node,
                "mo-node-type",
                "the layer of this node is unknown: it has no type",
                "set a type and a version in its class, or replace the node",
            )
        if version is None:
            # As the Model Optimizer: what has no version and is in the first two sets is of those, else it is somebody's own.
            name = operator_name(type_)
            first = None if name is None else first_opset(name, VERSIONS[name][0])
            version = f"opset{first}" if first in (1, 2) else OWN
        sources = _sources(node)
        count = max((*(port + 1 for port in sources), 0))
        operands = [self._operand(node, port, sources, may_be_absent=True) for port in range(count)]
        outputs = [
            int(edge["out"]) for _, _, edge in self._graph.out_edges(node.id, data=True) if "out" in edge
        ]
        results = max((*(port + 1 for port in outputs), node.soft_get("out_ports_count", None) or 1))
        attributes: Mapping[str, Attribute] = layer_attributes(node)
        origin = source_operation(node)
        if origin is not None and not node.has_valid("IE"):
            attributes = {name: attribute_of(name, value) for name, value in origin.own(node).items()}
        remember(node, version)
        made = self._form.layer(type_, version, str(node.name), attributes, operands, results)
        for op in made:
            located_as(op, str(node.name))
        for op in made[:-1]:
            self._block.add_op(op)
        self._add(node, made[-1])

    def _add(self, node: Node, op: Operation) -> None:
        self._block.add_op(op)
        for port, result in enumerate(op.results):
            self._values[node.id, port] = result

    def _operand(
        self, node: Node, port: int, sources: Mapping[int, tuple[Any, int]], *, may_be_absent: bool = False
    ) -> Any:
        source = sources.get(port)
        if source is None:
            if may_be_absent:
                return None
            if self._absent is None:
                made = self._form.absent()
                if made is None:
                    raise self._error(
                        node, "mo-graph-input", f"its input {port} is not connected", "connect it"
                    )
                self._stand_in(made)
            assert self._absent is not None
            return self._absent.results[0]
        value = self._values.get(source)
        if value is None:
            producer = Node(self._graph, source[0])
            raise self._error(
                node,
                "mo-graph-input",
                f"its input {port} is output {source[1]} of '{producer.soft_get('name', producer.id)}', which has no such value",
                "",
            )
        return value

    def _stand_in(self, absent: Operation) -> None:
        """Place the operation that stands for omitted inputs here.

        It is available from this position on.
        """
        self._absent = absent
        self._all.used.add(absent)
        self._block.add_op(absent)

    # The block's end.

    def _end(self, last: Operation) -> None:
        results = {
            index: node
            for node in self._graph.get_op_nodes(op="Result")
            if (index := node.soft_get(RESULT, None)) is not None
        }
        values: list[SSAValue] = []
        for index, old in enumerate(last.operands):
            node = results.get(index)
            source = None if node is None else _sources(node).get(0)
            if node is None or source is None:
                raise Error(
                    "mo-graph-output",
                    f"the output {self._form.result_name(last, index) or index} is gone ({old.name_hint or old.type})",
                    hint="a transformation removed its producer; use --output to remove outputs of the model",
                )
            values.append(self._operand(node, 0, {0: source}))
        last.operands = values
        self._block.add_op(last)

    def _error(self, node: Node, identifier: str, what: str, hint: str) -> Error:
        name, op = str(node.soft_get("name", node.id)), str(node.soft_get("op", "?"))
        return _said(identifier, what, name, op, hint or None)


class _Layers:
    """Builder of an internal operation's parts, at the end of the block."""

    def __init__(self, form: StageAdaptor, block: Block, name: str) -> None:
        self._form, self._block, self._name = form, block, name

    def layer(
        self, type_: str, opset: int, operands: Sequence[SSAValue], **attributes: bool | int | float | str
    ) -> SSAValue:
        held = {name: attribute_of(name, value) for name, value in attributes.items()}
        made = self._form.layer(type_, f"opset{opset}", self._name, held, operands, 1)
        return self._added(made[-1])

    def constant(self, array: np.ndarray) -> SSAValue:
        return self._added(self._form.constant(array, self._name))

    def _added(self, op: Operation) -> SSAValue:
        located_as(op, self._name)
        self._block.add_op(op)
        return op.results[0]


def _said(identifier: str, what: str, name: str, op: str, hint: str | None) -> Error:
    return Error(identifier, what, layer=name, op=op, hint=hint)


def _sources(node: Node) -> dict[int, tuple[Any, int]]:
    """Return the producing operation and output for each connected input port."""
    found: dict[int, tuple[Any, int]] = {}
    for source, _, edge in node.graph.in_edges(node.id, data=True):
        if "in" not in edge or edge.get("control_flow_edge"):
            continue
        if node.graph.nodes[source].get("kind") == "data":
            producers = list(node.graph.in_edges(source, data=True))
            if not producers:
                continue
            found[int(edge["in"])] = producers[0][0], int(producers[0][2]["out"])
        else:
            found[int(edge["in"])] = source, int(edge["out"])
    return found


def _ordered(graph: Graph) -> list[Node]:
    """Return the operations that an output needs, in topological order.

    Otherwise they keep their previous order.

    (Replaced nodes stay in the graph until it is cleaned up.) Error: `mo-graph-cycle`.
    """
    needed: dict[Any, set[Any]] = {}
    todo = [node.id for node in graph.get_op_nodes(op="Result")]
    while todo:
        each = todo.pop()
        if each not in needed:
            needed[each] = {source for source, _ in _sources(Node(graph, each)).values()}
            todo += needed[each]
    # Those that are new stand behind what they read, as early as they can: constants before what was there.
    places = {each: Node(graph, each).soft_get(ORDER, -1) for each in needed}
    waiting = {each: len(sources) for each, sources in needed.items()}
    readers: dict[Any, list[Any]] = {}
    for each, sources in needed.items():
        for source in sources:
            readers.setdefault(source, []).append(each)
    ready = [(places[each], str(each), each) for each, count in waiting.items() if count == 0]
    heapify(ready)
    found: list[Node] = []
    while ready:
        each = heappop(ready)[2]
        found.append(Node(graph, each))
        for reader in readers.get(each, ()):
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heappush(ready, (places[reader], str(reader), reader))
    if len(found) < len(needed):
        raise _cycle(graph, {each for each, count in waiting.items() if count})
    return found


def _cycle(graph: Graph, waiting: set[Any]) -> Error:
    """Return the error for a cycle.

    Each waiting node reads another waiting node: a walk from one to the next returns to its start.
    """
    path: dict[Any, None] = {}
    each = min(waiting, key=str)
    while each not in path:
        path[each] = None
        each = min((s for s, _ in _sources(Node(graph, each)).values() if s in waiting), key=str)
    behind = list(path)
    cycle = [each, *reversed(behind[behind.index(each) :])]
    shown = " → ".join(str(graph.nodes[one].get("name", one)) for one in cycle)
    return Error(
        "mo-graph-cycle", f"the graph has a cycle: {shown}", hint="each of them reads the one before"
    )
