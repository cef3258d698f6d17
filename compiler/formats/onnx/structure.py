"""Checks of names, operators and node order, and the importer's options.

Models are checked before translation. ONNX graphs are lists of nodes joined by names, in static single assignment form: the
output of a node may not have the name of any value that is visible there, while the formal inputs of a subgraph may hide outer
names. Nodes must follow the nodes that they read; a graph that only violates this rule is sorted (as in other runtimes), a
graph with a cycle is rejected.

`ImportOptions` are the options for reading and translating a file; the checks are the first to need them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from loomir.dialects.onnx.graphs import domain_of, initialised, label, opset_versions
from loomir.dialects.onnx.operations import FunctionKey
from loomir.errors import Error
from loomir.passes.options import TranslationOptions


@dataclass(frozen=True)
class ImportOptions(TranslationOptions):
    """Bounds that an import keeps to, and how it reads a model."""

    max_file_bytes: int = 8 << 30
    """Of the model file, without external data."""

    max_sparse_bytes: int = 1 << 30
    """Maximum size of a sparse tensor in dense form.

    A few bytes in the file may declare a large shape.
    """

    external_data_root: Path | None = None
    """A folder in which external data may be, besides the model's own."""


def function_table(model: ModelProto) -> dict[FunctionKey, FunctionProto]:
    """The model's own functions. `Error("duplicate-name")` where one is defined twice."""
    table: dict[FunctionKey, FunctionProto] = {}
    for function in model.functions:
        key = (domain_of(function.domain), function.name, function.overload)
        if key in table:
            raise Error("duplicate-name", f"the function {key[0]}.{key[1]} is defined twice")
        table[key] = function
    return table


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs among a node's attributes."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def check_structure(model: ModelProto, options: ImportOptions) -> ModelProto:
    """Return the model with every graph sorted.

    A model that is already sorted is returned itself.

    Errors: `unsupported-operator`, `undefined-name`, `duplicate-name`, `graph-cycle`,
    `import-limit`, `invalid-onnx`.
    """
    if not model.HasField("graph"):
        raise Error("invalid-onnx", "the model has no graph")
    if model.ir_version >= 3 and not model.opset_import:
        # Older ones import nothing and mean operator set 1.
        raise Error("invalid-onnx", "the model imports no operator set")
    checker = _Checker(model, options)
    in_order = checker.graph(model.graph, (), (), opset_versions(model.opset_import))
    for function in model.functions:
        try:
            in_order &= checker.function(function)
        except Error as error:
            raise error.at(layer=function.name, op="function") from error
    if in_order:
        return model
    copy = ModelProto()
    copy.CopyFrom(model)
    _sort(copy.graph)
    for function in copy.functions:
        _sort(function)
    return copy


Scopes = tuple[set[str], ...]
"""Names of the enclosing graphs, outermost first.

They are shared, not copied, because a model may have many subgraphs.
"""


