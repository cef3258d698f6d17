"""`int-range-optimizations`: integer operations that the ranges of their operands decide.

```mlir
scf.for %i = %c0 to %c32 step %c1 {
  %negative = arith.cmpi slt, %i, %c0 : index
  %inside = arith.cmpi slt, %i, %c64 : index
  cf.assert %inside, "index: a gather reads outside of its axis"
  %k = arith.maxsi %i, %c0 : index
  %n = arith.index_cast %k : index to i64
  %m = arith.index_cast %n : i64 to index
}
```

`%negative` becomes false, `%inside` true, and `%k` and `%m` become `%i`. `canonicalize` removes what depends on a constant: the assertion,
a select, an arm of a branch. An assertion of what was asserted before goes, too.

The ranges are those of `passes/analysis/value_ranges.py`, which the C printer uses, too: an index is known only within 32 bits, so that the
result holds on targets whose pointers have 32.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import count
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import is_boolean, is_integer, number_attr
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.value_ranges import SAFE_INDEX, IntegerRanges


@dataclass(frozen=True)
class IntRangeOptimizationsPass(ModulePass):
    """Replaces integers that have one possible value (see the module's docstring)."""

    name = "int-range-optimizations"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decided = 0
        for function in op.ops:
            if not isinstance(function, FuncOp) or not function.body.blocks:
                continue
            ranges = IntegerRanges(SAFE_INDEX)
            ranges.set_extents(function)
            ranges.analyse(function.body.block)
            asserted: dict[SSAValue, Operation] = {}
            for inner in list(walk(function.body)):
                if isinstance(inner, cf.AssertOp):
                    before = asserted.get(inner.arg)
                    if (
                        before is not None
                        and (block := before.parent) is not None
                        and block.is_ancestor(inner)
                    ):
                        Rewriter.erase_op(inner)
                        decided += 1
                    else:
                        asserted[inner.arg] = inner
                    continue
                if (value := _decided(inner, ranges)) is not None:
                    Rewriter.replace_op(inner, [], [value])
                    decided += 1
        count("integers decided", decided)
        if not decided:
            analyses_of(ctx).keep_all()


def _decided(op: Operation, ranges: IntegerRanges) -> SSAValue | None:
    """Return the constant or operand that the result always is, or None."""
    row = SCALARS.get(type(op))
    if row is None or len(op.results) != 1 or not is_integer(op.results[0].type):
        return None
    if isinstance(op, arith.ConstantOp) or (row.defined is not None and not row.defined(op, ranges.of)):
        return None
    number = ranges.constant(op.results[0])
    if number is not None:
        constant = arith.ConstantOp(number_attr(number, op.results[0].type))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        return constant.result
    if isinstance(op, arith.MaxSIOp | arith.MinSIOp):
        for chosen, other in (op.operands, op.operands[::-1]):
            low, high = (chosen, other) if isinstance(op, arith.MinSIOp) else (other, chosen)
            if ranges.of(low)[1] <= ranges.of(high)[0]:
                return chosen
    if isinstance(op, arith.AndIOp) and is_boolean(op.result.type):
        for chosen, other in (op.operands, op.operands[::-1]):
            if ranges.constant(other):
                return chosen
    if isinstance(op, arith.IndexCastOp) and isinstance(cast := op.input.owner, arith.IndexCastOp):
        back = cast.input.type == op.result.type and not ranges.wraps(cast) and not ranges.wraps(op)
        return cast.input if back else None
    return None
