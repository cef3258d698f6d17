"""Branches that change nothing.

They are dead branches, swapped ones, and one node in both arms.
"""

from __future__ import annotations

import random

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from loomir.tools.fuzz.metamorphic.graphs import (
    OLDEST,
    Editor,
    element_type,
    info,
    places,
    rename_outputs,
    replace_nodes,
)

SELECTABLE = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32)
"""Element types that ONNX Runtime's Where takes."""


def insert_dead_branch(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Insert an If with one failing arm and one meaningless result.

    One arm would fail; the result of the other arm means nothing. The If is never needed: nothing reads its result, or an
    output reads it through `where(false, …)`, which is only known at run time.
    """
    editor = Editor(model, random_)
    truth = editor.truth() if editor.opset >= OLDEST else None
    graph = editor.graph
    if truth is None:
        return None
    index = editor.node("Cast", [truth[2]], to=TensorProto.INT64)
    values = editor.constant(np.array([0.5, -1, 2], np.float32))
    far, near = editor.number(1000), editor.number(3)
    beyond, within = editor.node("Add", [index, far]), editor.node("Mod", [index, near])
    arms: list[GraphProto] = []
    for name, nodes in (("fault", [far, beyond]), ("harmless", [near, within])):
        value = editor.node("Gather", [values, nodes[-1]], name)
        arms.append(helper.make_graph([*nodes, value], editor.name(name), [], [info(value.output[0])]))
    swap = random_.random() < 0.5
    condition = [*truth, editor.node("Not", [truth[-1]])]
    dead = helper.make_node(
        "If",
        [condition[-2 if swap else -1].output[0]],
        [editor.name("dead")],
        name=editor.name("dead"),
        then_branch=arms[swap],
        else_branch=arms[not swap],
    )
    made = [*condition, index, values, dead]
    outputs = [v for v in graph.output if element_type(v) in SELECTABLE]
    after: list[NodeProto] = []
    if outputs and random_.random() < 0.6:
        output = random_.choice(outputs)
        names = rename_outputs(editor, graph.node, [output.name])
        if output.name in names:
            as_output = editor.node("Cast", [dead.output[0]], to=element_type(output))
            false = condition[-1].output[0]
            chosen = helper.make_node(
                "Where", [false, as_output.output[0], names[output.name]], [output.name]
            )
            after = [as_output, chosen]
    position = random_.randint(0, len(graph.node))
    replace_nodes(graph, len(graph.node), len(graph.node), after)
    replace_nodes(graph, position, position, made)
    return editor.model


def swap_arms(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """`if c { a } else { b }` = `if !c { b } else { a }`, for every If."""
    editor = Editor(model, random_)
    found = places(editor.graph, "If")
    if not found:
        return None
    for graph, position in reversed(found):
        node = graph.node[position]
        condition = editor.node("Not", [node.input[0]])
        node.input[0] = condition.output[0]
        for attribute in node.attribute:
            attribute.name = {"then_branch": "else_branch", "else_branch": "then_branch"}[attribute.name]
        replace_nodes(graph, position, position, [condition])
    return editor.model


def branch_node(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """`f(x)` = `if true { f(x) } else { f(x) }` for one or more nodes of the main graph."""
    editor = Editor(model, random_)
    truth = editor.truth() if editor.opset >= OLDEST else None
    graph = editor.graph
    found = [k for k, n in enumerate(graph.node) if n.op_type != "Constant" and any(n.output)]
    if truth is None or not found:
        return None
    for position in sorted(random_.sample(found, min(len(found), random_.randint(1, 3))), reverse=True):
        node = graph.node[position]
        arms: list[GraphProto] = []
        for _ in range(2):
            copy = NodeProto()
            copy.CopyFrom(node)
            results = [(o, editor.name(o)) for o in node.output if o]
            names = dict(results)
            copy.output[:] = [names[o] if o else "" for o in copy.output]
            arms.append(
                helper.make_graph([copy], editor.name("arm"), [], [info(name) for _, name in results])
            )
        branch = helper.make_node(
            "If",
            [truth[-1].output[0]],
            [o for o in node.output if o],
            name=editor.name("either"),
            then_branch=arms[0],
            else_branch=arms[1],
        )
        replace_nodes(graph, position, position + 1, [branch])
    replace_nodes(graph, 0, 0, truth)
    return editor.model
