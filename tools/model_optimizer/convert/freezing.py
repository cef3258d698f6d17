"""Replacement of inputs by constants of the inputs' shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.feeds.values import fitted_value
from loomir.dialects.blob import constant_attr
from loomir.dialects.onnx.operations import ConstantOp as Initialiser
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.types import SeqType, kind_of
from loomir.dialects.tensors import AnyTensor
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.scope import name_location
from loomir.tools.model_optimizer.convert.places import Places
from loomir.tools.model_optimizer.convert.replacing import retyped, without_arguments
from loomir.tools.model_optimizer.convert.shape_texts import FrozenValue


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
    places = Places(module)
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


def constant_at_begin(places: Places, array: np.ndarray, name: str) -> SSAValue:
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
