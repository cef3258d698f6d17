"""A whole model: its function `main` and the functions that it calls."""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, NameLoc
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, SSAValue

from loomir.dialects.blob import constant_attr
from loomir.dialects.interface import argument_names, arguments_of
from loomir.dialects.locations import located
from loomir.dialects.onnx.dead_nodes import remove_dead_nodes
from loomir.dialects.onnx.operations import OPSET, FunctionOp
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ovseq.types import GraphType
from loomir.errors import Error, SemanticsWarning, Where, warn
from loomir.passes.front.convert_onnx_to_ov.options import TranslationOptions
from loomir.passes.front.convert_onnx_to_ov.scope import Scope, Session, name_location
from loomir.passes.front.convert_onnx_to_ov.translate import translate


def convert(module: ModuleOp, options: TranslationOptions, *, file: str | None = None) -> None:
    """Translate the functions of a module in place, from FRONT to GRAPH.

    On an error the module stays as it was, except for nodes that no output needs: they are removed, whatever they are.

    `file` is the model's file, for warnings. Errors: `unknown-operator`, `unsupported-operator`, `unsupported-attribute`,
    `unsupported-output`, `invalid-onnx`, `import-limit` and those of shape inference, which name the node.
    Warnings: `SemanticsWarning`.
    """
    remove_dead_nodes(module)
    functions = [op for op in module.ops if isinstance(op, FunctionOp)]
    opset = module.attributes.get(OPSET)
    session = Session(
        {function.key: function for function in functions},
        options,
        opset.value.data if isinstance(opset, IntegerAttr) else 1,
    )
    try:
        mains = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        bodies = [(main, _translated(main, session)) for main in mains]
    finally:
        for title, operator, difference in session.differences:
            _warn(Where(file, title, operator), difference)
    for main, block in bodies:
        end = block.last_op
        assert end is not None
        main.body.detach_block(main.body.block).erase(safe_erase=False)
        main.body.add_block(block)
        types = [a.type for a in block.args], [v.type for v in end.operands]
        main.properties["function_type"] = FunctionType.from_lists(*types)
    for function in functions:
        function.detach()
        function.erase()
    module.attributes.pop(OPSET, None)


def _translated(main: FuncOp, session: Session) -> Block:
    """The body of a function in GRAPH."""
    source = main.body.block
    names = argument_names(main)
    for name, argument in zip(names, source.args):
        if not isinstance(argument.type, GraphType) or not is_declared(argument.type):
            raise located(
                Error(
                    "invalid-onnx", f"the input '{name}' is of type {argument.type}, which says too little"
                ),
                main,
            )
    block = Block(arg_types=[a.type for a in source.args])
    scope = Scope(session, source, block, opset=session.opset)
    for before, argument, said in zip(source.args, block.args, arguments_of(main)):
        argument.name_hint, argument.location = before.name_hint, before.location
        # Translators may read the contents of an input that the user has fixed.
        value = said.value
        scope.values[before] = (
            argument if value is None else scope.append_constant(constant_attr(value), _location_of(argument))
        )
    translate(scope)
    end = source.last_op
    if not isinstance(end, ReturnOp):
        raise located(Error("mlir-invalid", "the function does not end in func.return"), main)
    results: list[SSAValue] = []
    for index, value in enumerate(end.operands):
        found = scope.find(value)
        if found is None:
            raise located(Error("undefined-name", f"output {index} of the model has no value"), end)
        results.append(found)
    scope.append(ReturnOp(*results), name_location("return", end.location))
    return block


def _location_of(argument: BlockArgument) -> NameLoc:
    location = argument.location
    return location if isinstance(location, NameLoc) else name_location(argument.name_hint or "", location)


def _warn(place: Where, difference: str) -> None:
    """A `SemanticsWarning`, which says how to have it the other way."""
    text = f"{place}: {difference}\n  to have ONNX Runtime's reading: --semantics onnxruntime (semantics='onnxruntime' in Python)"
    warn(SemanticsWarning(text))
