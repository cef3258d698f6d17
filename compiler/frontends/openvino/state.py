"""Conversion of ReadValue and Assign to inputs and outputs.

The caller thus owns the state, that is, the model's variables.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from loomir.compiler.frontends.openvino.declarations import read_shape, shape_type
from loomir.compiler.frontends.openvino.network import Layer
from loomir.compiler.frontends.openvino.scope import Scope
from loomir.dialects.element_types import i1
from loomir.dialects.interface import Entry
from loomir.dialects.ov.evaluation import evaluate, has_evaluator
from loomir.dialects.ov.facts import Dim, Fact, Shape, fact_of
from loomir.dialects.ov.layers.attributes import element_type
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp
from loomir.errors import Error


@dataclass
class State:
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
        self._read: dict[str, State] = {}
        self._flags: list[State] = []
        self._assigned: dict[str, SSAValue] = {}
        self._constants = Constants()

    def read(self, importer: Scope, layer: Layer, operands: list[SSAValue]) -> list[SSAValue]:
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
        self._read[variable] = State(variable, argument, None, read.output[0])
        true = ConstantOp.of(np.asarray(True))
        importer.add(true, layer)
        self._flags.append(State(variable, flag, None, true.output, flag=True))
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

    def finish(self) -> list[State]:
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
        self._read[variable] = State(variable, argument, initial, argument)
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
            "state-type", f"the variable has the shape {text_of(shape)}, its initial value {text_of(known)}"
        )
    return shape_type(element, shape)


def text_of(shape: Shape | None) -> str:
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


class Constants:
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
