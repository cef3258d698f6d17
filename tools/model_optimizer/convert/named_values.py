"""Values of a program by name, and replacement of its inputs.

A name is that of an input, a node, a tensor, or a port of a node; it resolves to a value or operand of a program.

In FRONT, nodes are those of the ONNX graph: they have the node's name, or its first output's if it has none. In GRAPH
they are the layers that operations come from. Ports are written `2:node` (an input) and `node:2` (an output). A name
that exists literally, including its colons, is never interpreted as one with a port.

Cutting, frozen inputs and new shapes replace arguments of `main`. A frozen input becomes a constant of the input's
shape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from loomir.compiler.feeds.values import fitted_value
from loomir.compiler.stages import is_front
from loomir.dialects.attributes import constant_attr
from loomir.dialects.diagnostics import layer_name, tensor_names
from loomir.dialects.element_types import AnyTensor
from loomir.dialects.interface import (
    Entry,
    argument_names,
    arguments_of,
    main_function,
    results_of,
    set_arguments,
)
from loomir.dialects.onnx.graphs import name_value
from loomir.dialects.onnx.operations import ConstantOp as Initialiser
from loomir.dialects.onnx.operations import NodeOp, NoneOp
from loomir.dialects.ov.facts import Fact, Shape
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.types import SeqType, kind_of
from loomir.errors import Error, shown
from loomir.passes.front.convert_onnx_to_ov.scope import name_location
from loomir.passes.graph.ov_infer import OvInferPass
from loomir.tools.model_optimizer.convert.specifications import FrozenValue

_IN = re.compile(r"(\d{1,9}):(.+)", re.ASCII | re.DOTALL)
_OUT = re.compile(r"(.+):(\d{1,9})", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class NamedNode:
    """Node of the model and its operations in `main`, in order."""

    name: str
    operations: list[Operation] = field(default_factory=list[Operation])

    @property
    def results(self) -> Sequence[SSAValue]:
        """Outputs of the node: the results of its last operation."""
        return self.operations[-1].results

    @property
    def body(self) -> list[Operation]:
        """Its operations without the constants that it brings along."""
        return [op for op in self.operations if not isinstance(op, ConstantOp)] or self.operations


@dataclass(frozen=True)
class NamedValue:
    """Target of a name: its `value`, node, port and use.

    The node and the port are set if there are any, the use if the name means a single one.

    `port` None: the name is that of the node as a whole. A tensor, or an input of `main`, has no node.
    """

    value: SSAValue
    node: NamedNode | None = None
    port: int | None = None
    use: tuple[Operation, int] | None = None

    @property
    def argument(self) -> BlockArgument | None:
        """The input that this is."""
        value = self.value
        return value if self.use is None and isinstance(value, BlockArgument) else None

    @property
    def is_there(self) -> bool:
        """Return True if the place has not been removed since."""
        owner = self.value.owner if self.use is None else self.use[0]
        return not isinstance(owner, Operation) or owner.parent is not None


class NamedValues:
    """The names of a program, as it is when this is made."""

    def __init__(self, module: ModuleOp) -> None:
        self.main: FuncOp = main_function(module)
        self.is_front = is_front(module)
        self.inputs: dict[str, BlockArgument] = {}
        self.nodes: dict[str, NamedNode] = {}
        self.tensors: dict[str, SSAValue] = {}
        self._twice: set[str] = set()
        """Names of several nodes."""
        self._note_inputs()
        for op in self.main.body.block.ops:
            self._note(op)
        for entry, value in zip(results_of(self.main), self.end.operands):
            for name in entry.names if entry.state is None else ():
                self.tensors.setdefault(name, value)

    @property
    def end(self) -> ReturnOp:
        """Operation that returns the outputs."""
        last = self.main.body.block.last_op
        assert isinstance(last, ReturnOp), "of main in FRONT and GRAPH"
        return last

    @property
    def fed(self) -> dict[BlockArgument, str]:
        """Inputs that a caller feeds, in order, with their names.

        These are all arguments except the variables.
        """
        named = zip(self.main.body.block.args, argument_names(self.main), arguments_of(self.main))
        return {argument: name for argument, name, entry in named if entry.state is None}

    def _note_inputs(self) -> None:
        for index, (argument, entry) in enumerate(zip(self.main.body.block.args, arguments_of(self.main))):
            for name in (*entry.names, *name_of_location(argument)) or (f"arg{index}",):
                self.inputs.setdefault(name, argument)

    def _note(self, op: Operation) -> None:
        if isinstance(op, NodeOp):
            names = [op.name_of(index) for index in range(len(op.results))]
            name = op.label.data if op.label is not None else next(filter(None, names), "")
            if name in self.nodes:
                self._twice.add(name)
            self.nodes.setdefault(name, NamedNode(name)).operations.append(op)
            self.tensors.update({n: value for n, value in zip(names, op.results) if n})
        elif isinstance(op, Initialiser):
            self.tensors[op.title] = op.output
        elif not isinstance(op, ReturnOp | NoneOp) and (name := layer_name(op)) is not None:
            self.nodes.setdefault(name, NamedNode(name)).operations.append(op)
            for value, group in zip(op.results, tensor_names(op)):
                self.tensors.update(dict.fromkeys(group, value))

    def input(self, name: str) -> BlockArgument:
        """The input of `main` of this name. Error: `unknown-input`."""
        found = self.inputs.get(name)
        if found is None:
            raise Error(
                "unknown-input",
                f"the model has no input '{name}'",
                hint=f"its inputs: {', '.join(self.inputs) or 'none'}",
            )
        return found

    def find(self, name: str) -> NamedValue:
        """Return the place that a name means.

        Errors: `unknown-name`, `unknown-port`, `ambiguous-name`.
        """
        if (argument := self.inputs.get(name)) is not None:
            return NamedValue(argument)
        if name in self.nodes:
            node = self._node(name)
            # A constant is a tensor, whatever stands for it: in ONNX an initialiser, in OpenVINO IR a layer.
            constant = all(isinstance(op, ConstantOp) for op in node.operations)
            return NamedValue(self._result(node, 0), None if constant else node)
        if (value := self.tensors.get(name)) is not None:
            return NamedValue(value)
        into, out = _IN.fullmatch(name), _OUT.fullmatch(name)
        if into is not None and into[2] not in self.nodes and into[2] not in self.inputs:
            into = None
        if out is not None and out[1] not in self.nodes and out[1] not in self.inputs:
            out = None
        if into is not None and out is not None:
            raise Error(
                "ambiguous-name",
                f"'{name}' may be a port of '{into[2]}' or of '{out[1]}'",
                hint="give the name of the tensor that is there",
            )
        if into is not None:
            return self._incoming(into[2], int(into[1]))
        if out is not None:
            return self._outgoing(out[1], int(out[2]))
        raise self._unknown(name)

    def _node(self, name: str) -> NamedNode:
        if name in self._twice:
            raise Error(
                "ambiguous-name",
                f"several nodes are called '{name}'",
                hint="give the name of the tensor that is there",
            )
        return self.nodes[name]

    def _incoming(self, name: str, port: int) -> NamedValue:
        if name not in self.nodes:
            raise Error("unknown-port", f"'{name}' is an input of the model: it has no input ports")
        return self.port_into(self._node(name), port)

    def port_into(self, node: NamedNode, port: int) -> NamedValue:
        """Return the place at an input port of a node.

        Error: `unknown-port`.
        """
        if len(node.body) > 1 or (node.body[0].regions and not self.is_front):
            raise Error(
                "unknown-port",
                f"the input ports of '{node.name}' cannot be named here",
                hint="name the node whose output it is: '<node>' or '<node>:<port>'",
            )
        op = node.body[0]
        if port >= len(op.operands) or isinstance(op.operands[port].type, NoneType):
            given = [str(i) for i, v in enumerate(op.operands) if not isinstance(v.type, NoneType)]
            raise Error(
                "unknown-port",
                f"'{node.name}' has no input port {port}",
                hint=f"its input ports: {', '.join(given) or 'none'}",
            )
        return NamedValue(op.operands[port], node, port, (op, port))

    def _outgoing(self, name: str, port: int) -> NamedValue:
        if name not in self.nodes:
            if port == 0:
                return NamedValue(self.inputs[name])
            raise Error("unknown-port", f"'{name}' is an input of the model: its only output port is 0")
        node = self._node(name)
        return NamedValue(self._result(node, port), node, port)

    def _result(self, node: NamedNode, port: int) -> SSAValue:
        results = node.results
        if port >= len(results) or isinstance(results[port].type, NoneType):
            given = [str(i) for i, v in enumerate(results) if not isinstance(v.type, NoneType)]
            raise Error(
                "unknown-port",
                f"'{node.name}' has no output port {port}",
                hint=f"its output ports: {', '.join(given) or 'none'}",
            )
        return results[port]

    def _unknown(self, name: str) -> Error:
        # (Of so many characters two names are compared: longer ones take long.)
        known = [n for n in (*self.inputs, *self.nodes, *self.tensors) if len(n) <= 200]
        port = _IN.fullmatch(name) or _OUT.fullmatch(name)
        bare = name if port is None else max(port.groups(), key=len)
        near = list(dict.fromkeys(get_close_matches(bare[:200], known, n=5))) if len(known) <= 10_000 else []
        inputs = f"the model's inputs: {', '.join(dict.fromkeys(self.inputs)) or 'none'}"
        return Error(
            "unknown-name",
            f"no node, tensor or input of the model is called {shown(name)}",
            hint=f"similar names: {', '.join(near)}" if near else inputs,
        )


def name_of_location(argument: BlockArgument) -> tuple[str, ...]:
    """Return the name in an input's location, if there is one.

    In OpenVINO IR it is the Parameter's own name.
    """
    location = argument.location
    return (location.desc.data,) if isinstance(location, NameLoc) and location.desc.data else ()


@dataclass(frozen=True)
class Argument:
    """Future argument of `main`: an existing one (`old`), or a new one."""

    type: Attribute
    entry: Entry
    title: str
    """Of a new one, what its location says."""
    old: BlockArgument | None = None


def set_main_arguments(function: FuncOp, arguments: Sequence[Argument]) -> list[BlockArgument]:
    """Give `main` exactly these arguments, in this order.

    Old arguments that are not among them must have no uses left.
    """
    old = function.body.block
    new = Block(arg_types=[argument.type for argument in arguments])
    for argument, made in zip(arguments, new.args):
        if argument.old is not None:
            made.location, made.name_hint = argument.old.location, argument.old.name_hint
            argument.old.replace_all_uses_with(made)
        else:
            made.location = name_location(argument.title)
            name_value(made, argument.title)
    for op in list(old.ops):
        op.detach()
        new.add_op(op)
    function.body.detach_block(old).erase()
    function.body.add_block(new)
    set_arguments(function, [argument.entry for argument in arguments])
    function.update_function_type()
    return list(new.args)


def kept(function: FuncOp) -> list[Argument]:
    """The arguments that `main` has, as they are."""
    pairs = zip(function.body.block.args, arguments_of(function))
    return [Argument(argument.type, entry, "", argument) for argument, entry in pairs]


def without_arguments(function: FuncOp, removed: Collection[SSAValue]) -> None:
    """Remove arguments that nothing reads."""
    set_main_arguments(function, [each for each in kept(function) if each.old not in removed])


def shaped(element: Attribute, shape: Shape) -> tuple[Attribute, Entry]:
    """Return the type and the entry of an input of this shape.

    The entry holds the upper bounds of the extents, if there are any. (Lower bounds are not kept.)
    """
    fact = Fact(element, shape)
    bounded = any(d.hi is not None and d.static is None for d in shape)
    return fact.type, Entry.of(bounds=[d.hi for d in shape]) if bounded else Entry()


def retyped(module: ModuleOp) -> None:
    """Infer the types of a program's values from its arguments.

    (In FRONT nothing relies on them.)

    Errors: those of inference.
    """
    if not is_front(module):
        OvInferPass().apply(Context(), module)


def freeze(module: ModuleOp, values: Mapping[str, FrozenValue]) -> None:
    """Replace inputs of `main` by constants of their types.

    They are then no longer inputs. The module is in FRONT or in GRAPH.

    A list has as many elements as the input, and gets its shape; the dynamic dimensions of an input must agree with the
    length of the list, and become static. As in the Model Optimizer, one value is not repeated for many elements. Errors:
    `unknown-input`, `bad-option` (two names of one input), `input-sequence`, `value-mismatch`, and in GRAPH those of
    inference.
    """
    if not values:
        return
    places = NamedValues(module)
    frozen = {places.input(name): (name, value) for name, value in values.items()}
    if len(frozen) < len(values):
        raise Error(
            "bad-option", f"two of {', '.join(values)} are names of one input", hint="give it one value"
        )
    for argument, (name, value) in frozen.items():
        array = frozen_array(name, argument.type, value)
        argument.replace_all_uses_with(constant_at_begin(places, array, name))
    without_arguments(places.main, set(frozen))
    retyped(module)


def frozen_array(name: str, type_: Attribute, value: FrozenValue) -> np.ndarray:
    """The array of a type that a value fills. Errors: `input-sequence`, `value-mismatch`."""
    if isinstance(type_, SeqType) or not isinstance(type_, AnyTensor):
        kind = kind_of(type_) if isinstance(type_, SeqType) else "value without a type"
        raise Error(
            "input-sequence", f"input '{name}' is a {kind}: only tensors can be given a shape or a value"
        )
    declared = Fact.of_type(type_)
    count = len(value) if isinstance(value, tuple) else 1
    extents = declared.static
    if extents is not None and math.prod(extents) != count:
        raise Error(
            "value-mismatch",
            f"input '{name}' is {type_}, {count} values do not fill it",
            hint=f"give all {math.prod(extents)} of them: {name}->[…]",
        )
    # (As a flat list: of it the element type is asked, the shape is what was asked before.)
    flat = list(value) if isinstance(value, tuple) else [value]
    if extents is not None:
        return fitted_value(name, Fact(declared.element, None), flat).reshape(extents)
    return fitted_value(name, declared, flat if isinstance(value, tuple) else value)


def constant_at_begin(places: NamedValues, array: np.ndarray, name: str) -> SSAValue:
    """Insert a constant at the beginning of `main`.

    It is an operation of the program's stage, named after the value that it replaces.
    """
    title = f"{name}/const_placeholder"
    op: Operation
    op = Initialiser.of(constant_attr(array), title) if places.is_front else ConstantOp.of(array)
    op.location = name_location(title)
    block = places.main.body.block
    first = block.first_op
    assert first is not None, "it has a terminator"
    block.insert_op_before(op, first)
    return op.results[0]
