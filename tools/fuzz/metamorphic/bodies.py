"""Bodies of ONNX loops: how often they run, and copies of them."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import GraphProto, NodeProto, helper, numpy_helper

from loomir.tools.fuzz.metamorphic.graphs import Editor, all_graphs, defined_names, substitute


def known_trips(graph: GraphProto, node: NodeProto) -> int | None:
    """The trip count that is a constant of the same graph."""
    name = node.input[0]
    for tensor in graph.initializer:
        if tensor.name == name and all(v.name != name for v in graph.input):
            return int(numpy_helper.to_array(tensor).reshape(()))
    for other in graph.node:
        if other.op_type == "Constant" and other.output[0] == name and other.attribute[0].name == "value":
            return int(numpy_helper.to_array(other.attribute[0].t).reshape(()))
    return None


def copy_body(
    editor: Editor, body: GraphProto, arguments: Sequence[str], nodes: list[NodeProto]
) -> list[str]:
    """Append the body's nodes with these arguments; return its results' names."""
    copy = GraphProto()
    copy.CopyFrom(body)
    names = dict(zip((v.name for v in body.input), arguments, strict=True))
    for name in defined_names(body) - names.keys():
        names[name] = editor.name(name)
    substitute(copy.node, names, outputs=True)
    for graph in all_graphs(copy):
        for node in graph.node:
            node.name = editor.name(node.name or node.op_type)
    for tensor in copy.initializer:
        array = numpy_helper.to_array(tensor)
        constant = helper.make_node(
            "Constant", [], [names[tensor.name]], value=numpy_helper.from_array(array)
        )
        nodes.append(constant)
    nodes.extend(copy.node)
    return [names.get(v.name, v.name) for v in body.output]
