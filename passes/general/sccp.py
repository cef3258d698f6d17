"""`sccp`: sparse conditional constant propagation (Wegman and Zadeck) through loops and branches.

```mlir
%r = scf.for %i = %l to %u step %c1 iter_args(%v = %one) -> (i32) {
  %c = arith.cmpi ult, %v, %twenty : i32
  %w = scf.if %c -> (i32) {
    scf.yield %one : i32
  } else {
    %n = arith.addi %v, %one : i32
    scf.yield %n : i32
  }
  scf.yield %w : i32
}
```

`%r` is `%one`, and `%c` is true: nothing has reached the second arm. `canonicalize` takes away what is left of the loop.

Optimistic: a value is unknown until something reaches it, a region is not entered until a condition or bound allows it, and each value
sinks at most twice. Only `arith` is computed, in the types' own arithmetic, and never what may stop the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import Remarks, count
from loomir.dialects.element_types import dtype_of
from loomir.dialects.region_flow import ForwardingEdge, RegionFlow, region_flow
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import constant_number, is_integer, number_attr, type_range, wrapped
from loomir.dialects.upstream.effects import EffectsOfNests

_Structured = scf.IfOp | scf.ForOp | scf.WhileOp
_Known = np.generic | None
"""A number of a value's type, or None for any number."""
_ABSORBING = frozenset({arith.AndIOp, arith.MuliOp})
"""Where one operand is 0 the result is."""


@dataclass(frozen=True)
class SccpPass(ModulePass):
    """Replaces values that are always one number by constants.

    See the module's docstring.
    """

    name = "sccp"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known = _Propagation()
        for function in op.ops:
            for region in function.regions:
                for block in region.blocks:
                    known.enter(block)
        known.settle()
        remarks = Remarks(self.name)
        for value, number in known.values.items():
            if number is None or value.first_use is None or constant_number(value) is not None:
                continue
            owner = value.owner
            if isinstance(owner, _Structured):
                remarks.passed(owner, f"a result is always {number}")
            count("values found constant")
            constant = arith.ConstantOp(number_attr(number, value.type))
            if isinstance(owner, Block):
                Rewriter.insert_op(constant, InsertPoint.at_start(owner))
            else:
                constant.location = owner.location
                Rewriter.insert_op(constant, InsertPoint.before(owner))
            value.replace_all_uses_with(constant.result)
            if (
                isinstance(owner, Operation)
                and all(result.first_use is None for result in owner.results)
                and EffectsOfNests().is_dead_if_unused(owner)
            ):
                Rewriter.erase_op(owner)


@dataclass
class _Propagation:
    """Lattice elements of the values that have been reached."""

    values: dict[SSAValue, _Known] = field(default_factory=dict)
    entered: set[Block] = field(default_factory=set)
    pending: list[Operation] = field(default_factory=list)
    flows: dict[Operation, RegionFlow] = field(default_factory=dict)

    def enter(self, block: Block) -> None:
        """Mark a block as reachable.

        Arguments to which nothing is forwarded may be any number.
        """
        if block in self.entered:
            return
        self.entered.add(block)
        around = block.parent_op()
        handed = (
            self._flow(around).arguments(block.parent)
            if isinstance(around, _Structured) and block.parent
            else ()
        )
        for argument in set(block.args).difference(handed):
            self._reach(argument, None)
        self.pending += reversed(block.ops)

    def settle(self) -> None:
        """Follow everything that has changed."""
        while self.pending:
            op = self.pending.pop()
            if op.parent in self.entered:
                self._visit(op)

    def _flow(self, op: _Structured) -> RegionFlow:
        flow = self.flows.get(op)
        if flow is None:
            flow = self.flows[op] = region_flow(op)
        return flow

    def _visit(self, op: Operation) -> None:
        around = op.parent_op()
        if op.regions and isinstance(op, _Structured):
            self._hand_on(op, None)
        elif op.next_op is None and isinstance(around, _Structured) and op.parent is not None:
            self._hand_on(around, op.parent.parent)
        elif all(operand in self.values for operand in op.operands):
            if len(op.results) == 1:
                self._reach(op.results[0], self._computed(op))
            else:
                for result in op.results:
                    self._reach(result, None)
            for region in op.regions:
                for block in region.blocks:
                    self.enter(block)

    def _reach(self, value: SSAValue, number: _Known) -> None:
        """A number reaches a value."""
        if value in self.values:
            before = self.values[value]
            if before is None or (number is not None and before.tobytes() == number.tobytes()):
                return
            number = None
        self.values[value] = number
        self.pending += (use.operation for use in value.uses)

    def _hand_on(self, op: _Structured, source: Region | None) -> None:
        """Propagate the values that control takes along.

        Control comes from before a loop or branch, or from the end of one of its regions.
        """
        flow = self._flow(op)
        for edge in flow.edges:
            if edge.source is source and self._is_taken(flow, edge):
                for value, becomes in edge.pairs:
                    if value in self.values:
                        self._reach(becomes, self.values[value])
                if edge.target is not None:
                    self.enter(edge.target.block)

    def _is_taken(self, flow: RegionFlow, edge: ForwardingEdge) -> bool:
        """Return True if control may take this edge, by current knowledge."""
        if isinstance(flow.op, scf.ForOp):
            lower, upper, _ = (self._range(value) for value in flow.deciders)
            if edge.source is not None:
                return True
            if lower is None or upper is None:
                return False
            return lower[1] >= upper[0] if edge.target is None else lower[0] < upper[1]
        (condition,) = flow.deciders
        asks = (
            edge.source is None
            if isinstance(flow.op, scf.IfOp)
            else isinstance(edge.forwarder, scf.ConditionOp)
        )
        if not asks:
            return True  # where control is, it goes on
        if condition not in self.values:
            return False
        holds = self.values[condition]
        # The first region of a branch, and the second of a loop, is where the condition holds.
        then = flow.op.regions[0] if isinstance(flow.op, scf.IfOp) else flow.op.regions[1]
        return holds is None or bool(holds) is (edge.target is then)

    def _range(self, value: SSAValue) -> Interval | None:
        """Return the known range of an integer, or None if unreached."""
        if value not in self.values:
            return None
        number = self.values[value]
        return type_range(value.type) if number is None else (int(number), int(number))

    def _computed(self, op: Operation) -> _Known:
        if isinstance(op, arith.ConstantOp):
            number, type_ = constant_number(op.result), op.result.type
            if number is None:
                return None
            if is_integer(type_):
                number = wrapped(int(number), type_)
            return _number(number, op.result)
        numbers = [self.values[operand] for operand in op.operands]
        if isinstance(op, arith.SelectOp) and numbers[0] is not None:
            return numbers[1] if numbers[0] else numbers[2]
        if type(op) in _ABSORBING:
            zero = next((n for n in numbers if n is not None and not n), None)
            if zero is not None:
                return zero
        row = SCALARS.get(type(op))
        if row is None or not op.name.startswith("arith.") or any(n is None for n in numbers):
            return None
        if row.defined is not None and not row.defined(
            op, lambda value: self._range(value) or type_range(value.type)
        ):
            return None
        with np.errstate(all="ignore"):
            found = _number(row.numpy(op)(*numbers), op.results[0])
        # Which NaN it is depends on the machine.
        return None if found != found else found


def _number(number: object, value: SSAValue) -> np.generic:
    dtype = np.dtype(np.int64) if isinstance(value.type, IndexType) else dtype_of(value.type)
    return np.asarray(number).astype(dtype).reshape(1)[0]
