"""The signature of `main`: model values become flat tensors, scalars and extents (docs/ir.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.errors import Error
from loomir.passes.analysis.inference.arguments import declared_bounds
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import (
    Boundaries,
    Bounds,
    boundary_types,
    ranked,
)

Attributes = dict[str, Attribute]


def argument_bounds(func: FuncOp, index: int, type_: TensorType) -> Bounds:
    """The largest extents of an argument of `main`: its type's, or `loomir.bounds` where that has a `?`.

    Error: `dynamic-input` where there is no bound.
    """
    attrs = entries(func.arg_attrs, len(func.function_type.inputs))[index]
    values = declared_bounds(func, index) or [None] * len(type_.get_shape())
    bounds: list[int] = []
    for k, (extent, bound) in enumerate(zip(type_.get_shape(), values, strict=True)):
        if extent != DYNAMIC_INDEX:
            bounds.append(extent)
        elif bound is not None:
            bounds.append(bound)
        else:
            name = name_of(attrs) or f"arg{index}"
            raise Error(
                "dynamic-input",
                f"dimension {k} of input '{name}' ({shape_text(type_)}) is not known",
                hint=f"fix it with shapes={{'{name}': […]}} (--shape {name}=…) or bound it with max_shapes= (--max-shape)",
            )
    return tuple(bounds)


def convert_arguments(func: FuncOp, low: Boundaries) -> None:
    """Replace every tensor argument by its boundary form, and put its model form at the top of the body."""
    block = func.body.block
    attrs = entries(func.arg_attrs, len(block.args))
    new_attrs: list[Attributes] = []
    start = block.first_op
    with low.at(block if start is None else InsertPoint.before(start)):
        for index, argument in enumerate(tuple(block.args)):
            if not isinstance(argument.type, TensorType):
                new_attrs.append(attrs[index])
                continue
            type_ = ranked(argument)
            bounds = argument_bounds(func, index, type_)
            types = boundary_types(type_, bounds)
            if types == [type_]:
                new_attrs.append(attrs[index])
                continue
            position = argument.index
            values = [block.insert_arg(t, position + k) for k, t in enumerate(types)]
            name = name_of(attrs[index])
            new_attrs += _attributes(attrs[index], type_, types, bounds, name or f"arg{index}")
            for value in values:
                value.location = argument.location
            values[0].name_hint = argument.name_hint
            _check_extents(low, type_, values[1:], bounds, name or f"arg{index}")
            low.bind(argument, type_, values, bounds)
            block.erase_arg(argument)
    func.arg_attrs = ArrayAttr([DictionaryAttr(a) for a in new_attrs])


def convert_results(func: FuncOp, low: Boundaries) -> None:
    """Return the boundary form of every result."""
    last = func.body.block.last_op
    assert isinstance(last, ReturnOp)
    attrs = entries(func.res_attrs, len(last.arguments))
    new_attrs: list[Attributes] = []
    values = []
    with low.at(InsertPoint.before(last)), low.located(last.location):
        for index, value in enumerate(last.arguments):
            if not isinstance(value.type, TensorType):
                new_attrs.append(attrs[index])
                values.append(value)
                continue
            type_, bounds = ranked(value), low.bounds(value)
            parts = low.boundary(value, type_, bounds)
            types = [v.type for v in parts]
            name = name_of(attrs[index]) or f"result{index}"
            new_attrs += (
                [attrs[index]] if types == [type_] else _attributes(attrs[index], type_, types, bounds, name)
            )
            values += parts
        new = ReturnOp(*values)
        low.insert(new)
        last.detach()
        last.erase()
    func.res_attrs = ArrayAttr([DictionaryAttr(a) for a in new_attrs])
    func.update_function_type()


def _attributes(
    old: Mapping[str, Attribute], type_: TensorType, types: list[Attribute], bounds: Bounds, name: str
) -> list[Attributes]:
    """The attributes of a tensor's arguments (or results): the value's own, then those of its extents."""
    first = {k: a for k, a in old.items() if k != "loomir.bounds"}
    first["loomir.type"] = type_
    dynamic = [k for k, d in enumerate(type_.get_shape()) if d == DYNAMIC_INDEX]
    if dynamic:
        first.setdefault("loomir.name", StringAttr(name))
        first["loomir.bounds"] = ArrayAttr([IntegerAttr(b, i64) for b in bounds])
    assert len(types) == 1 + len(dynamic)
    return [first, *({"loomir.dim": StringAttr(f"{name}:{k}")} for k in dynamic)]


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


def entries(attrs: ArrayAttr | None, count: int) -> list[Attributes]:
    """One dictionary per argument or result."""
    if attrs is None:
        return [{} for _ in range(count)]
    return [dict(a.data) if isinstance(a, DictionaryAttr) else {} for a in attrs.data]


def name_of(attrs: Mapping[str, Attribute]) -> str | None:
    """`loomir.name`."""
    name = attrs.get("loomir.name")
    return name.data if isinstance(name, StringAttr) else None


def shape_text(type_: TensorType) -> str:
    """`[?,3]`."""
    return f"[{','.join('?' if d == DYNAMIC_INDEX else str(d) for d in type_.get_shape())}]"
