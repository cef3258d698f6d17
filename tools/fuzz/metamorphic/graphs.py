"""Helpers shared by the transformations of ONNX models.

They provide fresh names, mostly unlike those that people choose, substitution, constants, and conditions that nothing
folds; and for bodies of loops, how often they run, and copies of them.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

_ODD = (
    "int",
    "for",
    "main",
    "NULL",
    "result",
    "arena",
    "Loop",
    "If",
    "ov.loop",
    "0",
    "3x",
    "-1",
    "_",
    "__x",
    "a/b/c:0",
    "x y",
    "*/",
    "//",
    "/*",
    "%0",
    "@main",
    "#",
    '"',
    "'",
    "\\",
    "\\n",
    "??/",
    "ä",
    "变量",
    "é́",
    "$1",
    "{}",
    "%s",
    "x\ty",
    "true",
    "None",
    "tensor<2xf32>",
    "n" * 300,
)
"""Odd names.

They are keywords, numbers, signs with a meaning in C, in MLIR or in a format string, accents, and a long name.
"""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def odd_name(random_: random.Random, taken: Container[str]) -> str:
    """Return a name that is not taken.

    It is an odd name now and then, and otherwise consists of letters and digits.
    """
    if random_.random() < 0.15:
        name = random_.choice(_ODD)
        if name not in taken:
            return name
    return plain_name(random_, taken)


def plain_name(random_: random.Random, taken: Container[str]) -> str:
    """An identifier that is not taken."""
    while True:
        name = random_.choice(_LETTERS) + "".join(
            random_.choice(_LETTERS + "0123456789_") for _ in range(random_.randint(1, 7))
        )
        if name not in taken:
            return name


def fresh(prefix: str, taken: set[str]) -> str:
    """Return and take the first free name of `prefix`, `prefix_2`, `prefix_3`, …."""
    name, number = prefix, 1
    while name in taken:
        number += 1
        name = f"{prefix}_{number}"
    taken.add(name)
    return name


OLDEST = 11
"""Oldest operator set whose Loop, If and Scan have the emitted forms."""

NUMBERS = (
    TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT8, TensorProto.INT16, TensorProto.INT32,
    TensorProto.INT64, TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64, TensorProto.BOOL,
)  # fmt: skip
"""Element types that every operator used here takes."""


class Editor:
    """Copy of a model to be changed, with the names in use."""

    def __init__(self, model: ModelProto, random_: random.Random) -> None:
        self.model = ModelProto()
        self.model.CopyFrom(model)
        self.random = random_
        self.taken = set(_names(self.model.graph))

    @property
    def graph(self) -> GraphProto:
        """The main graph."""
        return self.model.graph

    @property
    def opset(self) -> int:
        """The version of ONNX's own operators."""
        return next((o.version for o in self.model.opset_import if o.domain in ("", "ai.onnx")), 1)

    def name(self, prefix: str) -> str:
        """Return a name that is new to the main and nested graphs."""
        return fresh(prefix, self.taken)

    def constant(self, array: np.ndarray, prefix: str = "k") -> NodeProto:
        """A node that gives an array, under a fresh name."""
        name = self.name(prefix)
        return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array, name))

    def number(self, value: int) -> NodeProto:
        """An i64 scalar."""
        return self.constant(np.array(value, np.int64))

    def node(
        self, operator: str, inputs: Sequence[str | NodeProto], prefix: str = "t", **attributes: Any
    ) -> NodeProto:
        """Return a node with one output and a fresh name.

        An operand may be given by the node that produces it.
        """
        names = [i if isinstance(i, str) else i.output[0] for i in inputs]
        return helper.make_node(operator, names, [self.name(prefix)], **attributes)

    def truth(self) -> list[NodeProto] | None:
        """Return nodes that compute true in a way that cannot be folded.

        The last node produces the value: the number of elements of an input that are not zero, or of elements of a sequence, is
        not negative. Only a run can tell. The result is None if no input has numbers.
        """
        known = {t.name for t in self.graph.initializer}
        free = [v for v in self.graph.input if v.name not in known]
        inputs = [v for v in free if element_type(v) in NUMBERS or v.type.HasField("sequence_type")]
        if not inputs:
            return None
        chosen = self.random.choice(inputs)
        if chosen.type.HasField("sequence_type"):
            nonzero = self.node("SequenceLength", [chosen.name])
        else:
            nonzero = self.node("Cast", [chosen.name], to=TensorProto.BOOL)
        as_float = self.node("Cast", [nonzero], to=TensorProto.FLOAT)
        count = self.node("ReduceSum", [as_float], "count", keepdims=0)
        zero = self.constant(np.array(0, np.float32))
        negative = self.node("Less", [count, zero])
        return [nonzero, as_float, count, zero, negative, self.node("Not", [negative], "true")]

    def scalar(self, value: str | NodeProto, rank: int = 0) -> list[NodeProto]:
        """Return nodes that reshape a one-element value to rank 0 or 1.

        The last node produces the result.
        """
        shape = self.constant(np.array([1] * rank, np.int64))
        return [shape, self.node("Reshape", [value, shape])]


