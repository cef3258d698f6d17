"""Redundant loops, branches, carried values and reversals in ONNX models.

A whole graph is wrapped in a one-trip loop or a taken branch. Branches that change nothing are dead branches, swapped
ones, and one node in both arms. Loops carry more than they need: values that never change, or are never read. Outputs
are turned round, and turned round again.
"""

from __future__ import annotations

import random

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

from loomir.tools.fuzz.metamorphic.graphs import (
    NUMBERS,
    OLDEST,
    Editor,
    attribute_graph,
    declared_shape,
    element_type,
    free_names,
    info,
    loop_control,
    node_positions,
    rename_outputs,
    replace_nodes,
    substitute,
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
    found = node_positions(editor.graph, "If")
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


def carry_captures(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Carry captured values in loops, passed on unchanged.

    A captured value is one that a loop's body reads from outside. Every loop is changed, for some of its captures.
    """
    editor = Editor(model, random_)
    changed = False
    # Inner loops first: an outer one's captures are then those of the changed ones.
    for graph, position in reversed(node_positions(editor.graph, "Loop") if editor.opset >= OLDEST else []):
        node = graph.node[position]
        for name in free_names(attribute_graph(node, "body")):
            if random_.random() < 0.7:
                _carry_capture(editor, node, name)
                changed = True
    return editor.model if changed else None


def _carry_capture(editor: Editor, node: NodeProto, captured: str) -> None:
    body = attribute_graph(node, "body")
    own, following = editor.name(captured), editor.name(captured)
    substitute(body.node, {captured: own})
    for value in body.output:
        value.name = own if value.name == captured else value.name
    body.node.append(helper.make_node("Identity", [own], [following]))
    _add_carried(editor, node, captured, own, following)


def add_dead_carries(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Make every loop carry an unread counter and two swapped values.

    The two values change places in each iteration.
    """
    editor = Editor(model, random_)
    loops = node_positions(editor.graph, "Loop") if editor.opset >= OLDEST else []
    for graph, position in reversed(loops):
        node = graph.node[position]
        body = attribute_graph(node, "body")
        initial = [editor.number(0), *(editor.constant(np.array([v, -v], np.float32)) for v in (1, 2))]
        number = helper.make_tensor_type_proto(TensorProto.INT64, [])
        pair = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
        own = [editor.name("dead") for _ in initial]
        one = editor.number(1)
        counted = editor.node("Add", [own[0], one])
        swapped = [editor.node("Identity", [own[2]]), editor.node("Neg", [own[1]])]
        body.node.extend([one, counted, *swapped])
        for value, name, result, type_ in zip(
            initial, own, (counted, *swapped), (number, pair, pair), strict=True
        ):
            _add_carried(editor, node, value.output[0], name, result.output[0], type_)
        replace_nodes(graph, position, position, initial)
    return editor.model if loops else None


def _add_carried(
    editor: Editor, node: NodeProto, initial: str, own: str, following: str, type_: TypeProto | None = None
) -> None:
    """Append a carried value to a loop, behind its other carried values.

    The body of the loop defines `following`.
    """
    body: GraphProto = attribute_graph(node, "body")
    carried = len(body.input) - 2
    inputs = [*node.input, *([""] * (2 - len(node.input)))]
    node.input[:] = [*inputs, initial]
    body.input.append(info(own, type_))
    outputs = [info(v.name, v.type if v.HasField("type") else None) for v in body.output]
    outputs.insert(1 + carried, info(following))
    del body.output[:]
    body.output.extend(outputs)
    results = [*node.output, *([""] * (carried - len(node.output)))]
    results.insert(carried, editor.name("unused"))
    node.output[:] = results


def reverse_twice(model: ModelProto, random_: random.Random) -> ModelProto | None:
    """Replace an output `x` by `x[::-1][::-1]` on one axis.

    One reversal is by Slice, the other by a Scan or by another Slice.
    """
    editor = Editor(model, random_)
    graph = editor.graph
    outputs = [v for v in graph.output if element_type(v) in NUMBERS and declared_shape(v)]
    if editor.opset < OLDEST or not outputs:
        return None
    output = random_.choice(outputs)
    names = rename_outputs(editor, graph.node, [output.name])
    if output.name not in names:
        return None
    shape = declared_shape(output) or []
    axis = random_.randrange(len(shape))
    start, end, axes, step = (
        editor.constant(np.array([n], np.int64)) for n in (-1, np.iinfo(np.int64).min, axis, -1)
    )
    once = editor.node("Slice", [names[output.name], start, end, axes, step])
    # ONNX Runtime cannot run a Scan without iterations.
    if 0 not in shape and None not in shape and random_.random() < 0.5:
        part, copy = editor.name("part"), editor.name("copy")
        rest = [e for k, e in enumerate(shape) if k != axis]
        body = helper.make_graph(
            [helper.make_node("Identity", [part], [copy])],
            editor.name("copy"),
            [helper.make_tensor_value_info(part, element_type(output), rest)],
            [helper.make_tensor_value_info(copy, element_type(output), rest)],
        )
        backward = random_.randrange(2)
        twice = helper.make_node(
            "Scan",
            [once.output[0]],
            [output.name],
            name=editor.name("scan"),
            body=body,
            num_scan_inputs=1,
            scan_input_axes=[axis],
            scan_output_axes=[axis],
            scan_input_directions=[backward],
            scan_output_directions=[1 - backward],
        )
    else:
        operands = [once, start, end, axes, step]
        twice = helper.make_node("Slice", [n.output[0] for n in operands], [output.name])
    count = len(graph.node)
    replace_nodes(graph, count, count, [start, end, axes, step, once, twice])
    return editor.model
