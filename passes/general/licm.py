"""`licm`: hoists loop-invariant operations out of `scf.for` and `scf.while`.

xDSL's pass of this name for `scf.for` trusts its own operations' traits about what may be speculated: `tensor.extract`,
`arith.remsi` and others promise too much.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
  %s = arith.mulf %a, %b : f32                 // moves
  %e = linalg.generic … ins(%t) outs(%o) …     // moves, with the tensor.empty that it computes into
  %d = tensor.extract %t[%k] : tensor<4xf32>   // stays: who knows %k
  …
}
```

One traversal of the program, in order, puts each operation into its final place, so that its users may follow, out of
as many loops as there are; branches and loops move as a whole. An operation that may stop the program, a check too,
moves only out of loops that surely run, and only if nothing that may stop the program stays before it in the body: the
errors do not change. A loop surely runs by the ranges of its bounds, or under a branch with the condition
`lower < upper`; the first region of a while always runs. With `guard`, a counted loop that may not run is put under
that condition if this lets something move:

```mlir
scf.for %i = %l to %u step %c1 {
  %d = arith.divsi %a, %b : i32
  body(%i, %d)
}

%runs = arith.cmpi slt, %l, %u : index
scf.if %runs {
  %d = arith.divsi %a, %b : i32
  scf.for %i = %l to %u step %c1 {
    body(%i, %d)
  }
}
```

A tensor stays in the loop if it is overwritten or forwarded there, which would take a copy in each iteration. It also
stays if the tensors moved out of the loop would take more than twice the memory of the operands that they are computed
from, by more than 64 KB together. `max-bytes` replaces the latter limit by the most bytes that tensors which have moved
out of a loop and are still read in it may take together. Operations that cost nothing where they are read (an empty
tensor, a fill, a view, a move) move with the operations that need them. (In GRAPH: `ov-loop-invariant-code-motion`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.control_flow.conditions import enclosing_conditions
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import bytes_of
from loomir.dialects.scalars import LESS
from loomir.dialects.scalars.row import constant_integer, constant_trips
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.value_ranges import IntegerRanges
from loomir.passes.control_flow.motion import Motion, MotionPolicy, Place
from loomir.passes.options import check_least
from loomir.passes.structured.linalg_fuse_elementwise.producers import costs_nothing

_VIEWS = (tensor.ExtractSliceOp, tensor.ExpandShapeOp, tensor.CollapseShapeOp)
_FREE = (tensor.EmptyOp, FillOp, *_VIEWS)


@dataclass(frozen=True)
class LicmPass(ModulePass):
    """Moves loop-invariant operations in front of loops.

    See the module's docstring.
    """

    name = "licm"
    EXACT = True

    max_bytes: int | None = None
    guard: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        if any(isinstance(inner, scf.ForOp | scf.WhileOp) for inner in walk(op)):
            Motion(_Policy(Remarks(self.name), self.max_bytes, self.guard)).run(op)


@dataclass
class _Policy(MotionPolicy):
    """Policy for the scalars and tensors of STRUCTURED."""

    remarks: Remarks
    max_bytes: int | None
    guard: bool
    ranges: IntegerRanges = field(default_factory=IntegerRanges)

    def size(self, value: SSAValue) -> int | None:
        if not isinstance(type_ := value.type, TensorType) or isinstance(value.owner, tensor.EmptyOp):
            return 0
        if not type_.has_static_shape():
            return None
        return bytes_of(type_)

    def surely_runs(self, loop: Operation, region: Region) -> bool:
        """A condition of a branch around the loop may imply it, too."""
        if not isinstance(loop, scf.ForOp):
            return region is loop.regions[0]
        return (
            bool(constant_trips(loop))
            or self.ranges.of(loop.lb)[1] < self.ranges.of(loop.ub)[0]
            or enclosing_conditions(loop).comparison(LESS, loop.lb, loop.ub) is True
        )

    def ends(self, op: Operation) -> bool:
        if isinstance(op, scf.ForOp):
            return (constant_integer(op.step) or 0) > 0
        return isinstance(op, scf.IfOp)

    def is_free(self, op: Operation) -> bool:
        """Return True for an empty tensor, fill, view or move."""
        if isinstance(op, GenericOp):
            return bool(op.results) and costs_nothing(op) and speculatable(op)
        return isinstance(op, _FREE) and speculatable(op)

    def obstacle(self, op: Operation) -> str | None:
        """A tensor that something computes into would be copied in each iteration."""
        tensors = (result for result in op.results if isinstance(result.type, TensorType))
        return None if all(map(_is_only_read, tensors)) else ""

    def can_be_guarded(self, loop: Operation) -> bool:
        return self.guard and super().can_be_guarded(loop)

    def guard_pays(self, loop: Operation, ops: Sequence[Operation]) -> bool:
        self.remarks.passed(loop, "guarded by a test that it runs")
        return True

    def tell_moved(self, op: Operation, left: Sequence[Place], guarded: Operation | None) -> None:
        before = guarded or left[-1].loop
        if before is not None:
            self.remarks.passed(before, f"hoisted {op.name}")

    def tell_stays(self, op: Operation, loop: Operation, why: str | MissedReason) -> None:
        text, numbers = (why.text, why.numbers) if isinstance(why, MissedReason) else (why, {})
        told = f"{op.name} {text[3:]}" if text.startswith("it ") else f"{op.name} stays: {text}"
        self.remarks.missed(loop, told, **numbers)


def _is_only_read(value: SSAValue) -> bool:
    """Return True if nothing computes into a tensor or forwards it.

    Uses through views count, too.
    """
    for use in value.uses:
        user = use.operation
        if isinstance(user, _VIEWS):
            if not _is_only_read(user.results[0]):
                return False
        elif isinstance(user, LinalgStructuredOperation):
            if use.index >= len(user.inputs):
                return False
        elif not isinstance(user, tensor.ExtractOp):
            return False
    return True
