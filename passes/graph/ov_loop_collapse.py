"""`ov-loop-collapse`: makes one loop of a nest of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import GreaterOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MultiplyOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.region_flow import captured, comes_from_outside
from loomir.dialects.scalars.row import type_range
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.trip_counts import number_of
from loomir.passes.analysis.trip_counts.closed_form import BoundedMath, BoundedScalar
from loomir.passes.graph.lib.loop_copies import body_of
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_infer import retype

_SHAPES = ReshapeOp, SqueezeOp, UnsqueezeOp
_MOST = type_range(i64)[1]


@dataclass(frozen=True)
class OvLoopCollapsePass(ModulePass):
    """Collapses a loop whose body is only another loop.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %s = ov.loop trip(%thirty) carried(%v) {
      ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
        %w = ov.tanh %u
        ov.next carried(%w)
      }
      ov.next carried(%s)
    }

    %trips = ov.multiply %n, %thirty                           // after
    %r = ov.loop trip(%trips) carried(%x) {
    ^bb0(%i: tensor<i64>, %u: tensor<4xf32>):
      %w = ov.tanh %u
      ov.next carried(%w)
    }
    ```

    A product beyond 64 bits is the greatest number of 64 bits, which no loop reaches. A negative trip count, which is no limit, stays
    negative. A nest stays if it may be an endless loop of loops that run no iteration. Iteration numbers must be unused.

    A nest over the parts of an input, and the parts of these, is a loop over the parts of the reshaped input:

    ```mlir
    %r = ov.loop carried(%a) sliced(%x) {                      // before: %x is 100x50
    ^bb0(%i: tensor<i64>, %v: tensor<1x1xf32>, %p: tensor<1x50xf32>):
      %q = ov.reshape %p, %shape : (tensor<1x50xf32>, tensor<2xi64>) -> tensor<50x1xf32>
      %s = ov.loop carried(%v) sliced(%q) { … }
      ov.next carried(%s)
    }

    %y = ov.reshape %x, %all : (tensor<100x50xf32>, tensor<2xi64>) -> tensor<5000x1xf32>      // after
    %r = ov.loop carried(%a) sliced(%y) { … }
    ```

    The parts must be contiguous: on each axis before the sliced one there is one element.
    """

    name = "ov-loop-collapse"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        # Outer loops first: what they become may be collapsed with the next loop.
        loops = [loop for loop in walk(op) if isinstance(loop, LoopOp)]
        nests: list[LoopOp] = []
        for loop in loops:
            if _inner(loop) is None:
                remarks.missed(loop, "its body is not a loop alone")
            else:
                nests.append(loop)
        if not nests:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        replaced: dict[LoopOp, LoopOp] = {}
        for loop in nests:
            # What was collapsed before stands for the loop that went into it.
            outer = replaced.pop(loop, loop)
            inner = _inner(outer)
            if inner is None:
                continue
            made = _Collapse(outer, inner, inference).run()
            if isinstance(made, str):
                remarks.missed(outer, made)
            else:
                replaced[inner] = made
                remarks.passed(made, "collapsed it with the loop in it")
        retype(ctx, op, changed=bool(replaced))


def _inner(loop: LoopOp) -> LoopOp | None:
    """Return the loop that is all of a body, or None.

    Beside it there are only constants, and operations that change shapes.
    """
    found: list[LoopOp] = []
    for op in loop.body.block.ops:
        if isinstance(op, LoopOp):
            found.append(op)
        elif not isinstance(op, (ConstantOp, *_SHAPES)) and op is not loop.next:
            return None
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class _Part:
    """Input of whose parts the inner loop sees parts.

    `block` is the reshaped part of the outer loop.
    """

    whole: SSAValue
    outer: Slicing
    block: TensorType
    inner: Slicing


class _Collapse:
    """Makes one loop of two, if that is possible."""

    def __init__(self, outer: LoopOp, inner: LoopOp, inference: Inference) -> None:
        self._outer, self._inner, self._inference = outer, inner, inference
        self._build = GraphBuilder(InsertPoint.before(outer), outer.location)

    def run(self) -> LoopOp | str:
        """Replace the loops, and return the new one.

        Where they stay, return the reason.
        """
        outer, inner = self._outer, self._inner
        if any(c is not None for c in (outer.cond, inner.cond, outer.next.cond, inner.next.cond)):
            return "a condition may end one of the loops"
        if outer.last or outer.concat or inner.last or inner.concat:
            return "one of the loops gives more than carried values"
        order = self._order()
        if order is None:
            return "it does not hand all of its carried values on to the inner loop and back"
        if outer.iteration.first_use is not None or inner.iteration.first_use is not None:
            return "an iteration number is used"
        parts = self._parts()
        if isinstance(parts, str):
            return parts
        inside = [v for v in captured(inner, {}) if not comes_from_outside(v, outer)]
        if not all(isinstance(v.owner, ConstantOp) for v in inside):
            return "the inner loop reads a part that the outer one slices"
        if not parts and (why := self._endless()) is not None:
            return why
        self._move_constants()
        trip = None if parts else self._product()
        new = outer.like(
            body_of(inner),
            trip=trip,
            carried=[outer.carried[k] for k in order],
            sliced=[self._reshaped(part) for part in parts],
            slices=[part.inner for part in parts],
            final_types=[outer.final[k].type for k in order],
        )
        self._build.emit(new)
        for k, result in zip(order, new.final):
            result.name_hint = outer.final[k].name_hint
            outer.final[k].replace_all_uses_with(result)
        outer.detach()
        outer.erase(safe_erase=False)
        return new

    def _order(self) -> list[int] | None:
        """Return the outer carried value for each inner one.

        None if one of them is used otherwise.
        """
        outer, inner = self._outer, self._inner
        order: list[int] = []
        for value, final in zip(inner.carried, inner.final):
            if value not in outer.carried_arguments or not value.has_one_use():
                return None
            order.append(outer.carried_arguments.index(value))
            if outer.next.carried[order[-1]] is not final:
                return None
        return order if order and len(order) == len(outer.carried) else None

    # -- trip counts

    def _endless(self) -> str | None:
        """Return why the product of trip counts does not stand for both."""
        outer, inner = self._outer, self._inner
        if outer.trip is None or inner.trip is None:
            return "one of the loops has no trip count"
        if not comes_from_outside(inner.trip, outer) and not isinstance(inner.trip.owner, ConstantOp):
            return "the inner trip count is computed in the outer loop"
        outer_trips, inner_trips = self._trips(BoundedMath())
        if outer_trips.lo < 0 and inner_trips.lo < 1:
            return "an endless outer loop may run inner loops of no iteration"
        return None

    def _trips(self, numbers: BoundedMath) -> list[BoundedScalar]:
        """Return both trip counts; a negative one is −1."""
        trips = [trip for trip in (self._outer.trip, self._inner.trip) if trip is not None]
        bounded = (number_of(trip, numbers, self._inference) for trip in trips)
        return [numbers.greatest(trip, numbers.constant(-1)) for trip in bounded]

    def _product(self) -> SSAValue:
        """Emit the product of the trip counts.

        It is at most the greatest number of 64 bits, and negative if one of the loops does not end.
        """
        build, numbers = self._build, BoundedMath(self._build)
        outer, inner = self._trips(numbers)
        product = build.make(MultiplyOp, numbers.value(outer), numbers.value(inner))
        if outer.hi * max(inner.hi, 1) <= _MOST:
            return product
        most, divisor = build.scalar(_MOST, i64), numbers.greatest(inner, numbers.constant(1))
        if divisor.constant is None:
            limit = build.make(DivideOp, most, numbers.value(divisor))
        else:
            limit = build.scalar(_MOST // divisor.constant, i64)
        beyond = build.make(GreaterOp, numbers.value(outer), limit)
        return build.make(SelectOp, beyond, most, product)

    # -- slices

    def _parts(self) -> Sequence[_Part] | str:
        """Return the inputs of which both loops see parts.

        If one loop cannot, return the reason.
        """
        outer, inner = self._outer, self._inner
        if not outer.sliced and not inner.sliced:
            return []
        trips = static_trips(inner)
        if len(outer.sliced) != len(inner.sliced) or trips is None:
            return "the inner loop slices other inputs, or an unknown number of parts"
        if static_trips(outer) is None and (outer.trip is not None or len(outer.sliced) > 1):
            return "its trip count is not known"
        found: list[_Part] = []
        seen: set[SSAValue] = set()
        for value, cut in zip(inner.sliced, inner.slicings):
            source = _source(value)
            if source not in outer.part_arguments or source in seen:
                return "the inner loop does not slice the parts of the outer one"
            seen.add(source)
            number = outer.part_arguments.index(source)
            block = value.type
            part = self._part(outer.sliced[number], outer.slicings[number], block, cut)
            if part is None:
                return "the parts are not contiguous, or of unknown shape"
            found.append(part)
        return found

    def _part(self, whole: SSAValue, outer: Slicing, block: object, inner: Slicing) -> _Part | None:
        if not isinstance(whole.type, TensorType) or not isinstance(block, TensorType):
            return None
        static = block.has_static_shape() and prod(block.get_shape()) > 0
        if not static or (outer.stride > 0) != (inner.stride > 0):
            return None
        for shape, cut in ((whole.type.get_shape(), outer), (block.get_shape(), inner)):
            axis = cut.normalised_axis(len(shape))
            if cut != cut.whole_axis() or set(shape[:axis]) - {1}:
                return None
        # (Only for parts of one row there is a reshape that fails as the one of a part does.)
        known = whole.type.has_static_shape()
        return _Part(whole, outer, block, inner) if known or outer.part_size == 1 else None

    def _reshaped(self, part: _Part) -> SSAValue:
        """Emit a reshape that joins the blocks on the inner axis."""
        build, type_ = self._build, tensor_type_of(part.whole)
        shape = list(part.block.get_shape())
        size, axis = prod(shape), part.inner.normalised_axis(len(shape))
        if type_.has_static_shape():
            shape[axis] *= prod(type_.get_shape()) // size
            return reshaped(part.whole, shape, build)
        # The first reshape keeps the number of blocks (0 is that extent): it fails where a block has another size.
        before = part.outer.normalised_axis(len(type_.get_shape()))
        rows = build.integers([1] * before + [0, size])
        blocks = build.make(ReshapeOp, part.whole, rows, attributes={"special_zero": True})
        shape[axis] = -1
        return build.make(ReshapeOp, blocks, build.integers(shape), attributes={"special_zero": False})

    def _move_constants(self) -> None:
        """Move the constants of the outer body before the loop."""
        for op in [o for o in self._outer.body.block.ops if isinstance(o, ConstantOp)]:
            op.detach()
            self._build.emit(op)


def _source(value: SSAValue) -> SSAValue:
    """Return the value of which operations only change the shape."""
    while isinstance(op := value.owner, _SHAPES):
        value = op.operands[0]
    return value
