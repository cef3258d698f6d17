"""Shapes, types and batch sizes of inputs.

The options override the declarations of the file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from loomir.dialects.interface import BOUNDS
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.tensors import AnyTensor
from loomir.errors import Error
from loomir.tools.model_optimizer.convert.channels import layouts_by_input
from loomir.tools.model_optimizer.convert.places import Places
from loomir.tools.model_optimizer.convert.preprocessing_options import Layouts
from loomir.tools.model_optimizer.convert.replacing import Argument, kept, retyped, set_main_arguments, shaped


def only_input(module: ModuleOp, frozen: Collection[str]) -> str:
    """Return the name of the only input that is not frozen.

    `--input-shape` refers to it if there is no `--input`. Errors: `bad-option`, `unknown-input`.
    """
    places = Places(module)
    taken = {places.input(name) for name in frozen}
    left = [name for argument, name in places.fed.items() if argument not in taken]
    if len(left) != 1:
        raise Error(
            "bad-option",
            f"--input-shape has one shape, and the model has {len(left)} inputs that are not frozen",
            hint=f'say whose it is: --input "{left[0] if left else "data"}[1,3,224,224]"',
        )
    return left[0]


def reshape(module: ModuleOp, shapes: Mapping[str, Shape]) -> None:
    """Give inputs other shapes.

    A range keeps its largest extent (`loomir.bounds`), not its least one.

    Errors: `unknown-input`, `input-sequence`, and in GRAPH those of inference.
    """
    places = Places(module)
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
    places = Places(module)
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