class _Checker:
    def __init__(self, model: ModelProto, options: ImportOptions) -> None:
        self.options = options
        self.functions = function_table(model)

    def graph(self, graph: GraphProto, visible: Scopes, taken: Scopes, versions: dict[str, int]) -> bool:
        """Check a graph and all below it; whether all are in order.

        `visible` are the names that the enclosing graphs define anywhere, `taken` those defined so far: only
        these must not be defined again (`y = If(…)` may have a branch that calls its own result `y`).
        """
        if len(visible) > self.options.max_nesting:
            raise Error("import-limit", f"subgraphs are nested deeper than {self.options.max_nesting}")
        formal: set[str] = set()
        for value in graph.input:
            if value.name in formal:
                raise Error(
                    "duplicate-name", f"the input '{value.name}' of graph '{graph.name}' occurs twice"
                )
            formal.add(value.name)
        initialisers: set[str] = set()
        for name in [t.name for t in graph.initializer] + [t.values.name for t in graph.sparse_initializer]:
            if name in initialisers:
                raise Error("duplicate-name", f"the initialiser '{name}' occurs twice")
            initialisers.add(name)
        own = formal | initialisers
        in_order = self.nodes(graph.node, own, visible, taken, versions, graph.name)
        outputs: set[str] = set()
        for value in graph.output:
            if value.name not in own and not any(value.name in scope for scope in visible):
                raise Error(
                    "undefined-name", f"the output '{value.name}' of graph '{graph.name}' is defined nowhere"
                )
            if value.name in outputs and not visible:
                raise Error("duplicate-name", f"the output '{value.name}' occurs twice")
            outputs.add(value.name)
        return in_order

    def function(self, function: FunctionProto) -> bool:
        """Check a function's body; whether it is in order."""
        own = set(function.input)
        in_order = self.nodes(
            function.node, own, (), (), opset_versions(function.opset_import), function.name
        )
        for name in function.output:
            if name not in own:
                raise Error("undefined-name", f"the output '{name}' is defined nowhere")
        return in_order

    def nodes(
        self,
        nodes: Sequence[NodeProto],
        own: set[str],
        visible: Scopes,
        taken: Scopes,
        versions: dict[str, int],
        graph_name: str,
    ) -> bool:
        """Check a list of nodes and add their names to `own`.

        These are the names that the nodes define.
        """
        defined = set(own)
        for node in nodes:
            self.operator(node, versions)
            for name in filter(None, node.output):
                if name in own or any(name in scope for scope in taken):
                    raise Error(
                        "duplicate-name",
                        f"the value '{name}' is defined twice",
                        layer=label(node),
                        op=node.op_type,
                    )
                own.add(name)
        in_order = True
        for node in nodes:
            try:
                for graph in subgraphs(node):
                    in_order &= self.graph(graph, (*visible, own), (*taken, defined), versions)
                for name in _reads(node):
                    if name in defined:
                        continue
                    if name in own:
                        in_order = False
                    elif not any(name in scope for scope in visible):
                        raise Error("undefined-name", f"reads '{name}', which '{graph_name}' does not define")
            except Error as error:
                raise error.at(layer=label(node), op=node.op_type) from error
            defined.update(node.output)
        if not in_order:
            _ordered(nodes)  # raises where there is no order
        return in_order

    def operator(self, node: NodeProto, versions: dict[str, int]) -> None:
        """Check that the operator set of a node is imported.

        The meaning of the operator is checked during translation. Error: `invalid-onnx`.
        """
        domain = domain_of(node.domain)
        if domain and domain not in versions and (domain, node.op_type, node.overload) not in self.functions:
            raise Error(
                "invalid-onnx",
                f"the operator set '{domain}' of the operator '{node.op_type}' is not imported",
                layer=label(node),
                op=node.op_type,
                hint="the model's opset_import, or that of the function that the node is in, must name it with a version",
            )


def _reads(node: NodeProto) -> Iterator[str]:
    """Yield the names that a node needs.

    These are its inputs, and the names that its subgraphs capture.
    """
    yield from filter(None, node.input)
    for graph in subgraphs(node):
        yield from free_names(graph)


def free_names(graph: GraphProto) -> set[str]:
    """The names that a graph reads but does not define."""
    own = {v.name for v in graph.input} | initialised(graph)
    for node in graph.node:
        own.update(node.output)
    read = {name for node in graph.node for name in _reads(node)}
    read.update(v.name for v in graph.output)
    return read - own


def _sort(graph: GraphProto | FunctionProto) -> None:
    """Put a graph and all below it in order."""
    for node in graph.node:
        for inner in subgraphs(node):
            _sort(inner)
    # Copied before the list is emptied: it owns its messages.
    copies: list[NodeProto] = []
    for node in _ordered(graph.node):
        copies.append(NodeProto())
        copies[-1].CopyFrom(node)
    del graph.node[:]
    graph.node.extend(copies)


def _ordered(nodes: Sequence[NodeProto]) -> list[NodeProto]:
    """Return the nodes sorted so that each follows those it reads.

    Otherwise they keep their order. Raises `Error("graph-cycle")` if there is no such order.
    """
    producer = {name: index for index, node in enumerate(nodes) for name in node.output if name}
    waiting: list[int] = []
    readers: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        sources = {producer[name] for name in _reads(node) if name in producer}
        waiting.append(len(sources))
        for source in sources:
            readers.setdefault(source, []).append(index)
    ready = [index for index in reversed(range(len(nodes))) if not waiting[index]]
    ordered: list[NodeProto] = []
    while ready:
        index = ready.pop()
        ordered.append(nodes[index])
        for reader in readers.get(index, ()):
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    if len(ordered) < len(nodes):
        stuck = next(node for node, count in zip(nodes, waiting) if count)
        raise Error("graph-cycle", "the node needs its own result", layer=label(stuck), op=stuck.op_type)
    return ordered
