"""Signature of `main`: model values as flat tensors, scalars and extents.

See docs/ir.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.interface import BOUNDS, Entry, arguments_of, results_of, set_arguments, set_results
from loomir.errors import Error
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import (
    Boundaries,
    Bounds,
    boundary_types,
    ranked,
)


def argument_bounds(func: FuncOp, index: int, type_: TensorType) -> Bounds:
    """Return the largest extents of an argument of `main`.

    They are those of its type, or of `loomir.bounds` where the type has a `?`.

    Error: `dynamic-input` where there is no bound.
    """
    entry = arguments_of(func)[index]
    values = entry.bounds or [None] * len(type_.get_shape())
    bounds: list[int] = []
    for k, (extent, bound) in enumerate(zip(type_.get_shape(), values, strict=True)):
        if extent != DYNAMIC_INDEX:
            bounds.append(extent)
        elif bound is not None:
            bounds.append(bound)
        else:
            name = entry.name or f"arg{index}"
            one = [1 if d == DYNAMIC_INDEX else d for d in type_.get_shape()]
            raise Error(
                "dynamic-input",
                f"dimension {k} of input '{name}' ({shape_text(type_)}) is not known",
                hint=f"fix it, such as with --shape {name}={','.join(map(str, one))} (shapes={{'{name}': {one}}}), or bound it with"
                " --max-shape (max_shapes=)",
            )
    return tuple(bounds)


def convert_arguments(func: FuncOp, low: Boundaries) -> None:
    """Replace every tensor argument by its boundary form.

    The model form of the argument is emitted at the top of the body.
    """
    block = func.body.block
    entries = arguments_of(func)
    new_entries: list[Entry] = []
    start = block.first_op
    with low.at(block if start is None else InsertPoint.before(start)):
        for index, argument in enumerate(tuple(block.args)):
            if not isinstance(argument.type, TensorType):
                new_entries.append(entries[index])
                continue
            type_ = ranked(argument)
            bounds = argument_bounds(func, index, type_)
            types = boundary_types(type_, bounds)
            if types == [type_]:
                new_entries.append(entries[index])
                continue
            position = argument.index
            values = [block.insert_arg(t, position + k) for k, t in enumerate(types)]
            name = entries[index].name or f"arg{index}"
            new_entries += _said(entries[index], type_, types, bounds, name)
            for value in values:
                value.location = argument.location
            values[0].name_hint = argument.name_hint
            _check_extents(low, type_, values[1:], bounds, name)
            low.bind(argument, type_, values, bounds)
            block.erase_arg(argument)
    set_arguments(func, new_entries)


def convert_results(func: FuncOp, low: Boundaries) -> None:
    """Return the boundary form of every result."""
    last = func.body.block.last_op
    assert isinstance(last, ReturnOp)
    entries = results_of(func)
    new_entries: list[Entry] = []
    values = []
    with low.at(InsertPoint.before(last)), low.located(last.location):
        for index, value in enumerate(last.arguments):
            if not isinstance(value.type, TensorType):
                new_entries.append(entries[index])
                values.append(value)
                continue
            type_, bounds = ranked(value), low.bounds(value)
            parts = low.boundary(value, type_, bounds)
            types = [v.type for v in parts]
            name = entries[index].name or f"result{index}"
            said = [entries[index]] if types == [type_] else _said(entries[index], type_, types, bounds, name)
            new_entries += said
            values += parts
        new = ReturnOp(*values)
        low.insert(new)
        last.detach()
        last.erase()
    set_results(func, new_entries)
    func.update_function_type()


def _said(old: Entry, type_: TensorType, types: list[Attribute], bounds: Bounds, name: str) -> list[Entry]:
    """Return the entries of a tensor's arguments (or results).

    The first entry is that of the value itself, followed by those of its extents.
    """
    first = old.without(BOUNDS) | Entry.of(type=type_)
    dynamic = [k for k, d in enumerate(type_.get_shape()) if d == DYNAMIC_INDEX]
    if dynamic:
        first |= Entry.of(name=name, bounds=bounds)
    assert len(types) == 1 + len(dynamic)
    return [first, *(Entry.of(dim=(name, k)) for k in dynamic)]


def _check_extents(
    low: Boundaries, type_: TensorType, extents: Sequence[SSAValue], bounds: Bounds, name: str
) -> None:
    """Everything behind relies on the bounds: refuse larger extents at the entry."""
    dynamic = [k for k, d in enumerate(type_.get_shape()) if d == DYNAMIC_INDEX]
    for k, extent in zip(dynamic, extents):
        low.assert_(
            low.compare("ule", extent, bounds[k]),
            f"capacity: dimension {k} of input '{name}' is larger than {bounds[k]}",
        )


def shape_text(type_: TensorType) -> str:
    """`[?,3]`."""
    return f"[{','.join('?' if d == DYNAMIC_INDEX else str(d) for d in type_.get_shape())}]"
