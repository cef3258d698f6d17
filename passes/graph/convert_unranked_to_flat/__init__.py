"""`convert-unranked-to-flat`: replaces unranked tensors by flat elements and extents.

GRAPH → GRAPH in which every value has a rank. A value of type `tensor<*xT>`, whose rank is known only at run time, is
held in two tensors:

| part | type | holds |
|---|---|---|
| *flat* | `tensor<?xT>` | the elements in row-major order |
| *extents* | `tensor<?xi64>` | the extents; how many there are is the rank |

Branches yield both, loops carry both. Operations that need no rank work on them:

| operation | becomes |
|---|---|
| elementwise, of one such value, or of several that have the same extents, and scalars | itself, on the flat parts |
| ShapeOf | the extents |
| Reshape | the flat part unchanged; the extents as the wanted shape specifies |
| Unsqueeze, Squeeze of known axes | the same with extents inserted or removed |

```mlir
%r = ov.if %c -> (tensor<*xf32>) {                                            // before
  ov.yield %x : tensor<2x3xf32>
} else {
  ov.yield %v : tensor<4xf32>
}
%e = ov.exp %r : (tensor<*xf32>) -> tensor<*xf32>

%f, %s = ov.if %c -> (tensor<?xf32>, tensor<?xi64>) {                         // after
  %a = ov.reshape %x, %all : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  ov.yield %a, %two_three : tensor<6xf32>, tensor<2xi64>
} else {
  ov.yield %v, %four : tensor<4xf32>, tensor<1xi64>
}
%e = ov.exp %f : (tensor<?xf32>) -> tensor<?xf32>
```

Any other operation is *dispatched*: `ov.if` tests the rank, and each branch has the operation on a value of that rank
(or `ov.fail` in a branch of a rank that the operation does not take). Operations that compute its other operands from
the rank move with it. Inference determines the possible ranks; if it cannot, or if there are more than `max-ranks`, the
program is refused.

A result of `main` becomes two, `y/data` and `y/extents`, with `loomir.of = "y"` and `loomir.part` `"flat"` and
`"extents"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import AnyTensor, i64, set_type
from loomir.dialects.interface import Entry
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.inference import integers
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.convert_unranked_to_flat.dispatch import ExtentArithmetic, dispatched, read
from loomir.passes.graph.lib.one_to_many import OneToMany, Parts
from loomir.passes.graph.ov_infer import retype, write_types
from loomir.passes.options import check_least


def of_other_rank(loop: LoopOp) -> list[SSAValue]:
    """Return the carried arguments whose rank the loop body changes.

    In a loop that runs once, the argument's rank is known; that of the next value may be another one, or unknown.
    """
    pairs = zip(loop.carried_arguments, loop.next.carried)
    return [a for a, v in pairs if _rank(a) not in (None, _rank(v))]


def _rank(value: SSAValue) -> int | None:
    return Fact.of_type(value.type).rank if isinstance(value.type, AnyTensor) else None


class UnrankedConversion(OneToMany):
    """Tensors of unknown rank become their elements and their extents."""

    def __init__(self, func: FuncOp, inference: Inference, max_ranks: int) -> None:
        super().__init__(func)
        self.inference = inference
        self.max_ranks = max_ranks
        self._of_other_rank: set[SSAValue] = set()

    def splits(self, value: SSAValue) -> bool:
        return isinstance(value.type, UnrankedTensorType) or value in self._of_other_rank

    def types(self, value: SSAValue) -> Sequence[Attribute]:
        assert isinstance(value.type, AnyTensor)
        return [TensorType(element, [DYNAMIC_INDEX]) for element in (value.type.element_type, i64)]

    def argument_entries(self, argument: BlockArgument, entry: Entry) -> Sequence[Entry]:
        raise Error(
            "unresolved-rank",
            f"the rank of input {argument.index} is not known",
            hint="give it a shape: shapes={name: […]} (--shape name=…)",
        )

    def result_entries(self, value: SSAValue, name: str, entry: Entry) -> Sequence[Entry]:
        # The value of an optional belongs to that.
        owner = name if entry.part is None else entry.part[0]
        parts = {"flat": f"{name}/data", "extents": f"{name}/extents"}
        return [Entry.of(name=own, part=(owner, part)) for part, own in parts.items()]

    # -- values that are handed on

    def forwarded(self, value: SSAValue, place: SSAValue, build: GraphBuilder) -> Parts:
        if self.splits(value) and not self.splits(place):
            return [read(build, self.parts(value), self.inference.fact(place))]
        return self.flat_parts(value, build) if self.splits(place) else [value]

    def receive(self, value: SSAValue, place: SSAValue, group: Parts, build: GraphBuilder) -> None:
        if self.splits(place) and not self.splits(value):
            group = [read(build, group, self.inference.fact(value))]
        if not self.splits(value):
            self.inference.set(group[0], self.inference.fact(value))
        super().receive(value, place, group, build)

    def flat_parts(self, value: SSAValue, build: GraphBuilder) -> Parts:
        """The elements and the extents of any tensor."""
        if self.splits(value):
            return self.parts(value)
        to = ExtentArithmetic(build)
        return [to.flat(value), to.of(value)]

    def enter(self, argument: BlockArgument) -> None:
        if not isinstance(argument.type, UnrankedTensorType):
            build = GraphBuilder(InsertPoint.at_start(argument.owner), argument.location)
            value = read(build, self.parts(argument), self.inference.fact(argument))
            self.inference.set(value, self.inference.fact(argument))
            argument.replace_all_uses_with(value)

    # -- operations

    def loop(self, op: LoopOp) -> None:
        self._of_other_rank.update(of_other_rank(op))
        decides = next(filter(self.splits, op.sliced), None)
        if decides is None and any(map(self.splits, (*op.next.last, *op.next.concat, *op.last, *op.concat))):
            # What the loop puts together is of one rank, which a value from outside decides.
            decides = next((v for each in walk(op) for v in each.operands if v in self._parts), None)
            if decides is None:
                raise self.needs_rank(op)
        if decides is None:
            super().loop(op)
        else:
            self._dispatch(op, decides)

    def operation(self, op: Operation) -> None:
        given = list(dict.fromkeys(filter(self.splits, op.operands)))
        if not isinstance(op, OvOperation) or not (given or any(map(self.splits, op.results))):
            return
        build = GraphBuilder(InsertPoint.before(op), op.location)
        if isinstance(op, ShapeOfOp):
            shape = self.parts(op.data)[1]
            wanted = self.inference.fact(op.output).element
            if wanted != i64:
                shape = build.make(ConvertOp, shape, attributes={"destination_type": wanted})
            self.replace(op, [shape])
        elif parts := self._elementwise(op, given, build) or self._reshaped(op, build):
            self.replace(op, parts)
        elif given:
            self._dispatch(op, given[0])
        else:
            raise self.needs_rank(op)

    def _dispatch(self, op: Operation, value: SSAValue) -> None:
        """Dispatch an operation over the ranks of one operand.

        The operations in the branches may be dispatched in turn over the ranks of other operands.
        """
        if not 2 <= len(self.inference.fact(value).alternatives) <= self.max_ranks:
            raise self.needs_rank(op)
        branch = dispatched(op, value, self.parts(value), self.inference)
        self._old.append(op)
        self.convert(branch)

    def needs_rank(self, op: Operation) -> Error:
        """Return the error that refuses an operation."""
        error = Error(
            "unresolved-rank",
            "the rank of a value is not known before the program runs",
            hint="fix the inputs that decide it (shapes=, --shape, values=, --value)",
        )
        return located(error, op)

    def _elementwise(self, op: OvOperation, given: Sequence[SSAValue], build: GraphBuilder) -> Parts | None:
        """An elementwise operation on the elements, where nothing is broadcast but scalars."""
        places = [op.operands[k] for k in op.ELEMENTWISE if k < len(op.operands)]
        if any(v not in places for v in given) or not self.splits(op.results[0]):
            return None
        extents = {self.parts(v)[1] for v in given}
        mode = op.properties.get("auto_broadcast")
        if len(extents) != 1 or (mode is not None and to_str(mode) != "numpy"):
            return None
        least = min((len(shape) for v in given for shape in self.inference.fact(v).shapes), default=0)
        operands: list[SSAValue] = []
        for index, value in enumerate(op.operands):
            if self.splits(value):
                value = self.parts(value)[0]
            elif index in op.ELEMENTWISE:
                fact = Fact.of_type(value.type)
                if fact.rank is None or fact.rank > least or fact.elements.static != 1:
                    return None
                if fact.rank:
                    value = build.make(ReshapeOp, value, build.integers([]))
            operands.append(value)
        new = op.clone()
        new.operands = operands
        (result,) = new.results
        element = self.inference.fact(op.results[0]).element
        set_type(result, TensorType(element, [DYNAMIC_INDEX]))
        build.emit(new)
        return [result, extents.pop()]

    def _reshaped(self, op: OvOperation, build: GraphBuilder) -> Parts | None:
        """Convert an operation that leaves the elements unchanged.

        The extents of its result must follow from those of the operand.
        """
        if not isinstance(op, ReshapeOp | UnsqueezeOp | SqueezeOp) or not self.splits(op.output):
            return self._reshaped_to_rank(op, build) if isinstance(op, ReshapeOp) else None
        to = ExtentArithmetic(build)
        if isinstance(op, ReshapeOp):
            flat, extents = self.flat_parts(op.data, build)
            return [flat, to.wanted(extents, op.shape, to_bool(op.special_zero))]
        if op.axes is None:
            flat, extents = self.flat_parts(op.data, build)
            return [flat, to.without_ones(extents)]
        axes = integers(self.inference.fact(op.axes), "axes")
        if not axes or len(set(axes)) < len(axes) or len({a < 0 for a in axes}) > 1:
            return None
        if isinstance(op, SqueezeOp) and not to_bool(op.strict, False):
            return None
        flat, extents = self.flat_parts(op.data, build)
        extents = to.squeezed(extents, axes) if isinstance(op, SqueezeOp) else to.unsqueezed(extents, axes)
        return [flat, extents]

    def _reshaped_to_rank(self, op: ReshapeOp, build: GraphBuilder) -> Parts | None:
        """Reshape the flat elements to a shape of known rank.

        No element of the shape may copy an extent.
        """
        bounds = self.inference.fact(op.shape).bounds
        may_copy = bounds is None or bool(((bounds[0] <= 0) & (bounds[1] >= 0)).any())
        if to_bool(op.special_zero) and may_copy:
            return None
        attributes = {"special_zero": False}
        return [build.make(ReshapeOp, self.parts(op.data)[0], op.shape, attributes=attributes)]


@dataclass(frozen=True)
class ConvertUnrankedToFlatPass(ModulePass):
    """Replaces tensors of unknown rank by their elements and their extents.

    See the module's docstring. An operation is dispatched over at most `max-ranks` ranks. Errors: `unresolved-rank` (an
    operation needs a rank of which too little is known, or which an input of `main` leaves open).
    """

    name = "convert-unranked-to-flat"
    EXACT = True

    max_ranks: int = 8

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_ranks=1)
        if not any(map(_has_unranked, walk(op))):
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        write_types(op, inference)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                UnrankedConversion(func, inference, self.max_ranks).run()
        # Ranks that turn out to be known leave branches that never run, which are illegal for what is known.
        retype(ctx, op)


def _has_unranked(op: Operation) -> bool:
    if isinstance(op, LoopOp) and of_other_rank(op):
        return True
    return any(isinstance(r.type, UnrankedTensorType) for r in op.results) or any(
        isinstance(a.type, UnrankedTensorType)
        for region in op.regions
        for block in region.blocks
        for a in block.args
    )


__all__ = ["ConvertUnrankedToFlatPass"]
