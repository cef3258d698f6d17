"""Programs for one feed, with its shapes and without sequences.

Inputs get the feed's shapes, and inputs that are sequences or optionals become tensors.

    main(%x: !ovseq.sequence<tensor<?xf32>>, %o: !ovseq.optional<tensor<2xf32>>)
becomes for a list of arrays of 2 and 3 elements, and None,
    main(%x/0: tensor<2xf32>, %x/1: tensor<3xf32>)
with an `ovseq.construct` and an `ovseq.none` before the other operations. Canonicalisation then leaves little of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from loomir.compiler.feeds.checks import CheckedFeed
from loomir.compiler.feeds.fixing import set_shapes
from loomir.dialects.interface import Entry, argument_names, arguments_of, main_function, set_arguments
from loomir.dialects.ovseq.operators.optionals import NoneOp, SomeOp
from loomir.dialects.ovseq.operators.sequences import ConstructOp, EmptyOp
from loomir.dialects.ovseq.types import GraphValue, OptionalType, SeqType, open_type


@dataclass(frozen=True)
class Elements:
    """The shapes of the elements of a sequence that is fed."""

    shapes: tuple[tuple[int, ...], ...]


FeedShape = tuple[int, ...] | Elements | None
"""Shape that a program is specialised for.

It is a tensor's shape, the elements of a sequence, or None for an absent optional.
"""


def feed_shape(value: GraphValue) -> FeedShape:
    """The shape of a value that is fed."""
    if value is None:
        return None
    return Elements(tuple(v.shape for v in value)) if isinstance(value, list) else value.shape


def set_feed_shapes(module: ModuleOp, shapes: Mapping[str, FeedShape]) -> None:
    """Give inputs the shapes of a feed.

    Tensors replace sequences and optionals.

    Errors: those of `set_shapes`, for tensors.
    """
    function = main_function(module)
    arguments = dict(zip(argument_names(function), function.args))
    spread = {n: s for n, s in shapes.items() if isinstance(arguments[n].type, SeqType)}
    set_shapes(module, {n: s for n, s in shapes.items() if n not in spread and isinstance(s, tuple)})
    if not spread:
        return
    names = spread_names(arguments, spread)
    entries = dict(zip(arguments, arguments_of(function)))
    added: dict[str, list[str]] = {}
    for name in spread:
        _replace(function, arguments[name], spread[name])
        added[name] = names[name]
    flat: list[Entry] = []
    for name, entry in entries.items():
        flat += [entry | Entry.of(name=each) for each in added.get(name, [name])]
    set_arguments(function, flat)
    # Of an output that is an input, too.
    function.update_function_type()


def spread_names(inputs: Iterable[str], shapes: Mapping[str, FeedShape]) -> dict[str, list[str]]:
    """Return the names of the tensors that replace each input of `shapes`.

    They differ from each other and from the names of other inputs.
    """
    taken = set(inputs)
    names: dict[str, list[str]] = {}
    for name, shape in shapes.items():
        if not isinstance(shape, Elements):
            names[name] = [] if shape is None else [name]
            continue
        stem = name
        while any(f"{stem}/{i}" in taken for i in range(len(shape.shapes))):
            stem += "_"
        names[name] = [f"{stem}/{i}" for i in range(len(shape.shapes))]
        taken.update(names[name])
    return names


def spread_feed(arrays: Mapping[str, GraphValue], shapes: Mapping[str, FeedShape]) -> CheckedFeed:
    """Return the feed of a program that `set_feed_shapes` specialised.

    `shapes` are the shapes of its inputs.
    """
    names = spread_names(arrays, {n: s for n, s in shapes.items() if not isinstance(s, tuple)})
    spread = CheckedFeed()
    for name, value in arrays.items():
        tensors = [] if value is None else value if isinstance(value, list) else [value]
        spread.update(zip(names.get(name, [name]), tensors, strict=True))
    return spread


def _replace(function: FuncOp, argument: BlockArgument, shape: FeedShape) -> None:
    """Replace one argument by tensor arguments.

    Operations that construct the argument's value from them are inserted.
    """
    block = function.body.block
    type_ = argument.type
    assert isinstance(type_, SeqType)
    wanted = type_.value if isinstance(type_, OptionalType) else type_
    shapes = () if shape is None else shape.shapes if isinstance(shape, Elements) else (shape,)
    element = type_.element_type
    tensors: list[SSAValue] = []
    for offset, extents in enumerate(shapes):
        made = block.insert_arg(TensorType(element, extents), argument.index + 1 + offset, argument.location)
        tensors.append(made)
    ops: list[Operation] = []
    if shape is None:
        ops.append(NoneOp.make(attributes={"value_type": open_type(wanted)}))
    else:
        value: SSAValue | None = None
        if isinstance(shape, Elements):
            ops.append(
                ConstructOp.make(tensors) if tensors else EmptyOp.make(attributes={"element_type": element})
            )
            value = ops[-1].results[0]
        else:
            (value,) = tensors
        if isinstance(type_, OptionalType):
            ops.append(SomeOp.make(value))
    first = block.first_op
    assert first is not None
    for op in ops:
        op.location = argument.location
    block.insert_ops_before(ops, first)
    argument.replace_all_uses_with(ops[-1].results[0])
    block.erase_arg(argument)
