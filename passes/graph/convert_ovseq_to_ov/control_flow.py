"""The conversion itself: a walk in order; loops, branches and `main` hand on the tensors of a value instead of the value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.interface import Entry, arguments_of, results_of, set_arguments, set_results
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.operators.failure import FailOp
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.types import OptionalType, SeqType
from loomir.passes.graph.convert_ovseq_to_ov.layouts import Layouts
from loomir.passes.graph.convert_ovseq_to_ov.operations import convert_operation
from loomir.passes.graph.convert_ovseq_to_ov.rewriter import Parts, Rewriter


class Conversion:
    """The conversion of one function."""

    def __init__(self, func: FuncOp, layouts: Layouts) -> None:
        self.func = func
        self.layouts = layouts
        self._parts: dict[SSAValue, Parts] = {}
        self._old: list[Operation] = []

    def run(self) -> None:
        """Convert everything; what was replaced goes at the end."""
        block = self.func.body.block
        self._convert_arguments(block)
        self._block(block)
        self._convert_results(block)
        self._erase_old(0)
        for argument in reversed(block.args):
            if isinstance(argument.type, SeqType):
                block.erase_arg(argument)

    def parts(self, value: SSAValue) -> Parts:
        """The tensors that hold a value; a tensor holds itself."""
        return self._parts[value] if isinstance(value.type, SeqType) else [value]

    def flat(self, values: Iterable[SSAValue]) -> Parts:
        """The tensors that hold several."""
        return [part for value in values for part in self.parts(value)]

    def _types(self, value: SSAValue) -> Sequence[Attribute]:
        return self.layouts.of(value).types if isinstance(value.type, SeqType) else [value.type]

    def _replace(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        """Put new values, one for each part, in the place of old ones."""
        position = 0
        for value in old:
            width = len(self._types(value))
            group = list(new[position : position + width])
            position += width
            if isinstance(value.type, SeqType):
                self._parts[value] = group
            else:
                group[0].name_hint = value.name_hint
                value.replace_all_uses_with(group[0])

    # -- blocks

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, SeqOperation):
                build = GraphBuilder(InsertPoint.before(op), op.location)
                parts = convert_operation(op, Rewriter(build, self.layouts, self.parts))
                (result,) = op.results
                self._replace([result], parts)
                self._old.append(op)
            elif isinstance(op, LoopOp):
                self._loop(op)
            elif isinstance(op, IfOp):
                self._if(op)
            elif isinstance(op, FailOp) and _touched(op.results):
                self._emit_instead(
                    op, FailOp.of(op.reason.data, [t for v in op.values for t in self._types(v)], op.class_)
                )

    def _emit_instead(self, op: Operation, new: Operation) -> None:
        new.location = op.location
        assert op.parent is not None
        op.parent.insert_op_before(new, op)
        self._replace(op.results, new.results)
        self._old.append(op)

    def _loop(self, op: LoopOp) -> None:
        block = op.body.block
        if not _touched([*op.carried, *op.final]):
            self._block(block)
            return
        for argument in block.args:
            if isinstance(argument.type, SeqType):
                # Behind the argument itself, which goes when nothing uses it any more.
                parts: Parts = []
                for k, type_ in enumerate(self._types(argument)):
                    part = block.insert_arg(type_, argument.index + 1 + k)
                    part.location = argument.location
                    parts.append(part)
                self._parts[argument] = parts
        arguments = [a for a in block.args if isinstance(a.type, SeqType)]
        end = op.next
        mark = len(self._old)
        self._block(block)
        new_end = NextOp.build(
            operands=[
                [end.cond] if end.cond else [],
                self.flat(end.carried),
                list(end.last),
                list(end.concat),
            ]
        )
        new_end.location = end.location
        block.insert_op_before(new_end, end)
        region = Region()
        new = LoopOp.of(
            trip=op.trip,
            cond=op.cond,
            carried=self.flat(op.carried),
            sliced=list(op.sliced),
            slices=op.slicings,
            concats=op.concatenations,
            final_types=[t for v in op.final for t in self._types(v)],
            last_types=[v.type for v in op.last],
            concat_types=[v.type for v in op.concat],
            body=region,
        )
        self._forget(end)
        op.body.move_blocks(region)
        op.body.add_block(Block())
        self._erase_old(mark)
        for argument in reversed(arguments):
            block.erase_arg(argument)
        self._old.append(op)
        assert op.parent is not None
        new.location = op.location
        op.parent.insert_op_before(new, op)
        self._replace(op.results, new.results)

    def _if(self, op: IfOp) -> None:
        for region in (op.then_region, op.else_region):
            self._block(region.block)
        if not _touched(op.output):
            return
        regions: list[Region] = []
        for region, end in ((op.then_region, op.then_yield), (op.else_region, op.else_yield)):
            new_end = YieldOp.build(operands=[self.flat(end.values)])
            new_end.location = end.location
            region.block.insert_op_before(new_end, end)
            self._forget(end)
            moved = Region()
            region.move_blocks(moved)
            region.add_block(Block())
            regions.append(moved)
        types = [t for v in op.output for t in self._types(v)]
        self._emit_instead(op, IfOp.of(op.cond, types, *regions))

    def _forget(self, end: Operation) -> None:
        end.detach()
        end.erase()

    def _erase_old(self, mark: int) -> None:
        """Erase what was replaced since then, last ones first: what uses a value goes before it."""
        for op in reversed(self._old[mark:]):
            op.detach()
            op.erase()
        del self._old[mark:]

    # -- main

    def _convert_arguments(self, block: Block) -> None:
        if not _touched(block.args):
            return
        entries = arguments_of(self.func)
        new_entries: list[Entry] = []
        for argument, entry in zip(tuple(block.args), entries):
            if not isinstance(argument.type, SeqType):
                new_entries.append(entry)
                continue
            name = entry.name or f"arg{argument.index}"
            inner = argument.type.value if isinstance(argument.type, OptionalType) else argument.type
            if isinstance(inner, SeqType):
                self.layouts.room_for(name)
            layout = self.layouts.of(argument)
            parts = [block.insert_arg(t, argument.index + 1 + k) for k, t in enumerate(layout.types)]
            for part in parts:
                part.location = argument.location
            self._parts[argument] = list(parts)
            for part, given in zip(layout.types, _part_entries(name, layout.names)):
                shape = part.get_shape()
                if DYNAMIC_INDEX in shape:
                    most = self.layouts.room_for(name)
                    given |= Entry.of(bounds=[most if d == DYNAMIC_INDEX else d for d in shape])
                new_entries.append(given)
        set_arguments(self.func, new_entries)

    def _convert_results(self, block: Block) -> None:
        end = block.last_op
        assert isinstance(end, ReturnOp)
        entries = results_of(self.func)
        new_entries: list[Entry] = []
        for index, (value, entry) in enumerate(zip(end.arguments, entries)):
            if not isinstance(value.type, SeqType):
                new_entries.append(entry)
                continue
            name = entry.name or f"result{index}"
            layout = self.layouts.of(value)
            new_entries += _part_entries(name, layout.names)
        set_results(self.func, new_entries)
        new = ReturnOp(*self.flat(end.arguments))
        new.location = end.location
        block.insert_op_before(new, end)
        self._forget(end)
        self.func.function_type = FunctionType.from_lists(
            [a.type for a in block.args if not isinstance(a.type, SeqType)], [v.type for v in new.arguments]
        )


def _part_entries(name: str, names: Sequence[str]) -> list[Entry]:
    """What is said of the tensors that hold an argument or result of this name."""
    words = {part: f"{name}/{part}" for part in names} | {"slots": f"{name}/data", "value": name}
    return [Entry.of(name=words[part], part=(name, part)) for part in names]


def _touched(values: Iterable[SSAValue]) -> bool:
    return any(isinstance(v.type, SeqType) for v in values)
