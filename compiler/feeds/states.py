"""States of a model: inputs that the caller receives as same-named outputs.

The caller passes them in again.

An importer marks both with `loomir.state` (the variable's own name) and the input with `loomir.initial`, the contents
before the first call, unless these are zeros. Below GRAPH, and in C, a state is an ordinary input and output.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loomir.compiler.limits import check_bytes
from loomir.dialects.element_types import zeros_of_element
from loomir.dialects.interface import argument_names, arguments_of


@dataclass(frozen=True, eq=False)
class StateInfo:
    """State of a model.

    It has the name of its input and output, the model's variable, and the contents before the first call.
    """

    name: str
    variable: str
    initial: np.ndarray


def states_of(function: FuncOp, max_bytes: int) -> list[StateInfo]:
    """Return the states of `main` in any stage, in argument order.

    Error: `limit-bytes`.
    """
    found: list[StateInfo] = []
    for name, argument, entry in zip(argument_names(function), function.args, arguments_of(function)):
        if entry.state is None or entry.role == "output":
            continue
        array = entry.initial
        if array is None or array.size == 0:
            # It has no extents of its own: those that the caller gave the input count.
            array = _zeros(entry.type or argument.type, max_bytes)
        found.append(StateInfo(name, entry.state, array))
    return found


def _zeros(type_: Attribute, max_bytes: int) -> np.ndarray:
    """Return a tensor of zeros, or a scalar below GRAPH.

    Dynamic dimensions have extent 0.
    """
    shaped = isinstance(type_, TensorType | MemRefType)
    shape = [max(e, 0) for e in type_.get_shape()] if shaped else []
    element = type_.element_type if shaped or isinstance(type_, UnrankedTensorType) else type_
    check_bytes(element, shape, max_bytes)
    return zeros_of_element(shape, element)
