"""Fixing what a model leaves open: the shapes and the values of its inputs.

Both change `main`'s signature in GRAPH and nothing else; `ov-infer` carries the consequences through the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from loomir.dialects.blob import dense_attr
from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.facts import Fact
from loomir.errors import Error


def main_function(module: ModuleOp) -> FuncOp:
    """The function `main`. Error: `no-main`."""
    for op in module.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main" and op.body.blocks:
            return op
    raise Error("no-main", "the module has no function main with a body")


def tensor_names(function: FuncOp, *, results: bool = False) -> list[str]:
    """`loomir.name` of each argument (or result); `arg0`, `result0` … where there is none."""
    attrs = function.res_attrs if results else function.arg_attrs
    types = function.function_type.outputs if results else function.function_type.inputs
    names: list[str] = []
    for index in range(len(types)):
        entry = attrs.data[index].data if attrs is not None else {}
        name = entry.get("loomir.name")
        names.append(
            name.data if isinstance(name, StringAttr) else f"{'result' if results else 'arg'}{index}"
        )
    return names


def set_shapes(module: ModuleOp, shapes: Mapping[str, Sequence[int]]) -> None:
    """Give inputs static shapes. Errors: `unknown-input`, `shape-mismatch` (what the model declares forbids it)."""
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
        if not fits or any(e < 0 for e in extents):
            raise Error(
                "shape-mismatch",
                f"input '{name}' is {argument.type} in the model, it cannot have the shape {list(extents)}",
            )
        argument._type = wanted  # pyright: ignore[reportPrivateUsage]
    function.function_type = FunctionType.from_lists(
        [a.type for a in function.args], list(function.function_type.outputs.data)
    )


def set_values(module: ModuleOp, values: Mapping[str, ArrayLike]) -> None:
    """Fix inputs to values: they stay arguments (with `loomir.value`), but nothing reads them any more.

    A value takes the input's element type if that loses nothing. Errors: `unknown-input`, `value-mismatch`.
    """
    if not values:
        return
    function = main_function(module)
    arguments = _inputs(function, values)
    entries = (
        [dict(e.data) for e in function.arg_attrs.data] if function.arg_attrs else [{} for _ in function.args]
    )
    block = function.body.block
    for name, value in values.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        given = np.asarray(value)
        array = given.astype(dtype_of(declared.element))
        if not np.array_equal(array.astype(given.dtype), given):
            raise Error(
                "value-mismatch", f"input '{name}' is {declared.element}, which cannot hold {given.tolist()}"
            )
        if declared.shape is not None and len(declared.shape) != array.ndim:
            if array.ndim == 0 and all(d.static in (None, 1) for d in declared.shape):
                array = array.reshape((1,) * len(declared.shape))
            elif array.size == 1 and not declared.shape:
                array = array.reshape(())
        fits = declared.shape is None or (
            len(declared.shape) == array.ndim
            and all(d.static in (None, e) for d, e in zip(declared.shape, array.shape))
        )
        if not fits:
            raise Error(
                "value-mismatch",
                f"input '{name}' is {argument.type}, the value has the shape {list(array.shape)}",
            )
        constant = ConstantOp.of(array)
        constant.location = argument.location
        first = block.first_op
        assert first is not None
        block.insert_op_before(constant, first)
        argument.replace_all_uses_with(constant.output)
        argument._type = constant.output.type  # pyright: ignore[reportPrivateUsage]
        entries[argument.index]["loomir.value"] = dense_attr(array)
    function.arg_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])
    function.function_type = FunctionType.from_lists(
        [a.type for a in function.args], list(function.function_type.outputs.data)
    )


def _inputs(function: FuncOp, wanted: Mapping[str, object]) -> dict[str, BlockArgument]:
    arguments = dict(zip(tensor_names(function), function.args))
    for name in wanted:
        if name not in arguments:
            raise Error(
                "unknown-input",
                f"the model has no input '{name}'",
                hint=f"its inputs: {', '.join(arguments) or 'none'}",
            )
    return arguments