def element_type(value: ValueInfoProto) -> int:
    """Return the element type of a tensor, or 0 if none."""
    return value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else TensorProto.UNDEFINED


def declared_shape(value: ValueInfoProto) -> list[int | None] | None:
    """Return the declared extents, or None if the rank is not declared.

    A dynamic extent is None.
    """
    if not value.type.tensor_type.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") else None for d in value.type.tensor_type.shape.dim]


def info(name: str, like: TypeProto | None = None) -> ValueInfoProto:
    """Return a declaration of a name.

    If a type is given, it is copied.
    """
    value = ValueInfoProto()
    value.name = name
    if like is not None:
        value.type.CopyFrom(like)
    return value


def loop_control(editor: Editor) -> list[ValueInfoProto]:
    """The first two parameters of a loop's body: iteration number and condition."""
    types = (TensorProto.INT64, "i"), (TensorProto.BOOL, "go_on")
    return [helper.make_tensor_value_info(editor.name(name), type_, []) for type_, name in types]


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs among a node's attributes."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def attribute_graph(node: NodeProto, name: str) -> GraphProto:
    """The graph that is the attribute of this name."""
    return next(a.g for a in node.attribute if a.name == name)


def all_graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """A graph and all inside of it."""
    yield graph
    for node in graph.node:
        for inner in subgraphs(node):
            yield from all_graphs(inner)


def node_positions(graph: GraphProto, operator: str) -> list[tuple[GraphProto, int]]:
    """Where an operator stands: graph and position, at any depth."""
    return [
        (inner, position)
        for inner in all_graphs(graph)
        for position, node in enumerate(inner.node)
        if node.op_type == operator and node.domain in ("", "ai.onnx")
    ]


def replace_nodes(graph: GraphProto, start: int, stop: int, nodes: Sequence[NodeProto]) -> None:
    """Put nodes in the place of others."""
    before, after = list(graph.node[:start]), list(graph.node[stop:])
    copies = [_copy(n) for n in (*before, *nodes, *after)]
    del graph.node[:]
    graph.node.extend(copies)


def _copy(node: NodeProto) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(node)
    return copy


def defined_names(graph: GraphProto) -> set[str]:
    """The names that a graph gives to values itself."""
    found = {v.name for v in graph.input} | {t.name for t in graph.initializer}
    found.update(t.values.name for t in graph.sparse_initializer)
    for node in graph.node:
        found.update(filter(None, node.output))
    return found


def substitute(nodes: Iterable[NodeProto], names: Mapping[str, str], *, outputs: bool = False) -> None:
    """Rename values, including their uses in nested graphs.

    With `outputs`, their definitions are renamed as well.
    """
    for node in nodes:
        node.input[:] = [names.get(n, n) for n in node.input]
        if outputs:
            node.output[:] = [names.get(n, n) for n in node.output]
        for graph in subgraphs(node):
            own = defined_names(graph)
            inner = (
                {old: new for old, new in names.items() if old not in own} if own & names.keys() else names
            )
            if inner:
                substitute(graph.node, inner)
                for value in graph.output:
                    value.name = inner.get(value.name, value.name)


def rename_outputs(editor: Editor, nodes: Sequence[NodeProto], outputs: Iterable[str]) -> dict[str, str]:
    """Give the nodes' results of these names fresh names.

    Returns a map from old to new names, for those that a node defines.
    """
    wanted = set(outputs)
    names = {o: editor.name(o) for node in nodes for o in node.output if o in wanted}
    substitute(nodes, names, outputs=True)
    return names


def names_read(graph: GraphProto) -> set[str]:
    """Return the names that a graph or nested graph reads or returns."""
    found = {v.name for v in graph.output}
    for node in graph.node:
        found.update(node.input)
        for inner in subgraphs(node):
            found |= names_read(inner)
    return found


def free_names(graph: GraphProto) -> list[str]:
    """Return the names that a graph reads from outside.

    They are in the order of their first uses.
    """
    own = defined_names(graph)
    found: dict[str, None] = {}
    for node in graph.node:
        for name in node.input:
            if name and name not in own:
                found[name] = None
        for inner in subgraphs(node):
            found.update((name, None) for name in free_names(inner) if name not in own)
    found.update((v.name, None) for v in graph.output if v.name not in own)
    return list(found)


def _names(graph: GraphProto) -> Iterator[str]:
    for inner in all_graphs(graph):
        for values in (inner.input, inner.output, inner.value_info):
            yield from (v.name for v in values)
        yield from (t.name for t in inner.initializer)
        yield from (t.values.name for t in inner.sparse_initializer)
        for node in inner.node:
            yield from node.input
            yield from node.output


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
