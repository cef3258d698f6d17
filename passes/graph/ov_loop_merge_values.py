"""`ov-loop-merge-values`: merges carried values that begin and continue alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.common_operations import operation_fingerprint
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.graph.ov_infer import write_result_types
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopMergeValuesPass(ModulePass):
    """Merges values of a loop or branch that are always equal.

    These are carried values, slices or results of a loop, or results of a branch; one of them replaces the others.

    ```mlir
    %r, %s = ov.loop trip(%n) carried(%x, %x) {       // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
      %w = ov.multiply %v, %a
      %z = ov.multiply %u, %a
      ov.next carried(%w, %z)
    }

    %r, %_ = ov.loop trip(%n) carried(%x, %x) {       // after: nothing reads %u, and %z is %w
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
      %w = ov.multiply %v, %a
      %z = ov.multiply %v, %a
      ov.next carried(%w, %z)
    }
    ```

    The analysis is optimistic: all carried values with equal initial values are assumed to be equal, and to keep their
    initial value, until the values that an iteration forwards contradict that. So it finds cycles of values that continue
    alike, through nested loops and branches too. It takes a few rounds over the program; a function that needs more than
    `max-rounds` is left alone. `cse` and `canonicalize` remove the operations that are no longer read.
    """

    name = "ov-loop-merge-values"
    EXACT = True

    max_rounds: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_rounds=0)
        remarks = Remarks(self.name)
        if not any(isinstance(o, LoopOp | IfOp) for o in walk(op)):
            return analyses_of(ctx).keep_all()
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                classes = _Classes()
                if not classes.settle(function.body.block, self.max_rounds):
                    remarks.missed(
                        function, f"no fixpoint after {self.max_rounds} rounds", limit=self.max_rounds
                    )
                    continue
                for loop in classes.operations:
                    _merge(loop, classes, remarks)
        write_result_types(op)


def _merge(op: Operation, classes: _Classes, remarks: Remarks) -> None:
    """Merge equal arguments and results of a loop or branch.

    The first of them replaces the others.
    """
    count = _merge_among(op.results, classes)
    if isinstance(op, LoopOp):
        for first, argument, result in zip(op.carried, op.carried_arguments, op.final):
            if classes.of(argument) is classes.of(first):
                # It stays what it begins as.
                count += _replace(argument, first) + _replace(result, first)
        count += _merge_among(op.carried_arguments, classes) + _merge_among(op.part_arguments, classes)
    if count:
        remarks.passed(op, f"merged {count} values with others that are always equal", values=count)
    elif isinstance(op, LoopOp):
        remarks.missed(op, "no two of its values are always equal, and none stays what it begins as")
    else:
        remarks.missed(op, "no two of its results are always equal")


def _merge_among(values: Iterable[SSAValue], classes: _Classes) -> int:
    first: dict[SSAValue, SSAValue] = {}
    return sum(_replace(value, first.setdefault(classes.of(value), value)) for value in values)


def _replace(value: SSAValue, other: SSAValue) -> bool:
    if value is other or value.first_use is None:
        return False
    value.replace_all_uses_with(other)
    return True


@dataclass
class _Classes:
    """Classes of values that are equal whenever both exist.

    A class is represented by its first value in the program. The classes are found in the manner of Simpson's value
    numbering in reverse postorder: by rounds in which the values that a loop forwards to its next iteration have the
    numbers of the round before, in the first round none.
    """

    numbers: dict[SSAValue, SSAValue] = field(default_factory=dict)
    before: dict[SSAValue, SSAValue] = field(default_factory=dict)
    known: dict[Hashable, SSAValue] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    """Loops and branches, inner ones first."""
    rounds: int = 0
    outlines: dict[Operation, tuple[Hashable, ...]] = field(default_factory=dict)

    def of(self, value: SSAValue) -> SSAValue:
        """The first value of a value's class."""
        return self.numbers.get(value, value)

    def settle(self, block: Block, max_rounds: int) -> bool:
        """Go through a function until nothing changes; whether it came to that."""
        while self.rounds < max_rounds:
            self.rounds += 1
            self.before, self.numbers, self.known = self.numbers, {}, {}
            self.operations = []
            self._visit(block)
            if self.before == self.numbers:
                return True
        return False

    def _number(self, value: SSAValue, key: Hashable) -> None:
        """Put a value in the class of those with this key."""
        self.numbers[value] = self.known.setdefault(key, value)

    def _visit(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, LoopOp):
                self._visit_loop(op)
            elif isinstance(op, IfOp):
                self._visit_branch(op)
            elif op.results and not op.regions and is_side_effect_free(op):
                if op not in self.outlines:
                    self.outlines[op] = operation_fingerprint(op)
                key = (self.outlines[op], *map(self.of, op.operands))
                for index, result in enumerate(op.results):
                    self._number(result, (index, key))

    def _visit_loop(self, op: LoopOp) -> None:
        end = op.next
        for first, argument, following in zip(op.carried, op.carried_arguments, end.carried):
            begin = self.of(first)
            after = self.before.get(following, following)
            if self.rounds == 1 or after is begin:
                self.numbers[argument] = begin
            else:
                self._number(argument, (op, argument.type, begin, after))
        for value, argument, cut in zip(op.sliced, op.part_arguments, op.slicings):
            self._number(argument, (op, argument.type, self.of(value), cut))
        self._visit(op.body.block)
        for first, argument, following, result in zip(
            op.carried, op.carried_arguments, end.carried, op.final
        ):
            begin = self.of(first)
            if self.of(argument) is begin and self.of(following) is begin:
                self.numbers[result] = begin
            else:
                self._number(result, (op, "final", result.type, begin, self.of(following)))
        for value, result in zip(end.last, op.last):
            self._number(result, (op, "last", result.type, self.of(value)))
        for value, result, cut in zip(end.concat, op.concat, op.concatenations):
            self._number(result, (op, "concat", result.type, self.of(value), cut))
        self.operations.append(op)

    def _visit_branch(self, op: IfOp) -> None:
        for region in (op.then_region, op.else_region):
            self._visit(region.block)
        for result, a, b in zip(op.output, op.then_yield.values, op.else_yield.values):
            self._number(result, (op, result.type, self.of(a), self.of(b)))
        self.operations.append(op)
