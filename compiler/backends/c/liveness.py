"""Values that a function needs, and their use counts.

All other values are never printed.

Under `-Wall -Werror`, a C compiler rejects a variable that is set and not read. Values are therefore counted backwards from
side effects, optimistically through the back edges of loops: a loop-carried value that only feeds itself is not needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from xdsl.dialects import cf, func, memref, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, OpResult, SSAValue

from loomir.dialects.region_flow import RegionFlow, destinations, owning_operation, region_flow
from loomir.dialects.walking import walk

_WRITERS = (memref.StoreOp, memref.CopyOp, vector.StoreOp)
_EFFECTS = (*_WRITERS, cf.AssertOp, func.ReturnOp)


class Needed:
    """Needed values of a function and their use counts.

    `uses[v]` counts the places that need `v`; it is 0 if `v` is not printed at all.

    `operations` holds the structured operations that are printed because they contain a side effect or have a needed result.
    """

    def __init__(self, function: func.FuncOp, constant: Callable[[SSAValue], bool]) -> None:
        """Count the needed values of `function`.

        `constant` returns True for values that are printed as literals; these need no other values.
        """
        self._constant = constant
        self.uses: Counter[SSAValue] = Counter()
        self.operations: set[Operation] = set()
        self.writers: set[Operation] = set()
        """Operations that may write memory, themselves or inside."""
        self._work: list[SSAValue] = []
        self._flows: dict[Operation, RegionFlow | None] = {}
        self._handed: set[tuple[Operation, int]] = set()
        for op in walk(function):
            if type(op) in _EFFECTS:
                self._need_all(op.operands)
                self._need_parents(op)
                if type(op) in _WRITERS:
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
        before = self.uses.get(value, 0)
        self.uses[value] = before + 1
        if not before and not self._constant(value):
            self._work.append(value)

    def _need_parents(self, op: Operation) -> None:
        """Mark the operations around `op` as needed, with their deciding operands.

        A printed structured operation needs the values that decide whether its regions run.
        """
        parent = op.parent_op()
        while parent is not None and parent not in self.operations:
            self._need_structure(parent)
            parent = parent.parent_op()

    def _need_structure(self, op: Operation) -> None:
        if op in self.operations:
            return
        self.operations.add(op)
        if (flow := region_flow(op)) is not None:
            self._need_all(flow.deciders)
        self._need_parents(op)

    def _flow_around(self, value: SSAValue) -> RegionFlow | None:
        """Return the region flow of the operation that owns a value.

        The value is an argument or a result of that operation. The flow is cached, because the operation has many such values and
        nothing changes meanwhile.
        """
        owner = owning_operation(value)
        if owner is None or not owner.regions:
            return None
        if owner not in self._flows:
            self._flows[owner] = region_flow(owner)
        return self._flows[owner]

    def _need_sources(self, value: SSAValue) -> None:
        flow = self._flow_around(value)
        if flow is None:
            self._need_all(value.op.operands if isinstance(value, OpResult) else ())
            return
        self._need_structure(flow.op)
        # The argument and the result of a `for` are one variable, and so are the after-argument and the result of a `while`: what is
        # handed to both is needed once.
        for handed in flow.origins(value):
            if handed not in self._handed:
                self._handed.add(handed)
                operation, number = handed
                self._need(operation.operands[number])


def read_only(function: func.FuncOp, roots: Iterable[SSAValue]) -> set[SSAValue]:
    """Return all memrefs that may point into one of `roots`.

    In C they are pointers to `const`.
    """
    found: set[SSAValue] = set()
    work = list(roots)
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        for use in value.uses:
            op = use.operation
            if isinstance(op, (memref.LoadOp, vector.LoadOp, func.ReturnOp, *_WRITERS)):
                continue
            passed_on = destinations(op, use.index)
            work += passed_on or (r for r in op.results if isinstance(r.type, MemRefType))
    return found
