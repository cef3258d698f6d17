"""1:N conversion: values that become several.

Loops, branches and `main` then forward a group of tensors, the value's *parts*, in place of the value.

`OneToMany` walks a function in order. A subclass determines which values split (by their types), their parts, and the
conversion of operations on them. Upstream MLIR calls this 1:N conversion.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.interface import Entry, arguments_of, results_of, set_arguments, set_results
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.operators.internal import FailOp

Parts = Sequence[SSAValue]
"""The tensors that hold one value."""


class OneToMany(ABC):
    """The conversion of one function."""

    def __init__(self, func: FuncOp) -> None:
        self.func = func
        self._parts: dict[SSAValue, Parts] = {}
        self._old: list[Operation] = []

    # -- what a subclass says

    @abstractmethod
    def splits(self, value: SSAValue) -> bool:
        """Return True if a value becomes parts."""

    @abstractmethod
    def types(self, value: SSAValue) -> Sequence[Attribute]:
        """The types of the parts of a value that splits."""

    @abstractmethod
    def operation(self, op: Operation) -> None:
        """Convert an operation, or leave it unchanged.

        The operation is not a loop, branch or failure.
        """

    @abstractmethod
    def argument_entries(self, argument: BlockArgument, entry: Entry) -> Sequence[Entry]:
        """Return the entries of `main` for the parts of an argument."""

    @abstractmethod
    def result_entries(self, value: SSAValue, name: str, entry: Entry) -> Sequence[Entry]:
        """Return the entries of `main` for the parts of a result.

        `entry` is the entry of the result itself.
        """

    def forwarded(self, value: SSAValue, place: SSAValue, build: GraphBuilder) -> Parts:
        """Return the tensors that hold a value forwarded to `place`.

        `place` is an argument of a body or a result.
        """
        return self.parts(value)

    def receive(self, value: SSAValue, place: SSAValue, group: Parts, build: GraphBuilder) -> None:
        """Replace a result of a loop or branch by the new tensors.

        The result was forwarded by way of `place`.
        """
        if self.splits(value):
            self._parts[value] = group
        else:
            group[0].name_hint = value.name_hint
            value.replace_all_uses_with(group[0])

    def enter(self, argument: BlockArgument) -> None:  # noqa: B027
        """Handle a loop-body argument that has received its parts.

        This callback runs before the operations in the body are converted.
        """

    # -- the walk

    def run(self) -> None:
        """Convert everything; what was replaced goes at the end."""
        block = self.func.body.block
        self._convert_arguments(block)
        self.block(block)
        self._convert_results(block)
        self._erase_old(0)
        for argument in reversed(block.args):
            if self.splits(argument):
                block.erase_arg(argument)

    def parts(self, value: SSAValue) -> Parts:
        """The tensors that hold a value; a tensor holds itself."""
        return self._parts[value] if self.splits(value) else [value]

    def replace(self, op: Operation, *groups: Parts) -> None:
        """An operation goes: for each result the tensors that hold it instead."""
        build = GraphBuilder(InsertPoint.before(op), op.location)
        for result, group in zip(op.results, groups, strict=True):
            self.receive(result, result, group, build)
        self._old.append(op)

    def block(self, block: Block) -> None:
        """Convert what a block holds."""
        for op in list(block.ops):
            self.convert(op)

    def convert(self, op: Operation) -> None:
        """Convert one operation and what is in its regions."""
        if isinstance(op, LoopOp):
            self.loop(op)
        elif isinstance(op, IfOp):
            self._if(op)
        elif isinstance(op, FailOp):
            if self._any_splits(op.results):
                types = [t for v in op.values for t in self._types(v)]
                self._put_instead(op, FailOp.of(op.reason.data, types, op.class_), op.results)
        else:
            self.operation(op)

    def loop(self, op: LoopOp) -> None:
        """Convert a loop: what it carries."""
        block, end = op.body.block, op.next
        arguments = block.args[1 : 1 + len(op.carried)]
        if not self._any_splits([*op.carried, *arguments, *op.final, *end.carried]):
            self.block(block)
            return
        for argument in arguments:
            if self.splits(argument):
                # Behind the argument itself, which goes when nothing uses it any more.
                self._parts[argument] = self._insert_parts(block, argument)
                self.enter(argument)
        mark = len(self._old)
        self.block(block)
        inside = GraphBuilder(InsertPoint.before(end), end.location)
        carried = [p for v, place in zip(end.carried, arguments) for p in self.forwarded(v, place, inside)]
        condition = [end.cond] if end.cond else []
        inside.emit(NextOp.build(operands=[condition, carried, list(end.last), list(end.concat)]))
        outside = GraphBuilder(InsertPoint.before(op), op.location)
        region = Region()
        new = op.like(
            region,
            carried=[p for v, place in zip(op.carried, arguments) for p in self.forwarded(v, place, outside)],
            final_types=[
                t
                for v, place in zip(op.final, arguments)
                for t in (self.types(place) if self.splits(place) else [v.type])
            ],
        )
        _forget(end)
        op.body.move_blocks(region)
        op.body.add_block(Block())
        self._erase_old(mark)
        for argument in reversed(arguments):
            if self.splits(argument):
                block.erase_arg(argument)
        self._put_instead(op, new, [*arguments, *op.last, *op.concat])

    def _if(self, op: IfOp) -> None:
        for region in (op.then_region, op.else_region):
            self.block(region.block)
        if not self._any_splits([*op.output, *op.then_yield.values, *op.else_yield.values]):
            return
        regions: list[Region] = []
        for region, end in ((op.then_region, op.then_yield), (op.else_region, op.else_yield)):
            inside = GraphBuilder(InsertPoint.before(end), end.location)
            values = [p for v, place in zip(end.values, op.output) for p in self.forwarded(v, place, inside)]
            inside.emit(YieldOp.build(operands=[values]))
            _forget(end)
            moved = Region()
            region.move_blocks(moved)
            region.add_block(Block())
            regions.append(moved)
        types = [t for v in op.output for t in self._types(v)]
        self._put_instead(op, IfOp.of(op.cond, types, *regions), op.output)

    def _put_instead(self, op: Operation, new: Operation, places: Sequence[SSAValue]) -> None:
        """Emit an operation that replaces another one.

        Its results are forwarded by way of `places`.
        """
        build = GraphBuilder(InsertPoint.before(op), op.location)
        values = list(build.emit(new).results)
        for result, place in zip(op.results, places, strict=True):
            width = len(self._types(place))
            group, values = values[:width], values[width:]
            self.receive(result, place, group, build)
        self._old.append(op)

    def _types(self, value: SSAValue) -> Sequence[Attribute]:
        return self.types(value) if self.splits(value) else [value.type]

    def _any_splits(self, values: Iterable[SSAValue]) -> bool:
        return any(map(self.splits, values))

    def _erase_old(self, mark: int) -> None:
        """Erase the operations replaced since `mark`, last ones first.

        The users of a value are erased before it.
        """
        for op in reversed(self._old[mark:]):
            op.detach()
            op.erase()
        del self._old[mark:]

    # -- main

    def _convert_arguments(self, block: Block) -> None:
        if not self._any_splits(block.args):
            return
        new_entries: list[Entry] = []
        for argument, entry in zip(tuple(block.args), arguments_of(self.func)):
            if not self.splits(argument):
                new_entries.append(entry)
                continue
            new_entries += self.argument_entries(argument, entry)
            self._parts[argument] = self._insert_parts(block, argument)
        set_arguments(self.func, new_entries)

    def _insert_parts(self, block: Block, argument: BlockArgument) -> Parts:
        parts = [block.insert_arg(t, argument.index + 1 + k) for k, t in enumerate(self.types(argument))]
        for part in parts:
            part.location = argument.location
        return parts

    def _convert_results(self, block: Block) -> None:
        end = block.last_op
        assert isinstance(end, ReturnOp)
        new_entries: list[Entry] = []
        for index, (value, entry) in enumerate(zip(end.arguments, results_of(self.func))):
            if self.splits(value):
                new_entries += self.result_entries(value, entry.name or f"result{index}", entry)
            else:
                new_entries.append(entry)
        set_results(self.func, new_entries)
        new = ReturnOp(*(part for value in end.arguments for part in self.parts(value)))
        new.location = end.location
        block.insert_op_before(new, end)
        _forget(end)
        self.func.function_type = FunctionType.from_lists(
            [a.type for a in block.args if not self.splits(a)], [v.type for v in new.arguments]
        )


def _forget(end: Operation) -> None:
    end.detach()
    end.erase()
