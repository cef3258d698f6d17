"""What translators work with: a `Node` reads an ONNX node and appends `ov` operations; a `Scope` resolves names.

A scope is one graph (or function call) that is being translated: a table of names and the block that
receives its operations. Initialisers become `ov.constant` where they are first read. Subgraphs are child
scopes with blocks of their own; outer values are simply used inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnx.defs
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from loomir.compiler.frontends.onnx.contents import Contents
from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.compiler.frontends.onnx.registry import find_translator
from loomir.compiler.frontends.onnx.structure import FunctionKey, domain_of, label, opset_versions
from loomir.compiler.frontends.onnx.tensors import array_of
from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.reshape import ReshapeOp, ShapeOfOp
from loomir.errors import Error

OpT = TypeVar("OpT", bound=OvOperation)


def name_location(name: str) -> NameLoc:
    """The location `loc("name")`."""
    return NameLoc(StringAttr(name), NoneAttr())


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
        calls: tuple[FunctionKey, ...] = (),
    ) -> None:
        self.session = session
        self.block = block
        self.versions = versions
        self.parent = parent
        self.attributes = attributes
        """The attributes of a function call, which its nodes may refer to; None outside functions."""
        self.depth = depth
        """How many subgraphs and calls are around."""
        self.calls = calls
        self.values: dict[str, SSAValue] = {}
        self.initialisers: dict[str, TensorProto] = {}
        if depth > session.options.max_nesting:
            raise Error(
                "import-limit", f"subgraphs and calls are nested deeper than {session.options.max_nesting}"
            )

    @property
    def conditional(self) -> bool:
        """Whether what is translated may never run: it is in a branch or in a loop's body."""
        return self.block.parent is not None and self.block.parent_op() is None

    def lookup(self, name: str) -> SSAValue:
        """The value of a name that is visible here. `Error("undefined-name")` where there is none."""
        scope: Scope | None = self
        while scope is not None:
            if (value := scope.values.get(name)) is not None:
                return value
            if (tensor := scope.initialisers.get(name)) is not None:
                value = scope.constant(array_of(tensor, self.session.directory), name)
                scope.values[name] = value
                return value
            scope = scope.parent
        raise Error("undefined-name", f"the value '{name}' is not defined")

    def constant(self, array: np.ndarray, name: str) -> SSAValue:
        """A constant at the end of the block; `name` becomes its location."""
        return self.append(ConstantOp.of(array), name).results[0]

    def append(self, op: Operation, name: str) -> Operation:
        """Put an operation at the end of the block, located by a name."""
        op.location = name_location(name)
        self.block.add_op(op)
        return op

    def define(self, name: str, value: SSAValue) -> None:
        """Give a value its name."""
        self.values[name] = value

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
                raise error.at(layer=label(proto), op=proto.op_type) from error

    def _translate_node(self, proto: NodeProto) -> None:
        key = (domain_of(proto.domain), proto.op_type, proto.overload)
        function = self.session.functions.get(key)
        if function is not None:
            results = self._call(proto, key, function)
        else:
            schema = onnx.defs.get_schema(proto.op_type, self.versions.get("", 1), "")
            translator = find_translator(proto.op_type, schema.since_version)
            node = Node(proto, self, schema)
            if translator is None:
                results = self._expand(node)
            else:
                given = translator(node)
                results = [given] if isinstance(given, SSAValue) else list(given)
        for index, name in enumerate(proto.output):
            if not name:
                continue
            value = results[index] if index < len(results) else None
            if value is None:
                raise Error("unsupported-output", f"output {index} of {proto.op_type} ('{name}') is not supported")
            self.define(name, value)

    def _call(self, proto: NodeProto, key: FunctionKey, function: FunctionProto) -> list[SSAValue | None]:
        """Inline a function: its names are its own, its operations go to this block."""
        if key in self.calls:
            raise Error("graph-cycle", f"the function {proto.op_type} calls itself")
        attributes = {a.name: a for a in function.attribute_proto}
        attributes.update({a.name: resolve_attribute(a, self.attributes) for a in proto.attribute})
        attributes = {name: a for name, a in attributes.items() if a is not None}
        inner = Scope(
            self.session,
            self.block,
            opset_versions(function.opset_import),
            attributes=attributes,  # pyright: ignore[reportArgumentType]
            depth=self.depth + 1,
            calls=(*self.calls, key),
        )
        # A function's absent inputs are absent inside too: `Node.optional` looks for the empty mark.
        for index, formal in enumerate(function.input):
            actual = proto.input[index] if index < len(proto.input) else ""
            if actual and (value := self.find(actual)) is not None:
                inner.define(formal, value)
            else:
                inner.absent.add(formal)
        if len(proto.input) > len(function.input):
            raise Error("invalid-onnx", f"{len(proto.input)} inputs for a function of {len(function.input)}")
        inner.translate(function.node)
        return [inner.find(name) for name in function.output]
