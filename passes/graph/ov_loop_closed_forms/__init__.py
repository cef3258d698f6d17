"""`ov-loop-closed-forms`: final values of recurrences without their loops."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import AnyTensor, any_tensor_of, i64
from loomir.dialects.ov.canonicalization.loop_trips import Trips, trips_of
from loomir.dialects.ov.canonicalization.loops import first_trip_comes
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import NotEqualOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp, PowerOp
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars.row import is_integer, type_range
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.dependence import MEMORY, LoopDependence, dependence_of
from loomir.passes.analysis.dependence.updates import Update, may_be_exact, update_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.lib.loop_rewriting import fails_on_shapes_alone
from loomir.passes.graph.lib.whole_axis.rules import rebuilt
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_closed_forms.forms import Forms, as_element, outside
from loomir.passes.graph.ov_loop_closed_forms.idempotence import (
    Step,
    chain_of,
    is_idempotent,
    may_be_idempotent,
)
from loomir.passes.graph.ov_loop_closed_forms.powers import is_affine, power_of


@dataclass(frozen=True)
class OvLoopClosedFormsPass(ModulePass):
    """Computes the final values of recurrences from the trip count.

    The loops that compute them may then go.

    ```mlir
    %r = ov.loop trip(%n) carried(%k) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<i64>):
      %w = ov.add %v, %i
      ov.next carried(%w)
    }

    %half = ov.divide %n, %two                                 // after: n (n − 1) / 2, without overflow in between
    …
    %r = ov.add %k, %sum
    ```

    - A *sum* of integers that are polynomials of the iteration number, up to degree 3. With C(n, k) for n over k, the form of
      `v ← v + f(i)` is `v + Σ c_k C(n, k + 1)` for `f(i) = Σ c_k C(i, k)`: all sums are exact, also where they wrap around.
    - A *product* with the same integer in each trip is one with its power.
    - An *affine function* of an integer with numbers from outside is one with their powers (`powers.py`); with `affine=false`
      only if it takes no loop over the bits of the trip count.
    - An *idempotent function*, such as a maximum with the same value in each trip, or a ReLU, is done once, if there is a trip
      (`idempotence.py`).

    Where no trip may come and shapes may not fit, what the trips compute is in a branch. A value that the rest of the body needs
    stays, since its loop stays; so does one of a loop that a condition may end, or that may run beyond its slices. Sums and products
    of floats stay, which are rounded in each trip.
    """

    name = "ov-loop-closed-forms"
    EXACT = True

    affine: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        if not loops:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [_Recurrences(loop, inference, self.affine).replace(remarks) for loop in loops]
        if any(changed):
            rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op, changed=any(changed))


@dataclass
class _Recurrences:
    """Recurrences of one loop whose final values have another form."""

    loop: LoopOp
    inference: Inference
    affine: bool

    def replace(self, remarks: Remarks) -> bool:
        """Compute final values before the loop; return True if there are any."""
        loop, trips = self.loop, trips_of(self.loop)
        if trips is None:
            remarks.missed(loop, "its trip count is not known before it")
            return False
        wanted = self._replaced(trips) if self._may_have_some() else 0
        if not wanted:
            remarks.missed(loop, "no final value is a function of its trip count, or the body needs it")
            return False
        remarks.passed(loop, f"computed {wanted} final values from its trip count", values=wanted)
        return True

    def _may_have_some(self) -> bool:
        """Return True if a final value may have another form."""
        return any(
            c.result.first_use and (may_be_exact(c, self.loop) or may_be_idempotent(c.following))
            for c in region_flow(self.loop).carried
        )

    def _replaced(self, trips: Trips) -> int:
        """Replace final values, and return how many."""
        loop = self.loop
        self.build = GraphBuilder(InsertPoint.before(loop), loop.location)
        self.forms = Forms(self.dependence, loop, self.build, runs=False)
        final: dict[int, SSAValue] = {}
        candidates = self._candidates()
        unused = {n for n in candidates if loop.final[n].first_use is None}
        for number in self._unneeded(candidates):
            value = None if number in unused else self._final(number, trips)
            if value is not None:
                final[number] = value
        # What is not known is computed in the loop, with all that it reads.
        wanted = [n for n in self._unneeded({*final, *unused}) if n in final]
        for number in wanted:
            value = final[number]
            value.name_hint = value.name_hint or loop.final[number].name_hint
            loop.final[number].replace_all_uses_with(value)
        if not wanted:
            for op in reversed(self.build.emitted):
                Rewriter.erase_op(op)
        return len(wanted)

    def _candidates(self) -> list[int]:
        """Return the carried values that depend on themselves alone."""
        alone = [r[0] for r in self.dependence.recurrences if len(r) == 1 and r[0] != MEMORY]
        return [n for n in alone if isinstance(self.loop.final[n].type, AnyTensor)]

    @cached_property
    def dependence(self) -> LoopDependence:
        """Dependence of its iterations."""
        return dependence_of(self.loop)

    @cached_property
    def _surely(self) -> bool:
        """True if there is surely an iteration."""
        return trip_bounds(self.loop, self.inference).lo >= 1

    def _unneeded(self, candidates: Collection[int]) -> list[int]:
        """Return the candidates that the rest of the body does not read."""
        end, arguments = self.loop.next, self.loop.carried_arguments
        roots: list[SSAValue | Operation] = [*end.last, *end.concat, *self.dependence.effects]
        roots += (value for k, value in enumerate(end.carried) if k not in candidates)
        left = set(candidates)
        while roots:
            read = set(self.dependence.sources(roots.pop()))
            needed = {number for number in left if arguments[number] in read}
            left -= needed
            roots += (end.carried[number] for number in needed)
        return sorted(left)

    def _final(self, number: int, trips: Trips) -> SSAValue | None:
        """Emit the final value of a carried value, or return None."""
        element = any_tensor_of(self.loop.carried[number]).element_type
        chain = chain_of(self.dependence, number)
        if chain is not None and is_idempotent(chain, element):
            if not self._may_move(step.op for step in chain):
                return None
            if self._surely:
                return self._once(number, chain, self.build)
            return self._in_branch(number, trips, lambda build: self._once(number, chain, build))
        update = update_of(self.dependence, number)
        if update is None or not is_integer(element) or not self._may_move(link.op for link in update.links):
            return None
        fits = update.keeps_shape and all(speculatable(k.op, self.inference.fact) for k in update.links)
        if fits or self._surely:
            return self._computed(update, trips, self.build)
        return self._in_branch(number, trips, lambda build: self._computed(update, trips, build))

    def _may_move(self, operations: Iterable[Operation]) -> bool:
        """Return True if operations before the loop give the same errors."""
        if all(speculatable(op, self.inference.fact) for op in operations):
            return True
        return fails_on_shapes_alone(self.loop, self.inference)

    def _in_branch(
        self, number: int, trips: Trips, emit: Callable[[GraphBuilder], SSAValue | None]
    ) -> SSAValue | None:
        """Emit a final value for loops with an iteration, or return None."""
        loop, build, taken, otherwise = self.loop, self.build, Block(), Block()
        inside = build.inside(taken)
        value = emit(inside)
        if value is None:
            for op in reversed(inside.emitted):
                Rewriter.erase_op(op)
            return None
        runs = None if loop.sliced else first_trip_comes(loop, build)
        if runs is None:
            runs = build.make(NotEqualOp, trips.emit(build), build.scalar(0, i64))
        inside.emit(YieldOp.build(operands=[[value]]))
        build.inside(otherwise).emit(YieldOp.build(operands=[[loop.carried[number]]]))
        types = [loop.final[number].type]
        return build.emit(IfOp.of(runs, types, Region(taken), Region(otherwise))).output[0]

    def _once(self, number: int, chain: Sequence[Step], build: GraphBuilder) -> SSAValue | None:
        """Emit the value after one iteration, or return None."""
        value = self.loop.carried[number]
        for step in chain:
            operands = [
                value if k == step.place else outside(o, self.loop, build)
                for k, o in enumerate(step.op.operands)
            ]
            known = [operand for operand in operands if operand is not None]
            if len(known) < len(operands):
                return None
            (value,) = rebuilt(step.op, known, build)
        return value

    def _computed(self, update: Update, trips: Trips, build: GraphBuilder) -> SSAValue | None:
        """Emit the final value of an update of integers, or return None."""
        if update.reduction == "add":
            forms = self.forms if build is self.build else Forms(self.dependence, self.loop, build, runs=True)
            return forms.final(update, trips)
        operands = [outside(link.operand, self.loop, build) for link in update.links]
        same = [operand for operand in operands if operand is not None]
        if len(same) < len(operands):
            return None
        first = self.loop.carried[update.number]
        if update.reduction == "multiply":
            return self._product(same, first, trips, build)
        if not is_affine(update):
            return None
        return power_of(update, same, first, trips, build, by_loop=self.affine)

    def _product(
        self, operands: Sequence[SSAValue], first: SSAValue, trips: Trips, build: GraphBuilder
    ) -> SSAValue | None:
        """Emit a product of the same operands, or return None."""
        element = any_tensor_of(first).element_type
        # The exponent has the type of the base, in which it may be another number.
        greatest = trip_bounds(self.loop, self.inference).hi
        if element != i64 and (greatest is None or greatest > type_range(element)[1]):
            return None
        number = as_element(trips.emit(build), element, build)
        powers = [build.make(PowerOp, operand, number) for operand in operands]
        return reduce(partial(build.make, MultiplyOp), powers, first)
