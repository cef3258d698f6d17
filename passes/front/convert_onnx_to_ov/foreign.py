"""Nodes of domains that are not ONNX's.

They are layers of OpenVINO's operation sets, operations of extensions, and unknown operators.

```mlir
%y = onnx.node "Swish" 1 in "openvino.opset4" (%x) : (tensor<4xf32>) -> !onnx.unknown
%z = onnx.node "FastGelu" 1 in "com.microsoft" (%y) : (!onnx.unknown) -> tensor<4xf32>
```

becomes

```mlir
%y = ov.swish %x : (tensor<4xf32>) -> tensor<4xf32>
%z = ov.custom "FastGelu" in "com.microsoft" (%y) : (tensor<4xf32>) -> tensor<4xf32>
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects.builtin import DenseArrayBase, UnrankedTensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.onnx.schemas import schema_of
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ov.layers.attributes import as_it_stands, read_attributes
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.making import results_of
from loomir.dialects.ov.layers.rows import is_known
from loomir.dialects.ov.layers.text import text_of
from loomir.dialects.ov.operators.control_flow import YieldOp
from loomir.dialects.ov.operators.custom import EXTENSION_CAN, CustomOp, declared_types
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.refusals import DOMAINS
from loomir.passes.front.convert_onnx_to_ov.registry import (
    Results,
    find_translator,
    operands_of,
    operation_of,
)
from loomir.passes.front.convert_onnx_to_ov.scope import Graph, Scope

LAYERS = "openvino."
"""Prefix of the domains of OpenVINO's operation sets in FRONT.

An example is `openvino.opset4`. Transformations create such nodes; no ONNX file has one.
"""


TranslateGraph = Callable[[Scope, Graph, str], list[SSAValue]]
"""Function that translates a graph in its scope.

The last argument is the graph's name in diagnostics.
"""

ABSENT = "absent"
"""Attribute of an `ov.custom`: the positions of omitted inputs."""


def is_foreign(op: NodeOp) -> bool:
    """Return True if ONNX does not define a node's domain or operator."""
    domain, operator, _ = op.key
    if domain in ("", "ai.onnx", *DOMAINS):
        return False
    return schema_of(operator, op.version.value.data, domain) is None


def translate_foreign(node: Node, translate_graph: TranslateGraph) -> Results:
    """Translate a node of a foreign domain.

    A layer is translated by its row; other nodes by an operation of an extension or by a translator; the rest become `ov.custom`.
    Errors: those of these.
    """
    domain = node.source.key[0]
    if domain.startswith(LAYERS):
        opset = domain.removeprefix(LAYERS)
        if is_known(node.operator, opset):
            layer = PlainLayer(node.operator, opset, _texts(node))

            def add(op: Operation) -> None:
                node.scope.append(op, node.location)

            return results_of(layer, node.inputs(), node.outputs, add)
        return _custom(node, opset, translate_graph)
    op_class = operation_of(domain, node.operator)
    if op_class is None:
        translator = find_translator(node.operator, node.version, domain)
        return _custom(node, domain, translate_graph) if translator is None else translator(node)
    properties = read_attributes(as_it_stands(op_class), _texts(node))
    return node.emit(
        op_class, *operands_of(op_class, node), attributes=properties, results=node.outputs
    ).results


def unknown_origin(values: Iterable[SSAValue]) -> CustomOp | None:
    """Return an unknown operator on which the values depend, or None.

    The operator has a result for which the file declares no shape.
    """
    waiting, seen = list(values), set[Operation]()
    while waiting:
        owner = waiting.pop().owner
        if not isinstance(owner, Operation) or owner in seen:
            continue
        for op in owner.walk():
            if isinstance(op, CustomOp) and any(isinstance(r.type, UnrankedTensorType) for r in op.results):
                return op
            seen.add(op)
            waiting.extend(op.operands)
    return None


def _texts(node: Node) -> dict[str, str]:
    return {
        name: text_of(name, value) for name, value in node.attributes.items() if isinstance(value, Attribute)
    }


def _custom(node: Node, version: str, translate_graph: TranslateGraph) -> Results:
    """Translate the node to an `ov.custom`.

    `Error("unknown-operator")` for a node with a graph that does not declare the types of its inputs.
    """
    inputs = [node.optional(index) for index in range(len(node))]
    operands = [value for value in inputs if value is not None]
    types = [
        result.type if node.wants(index) and is_declared(result.type) else open_
        for index, (result, open_) in enumerate(
            zip(node.source.results, declared_types(node.outputs, operands))
        )
    ]
    attributes = {n: a for n, a in node.attributes.items() if isinstance(a, Attribute)}
    if absent := [index for index, value in enumerate(inputs) if value is None]:
        attributes[ABSENT] = DenseArrayBase.from_list(i64, absent)
    graphs = [
        _region(node, n, g, translate_graph) for n, g in node.attributes.items() if isinstance(g, Graph)
    ]
    op = CustomOp.of((node.operator, version), operands, types, attributes, graphs)
    return node.scope.append(op, node.location).results


def _region(node: Node, name: str, graph: Graph, translate_graph: TranslateGraph) -> Region:
    """Translate a graph of an unknown operator.

    The graph's inputs have the types that it declares.
    """
    if not all(is_declared(formal.type) for formal in graph.inputs):
        raise Error(
            "unknown-operator",
            f"what the operator '{node.operator}' of '{node.source.key[0]}' computes is not known, and its graph '{name}' does not say "
            "of which types its inputs are",
            hint=EXTENSION_CAN,
        )
    scope, block = node.subgraph(graph, [formal.type for formal in graph.inputs])
    scope.values.update(zip(graph.inputs, block.args))
    values: list[SSAValue] = translate_graph(scope, graph, name)
    end = YieldOp.build(operands=[values])
    end.location = node.location
    block.add_op(end)
    region = block.parent
    assert region is not None
    return region
