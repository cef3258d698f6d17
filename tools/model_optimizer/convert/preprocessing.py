"""Shapes, layouts and preprocessing of inputs.

Options for shapes, types and batch sizes override the declarations of the file.

A change of layout (`--layout "data(nhwc->nchw)"`): the caller passes the inputs in the new order, the model sees the old
one.

```mlir
func.func @main(%x: tensor<1x8x8x3xf32> {loomir.name = "data"}) -> … {          // before
  %y = ov.relu %x : …

func.func @main(%x: tensor<1x3x8x8xf32> {loomir.name = "data"}) -> … {          // after
  %t = ov.transpose %x, %order : …                                              // [0, 2, 3, 1]
  %y = ov.relu %t : …
```

`ov-layout` removes the Transpose where its users can do without it.

Preprocessing is channel reversal, mean subtraction and scaling. It is done in GRAPH, by operations after the inputs.

```mlir
func.func @main(%x: tensor<1x3x?x?xf32> {loomir.name = "x"}) -> … {          // before
  %y = ov.relu %x : …

func.func @main(%x: tensor<1x3x?x?xf32> {loomir.name = "x"}) -> … {          // after: reversed, mean [1, 2, 3], scale [2]
  %r = ov.gather %x, %indices, %axis : …                                     // indices [2, 1, 0], axis 1
  %s = ov.subtract %r, %mean : …                                             // tensor<1x3x1x1xf32>
  %d = ov.divide %s, %scale : …                                              // tensor<f32>
  %y = ov.relu %d : …
```
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import AnyTensor, dtype_of, is_float
from loomir.dialects.interface import BOUNDS, Entry
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.errors import Error
from loomir.tools.model_optimizer.convert.named_values import (
    Argument,
    NamedValues,
    kept,
    retyped,
    set_main_arguments,
    shaped,
)
from loomir.tools.model_optimizer.convert.preprocessing_options import (
    GUESSED_CHANNELS,
    ByInput,
    Layout,
    Layouts,
    PreprocessingOptions,
    Values,
    channel_axis,
    layouts_by_input,
)
from loomir.tools.model_optimizer.convert.specifications import unequal


def only_input(module: ModuleOp, frozen: Collection[str]) -> str:
    """Return the name of the only input that is not frozen.

    `--input-shape` refers to it if there is no `--input`. Errors: `bad-option`, `unknown-input`.
    """
    places = NamedValues(module)
    taken = {places.input(name) for name in frozen}
    left = [name for argument, name in places.fed.items() if argument not in taken]
    if len(left) != 1:
        raise Error(
            "bad-option",
            f"--input-shape has one shape, and the model has {len(left)} inputs that are not frozen",
            hint=f'name the input: --input "{left[0] if left else "data"}[1,3,224,224]"',
        )
    return left[0]


def reshape(module: ModuleOp, shapes: Mapping[str, Shape]) -> None:
    """Give inputs other shapes.

    A range keeps its largest extent (`loomir.bounds`), not its least one.

    Errors: `unknown-input`, `input-sequence`, and in GRAPH those of inference.
    """
    places = NamedValues(module)
    wanted = {places.input(name): shape for name, shape in shapes.items()}
    by_argument = {each.old: each for each in kept(places.main)}
    by_argument |= {old: with_shape(by_argument[old], shape, None) for old, shape in wanted.items()}
    arguments = list(by_argument.values())
    set_main_arguments(places.main, arguments)
    retyped(module)


def with_shape(argument: Argument, shape: Shape | None, element: Attribute | None) -> Argument:
    """Return an argument with the given shape or element type.

    A missing one stays unchanged. Error: `input-sequence`.
    """
    if shape is None and element is None:
        return argument
    name = argument.entry.name or argument.title
    declared = tensor_of(name, argument.type)
    element = element or declared.element
    if shape is None:
        return replace(argument, type=Fact(element, declared.shape).type)
    type_, bounds = shaped(element, shape)
    return replace(argument, type=type_, entry=argument.entry.without(BOUNDS) | bounds)


def tensor_of(name: str, type_: Attribute) -> Fact:
    """Return the element type and shape in an input's type.

    Error: `input-sequence`.
    """
    if not isinstance(type_, AnyTensor):
        raise Error(
            "input-sequence", f"input '{name}' is a {type_}: only tensors can be given a shape or a value"
        )
    return Fact.of_type(type_)


def set_batch(module: ModuleOp, batch: int, layouts: Layouts = ()) -> None:
    """Set the batch size of every input.

    The batch is the dimension N of the input's layout, else the first dimension, which must be dynamic, 0 or 1.

    An input whose layout has no N keeps its shape, and so do variables.
    Errors: `bad-option`, those of `layouts_by_input`, and in GRAPH those of inference.
    """
    places = NamedValues(module)
    known, fed = layouts_by_input(places, layouts), places.fed
    arguments = list[Argument]()
    for each in kept(places.main):
        name = None if each.old is None else fed.get(each.old)
        if each.old is None or name is None:
            arguments.append(each)
            continue
        shape = _known_shape(name, each.type)
        layout = known.get(each.old)
        axis = 0 if layout is None else layout.axis("N", len(shape))
        if axis is None:
            arguments.append(each)
            continue
        if layout is None and (not shape or shape[0].static not in (None, 0, 1)):
            raise Error(
                "bad-option",
                f"--batch: the first dimension of the input '{name}', which is {each.type}, need not be a batch",
                hint=f'give its shape: --input-shape, or say which dimension it is: --layout "{name}(nc)"',
            )
        extents = [*shape[:axis], Dim(batch, batch), *shape[axis + 1 :]]
        arguments.append(with_shape(each, tuple(extents), None))
    set_main_arguments(places.main, arguments)
    retyped(module)


def _known_shape(name: str, type_: Attribute) -> Shape:
    shape = tensor_of(name, type_).shape
    if shape is None:
        raise Error(
            "bad-option", f"--batch: the rank of the input '{name}' is not known", hint="give its shape"
        )
    return shape


def change_layouts(module: ModuleOp, layouts: Layouts) -> None:
    """Give inputs of a GRAPH program their target layouts.

    Their uses are replaced by a Transpose.

    Errors: `unknown-input`, `input-sequence`, `bad-option` (the layout is one of another rank, or the rank is not known).
    """
    places = NamedValues(module)
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


@dataclass
class _Input:
    """An input of the model, and what is done to it."""

    argument: BlockArgument
    name: str
    fact: Fact
    layout: Layout | None
    means: Values | None = None
    scales: Values | None = None
    reversed_axis: int | None = None


def normalise_inputs(module: ModuleOp, options: PreprocessingOptions) -> None:
    """Insert the preprocessing operations after the inputs of `main`.

    The module is in GRAPH.

    Several values are for the channels of an input: the dimension C of its layout, or, for three values without a layout,
    the one dimension of this extent, if it is where channels usually are (rank 3: 0 or 2, rank 4: 1 or 3, rank 5: 1 or 4).
    Channels are reversed in every input whose channel dimension is found in this way and has extent three or, with a
    layout, an unknown extent; there must be at least one such input.

    Errors: `unknown-input`, `unknown-channels`, `bad-option` (numbers of lists and inputs differ; two names of one input;
    no channels to reverse), `integer-input` (no value can be subtracted from it), `input-sequence`, `not-of-stage`.
    """
    places = NamedValues(module)
    if places.is_front:
        raise Error("not-of-stage", "inputs are normalised in GRAPH, and the program is in FRONT")
    layouts = layouts_by_input(places, options.layouts)
    means, scales = (
        _by_input(places, "mean-values", options.means),
        _by_input(places, "scale-values", options.scales),
    )
    inputs = list[_Input]()
    for argument, name in places.fed.items():
        scale = scales.get(argument) if options.scale is None else (options.scale,)
        layout = layouts.get(argument)
        if argument in means or scale is not None or options.reverse_channels:
            fact = tensor_of(name, argument.type)
            inputs.append(_Input(argument, name, fact, layout, means.get(argument), scale))
    for each in inputs:
        _check_values(each)
    if options.reverse_channels:
        _find_reversed(inputs)
    block = places.main.body.block
    first = block.first_op
    assert first is not None, "it has a terminator"
    for each in inputs:
        _insert(each, block, first)
    retyped(module)


def _by_input(places: NamedValues, option: str, given: ByInput) -> dict[BlockArgument, Values]:
    """The values of each input that has some."""
    arguments = list(places.fed)
    if not isinstance(given, Mapping):
        if given and len(given) != len(arguments):
            raise Error(
                "bad-option",
                f"--{option}: the numbers of inputs and lists are {unequal(arguments, given)}",
                hint=f'name the inputs: --{option} "data[1,2,3]"',
            )
        return dict(zip(arguments, given))
    found = dict[BlockArgument, Values]()
    for name, values in given.items():
        argument = places.input(name)
        if argument in found:
            raise Error(
                "bad-option",
                f"--{option}: '{name}' is an input that has another name there too",
                hint="name it once",
            )
        found[argument] = values
    return found


def _check_values(each: _Input) -> None:
    """`Error`: the values do not fit each other or the input."""
    lengths = {len(values) for values in (each.means, each.scales) if values is not None and len(values) > 1}
    if len(lengths) > 1:
        raise Error(
            "bad-option",
            f"the input '{each.name}' has {' and '.join(map(str, sorted(lengths)))} means and scales",
            hint="give one for each channel, or one for all",
        )
    if (each.means is not None or each.scales is not None) and not is_float(each.fact.element):
        raise Error(
            "integer-input",
            f"the input '{each.name}' is {each.fact.type}: means and scales need floats",
            hint=f"make it float: --input '{each.name}{{f32}}'",
        )
    for length in lengths:
        channel_axis(each.name, each.fact.shape, each.layout, length)


def _find_reversed(inputs: Sequence[_Input]) -> None:
    """Find the inputs whose channels are reversed. `Error("bad-option")` where there is none."""
    why = list[str]()
    for each in inputs:
        try:
            each.reversed_axis = channel_axis(each.name, each.fact.shape, each.layout, GUESSED_CHANNELS)
        except Error as error:
            if error.identifier != "unknown-channels":
                raise
            why.append(error.what)
    if all(each.reversed_axis is None for each in inputs):
        raise Error(
            "bad-option",
            f"--reverse-input-channels: no input has {GUESSED_CHANNELS} channels. {' '.join(why)}".strip(),
            hint='name the dimension: --layout "data(nchw)"',
        )


def _insert(each: _Input, block: Block, first: Operation) -> None:
    """The operations behind one input, before the program's first one."""
    builder = _Builder(each, block, first)
    uses = list(each.argument.uses)
    value: SSAValue = each.argument
    if each.reversed_axis is not None:
        value = builder.reversed(value, each.reversed_axis)
    if each.means is not None:
        value = builder.add(SubtractOp.make(value, builder.values(each.means)), "mean")
    if each.scales is not None:
        value = builder.add(DivideOp.make(value, builder.values(each.scales)), "scale")
    for use in uses:
        use.operation.operands[use.index] = value


