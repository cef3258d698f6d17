"""Which values a function needs, and how often: everything else is never printed.

A C compiler rejects, under `-Wall -Werror`, a variable that is set and not read. So values are counted
from what has an effect, optimistically through the back edges of loops: a loop-carried value that only
feeds itself is not needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from xdsl.dialects import cf, func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

_EFFECTS = (memref.StoreOp, memref.CopyOp, cf.AssertOp, func.ReturnOp)


class Needed:
    """The needed values of a function: `uses[v]` counts the places that need `v`, 0 if it is not
    printed at all.

    `operations` holds the structured operations that are printed, because they have an effect inside or
    a needed result.
    """

    def __init__(self, function: func.FuncOp, constant: Callable[[SSAValue], bool]) -> None:
        """`constant` says of which values a literal is printed, so that they need nothing themselves."""
        self._constant = constant
        self.uses: Counter[SSAValue] = Counter()
        self.operations: set[Operation] = set()
        self.writers: set[Operation] = set()
        """Operations that may write memory, themselves or inside."""
        self._work: list[SSAValue] = []
        self._seen: set[SSAValue] = set()
        self._carried: set[tuple[Operation, int, bool]] = set()
        for op in function.walk():
            if isinstance(op, _EFFECTS):
                self._need_all(op.operands)
                self._need_parents(op)
                if isinstance(op, memref.StoreOp | memref.CopyOp):
                    parent: Operation | None = op
                    while parent is not None and parent not in self.writers:
                        self.writers.add(parent)
                        parent = parent.parent_op()
        while self._work:
            self._need_sources(self._work.pop())

    def _need_all(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self._need(value)

    def _need(self, value: SSAValue) -> None:
        self.uses[value] += 1
        if value not in self._seen:
            self._seen.add(value)
            if not self._constant(value):
                self._work.append(value)

    def _need_parents(self, op: Operation) -> None:
        """A structured operation that is printed needs what decides whether its regions run."""
        parent = op.parent_op()
        while parent is not None and parent not in self.operations:
            self._need_structure(parent)
            parent = parent.parent_op()

    def _need_structure(self, op: Operation) -> None:
        if op in self.operations:
            return
        self.operations.add(op)
        if isinstance(op, scf.ForOp):
            self._need_all((op.lb, op.ub, op.step))
        elif isinstance(op, scf.IfOp):
            self._need(op.cond)
        elif isinstance(op, scf.WhileOp):
            condition = terminator(op.before_region.block)
            assert isinstance(condition, scf.ConditionOp)
            self._need(condition.condition)
        self._need_parents(op)

    def _need_sources(self, value: SSAValue) -> None:
        if isinstance(value, OpResult):
            op = value.op
            if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
                self._need_structure(op)
                self._need_carried(op, value.index, value)
            else:
                self._need_all(op.operands)
            return
        assert isinstance(value, BlockArgument)
        op = value.block.parent_op()
        if isinstance(op, scf.ForOp):
            self._need_structure(op)
            if value.index > 0:
                self._need_carried(op, value.index - 1, value)
        elif isinstance(op, scf.WhileOp):
            self._need_structure(op)
            self._need_carried(op, value.index, value)

    def _need_carried(self, op: Operation, index: int, value: SSAValue) -> None:
        """What position `index` of a loop or branch gets its value from.

        The argument and the result of a `for` are one variable, and so are the after-argument and the
        result of a `while`: either needs their sources once.
        """
        before = (
            isinstance(op, scf.WhileOp)
            and isinstance(value, BlockArgument)
            and value.block is op.before_region.block
        )
        if (op, index, before) in self._carried:
            return
        self._carried.add((op, index, before))
        if isinstance(op, scf.IfOp):
            for region in op.regions:
                self._need(terminator(region.block).operands[index])
        elif isinstance(op, scf.ForOp):
            self._need(op.iter_args[index])
            self._need(terminator(op.body.block).operands[index])
        elif isinstance(op, scf.WhileOp) and before:
            self._need(op.arguments[index])
            self._need(terminator(op.after_region.block).operands[index])
        elif isinstance(op, scf.WhileOp):
            condition = terminator(op.before_region.block)
            assert isinstance(condition, scf.ConditionOp)
            self._need(condition.args[index])


def terminator(block: Block) -> Operation:
    """The last operation of a block."""
    op = block.last_op
    assert op is not None
    return op


def read_only(function: func.FuncOp, roots: Iterable[SSAValue]) -> set[SSAValue]:
    """All memrefs that may point into one of `roots`: in C they are pointers to `const`."""
    found: set[SSAValue] = set()
    work = list(roots)
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        for use in value.uses:
            op = use.operation
            if isinstance(op, memref.LoadOp | memref.StoreOp | memref.CopyOp | func.ReturnOp):
                continue
            if isinstance(op, scf.ForOp):
                index = use.index - 3
                work += (op.body.block.args[index + 1], op.results[index])
            elif isinstance(op, scf.WhileOp):
                work.append(op.before_region.block.args[use.index])
            elif isinstance(op, scf.ConditionOp):
                parent = op.parent_op()
                assert isinstance(parent, scf.WhileOp)
                index = use.index - 1
                work += (parent.after_region.block.args[index], parent.results[index])
            elif isinstance(op, scf.YieldOp):
                parent = op.parent_op()
                if isinstance(parent, scf.ForOp):
                    work += (parent.body.block.args[use.index + 1], parent.results[use.index])
                elif isinstance(parent, scf.WhileOp):
                    work.append(parent.before_region.block.args[use.index])
                elif parent is not None:
                    work.append(parent.results[use.index])
            else:
                work += (r for r in op.results if isinstance(r.type, MemRefType))
    return found
