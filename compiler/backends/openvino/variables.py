"""Conversion of the states of `main` to variables.

A ReadValue stands at the first read of the state, an Assign where the new value is returned.

For a variable with a computed initial value, the reader creates a second state, which records whether there has been a
call, and a branch on it (`compiler/frontends/openvino/state.py`). If the program still has that branch, the branch
becomes the ReadValue. Otherwise the second state is a variable of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from loomir.compiler.backends.openvino.layers import Layers
from loomir.compiler.backends.openvino.ports import fact_of_port, shape_text
from loomir.dialects.interface import Entry, argument_names, arguments_of, result_names, results_of
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.text import element_name
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, IfOp
from loomir.errors import Error


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

    def write_reads(self, network: Layers) -> None:
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

    def write_read(self, network: Layers, op: Operation) -> bool:
        """Add the ReadValue that a branch is; whether it is one."""
        variable = self._reads.get(op) if isinstance(op, IfOp) else None
        if variable is None or variable.read is None:
            return False
        _write_read(network, variable, [variable.read.else_yield.values[0]], variable.read.output[0])
        return True

    def write_assigns(self, network: Layers) -> None:
        """Add an Assign for each variable."""
        for variable in self._variables:
            value = self._returned[variable.result]
            if variable.read is not None and value is variable.argument:
                value = variable.read.output[0]
            network.layer(
                PlainLayer("Assign", "opset6", _data(variable)), f"{variable.id}/assign", [value], []
            )


def _write_read(network: Layers, variable: Variable, inputs: list[SSAValue], output: SSAValue) -> None:
    plain = PlainLayer("ReadValue", "opset6", _data(variable))
    network.layer(plain, f"{variable.id}/read", inputs, [output])


def _data(variable: Variable) -> dict[str, str]:
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
