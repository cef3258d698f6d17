"""Fixed or bounded shapes and values of a model's inputs.

The functions change only the signature of `main` in GRAPH; `ov-infer` propagates the consequences through the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from loomir.compiler.feeds.values import fitted_value
from loomir.dialects.element_types import CodeType
from loomir.dialects.interface import (
    Entry,
    argument_names,
    arguments_of,
    entry_of,
    main_function,
    set_arguments,
)
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.types import SeqType, kind_of
from loomir.dialects.tensors import set_type
from loomir.errors import Error


def set_shapes(module: ModuleOp, shapes: Mapping[str, Sequence[int]]) -> None:
    """Give inputs static shapes.

    Errors: `unknown-input`, `shape-mismatch` (the model's declaration forbids it).
    """
    if not shapes:
        return
    function = main_function(module)
    arguments = _inputs(function, shapes)
    for name, extents in shapes.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        wanted = TensorType(declared.element, list(extents))
        fits = declared.shape is None or (
            len(declared.shape) == len(extents)
            and all(d.static in (None, e) for d, e in zip(declared.shape, extents))
        )
        limits = entry_of(argument).bounds
        if fits and limits is not None:
            fits = all(limit is None or e <= limit for limit, e in zip(limits, extents))
        if not fits or any(e < 0 for e in extents):
            largest = "" if limits is None else f" of at most {_extents_text(limits)}"
            raise Error(
                "shape-mismatch",
                f"input '{name}' is {argument.type}{largest} in the model, it cannot have the shape {list(extents)}",
            )
        set_type(argument, wanted)
    # Of an output that is an input, too.
    function.update_function_type()


def set_bounds(module: ModuleOp, max_shapes: Mapping[str, Sequence[int | None]]) -> None:
    """Set upper bounds on the dynamic dimensions of inputs.

    The dimensions stay dynamic, with a largest extent (None: no bound).

    A static dimension may be included if its bound is not smaller; an input of unknown rank gets a rank. Errors:
    `unknown-input`, `shape-mismatch`.
    """
    if not max_shapes:
        return
    function = main_function(module)
    arguments = _inputs(function, max_shapes)
    entries = arguments_of(function)
    for name, extents in max_shapes.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        given = list(extents)
        shape = declared.shape if declared.shape is not None else (Dim(),) * len(given)
        fits = len(shape) == len(given) and all(b is None or d.lo <= b for d, b in zip(shape, given))
        if not fits:
            raise Error(
                "shape-mismatch",
                f"input '{name}' is {argument.type} in the model, {_extents_text(given)} cannot be its largest shape",
            )
        old = entry_of(argument).bounds or (None,) * len(shape)
        # What the file said stays true: of two bounds the smaller one counts.
        both = [min((b for b in pair if b is not None), default=None) for pair in zip(given, old)]
        limits = [b if d.static is None else d.lo for d, b in zip(shape, both)]
        set_type(argument, Fact(declared.element, shape).type)
        entries[argument.index] |= Entry.of(bounds=limits)
    set_arguments(function, entries)
    # Of an output that is an input, too.
    function.update_function_type()


def _extents_text(extents: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if e is None else str(e) for e in extents)}]"


def set_values(module: ModuleOp, values: Mapping[str, ArrayLike]) -> None:
    """Fix inputs to values.

    They stay arguments (with `loomir.value`), but have no uses any more.

    Errors: `unknown-input` and that of `fitted_value`.
    """
    if not values:
        return
    function = main_function(module)
    arguments = _inputs(function, values)
    entries = arguments_of(function)
    block = function.body.block
    for name, value in values.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        if isinstance(declared.element, CodeType):
            raise Error(
                "value-mismatch", f"input '{name}' is {declared.type}, of which there are no constants"
            )
        array = fitted_value(name, declared, value)
        constant = ConstantOp.of(array)
        constant.location = argument.location
        first = block.first_op
        assert first is not None
        block.insert_op_before(constant, first)
        argument.replace_all_uses_with(constant.output)
        set_type(argument, constant.output.type)
        entries[argument.index] |= Entry.of(value=array)
    set_arguments(function, entries)
    # Of an output that is an input, too.
    function.update_function_type()


def _inputs(function: FuncOp, wanted: Mapping[str, object]) -> dict[str, BlockArgument]:
    arguments = dict(zip(argument_names(function), function.args))
    for name in wanted:
        if name in arguments and isinstance(arguments[name].type, SeqType):
            raise Error(
                "input-sequence",
                f"input '{name}' is a {kind_of(arguments[name].type)}: only tensors can be given a shape or a value",
            )
        if name not in arguments:
            raise Error(
                "unknown-input",
                f"the model has no input '{name}'",
                hint=f"its inputs: {', '.join(arguments) or 'none'}",
            )
    return arguments