@dataclass(frozen=True)
class _Builder:
    """Where operations for an input are put, in order."""

    input: _Input
    block: Block
    before: Operation

    def add(self, op: Operation, what: str) -> SSAValue:
        op.location = NameLoc(StringAttr(f"{self.input.name}/{what}"), NoneAttr())
        self.block.insert_op_before(op, self.before)
        return op.results[0]

    def constant(self, array: np.ndarray, what: str) -> SSAValue:
        return self.add(ConstantOp.of(array), what)

    def values(self, values: Values) -> SSAValue:
        """Return the values as a constant that broadcasts along the channels.

        One value is a scalar; several have the rank of the input, with extent 1 except for the channels.
        """
        array = np.array(values, dtype_of(self.input.fact.element))
        shape = self.input.fact.shape
        if len(values) == 1:
            return self.constant(array.reshape(()), "values")
        axis = channel_axis(self.input.name, shape, self.input.layout, len(values))
        assert shape is not None, "channel_axis asks"
        return self.constant(array.reshape([-1 if i == axis else 1 for i in range(len(shape))]), "values")

    def reversed(self, value: SSAValue, axis: int) -> SSAValue:
        """Reverse the channels.

        They are gathered if there are three of them, else sliced from the last one down.
        """
        shape = self.input.fact.shape
        assert shape is not None, "channel_axis asks"
        what = "reverse_channels"
        if (channels := shape[axis].static) is not None:
            indices = self.constant(np.arange(channels - 1, -1, -1, dtype=np.int32), what)
            return self.add(
                GatherOp.make(value, indices, self.constant(np.array([axis], np.int32), what)), what
            )
        lowest = np.iinfo(np.int64).min
        parts = [self.constant(np.array([n], np.int64), what) for n in (-1, lowest, -1, axis)]
        return self.add(SliceOp.make(value, *parts), what)
