"""Replacement of the arguments of `main`.

Cutting, frozen inputs and new shapes share it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from loomir.compiler.stages.verify import is_front
from loomir.dialects.interface import Entry, arguments_of, set_arguments
from loomir.dialects.onnx.graphs import name_value
from loomir.dialects.ov.facts import Fact, Shape
from loomir.passes.front.convert_onnx_to_ov.scope import name_location
from loomir.passes.graph.ov_infer import OvInferPass


@dataclass(frozen=True)
class Argument:
    """Future argument of `main`: an existing one (`old`), or a new one."""

    type: Attribute
    entry: Entry
    title: str
    """Of a new one, what its location says."""
    old: BlockArgument | None = None


def set_main_arguments(function: FuncOp, arguments: Sequence[Argument]) -> list[BlockArgument]:
    """Give `main` exactly these arguments, in this order.

    Old arguments that are not among them must have no uses left.
    """
    old = function.body.block
    new = Block(arg_types=[argument.type for argument in arguments])
    for argument, made in zip(arguments, new.args):
        if argument.old is not None:
            made.location, made.name_hint = argument.old.location, argument.old.name_hint
            argument.old.replace_all_uses_with(made)
        else:
            made.location = name_location(argument.title)
            name_value(made, argument.title)
    for op in list(old.ops):
        op.detach()
        new.add_op(op)
    function.body.detach_block(old).erase()
    function.body.add_block(new)
    set_arguments(function, [argument.entry for argument in arguments])
    function.update_function_type()
    return list(new.args)


def kept(function: FuncOp) -> list[Argument]:
    """The arguments that `main` has, as they are."""
    pairs = zip(function.body.block.args, arguments_of(function))
    return [Argument(argument.type, entry, "", argument) for argument, entry in pairs]


def without_arguments(function: FuncOp, removed: Collection[SSAValue]) -> None:
    """Remove arguments that nothing reads."""
    set_main_arguments(function, [each for each in kept(function) if each.old not in removed])


def shaped(element: Attribute, shape: Shape) -> tuple[Attribute, Entry]:
    """Return the type and the entry of an input of this shape.

    The entry holds the upper bounds of the extents, if there are any. (Lower bounds are not kept.)
    """
    fact = Fact(element, shape)
    bounded = any(d.hi is not None and d.static is None for d in shape)
    return fact.type, Entry.of(bounds=[d.hi for d in shape]) if bounded else Entry()


def retyped(module: ModuleOp) -> None:
    """Infer the types of a program's values from its arguments.

    (In FRONT nothing relies on them.)

    Errors: those of inference.
    """
    if not is_front(module):
        OvInferPass().apply(Context(), module)
