"""`ov-loop-carry-layout`: carries and slices values as the body computes them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import infer
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_carry_layout.carried import carry_changed
from loomir.passes.graph.ov_loop_carry_layout.narrowing import narrow_integers, parts_to_narrow
from loomir.passes.graph.ov_loop_carry_layout.room import Room
from loomir.passes.graph.ov_loop_carry_layout.sliced import slice_transposed, transpose_of_slices
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopCarryLayoutPass(ModulePass):
    """Carries and slices values as the body computes them.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                         // before; %order is [1, 0]
    ^bb0(%i: tensor<i64>, %v: tensor<8x16xf32>):
      %t = ov.transpose %v, %order
      %w = ov.tanh %t
      %u = ov.transpose %w, %order
      ov.next carried(%u)
    }

    %first = ov.transpose %x, %order                            // after
    %s = ov.loop trip(%n) carried(%first) {
    ^bb0(%i: tensor<i64>, %t: tensor<16x8xf32>):
      %w = ov.tanh %t
      ov.next carried(%w)
    }
    %r = ov.transpose %s, %order
    ```

    A change of layout is a transpose by a constant order, a reshape between static shapes, or dimensions of extent 1 that come or go. A
    value is also carried in a narrower type if its initial value and each next one are widened from it. Values that iterations hand on
    to each other are changed together. A change pays if an iteration then executes fewer operations.

    An input of which every slice is transposed is transposed once. Sums, differences and products of integers that are only read
    narrowed are computed in the narrow type if that saves conversions: their low bits depend on no others. The new tensors in front of
    a loop take at most `max-bytes`, those of unknown size not counted. With `grow=false` there are none, and nothing moves elements
    behind the loop.
    """

    name = "ov-loop-carry-layout"
    EXACT = True

    max_bytes: int = 1 << 16
    grow: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        changed = False
        # Inner loops first: what they are given changed is changed in the loop around them.
        for loop in [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]:
            room, saved = Room(self.max_bytes if self.grow else 0), 0
            parts = parts_to_narrow(loop, grow=self.grow)
            if parts or any(map(transpose_of_slices, loop.part_arguments)):
                inference = analyses.get(infer, op)
                saved += narrow_integers(loop, parts, inference, room)
                saved += slice_transposed(loop, inference, room)
            saved += carry_changed(loop, grow=self.grow)
            if saved:
                remarks.passed(
                    loop, f"an iteration executes {saved} changes of layout less", operations=saved
                )
                changed = True
            else:
                remarks.missed(loop, room.reason or "no value pays to be carried or sliced in another layout")
        if not changed:
            return analyses.keep_all()
        rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op)
