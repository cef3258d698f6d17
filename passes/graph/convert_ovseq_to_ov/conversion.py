"""Conversion of one function's sequences and optionals.

It determines the tensors that hold a sequence or an optional, and their entries in `main`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.interface import Entry
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.types import OptionalType, SeqType
from loomir.passes.graph.convert_ovseq_to_ov.layouts import Layouts
from loomir.passes.graph.convert_ovseq_to_ov.operations import convert_operation
from loomir.passes.graph.convert_ovseq_to_ov.rewriter import Rewriter
from loomir.passes.graph.one_to_many import OneToMany


class Conversion(OneToMany):
    """Sequences and optionals become the tensors of their layouts."""

    def __init__(self, func: FuncOp, layouts: Layouts) -> None:
        super().__init__(func)
        self.layouts = layouts

    def splits(self, value: SSAValue) -> bool:
        return isinstance(value.type, SeqType)

    def types(self, value: SSAValue) -> Sequence[Attribute]:
        return self.layouts.of(value).types

    def operation(self, op: Operation) -> None:
        if isinstance(op, SeqOperation):
            build = GraphBuilder(InsertPoint.before(op), op.location)
            self.replace(op, convert_operation(op, Rewriter(build, self.layouts, self.parts)))

    def argument_entries(self, argument: BlockArgument, entry: Entry) -> Sequence[Entry]:
        name = entry.name or f"arg{argument.index}"
        inner = argument.type.value if isinstance(argument.type, OptionalType) else argument.type
        if isinstance(inner, SeqType):
            self.layouts.room_for(name)
        layout = self.layouts.of(argument)
        entries: list[Entry] = []
        for part, given in zip(layout.types, _part_entries(name, layout.names)):
            if isinstance(part, TensorType) and DYNAMIC_INDEX in (shape := part.get_shape()):
                most = self.layouts.room_for(name)
                given |= Entry.of(bounds=[most if d == DYNAMIC_INDEX else d for d in shape])
            entries.append(given)
        return entries

    def result_entries(self, value: SSAValue, name: str, entry: Entry) -> Sequence[Entry]:
        return _part_entries(name, self.layouts.of(value).names)


def _part_entries(name: str, names: Sequence[str]) -> list[Entry]:
    """Return the entries of the tensors that hold an argument or result.

    The argument or result has this name.
    """
    words = {part: f"{name}/{part}" for part in names} | {"slots": f"{name}/data", "value": name}
    return [Entry.of(name=words[part], part=(name, part)) for part in names]
