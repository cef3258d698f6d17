"""Scopes: the names of one graph that is being translated, and the block that receives its operations.

Initialisers become `ov.constant` where they are first read. Subgraphs are child scopes with blocks of their
own; outer values are simply used inside. A function call is a scope that sees only its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np
import onnx.defs
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.compiler.frontends.onnx.contents import Contents
from loomir.compiler.frontends.onnx.definitions import default_attributes, definition_of
from loomir.compiler.frontends.onnx.node import Node, name_location
from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.compiler.frontends.onnx.registry import find_translator
from loomir.compiler.frontends.onnx.structure import FunctionKey, domain_of, label, opset_versions
from loomir.compiler.frontends.onnx.tensors import array_of
from loomir.dialects.ov.constant import ConstantOp
from loomir.errors import Error


@dataclass
class Session:
    """What one import shares: the model's functions, limits and what is known of contents."""

    functions: Mapping[FunctionKey, FunctionProto]
    directory: Path | None
    options: ImportOptions
    contents: Contents = field(default_factory=Contents)
    nodes: int = 0

    def count_node(self) -> None:
        """`Error("import-limit")` where more nodes were translated than allowed."""
        self.nodes += 1
        if self.nodes > self.options.max_nodes:
            raise Error("import-limit", f"the model has more than {self.options.max_nodes} nodes")


