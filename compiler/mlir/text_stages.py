"""Stages of programs read from text, and checks that they can run.

Text of any stage may be half-way to the next one, as a pass of the stage leaves a program: loops of `scf` next to
operations of `ov`, `linalg` on buffers. Such a program belongs to the stage that it is being lowered to.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation

from loomir.compiler.feeds.signature import Signature
from loomir.compiler.pipeline import Stage
from loomir.compiler.stages.verify import STAGES, not_of_stages, verify_stage
from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import main_function
from loomir.dialects.walking import walk
from loomir.errors import Error

_BEFORE: Mapping[Stage, Stage] = {"structured": "graph", "loops": "structured"}

_GRAPH = STAGES["graph"]


def stage_of(module: ModuleOp) -> Stage:
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


def is_within(module: ModuleOp, stage: Stage) -> bool:
    """Return True if no operation or type belongs to an earlier stage.

    The stage's engine then runs the program as it is.
    """
    if stage == "structured":
        return all(op.dialect_name() not in _GRAPH.dialects for op in walk(module))
    return not any(isinstance(type_, TensorType) for op in walk(module) for type_ in _types(op))


def check_lowered(module: ModuleOp, path: Path, stage: Stage) -> None:
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
        raise error.at(file=str(path)) from None


def _types(op: Operation) -> list[Attribute]:
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return [value.type for value in (*op.results, *arguments)]


def _is_of_graph(type_: Attribute) -> bool:
    return type_.name.partition(".")[0] in _GRAPH.dialects
