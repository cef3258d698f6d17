"""`ov-loop-merge-values`: merges carried values that begin and continue alike."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.dialects.control_flow.equal_values import EqualValueClasses
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
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

    The analysis is optimistic (`dialects/control_flow/equal_values.py`): it finds cycles of values that continue
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
        merged = 0
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                classes = EqualValueClasses()
                if not classes.settle(function.body.block, self.max_rounds):
                    remarks.missed(
                        function, f"no fixpoint after {self.max_rounds} rounds", limit=self.max_rounds
                    )
                    continue
                merged += sum(_merge(loop, classes, remarks) for loop in classes.operations)
        if not merged:
            return analyses_of(ctx).keep_all()
        write_result_types(op)


def _merge(op: Operation, classes: EqualValueClasses, remarks: Remarks) -> int:
    """Merge equal arguments and results of an operation; return how many.

    The operation is a loop or branch.
    """
    if count := classes.merge(op):
        remarks.passed(op, f"merged {count} values with others that are always equal", values=count)
    elif isinstance(op, LoopOp):
        remarks.missed(op, "no two of its values are always equal, and none stays what it begins as")
    else:
        remarks.missed(op, "no two of its results are always equal")
    return count
