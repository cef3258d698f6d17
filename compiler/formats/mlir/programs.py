"""Programs read from text: checks, stages, and `scf.while` in loomir's form.

A program read from text is checked before any other processing.

Text of any stage may be half-way to the next one, as a pass of the stage leaves a program: loops of `scf` next to
operations of `ov`, `linalg` on buffers. Such a program belongs to the stage that it is being lowered to. Further checks show
that it can run.

In the form of `scf.while` that loomir's stages require, the condition forwards the loop-carried values one to one.
`mlir-opt --canonicalize` drops unused values, and forwards loop-invariant values from outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.compiler.feeds.signature import Signature
from loomir.compiler.pipeline import StageName
from loomir.compiler.stages import STAGES, not_of_stages, verify_stage
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import argument_names, main_function, result_names
from loomir.dialects.interface_checks import check_attributes
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error


def check_program(module: ModuleOp, path: Path | None) -> None:
    """Check that a module read from text is a callable GRAPH program.

    It needs a `main` that can be called.

    Errors: `no-main`, `not-of-stage`, `bad-interface`, `unsupported-type`.
    """
    try:
        function = main_function(module)
        verify_stage(module, "graph")
        check_attributes(function)
        types = function.function_type
        for type_ in (*types.inputs.data, *types.outputs.data):
            if isinstance(type_, TensorType | UnrankedTensorType):
                dtype_of(type_.element_type)
        for what, names in (("arguments", argument_names(function)), ("results", result_names(function))):
            twice = next((n for n, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                raise located(Error("bad-interface", f"two {what} are called '{twice}'"), function)
    except Error as error:
        raise error.at(file=None if path is None else str(path)) from None


_BEFORE: Mapping[StageName, StageName] = {"structured": "graph", "loops": "structured"}

_GRAPH = STAGES["graph"]


def stage_of(module: ModuleOp) -> StageName:
    """Return the stage of a program that is not in FRONT.

    For a program half-way between two stages it is the later one.
    """
    with_buffers = with_scalars = of_graph = of_others = False
    for op in walk(module):
        if op.dialect_name() in _GRAPH.dialects:
            of_graph = True
        elif not _GRAPH.allows(op):
            of_others = True
        for type_ in _types(op):
            with_buffers |= isinstance(type_, MemRefType)
            with_scalars |= not isinstance(type_, TensorType | UnrankedTensorType) and not _is_of_graph(type_)
    if with_buffers:
        return "loops"
    return "structured" if of_others or (with_scalars and not of_graph) else "graph"


def is_within(module: ModuleOp, stage: StageName) -> bool:
    """Return True if no operation or type belongs to an earlier stage.

    The stage's engine then runs the program as it is.
    """
    if stage == "structured":
        return all(op.dialect_name() not in _GRAPH.dialects for op in walk(module))
    return not any(isinstance(type_, TensorType) for op in walk(module) for type_ in _types(op))


def check_lowered(module: ModuleOp, path: Path | None, stage: StageName) -> None:
    """Check that a program below GRAPH has a callable `main`.

    The program was read from text.

    Errors: `no-main`, `not-of-stage`, `bad-interface`, `unsupported-type`.
    """
    try:
        function = main_function(module)
        if all(STAGES[stage].allows(op) for op in walk(module)):
            verify_stage(module, stage)
        elif (refusal := not_of_stages(module, [_BEFORE[stage], stage])) is not None:
            raise refusal
        signature = Signature.of(function)
        for port in (*signature.inputs, *signature.outputs):
            dtype_of(port.type.element_type)
        for argument in signature.arguments:
            type_ = argument.type
            dtype_of(type_.element_type if isinstance(type_, TensorType | MemRefType) else type_)
    except Error as error:
        raise error.at(file=None if path is None else str(path)) from None


def _types(op: Operation) -> list[Attribute]:
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return [value.type for value in (*op.results, *arguments)]


def _is_of_graph(type_: Attribute) -> bool:
    return type_.name.partition(".")[0] in _GRAPH.dialects


def forward_all(module: ModuleOp) -> None:
    """Make each loop forward all its loop-carried values.

    A loop that forwards a value computed in its condition region stays as it is.
    """
    for op in [op for op in walk(module) if isinstance(op, scf.WhileOp)]:
        before, after = (region.first_block for region in op.regions)
        end = None if before is None else before.last_op
        if before is None or after is None or not isinstance(end, scf.ConditionOp):
            continue
        forwarded = tuple(end.operands[1:])
        if forwarded != tuple(before.args) and len(forwarded) == len(after.args) == len(op.results):
            _forward(op, before, after, end, forwarded)


def _forward(
    op: scf.WhileOp, before: Block, after: Block, end: scf.ConditionOp, forwarded: Sequence[SSAValue]
) -> None:
    places: dict[SSAValue, int] = {argument: index for index, argument in enumerate(before.args)}
    inside = op.regions[0]
    if any(value not in places and _is_inside(value, inside) for value in forwarded):
        return
    old = list(after.args)
    for argument in before.args:
        after.insert_arg(argument.type, len(after.args), argument.location)
    new = after.args[len(old) :]
    for argument, value in zip(old, forwarded):
        argument.replace_all_uses_with(new[places[value]] if value in places else value)
        after.erase_arg(argument)
    end.operands = [end.operands[0], *before.args]
    made = scf.WhileOp(
        op.arguments,
        [argument.type for argument in before.args],
        *(Rewriter.move_region_contents_to_new_regions(region) for region in op.regions),
    )
    made.location = op.location
    made.attributes.update(op.attributes)
    Rewriter.insert_op(made, InsertPoint.before(op))
    results = [made.results[places[value]] if value in places else value for value in forwarded]
    for result, value in zip(op.results, results):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _is_inside(value: SSAValue, region: object) -> bool:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        if block.parent is region:
            return True
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    return False
