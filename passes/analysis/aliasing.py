"""Alias analysis: the buffers that a memref value may refer to.

A *base* is the origin of memory: an allocation or an argument of the function. Views (`memref.subview`, `expand_shape` …),
`arith.select` and the results and arguments of `scf` operations forward bases; for a buffer that rotates through a loop, the
loop's arguments have all bases of its rotation group. The arguments of a function do not overlap (according to the calling
convention), nor do two allocations; two `memref.view`s of one arena share the base and may overlap.

The analysis is one forward propagation to a fixpoint over bit sets. It is linear except for loops, whose arguments are
visited again when their back edge adds a base.
"""

from __future__ import annotations

from collections import deque

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import MemRefType, UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from loomir.dialects import quads
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.walking import walk

VIEWS = (
    memref.SubviewOp,
    memref.CastOp,
    memref.ViewOp,
    memref.ExpandShapeOp,
    memref.CollapseShapeOp,
    memref.ReinterpretCastOp,
    memref.MemorySpaceCastOp,
    UnrealizedConversionCastOp,
    quads.ViewOp,
)
"""Operations whose only result is a view of their first operand's memory.

For the cast that represents padding, the view lies around that memory.
"""


class Aliasing:
    """Bases of every memref value in a function, as bit sets.

    Bit `i` stands for `bases[i]`.

    The results stay valid while operations are replaced, as long as the memref values themselves remain.
    """

    def __init__(self, function: func.FuncOp) -> None:
        self.bases: list[SSAValue] = []
        self._masks: dict[SSAValue, int] = {}
        self._flows: dict[SSAValue, list[SSAValue]] = {}
        for argument in function.body.block.args:
            self._add_base(argument)
        for op in walk(function.body):
            self._visit(op)
        self._propagate()

    def mask(self, value: SSAValue) -> int:
        """The bases that a memref may stand for, as bits."""
        return self._masks.get(value, 0)

    def base(self, value: SSAValue) -> SSAValue | None:
        """Return a memref's only base, or None if there are several."""
        mask = self.mask(value)
        return self.bases[mask.bit_length() - 1] if mask and not mask & (mask - 1) else None

    def may_alias(self, a: SSAValue, b: SSAValue) -> bool:
        """Return True if two memrefs may share memory."""
        return bool(self.mask(a) & self.mask(b))

    def _add_base(self, value: SSAValue) -> None:
        if type(value.type) is MemRefType:
            self._masks[value] = 1 << len(self.bases)
            self.bases.append(value)

    def _flow(self, source: SSAValue, target: SSAValue) -> None:
        if type(target.type) is MemRefType:
            self._flows.setdefault(source, []).append(target)

    def _visit(self, op: Operation) -> None:
        if not op.results:
            # A loop or branch without results carries nothing.
            return
        if (flow := region_flow(op)) is not None:
            for edge in flow.edges:
                for source, target in edge.pairs:
                    self._flow(source, target)
            return
        if type(op) in NUMBERS or MemRefType not in [type(result.type) for result in op.results]:
            return
        match op:
            case _ if type(op) in VIEWS:
                self._flow(op.operands[0], op.results[0])
            case arith.SelectOp():
                self._flow(op.lhs, op.result)
                self._flow(op.rhs, op.result)
            case _:
                # An operation of any other kind gives new memory, and may give back what it was handed.
                for result in op.results:
                    self._add_base(result)
                    if type(result.type) is MemRefType:
                        for operand in op.operands:
                            self._flow(operand, result)

    def _propagate(self) -> None:
        work = deque(self._masks)
        while work:
            source = work.popleft()
            mask = self._masks[source]
            for target in self._flows.get(source, ()):
                old = self._masks.get(target, 0)
                if mask & ~old:
                    self._masks[target] = old | mask
                    work.append(target)
