"""Wrapping of a whole graph in a one-trip loop or taken branch."""

from __future__ import annotations

import random

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from loomir.tools.fuzz.metamorphic.graphs import (
    NUMBERS,
    OLDEST,
    Editor,
    declared_shape,
    element_type,
    info,
    loop_control,
    rename_outputs,
    replace_nodes,
)


def wrap_in_loop(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """`main() = loop (i < 1 && true) { main() }`: tensors are scan outputs without their first axis, sequences are carried.

    The condition is one that only running tells, so that no engine takes the loop for its body.
    """
    editor = Editor(model, random_)
    graph = editor.graph
    truth = editor.truth() if editor.opset >= _oldest(graph) else None
    if truth is None or not all(_is_tensor(v) or _empty(editor, v) for v in graph.output):
        return None
    body, results = _moved(editor, "body")
    body.input.extend(loop_control(editor))
    again = editor.node("Identity", [body.input[1].name], "again")
    body.node.append(again)
    sequences = [k for k, v in enumerate(graph.output) if not _is_tensor(v)]
    tensors = [k for k, v in enumerate(graph.output) if _is_tensor(v)]
    initial: list[NodeProto] = []
    for k in sequences:
        empty = _empty(editor, graph.output[k])
        assert empty is not None
        initial.append(empty)
        body.input.append(info(editor.name("before"), graph.output[k].type))
    body.output.append(info(again.output[0]))
    body.output.extend(info(results[k]) for k in (*sequences, *tensors))
    trip = editor.number(1)
    stacked = {k: editor.name("stacked") for k in tensors}
    after: list[NodeProto] = []
    for k in tensors:
        after += _without_first_axis(editor, stacked[k], graph.output[k].name)
    loop = helper.make_node(
        "Loop",
        [trip.output[0], truth[-1].output[0], *(n.output[0] for n in initial)],
        [*(graph.output[k].name for k in sequences), *(stacked[k] for k in tensors)],
        name=editor.name("once"),
        body=body,
    )
    replace_nodes(graph, 0, len(graph.node), [*truth, trip, *initial, loop, *after])
    return editor.model


def wrap_in_if(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Wrap the main graph in the taken arm of an If.

    `main() = if true { main() } else { … }`, where the other arm would fail if it ran, or yields zeros. The condition is
    only known at run time. The arm that is not taken has other extents where the model declares none.
    """
    editor = Editor(model, random_)
    graph = editor.graph
    truth = editor.truth() if editor.opset >= _oldest(graph) else None
    if truth is None:
        return None
    fails = random_.random() < 0.5
    other = GraphProto()
    other.name = editor.name("other")
    made = _index_error(editor, truth[2]) if fails else []
    fault = made[-1] if fails else None
    for value in graph.output:
        nodes = _something_of(editor, value, fault)
        if nodes is None:
            return None
        made += nodes
        other.output.append(info(nodes[-1].output[0], None))
    other.node.extend(made)
    body, results = _moved(editor, "main")
    body.output.extend(info(name) for name in results)
    then, otherwise = body, other
    condition = truth
    if random_.random() < 0.3:
        condition = [*truth, editor.node("Not", [truth[-1]])]
        then, otherwise = other, body
    branch = helper.make_node(
        "If",
        [condition[-1].output[0]],
        [v.name for v in graph.output],
        name=editor.name("taken"),
        then_branch=then,
        else_branch=otherwise,
    )
    replace_nodes(graph, 0, len(graph.node), [*condition, branch])
    return editor.model


def _oldest(graph: GraphProto) -> int:
    """Return the operator set that the outputs require.

    From this operator set on, loops carry values like the outputs, and Identity accepts them.
    """
    return OLDEST if all(_is_tensor(v) for v in graph.output) else 14


def _is_tensor(value: ValueInfoProto) -> bool:
    return value.type.HasField("tensor_type")


def _moved(editor: Editor, name: str) -> tuple[GraphProto, list[str]]:
    """Move all nodes of the main graph to a new one.

    Returns the new graph, and the names of the model's outputs in it.
    """
    graph, body = editor.graph, GraphProto()
    body.name = editor.name(name)
    body.node.extend(graph.node)
    names = rename_outputs(editor, body.node, [v.name for v in graph.output])
    for value in graph.value_info:
        body.value_info.add().CopyFrom(value)
        body.value_info[-1].name = names.get(value.name, value.name)
    del graph.value_info[:]
    results: list[str] = []
    for value in graph.output:
        # A graph's results are its own values, each once: ONNX Runtime wants it so.
        same = editor.node("Identity", [names.get(value.name, value.name)], "result")
        body.node.append(same)
        results.append(same.output[0])
    return body, results


def _without_first_axis(editor: Editor, stacked: str, name: str) -> list[NodeProto]:
    if editor.opset < 13:
        return [helper.make_node("Squeeze", [stacked], [name], axes=[0])]
    axes = editor.constant(np.array([0], np.int64))
    return [axes, helper.make_node("Squeeze", [stacked, axes.output[0]], [name])]


def _empty(editor: Editor, value: ValueInfoProto) -> NodeProto | None:
    """Return an empty sequence of a value's type.

    The value is a sequence of tensors.
    """
    if value.type.WhichOneof("value") != "sequence_type":
        return None
    element = value.type.sequence_type.elem_type
    if element.WhichOneof("value") != "tensor_type" or element.tensor_type.elem_type not in NUMBERS:
        return None
    return editor.node("SequenceEmpty", [], "empty", dtype=element.tensor_type.elem_type)


def _something_of(editor: Editor, value: ValueInfoProto, scalar: NodeProto | None) -> list[NodeProto] | None:
    """Return nodes that compute any value of the declared type and rank.

    The last node produces the value. It is computed from `scalar` if there is one.
    """
    if not _is_tensor(value):
        empty = _empty(editor, value)
        return None if empty is None else [empty]
    shape = declared_shape(value)
    if shape is None or element_type(value) not in NUMBERS:
        return None
    extents = [editor.random.choice([0, 1, 2]) if e is None else e for e in shape]
    nodes: list[NodeProto] = []
    if scalar is None:
        scalar = editor.constant(np.array(0, np.float32))
        nodes.append(scalar)
    target = editor.constant(np.array(extents, np.int64))
    filled = editor.node("Expand", [scalar, target])
    return [*nodes, target, filled, editor.node("Cast", [filled], to=element_type(value))]


def _index_error(editor: Editor, count: NodeProto) -> list[NodeProto]:
    """Return nodes that fail when they run.

    They index three elements with at least 1000. The last node would produce a float.
    """
    index = editor.node("Cast", [count], to=TensorProto.INT64)
    far = editor.number(1000)
    beyond = editor.node("Add", [index, far])
    table = editor.constant(np.array([1, 2, 3], np.float32))
    return [index, far, beyond, table, editor.node("Gather", [table, beyond], "fault")]
