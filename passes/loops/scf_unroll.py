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
`all` is given: then inner loops first, and by a factor those around others only where at most `max-ops` operations come out, or a
nest would have `factor` times as many with each level. A loop is also left alone if its step is not a positive constant, or
if its bounds are run-time values of another type than `index`, whose difference may overflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks, is_listening
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars.row import constant_integer, constant_trips
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.control_flow.counted_loops import unroll
from loomir.passes.options import check_least
from loomir.passes.structured.lib.loop_pieces import ForPieces


@dataclass(frozen=True)
class ScfUnrollPass(ModulePass):
    """Unrolls `scf.for` by a factor or completely.

    See the module's docstring. Errors: `unroll-factor`, `bad-option`.
    """

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
                hint="the factor must be 1 or more",
            )
        check_least(self, factor=1, max_trips=0, max_ops=0)
        remarks = Remarks(self.name)
        around = _around_loops(op)
        loops = [o for o in walk(op) if isinstance(o, scf.ForOp) and (self.all or o not in around)]
        if not self.all and is_listening():
            for loop in walk(op):
                if isinstance(loop, scf.ForOp) and loop in around:
                    remarks.missed(loop, "it contains a loop, and `all` is not set")
        # Inner ones before those around them.
        for loop in loops[::-1] if self.all else loops:
            trips = constant_trips(loop)
            if self.full:
                why = unroll_fully(loop, self.max_trips, self.max_ops)
                what = f"its {trips} trips unrolled"
            else:
                why = self._too_large(loop) if loop in around else None
                why = why or unroll_by(loop, self.factor)
                what = f"unrolled by {self.factor}"
            if why is None:
                remarks.passed(loop, what, trips=trips, factor=None if self.full else self.factor)
            else:
                remarks.missed(loop, why)

    def _too_large(self, loop: scf.ForOp) -> MissedReason | None:
        """Return why a loop with inner loops is not copied, or None.

        The inner loops were copied before it, and would double with each level.
        """
        copies = self.factor + 1
        most = self.max_ops // copies
        if self.factor == 1 or _operations(loop, most) <= most:
            return None
        what = f"{copies} copies of its body are more than max-ops={self.max_ops}"
        return MissedReason(what, {"copies": copies, "limit": self.max_ops})


def _around_loops(module: ModuleOp) -> set[Operation]:
    """Everything that has a loop inside; each operation is entered once."""
    around: set[Operation] = set()
    for op in walk(module):
        if (flow := region_flow(op)) is not None and flow.repeats:
            parent = op.parent_op()
            while parent is not None and parent not in around:
                around.add(parent)
                parent = parent.parent_op()
    return around


def _operations(loop: scf.ForOp, most: int) -> int:
    """Return the number of operations in a loop, at any depth.

    Counting stops once there are more than `most`.
    """
    return sum(1 for _ in islice(walk(loop.body), most + 1))


def unroll_fully(loop: scf.ForOp, max_trips: int, max_ops: int) -> MissedReason | None:
    """Replace a loop by its iterations; return why not, or None."""
    trips = constant_trips(loop)
    if trips is None:
        return MissedReason("its trip count is not known")
    if trips > max_trips:
        return MissedReason(
            f"its {trips} trips are more than max-trips={max_trips}", {"trips": trips, "limit": max_trips}
        )
    if trips and (ops := trips * _operations(loop, max_ops // trips)) > max_ops:
        return MissedReason(
            f"at least {ops} operations are more than max-ops={max_ops}", {"ops": ops, "limit": max_ops}
        )
    unroll(ForPieces(loop), trips, trips or 1)
    return None


def unroll_by(loop: scf.ForOp, factor: int) -> MissedReason | None:
    """Unroll a loop by a factor; return why not, or None.

    Another loop runs the remaining iterations.
    """
    if factor == 1:
        return MissedReason("a factor of 1 changes nothing")
    step = constant_integer(loop.step)
    if step is None or step <= 0:
        return MissedReason("its step is not a positive constant")
    trips = constant_trips(loop)
    if trips is None and not isinstance(loop.lb.type, IndexType):
        return MissedReason("the difference of its bounds may overflow")
    if trips is not None and trips < factor:
        return MissedReason(f"its {trips} trips are fewer than {factor}", {"trips": trips, "factor": factor})
    unroll(ForPieces(loop), trips, factor)
    return None
