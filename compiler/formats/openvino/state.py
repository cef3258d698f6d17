"""Variables, read by ReadValue and Assign, as states of `main`, and back.

ReadValue and Assign become inputs and outputs. The caller thus owns the state, that is, the model's variables.

A variable `h` is an input `state/h` and an output of the same name; both carry `loomir.state = "h"`. The value of the
variable before the first call (and after a reset) is the input's `loomir.initial`, zeros without one. If ReadValue has
an operand that is not constant, the value read by the first call is computed in that call: a second, boolean state
`state/h/initialised` records this; it is false at first and is returned as true.

```mlir
func.func @main(%x: tensor<1x4xf32> {loomir.name = "x"},
                %h: tensor<1x4xf32> {loomir.name = "state/h", loomir.state = "h", loomir.initial = dense<0.0> : …})
    -> (tensor<1x4xf32> {loomir.name = "y"}, tensor<1x4xf32> {loomir.name = "state/h", loomir.state = "h"})
```

In the zeros of a state, dynamic dimensions have extent 0.

The writer makes variables of the states of `main`. A ReadValue stands at the first read of the state, an Assign where the new
value is returned. If the program still has the branch on the second state of a variable with a computed initial value, the
branch becomes the ReadValue. Otherwise the second state is a variable of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from loomir.compiler.formats.openvino.layers import NetworkBuilder, fact_of_port, shape_text
from loomir.compiler.formats.openvino.network import Layer, read_shape, shape_type
from loomir.compiler.formats.openvino.scope import NetworkScope
from loomir.dialects.element_types import i1
from loomir.dialects.interface import Entry, argument_names, arguments_of, result_names, results_of
from loomir.dialects.ov.base import evaluate, has_evaluator
from loomir.dialects.ov.facts import Dim, Fact, Shape, fact_of
from loomir.dialects.ov.layers.attributes import PlainLayer, element_name, element_type
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, IfOp, YieldOp
from loomir.errors import Error


@dataclass
class StateInput:
    """Input of `main` that the caller gets back as an output.

    It is the value of a variable, or the flag that records if the variable has a value.
    """

    variable: str
    argument: BlockArgument
    initial: np.ndarray | None
    result: SSAValue
    flag: bool = False

    def name(self, taken: set[str]) -> str:
        """Return a unique name for input and output, marking it taken."""
        stem = f"state/{self.variable}/initialised" if self.flag else f"state/{self.variable}"
        name = next(n for k in range(len(taken) + 1) if (n := f"{stem}_{k}" if k else stem) not in taken)
        taken.add(name)
        return name

    def argument_entry(self, name: str) -> Entry:
        """Return the entry of the argument of `main`."""
        return Entry.of(name=name, state=self.variable, initial=self.initial)

    def result_entry(self, name: str) -> Entry:
        """Return the entry of the result of `main`."""
        return Entry.of(name=name, state=self.variable)


class States:
    """Variables of a model during its import.

    The block of `main` gets an argument for each of them.
    """

    def __init__(self, block: Block) -> None:
        self._block = block
        self._read: dict[str, StateInput] = {}
        self._flags: list[StateInput] = []
        self._assigned: dict[str, SSAValue] = {}
        self._constants = ConstantEvaluator()

    def read(self, importer: NetworkScope, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
        """Return the results of a ReadValue.

        Errors: `state-variable`, `state-type`, and those of the attributes.
        """
        variable = _variable(layer)
        if variable in self._read:
            raise Error("state-variable", f"the variable '{variable}' is read twice")
        init = operands[0] if operands else None
        type_ = _variable_type(layer, None if init is None else fact_of(init))
        argument = self._argument(type_, layer)
        if init is None:
            return self._known(variable, argument, None)
        constant = self._constants.of(init)
        if constant is not None:
            return self._known(variable, argument, constant)
        flag = self._argument(TensorType(i1, []), layer)
        read = IfOp.of(flag, [UnrankedTensorType(type_.element_type)], _yielding(argument), _yielding(init))
        for region in read.regions:
            assert region.block.last_op is not None
            region.block.last_op.location = NameLoc(StringAttr(layer.name), NoneAttr())
        importer.add(read, layer)
        self._read[variable] = StateInput(variable, argument, None, read.output[0])
        true = ConstantOp.of(np.asarray(True))
        importer.add(true, layer)
        self._flags.append(StateInput(variable, flag, None, true.output, flag=True))
        return list(read.output)

    def assign(self, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
        """Return the result of an Assign, the value that it stores.

        Errors: `state-variable`, `ir-structure`.
        """
        variable = _variable(layer)
        if len(operands) != 1:
            raise Error("ir-structure", f"an Assign has one input, not {len(operands)}")
        if variable in self._assigned:
            raise Error("state-variable", f"the variable '{variable}' is assigned twice")
        self._assigned[variable] = operands[0]
        return operands

    def finish(self) -> list[StateInput]:
        """Every state, in the order of `main`'s arguments. Errors: `state-variable`, `state-type`."""
        for variable, value in self._assigned.items():
            if variable not in self._read:
                raise Error(
                    "state-variable", f"the variable '{variable}' is assigned, but no ReadValue reads it"
                )
            state = self._read[variable]
            declared, given = fact_of(state.argument), fact_of(value)
            if declared.element != given.element or not _may_be(given, declared):
                raise Error(
                    "state-type", f"the variable '{variable}' is {declared.type}, it is assigned {given.type}"
                )
            state.result = value
        found = [*self._read.values(), *self._flags]
        return sorted(found, key=lambda s: s.argument.index)

    def _known(self, variable: str, argument: BlockArgument, initial: np.ndarray | None) -> list[SSAValue]:
        self._read[variable] = StateInput(variable, argument, initial, argument)
        return [argument]

    def _argument(self, type_: Attribute, layer: Layer) -> BlockArgument:
        argument = self._block.insert_arg(type_, len(self._block.args))
        argument.location = NameLoc(StringAttr(layer.name), NoneAttr())
        return argument