class Scope:
    """The names of one graph and the block that its operations go to."""

    def __init__(
        self,
        session: Session,
        block: Block,
        versions: Mapping[str, int],
        *,
        parent: Scope | None = None,
        attributes: Mapping[str, AttributeProto] | None = None,
        depth: int = 0,
        conditional: bool = False,
        calls: tuple[FunctionKey, ...] = (),
        caller: str = "",
    ) -> None:
        self.session = session
        self.block = block
        self.versions = versions
        self.parent = parent
        self.attributes = attributes
        """The attributes of a function call, which its nodes may refer to; None outside functions."""
        self.depth = depth
        """How many subgraphs and calls are around."""
        self.conditional = conditional
        """Whether what is translated may never run: it is in a branch or in a loop's body."""
        self.calls = calls
        self.caller = caller
        """The label of the node whose function this is."""
        self.values: dict[str, SSAValue] = {}
        self.absent: set[str] = set()
        """The inputs of a function that its call leaves out."""
        self.initialisers: dict[str, TensorProto] = {}
        if depth > session.options.max_nesting:
            raise Error(
                "import-limit", f"subgraphs and calls are nested deeper than {session.options.max_nesting}"
            )

    def find(self, name: str) -> SSAValue | None:
        """The value of a name that is visible here; None for the empty name and a function's absent input.

        Error: `undefined-name`.
        """
        scope: Scope | None = self if name else None
        while scope is not None:
            if (value := scope.values.get(name)) is not None:
                return value
            if (tensor := scope.initialisers.get(name)) is not None:
                value = scope.constant(array_of(tensor, self.session.directory), name)
                scope.values[name] = value
                return value
            if name in scope.absent:
                return None
            scope = scope.parent
        if not name:
            return None
        raise Error("undefined-name", f"the value '{name}' is not defined")

    def constant(self, array: np.ndarray, name: str) -> SSAValue:
        """A constant at the end of the block; `name` becomes its location."""
        return self.append(ConstantOp.of(array), name).results[0]

    def label(self, proto: NodeProto) -> str:
        """What locations and messages call a node."""
        return f"{self.caller}/{label(proto)}" if self.caller else label(proto)

    def append(self, op: Operation, name: str) -> Operation:
        """Put an operation at the end of the block, located by a name."""
        op.location = name_location(name)
        self.block.add_op(op)
        return op

    def add_initialisers(self, graph: GraphProto, *, hidden: Iterable[str] = ()) -> None:
        """Make the graph's initialisers visible but for those that `hidden` names."""
        if graph.sparse_initializer:
            name = graph.sparse_initializer[0].values.name
            raise Error("unsupported-type", f"the sparse initialiser '{name}' is not supported")
        self.initialisers.update({t.name: t for t in graph.initializer})
        for name in hidden:
            self.initialisers.pop(name, None)

    def translate(self, nodes: Iterable[NodeProto]) -> None:
        """Translate nodes in order, defining their outputs. Errors know their node."""
        for proto in nodes:
            try:
                self.session.count_node()
                self._translate_node(proto)
            except Error as error:
                raise error.at(layer=self.label(proto), op=proto.op_type) from error

    def _translate_node(self, proto: NodeProto) -> None:
        key = (domain_of(proto.domain), proto.op_type, proto.overload)
        function = self.session.functions.get(key)
        if function is not None:
            results = self._inline(proto, key, function)
        else:
            node = Node(proto, self, onnx.defs.get_schema(proto.op_type, self.versions.get("", 1), ""))
            results = self._translate_operator(node, key)
        for index, name in enumerate(proto.output):
            if not name:
                continue
            value = results[index] if index < len(results) else None
            if value is None:
                raise Error(
                    "unsupported-output", f"output {index} of {proto.op_type} ('{name}') is not supported"
                )
            self.values[name] = value

    def _translate_operator(self, node: Node, key: FunctionKey) -> list[SSAValue | None]:
        """By its translator; else by the definition that ONNX itself gives in simpler operators."""
        translator = find_translator(node.operator, node.version)
        if translator is not None:
            results = translator(node)
            return [results] if isinstance(results, SSAValue) else list(results)
        function = definition_of(node)
        if function is None:
            raise Error("unsupported-operator", f"there is no translation of {node.operator}-{node.version}")
        return self._inline(node.proto, key, function, default_attributes(node.schema))

    def _inline(
        self,
        proto: NodeProto,
        key: FunctionKey,
        function: FunctionProto,
        defaults: Mapping[str, AttributeProto] = MappingProxyType({}),
    ) -> list[SSAValue | None]:
        """Translate a function's body in place of a call: its names are its own."""
        assert key not in self.calls, "ONNX's checker refuses recursive functions"
        if len(proto.input) > len(function.input):
            raise Error("invalid-onnx", f"{len(proto.input)} inputs for a function of {len(function.input)}")
        attributes = {**defaults, **{a.name: a for a in function.attribute_proto}}
        for given in proto.attribute:
            if (attribute := self.resolve(given)) is not None:
                attributes[given.name] = attribute
        inner = Scope(
            self.session,
            self.block,
            opset_versions(function.opset_import),
            attributes=attributes,
            depth=self.depth + 1,
            conditional=self.conditional,
            calls=(*self.calls, key),
            caller=self.label(proto),
        )
        for index, formal in enumerate(function.input):
            actual = self.find(proto.input[index]) if index < len(proto.input) else None
            if actual is None:
                inner.absent.add(formal)
            else:
                inner.values[formal] = actual
        inner.translate(function.node)
        # An output that the call does not use need not have a value: a definition may leave it out.
        used = [
            index < len(proto.output) and bool(proto.output[index]) for index in range(len(function.output))
        ]
        return [inner.find(name) if use else None for name, use in zip(function.output, used)]

    def resolve(self, attribute: AttributeProto) -> AttributeProto | None:
        """The attribute itself, or the attribute of the function call that it refers to (None: not given)."""
        if not attribute.ref_attr_name:
            return attribute
        found = (self.attributes or {}).get(attribute.ref_attr_name)
        if found is not None and found.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
            # Its outer names belong to the caller.
            raise Error("unsupported-attribute", f"the function's attribute '{found.name}' is a graph")
        return found

    def subgraph(self, graph: GraphProto, arguments: Sequence[Attribute]) -> tuple[Scope, Block]:
        """A scope for a graph below this one and its block, which has arguments of these types."""
        block = Block(arg_types=arguments)
        Region(block)
        scope = Scope(
            self.session,
            block,
            self.versions,
            parent=self,
            attributes=self.attributes,
            depth=self.depth + 1,
            conditional=True,
            calls=self.calls,
            caller=self.caller,
        )
        scope.add_initialisers(graph, hidden=[i.name for i in graph.input])
        return scope, block
