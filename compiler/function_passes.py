"""Passes that run on each function alone: `func.func(cse)` in a pipeline."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from loomir.errors import Error
from loomir.passes.analysis.analyses import PassContext


class OnEachFunction(ModulePass):
    """A pass that sees one function at a time.

    It is a base of the classes that `on_each_function` makes; the other base is the class of the pass.
    """

    pass_class: ClassVar[type[ModulePass]]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run the pass once for each function with a body.

        Its module has the attributes of `op` and holds only the function; what the pass makes beside it stays beside it.

        Error: `pass-failed` if the pass changes an attribute of the module.
        """
        for function in [each for each in op.body.block.ops if isinstance(each, FuncOp)]:
            if function.is_declaration:
                continue
            following = function.next_op
            function.detach()
            alone = ModuleOp([function], op.attributes.copy(), op.sym_name)
            try:
                self.pass_class.apply(self, PassContext.of(ctx), alone)
            finally:
                for made in [*alone.body.block.ops]:
                    made.detach()
                    if following is None:
                        op.body.block.add_op(made)
                    else:
                        op.body.block.insert_op_before(made, following)
            if alone.attributes != op.attributes:
                raise Error(
                    "pass-failed",
                    f"the pass {self.name} changes the module, which is shared by all functions",
                    hint=f"run it on the module: {self.name} without func.func(…)",
                )


def on_each_function(instance: ModulePass) -> ModulePass:
    """Return the pass for each function, with the same name and options."""
    if isinstance(instance, OnEachFunction):
        return instance
    options = {each.name: getattr(instance, each.name) for each in fields(instance) if each.init}
    return _class(type(instance))(**options)


@cache
def _class(of: type[ModulePass]) -> type[ModulePass]:
    # (Errors name the module of a pass's class.)
    own = {"__module__": of.__module__, "__doc__": of.__doc__, "pass_class": of}
    return type(of.__name__, (OnEachFunction, of), own)