def _variable(layer: Layer) -> str:
    variable = layer.data.get("variable_id")
    if not variable:
        raise Error("state-variable", f"the {layer.type} has no variable_id")
    return variable


def _variable_type(layer: Layer, init: Fact | None) -> TensorType | UnrankedTensorType:
    """Return the declared type, completed by the initial value's type.

    An unknown rank is that of the initial value.
    """
    declared = layer.data.get("variable_type", "dynamic")
    if declared == "dynamic":
        if init is None:
            raise Error(
                "state-type", "neither variable_type nor an initial value says the type of the variable"
            )
        element = init.element
    else:
        element = element_type(declared)
    if init is not None and init.element != element:
        raise Error(
            "state-type", f"the variable has elements of type {element}, its initial value {init.element}"
        )
    known = None if init is None else init.shape
    shape = read_shape(layer.data["variable_shape"]) if "variable_shape" in layer.data else known
    if shape is None and known is not None:
        shape = (Dim(),) * len(known)
    if known is not None and not _may_be(Fact(element, known), Fact(element, shape)):
        raise Error(
            "state-type",
            f"the variable has the shape {describe_shape(shape)}, its initial value {describe_shape(known)}",
        )
    return shape_type(element, shape)


def describe_shape(shape: Shape | None) -> str:
    """A shape for a message."""
    return "of unknown rank" if shape is None else f"[{','.join(map(str, shape))}]"


def _may_be(given: Fact, declared: Fact) -> bool:
    """Return True if a value of this shape may fit a variable.

    `declared` has the shape of the variable.
    """
    if given.shape is None or declared.shape is None:
        return True
    return len(given.shape) == len(declared.shape) and all(
        a.meet(b) is not None for a, b in zip(given.shape, declared.shape)
    )


def _yielding(value: SSAValue) -> Region:
    """A branch that gives a value from outside."""
    block = Block()
    block.add_op(YieldOp.build(operands=[[value]]))
    return Region(block)


MAX_INITIAL = 1 << 26
"""Elements; a larger initial value is computed in the first call."""


class ConstantEvaluator:
    """Values that depend only on constants, such as `Broadcast(Const, Const)`.

    Each is computed once.
    """

    def __init__(self) -> None:
        self._known: dict[SSAValue, np.ndarray | None] = {}

    def of(self, value: SSAValue) -> np.ndarray | None:
        """Return the contents of a value, or None if not constant.

        Values that depend on inputs (or are too large) are not constant.
        """
        waiting = [value]
        while waiting:
            top = waiting[-1]
            op = top.owner
            if top in self._known or not isinstance(op, Operation) or not self._is_simple(op):
                self._known.setdefault(top, None)
            elif missing := [o for o in op.operands if o not in self._known]:
                waiting += missing
                continue
            else:
                self._compute(op)
            waiting.pop()
        return self._known[value]

    @staticmethod
    def _is_simple(op: Operation) -> bool:
        small = all(
            isinstance(r.type, TensorType) and prod(r.type.get_shape()) <= MAX_INITIAL for r in op.results
        )
        return small and not op.regions and (isinstance(op, ConstantOp) or has_evaluator(type(op)))

    def _compute(self, op: Operation) -> None:
        arrays = [a for o in op.operands if (a := self._known[o]) is not None]
        if isinstance(op, ConstantOp):
            self._known[op.output] = op.array
        elif len(arrays) < len(op.operands):
            self._known.update(dict.fromkeys(op.results))
        else:
            try:
                self._known.update(zip(op.results, evaluate(op, arrays)))
            except Error:
                # It fails when it runs, if it runs.
                self._known.update(dict.fromkeys(op.results))


@dataclass
class Variable:
    """OpenVINO variable for one state of `main`.

    It has an id, the argument that reads it, the result that updates it, and its initial value (None: zeros).
    """

    id: str
    argument: BlockArgument
    result: int
    initial: np.ndarray | None
    read: IfOp | None = None
    """Branch that yields the argument or the value of the first call.

    That value is computed in the first call.
    """


