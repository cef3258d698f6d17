"""Change of input layouts (`--layout "data(nhwc->nchw)"`).

The caller passes the inputs in the new order, the model sees the old one.

```mlir
func.func @main(%x: tensor<1x8x8x3xf32> {loomir.name = "data"}) -> … {          // before
  %y = ov.relu %x : …

func.func @main(%x: tensor<1x3x8x8xf32> {loomir.name = "data"}) -> … {          // after
  %t = ov.transpose %x, %order : …                                              // [0, 2, 3, 1]
  %y = ov.relu %t : …
```

`ov-layout` removes the Transpose where its users can do without it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.ir import BlockArgument
from xdsl.rewriter import InsertPoint

from loomir.dialects.interface import Entry
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.errors import Error
from loomir.tools.model_optimizer.convert.channels import layouts_by_input
from loomir.tools.model_optimizer.convert.places import Places
from loomir.tools.model_optimizer.convert.preprocessing_options import Layout, Layouts
from loomir.tools.model_optimizer.convert.replacing import Argument, kept, set_main_arguments
from loomir.tools.model_optimizer.convert.shaping import tensor_of


def change_layouts(module: ModuleOp, layouts: Layouts) -> None:
    """Give inputs of a GRAPH program their target layouts.

    Their uses are replaced by a Transpose.

    Errors: `unknown-input`, `input-sequence`, `bad-option` (the layout is one of another rank, or the rank is not known).
    """
    places = Places(module)
    wanted = {
        argument: _order(places.fed[argument], argument, layout)
        for argument, layout in layouts_by_input(places, layouts).items()
        if layout.target is not None and argument in places.fed
    }
    turned = {argument: order for argument, order in wanted.items() if order != tuple(range(len(order)))}
    if not turned:
        return
    arguments = [
        _turned(each, turned[each.old]) if each.old is not None and each.old in turned else each
        for each in kept(places.main)
    ]
    for argument, order in turned.items():
        location = NameLoc(StringAttr(f"{places.fed[argument]}/layout"), NoneAttr())
        build = GraphBuilder(InsertPoint.at_start(places.main.body.block), location)
        back = build.constant(np.argsort(order))
        readers = list(argument.uses)
        # (It is made with the argument's type of before, and so is of the new one that it gets with its place.)
        transpose = TransposeOp.build(operands=[argument, back], result_types=[argument.type])
        build.emit(transpose)
        for use in readers:
            use.operation.operands[use.index] = transpose.output
    set_main_arguments(places.main, arguments)


def _order(name: str, argument: BlockArgument, layout: Layout) -> tuple[int, ...]:
    rank = tensor_of(name, argument.type).rank
    order = None if rank is None else layout.order(rank)
    if order is None:
        raise Error(
            "bad-option",
            f"--layout: the input '{name}' is {argument.type}, which {layout}->{layout.target} does not describe",
            hint="give a letter, or '?', for each of its dimensions",
        )
    return order


def _turned(argument: Argument, order: tuple[int, ...]) -> Argument:
    """An argument with its dimensions, and their bounds, in another order."""
    type_, bounds = argument.type, argument.entry.bounds
    assert isinstance(type_, TensorType)
    shape = type_.get_shape()
    entry = argument.entry
    if bounds is not None:
        entry = entry | Entry.of(bounds=[bounds[axis] for axis in order])
    return replace(
        argument, type=TensorType(type_.element_type, [shape[axis] for axis in order]), entry=entry
    )
