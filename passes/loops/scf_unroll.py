"""`scf-unroll`: several iterations of a loop in a row.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) { body(%i, %a) }
```

becomes, with `factor=2`,

```mlir
%m = the greatest multiple of 2 that is at most %n
%s = scf.for %i = %c0 to %m step %c2 iter_args(%a = %x) -> (f32) {
  body(%i, %a); body(%i + 1, …)
}
%r = scf.for %i = %m to %n step %c1 iter_args(%a = %s) -> (f32) { body(%i, %a) }
```

Where the bounds are constant the division is done here, and a loop that would run once or never is not a
loop. `full` replaces loops of constant trip count by their iterations, as long as there are at most
`max-trips` of them and `max-ops` operations come out; others are left alone. Innermost loops only, unless
`all` is given: then inner loops first. A loop is also left alone if its step is not a positive constant, or
if its bounds are run-time values of another type than `index`, whose difference may overflow.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars.constants import constant_integer, constant_trips
from loomir.errors import Error


@dataclass(frozen=True)
class ScfUnrollPass(ModulePass):
    """Unroll `scf.for` by a factor or completely (see the module's docstring). Errors: `unroll-factor`."""

    name = "scf-unroll"
    EXACT = True

    factor: int = 4
    full: bool = False
    max_trips: int = 64
    max_ops: int = 4096
    all: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.factor < 1:
            raise Error(
                "unroll-factor",
                f"a loop cannot be unrolled by a factor of {self.factor}",
                hint="the factor is the number of iterations in a row, 1 or more",
            )
        for loop in _loops(op, self.all):
            if self.full:
                unroll_fully(loop, self.max_trips, self.max_ops)
            elif self.factor > 1:
                unroll_by(loop, self.factor)


def _loops(module: ModuleOp, every: bool) -> list[scf.ForOp]:
    """The loops to unroll, inner ones before those around them."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    if every:
        return loops[::-1]
    # Everything that has a loop inside; each operation is entered once.
    around: set[Operation] = set()
    for op in module.walk():
        if (flow := region_flow(op)) is not None and flow.repeats:
            parent = op.parent_op()
            while parent is not None and parent not in around:
                around.add(parent)
                parent = parent.parent_op()
    return [loop for loop in loops if loop not in around]


def unroll_fully(loop: scf.ForOp, max_trips: int, max_ops: int) -> bool:
    """Replace a loop by its iterations; returns whether that was done."""
    trips = constant_trips(loop)
    if trips is None or trips > max_trips or trips * sum(1 for _ in loop.body.walk()) > max_ops:
        return False
    Rewriter.replace_op(loop, [], _inline(loop, InsertPoint.before(loop), 0, trips, list(loop.iter_args)))
    return True


def unroll_by(loop: scf.ForOp, factor: int) -> bool:
    """Unroll a loop by a factor, with a loop for the remaining iterations; returns whether that was done."""
    step = constant_integer(loop.step)
    if step is None or step <= 0:
        return False
    trips = constant_trips(loop)
    point = InsertPoint.before(loop)
    if trips is None:
        if not isinstance(loop.lb.type, IndexType):
            return False
        split = _last_multiple(loop, factor, step, point)
        values = _unrolled_loop(loop, factor, split, point)
        loop.operands = [split, loop.ub, loop.step, *values]
        return True
    if trips < factor:
        return False
    whole = trips - trips % factor
    if whole == factor:
        values = _inline(loop, point, 0, factor, list(loop.iter_args))
    else:
        lower = constant_integer(loop.lb)
        assert lower is not None
        values = _unrolled_loop(loop, factor, _constant(lower + whole * step, loop, point), point)
    if trips - whole <= 1:
        values = _inline(loop, point, whole, trips - whole, values)
        Rewriter.replace_op(loop, [], values)
    else:
        lower = constant_integer(loop.lb)
        assert lower is not None
        loop.operands = [_constant(lower + whole * step, loop, point), loop.ub, loop.step, *values]
    return True


def _last_multiple(loop: scf.ForOp, factor: int, step: int, point: InsertPoint) -> SSAValue:
    """Where the unrolled loop ends: lb + ⌊trips / factor⌋ · factor · step."""

    def emit(op: Operation) -> SSAValue:
        op.location = loop.location
        Rewriter.insert_op(op, point)
        return op.results[0]

    def number(value: int) -> SSAValue:
        return _constant(value, loop, point)

    # Unsigned, as the trips are: bounds may be farther apart than half of all indices.
    trips = emit(arith.SubiOp(emit(arith.MaxSIOp(loop.ub, loop.lb)), loop.lb))
    if step != 1:
        trips = emit(arith.CeilDivUIOp(trips, number(step)))
    whole = emit(arith.SubiOp(trips, emit(arith.RemUIOp(trips, number(factor)))))
    length = whole if step == 1 else emit(arith.MuliOp(whole, number(step)))
    return emit(arith.AddiOp(loop.lb, length))


def _unrolled_loop(loop: scf.ForOp, factor: int, upper: SSAValue, point: InsertPoint) -> list[SSAValue]:
    """A loop to `upper` with `factor` copies of the body; returns its results."""
    step = constant_integer(loop.step)
    assert step is not None
    old = loop.body.block
    block = Block(arg_types=[argument.type for argument in old.args])
    for argument, source in zip(block.args, old.args, strict=True):
        argument.name_hint, argument.location = source.name_hint, source.location
    iv, *carried = block.args
    end = InsertPoint.at_end(block)
    values: list[SSAValue] = list(carried)
    for k in range(factor):
        index: SSAValue = iv
        if k and old.args[0].uses:
            add = arith.AddiOp(iv, _constant(k * step, loop, point))
            add.location = loop.location
            block.add_op(add)
            index = add.result
        values = _copy_body(loop, end, index, values)
    end_of_body = scf.YieldOp(*values)
    assert old.last_op is not None
    end_of_body.location = old.last_op.location
    block.add_op(end_of_body)
    new = scf.ForOp(loop.lb, upper, _constant(factor * step, loop, point), list(loop.iter_args), block)
    new.attributes |= loop.attributes
    new.location = loop.location
    Rewriter.insert_op(new, point)
    return list(new.results)


def _inline(
    loop: scf.ForOp, point: InsertPoint, first: int, count: int, values: list[SSAValue]
) -> list[SSAValue]:
    """`count` iterations from number `first` as straight code; the bounds are constants. Returns the carried values."""
    lower, step = constant_integer(loop.lb), constant_integer(loop.step)
    assert lower is not None
    assert step is not None
    for k in range(first, first + count):
        index = _constant(lower + k * step, loop, point) if loop.body.block.args[0].uses else loop.lb
        values = _copy_body(loop, point, index, values)
    return values


def _copy_body(loop: scf.ForOp, point: InsertPoint, iv: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
    """A copy of the body at a point; returns what it yields."""
    block = loop.body.block
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, (iv, *values), strict=True))
    for op in block.ops:
        if isinstance(op, scf.YieldOp):
            return [mapping.get(value, value) for value in op.operands]
        Rewriter.insert_op(op.clone(mapping), point)
    raise AssertionError("a loop body without scf.yield")


def _constant(value: int, loop: scf.ForOp, point: InsertPoint) -> SSAValue:
    """A constant of the induction variable's type."""
    type = loop.lb.type
    assert isinstance(type, IndexType | IntegerType)
    op = arith.ConstantOp(IntegerAttr(value, type))
    op.location = loop.location
    Rewriter.insert_op(op, point)
    return op.result