class Variables:
    """The variables of `main`. Error: `state-variable`."""

    def __init__(self, function: FuncOp) -> None:
        outputs = {
            name: index
            for index, (name, entry) in enumerate(zip(result_names(function), results_of(function)))
            if entry.state is not None
        }
        end = function.body.block.last_op
        assert end is not None
        self._returned = list(end.operands)
        self._variables: list[Variable] = []
        self._assigned: set[int] = set()
        self._flags: set[BlockArgument] = set()
        named = zip(function.args, argument_names(function), arguments_of(function))
        states = [(argument, name, entry) for argument, name, entry in named if entry.state is not None]
        for _, name, _ in states:
            if name not in outputs:
                raise Error("state-variable", f"the state '{name}' is an input, and no output of that name")
        taken: set[str] = set()
        for argument, name, entry in states:
            self._add(argument, outputs[name], entry, taken)
        for variable in self._variables:
            self._find_read(variable)
        self._variables = [v for v in self._variables if v.argument not in self._flags]
        self._reads = {v.read: v for v in self._variables if v.read is not None}
        self._by_argument = {v.argument: v for v in self._variables}

    def _add(self, argument: BlockArgument, result: int, entry: Entry, taken: set[str]) -> None:
        assert entry.state is not None
        identifier = entry.state if entry.state not in taken else f"{entry.state}/initialised"
        if identifier in taken:
            raise Error("state-variable", f"the variable '{entry.state}' has more than two states")
        taken.add(identifier)
        self._assigned.add(result)
        self._variables.append(Variable(identifier, argument, result, entry.initial))

    def _find_read(self, variable: Variable) -> None:
        """Find the branch that is the only reader of a variable.

        Its condition is a state that is false in the first call and true from then on.
        """
        uses = list(variable.argument.uses)
        reader = uses[0].operation.parent_op() if len(uses) == 1 else None
        if not isinstance(reader, IfOp) or len(reader.output) != 1:
            return
        flag = next((v for v in self._variables if v.argument is reader.cond), None)
        returned = [self._returned[variable.result], *([] if flag is None else [self._returned[flag.result]])]
        if flag is None or flag.initial is not None or len(list(flag.argument.uses)) != 1:
            return
        constant = returned[1].owner
        then, other = reader.then_region.block, reader.else_region.block
        if (
            flag.argument.type == CONDITION_TYPE
            and isinstance(constant, ConstantOp)
            and bool(constant.array)
            and len(then.ops) == len(other.ops) == 1
            and reader.then_yield.values[0] is variable.argument
            and _is_outside(reader.else_yield.values[0], reader)
        ):
            variable.read = reader
            self._flags.add(flag.argument)

    def are_read(self, argument: SSAValue) -> bool:
        """Return True if an argument of `main` is a variable.

        It is then no Parameter.
        """
        return argument in self._by_argument or argument in self._flags

    def are_assigned(self, result: int) -> bool:
        """Return True if a result of `main` is stored in a variable."""
        return result in self._assigned

    def write_reads(self, network: NetworkBuilder) -> None:
        """Add a ReadValue for each variable whose initial value is known.

        An initial value other than zeros is added as a Const.
        """
        for variable in self._variables:
            if variable.read is not None:
                continue
            inputs: list[SSAValue] = []
            if variable.initial is not None:
                constant = ConstantOp.of(variable.initial)
                network.constant(constant, f"{variable.id}/initial")
                inputs = [constant.output]
            _write_read(network, variable, inputs, variable.argument)

    def write_read(self, network: NetworkBuilder, op: Operation) -> bool:
        """Add the ReadValue that a branch is; whether it is one."""
        variable = self._reads.get(op) if isinstance(op, IfOp) else None
        if variable is None or variable.read is None:
            return False
        _write_read(network, variable, [variable.read.else_yield.values[0]], variable.read.output[0])
        return True

    def write_assigns(self, network: NetworkBuilder) -> None:
        """Add an Assign for each variable."""
        for variable in self._variables:
            value = self._returned[variable.result]
            if variable.read is not None and value is variable.argument:
                value = variable.read.output[0]
            network.layer(
                PlainLayer("Assign", "opset6", _variable_attributes(variable)),
                f"{variable.id}/assign",
                [value],
                [],
            )


def _write_read(
    network: NetworkBuilder, variable: Variable, inputs: list[SSAValue], output: SSAValue
) -> None:
    plain = PlainLayer("ReadValue", "opset6", _variable_attributes(variable))
    network.layer(plain, f"{variable.id}/read", inputs, [output])


def _variable_attributes(variable: Variable) -> dict[str, str]:
    fact = fact_of_port(variable.argument)
    return {
        "variable_id": variable.id,
        "variable_type": element_name(fact.element),
        "variable_shape": shape_text(fact),
    }


def _is_outside(value: SSAValue, op: IfOp) -> bool:
    return value not in op.else_region.block.args and not (
        isinstance(value.owner, Operation) and value.owner.parent_op() is op
    )
