"""Requirements of lowering: bounded extents, known contents, types below GRAPH.

**Bounds of values, and the run-time checks of assumed bounds.** A program must check the assumptions of inference (see
`inference.state`).

The largest extents of a value are noted in its type (`tensor<?xf32, #ov.bounds<8>>`) or, if only a check bounds it, in the type
of the check: `%c = ov.check_bounds %b : (tensor<?xf32>) -> tensor<?xf32, #ov.bounds<8>>`. An operation that was created after
`ov-bound-shapes` has neither; its results' bounds are inferred from those of its operands.

**Inputs that decide shapes** (`deciding_inputs`). Their contents reach an operation that must know them before anything can be
generated for it.

```mlir
func.func @main(%x: tensor<2x3xf32>, %axes: tensor<1xi64>, %k: tensor<i64>) -> … {
  %a = ov.add %axes, %axes : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %y = ov.reduce_sum %x, %a : …            // asks for the contents of %a: %axes decides
  %z = ov.gather %y, %k, %axis : …         // any %k will do
}
```

The search starts from two kinds of values: the parameters that shape inference requires and does not fully know
(`recording` of `dialects/ov/inference.py`), and the values that choose among values of unknown rank (the condition of a branch,
the trip count of a loop). The length of a Range counts only on request: usually a bound suffices. From there the search follows
the operands from which contents are computed, back to the arguments of `main`; it ends at ShapeOf, which reads no contents.

**Values and operations that exist in GRAPH only** (`refuse_graph_only`). They are values that GRAPH only moves (strings, complex
numbers, codes: dialects/element_types.py), and unknown operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain

from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from loomir.dialects.attributes import Bounds, bounds_of_type, complete, count_of, least
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import CodeType, StringType, is_carried
from loomir.dialects.interface import main_function
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, fact_of
from loomir.dialects.ov.inference import recording
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.ov.operators.internal import CheckBoundsOp, FailOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.ovseq.types import SeqType
from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import is_unbounded

CAPACITY = "loomir.capacity"
"""Attribute of a module with values bounded only by the capacity."""


class Guards:
    """Planner and inserter of bounds checks.

    Call `plan` for every operation first, then `insert`.
    """

    def __init__(self, inference: Inference) -> None:
        self.inference = inference
        self.used_capacity = False
        self._results: dict[SSAValue, Bounds[int | None]] = {}
        self._carried: dict[Operation, list[tuple[int, int, int, int]]] = {}

    def plan(self, op: Operation) -> None:
        """Plan the checks for the assumptions about this operation."""
        for result in op.results:
            if assumed := self.inference.limited.get(result):
                extents = [b if _is_dynamic(result, k) else None for k, b in enumerate(assumed)]
                self.used_capacity |= any(b is not None and b == self.inference.capacity for b in extents)
                if (checks := Bounds(extents, assumed.elements)).is_bounded:
                    self._check(result, checks)
        if isinstance(op, LoopOp):
            self._plan_loop(op)

    def sure(self, result: SSAValue, bounds: Bounds[int | None]) -> Bounds[int | None]:
        """The bounds of a result without those that are only assumed."""
        assumed = self.inference.limited.get(result, Bounds((None,) * len(bounds)))
        elements = bounds.elements if assumed.elements is None else None
        return Bounds((b if a is None else None for a, b in zip(assumed, bounds)), elements)

    def outside(self, loop: LoopOp, index: int, bounds: Bounds[int | None]) -> Bounds[int | None]:
        """Return a carried argument's bounds before its check in the body."""
        most = {dimension: after for k, dimension, _, after in self._carried.get(loop, ()) if k == index}
        return Bounds((most.get(k, b) for k, b in enumerate(bounds))) if most else bounds

    def insert(self, op: Operation) -> None:
        """Insert the planned checks of an operation.

        Its results are checked behind it, its loop-carried values where its body begins and ends.
        """
        for result in op.results:
            if checks := self._results.get(result):
                _check_behind(result, checks)
        for k, dimension, inside, outside in self._carried.get(op, ()):
            assert isinstance(op, LoopOp)
            if inside < outside:
                _check_argument(
                    op, op.carried_arguments[k], _only_bounds(op.carried_arguments[k], dimension, inside)
                )
            _check_next(op, k, dimension, outside)

    def _check(self, result: SSAValue, most: Bounds[int | None]) -> None:
        self._results[result] = least(most, self._results.get(result, most))

    def _plan_loop(self, op: LoopOp) -> None:
        inference = self.inference
        if op.concat and inference.capacity is not None:
            trips = trip_bounds(op, inference)
            for value, join in zip(op.next.concat, op.concatenations):
                shape = inference.fact(value).shape
                if shape is not None and is_unbounded(shape[join.normalised_axis(len(shape))] * trips):
                    self.used_capacity = True
        for (k, dimension), inside in sorted(inference.carried_limits.get(op, {}).items()):
            after, value = inference.fact(op.final[k]).shape, op.next.carried[k]
            if after is None or not _is_dynamic(op.carried_arguments[k], dimension):
                continue
            outside = after[dimension].hi
            assert outside is not None, "an assumption that limits nothing"
            self.used_capacity |= inside >= outside
            reached = inference.fact(value).shape
            if (
                reached is not None
                and (hi := reached[dimension].hi) is not None
                and hi <= min(inside, outside)
            ):
                continue
            if inside >= outside and _may_check(op, value, dimension):
                # Checked where it is made, which then needs no more room than what carries it: it can be made there.
                self._check(value, _only_bounds(value, dimension, outside))
            else:
                self._carried.setdefault(op, []).append((k, dimension, inside, outside))


def _only_bounds(value: SSAValue, dimension: int, most: int) -> Bounds[int | None]:
    """A bound of one dimension."""
    return Bounds(most if k == dimension else None for k in range(len(bounds_of_type(value.type))))


def _check_behind(result: SSAValue, checks: Bounds[int | None]) -> None:
    owner = result.owner
    assert isinstance(owner, Operation)
    check = CheckBoundsOp.of(result, least(bounds_of_type(result.type), checks))
    _replace(result, check)
    assert owner.parent is not None
    owner.parent.insert_op_after(check, owner)


def _check_argument(loop: LoopOp, argument: SSAValue, checks: Bounds[int | None]) -> None:
    check = CheckBoundsOp.of(argument, least(bounds_of_type(argument.type), checks))
    _replace(argument, check)
    first = loop.body.block.first_op
    assert first is not None
    check.location = loop.location
    loop.body.block.insert_op_before(check, first)


def _check_next(loop: LoopOp, index: int, dimension: int, most: int) -> None:
    end = loop.next
    value = end.carried[index]
    own = bounds_of_type(value.type)
    if all(b is not None and (k != dimension or b <= most) for k, b in enumerate(own)):
        return  # it follows from what was checked before
    check = CheckBoundsOp.of(value, least(own, _only_bounds(value, dimension, most)))
    check.location = end.location
    loop.body.block.insert_op_before(check, end)
    end.operands[index if end.cond is None else index + 1] = check.output


def _replace(value: SSAValue, check: CheckBoundsOp) -> None:
    """Let everything but the check read what was checked."""
    if isinstance(value.owner, Operation):
        check.location = value.owner.location
    value.replace_uses_with_if(check.output, lambda use: use.operation is not check)


# -- what bounds a value


def checked_bounds(value: SSAValue) -> Bounds[int | None]:
    """Return a value's bounds according to its type and its checks.

    The checks run before the value is written.
    """
    own = bounds_of_type(value.type)
    checked = [use.operation.most for use in value.uses if isinstance(use.operation, CheckBoundsOp)]
    return reduce(least, (most for most in checked if len(most) == len(own)), own)


def checks_of(value: SSAValue) -> Bounds[int | None]:
    """Return the bounds of a value that only its checks state.

    They are those of `checked_bounds` that its type does not state.
    """
    return checked_bounds(value).beyond(bounds_of_type(value.type))


def complete_bounds(value: SSAValue) -> Bounds[int] | None:
    """Return `checked_bounds` if it bounds every dimension, else None."""
    return complete(checked_bounds(value))


def inferred_bounds(
    op: OvOperation, number: int, bounds_of: Callable[[SSAValue], Sequence[int]]
) -> Bounds[int] | None:
    """Return a result's bounds inferred from those of the operands.

    The result is None if any bound cannot be inferred.
    """
    facts: list[Fact] = []
    for operand in op.operands:
        fact = fact_of(operand)
        if fact.shape is not None and fact.static is None:
            bounds = bounds_of(operand)
            dims = tuple(d if d.static is not None else Dim(d.lo, b) for d, b in zip(fact.shape, bounds))
            fact = Fact(fact.element, dims, count=count_of(bounds))
        facts.append(fact)
    result = op.results_of(facts)[number]
    return None if result.shape is None or any(map(is_unbounded, result.shape)) else complete(result.size)


def _may_check(loop: LoopOp, value: SSAValue, dimension: int) -> bool:
    """Return True if a value can be checked in each iteration.

    It is computed in each iteration by an operation that can check its result.
    """
    owner = value.owner
    return (
        isinstance(owner, OvOperation)
        and not isinstance(owner, ConstantOp | FailOp)
        and owner.parent is loop.body.block
        and _is_dynamic(value, dimension)
    )


def _is_dynamic(value: SSAValue, dimension: int) -> bool:
    return isinstance(value.type, TensorType) and value.type.get_shape()[dimension] == DYNAMIC_INDEX


def deciding_inputs(module: ModuleOp, *, lengths: bool = False) -> list[BlockArgument]:
    """Return the arguments of `main` in GRAPH that decide shapes.

    They are in the order of the arguments. With `lengths`, arguments that decide the length of a Range are included.

    Linear in the number of operations. Errors: those of `infer`.
    """
    function = main_function(module)
    ranges = (op for op in walk(function) if lengths and isinstance(op, RangeOp))
    found = _content_sources(chain(_required_values(module, infer(module)), *(op.operands for op in ranges)))
    return [argument for argument in function.args if argument in found]


def deciding_loops(module: ModuleOp, inference: Inference) -> set[LoopOp]:
    """Return the loops whose iteration numbers or carried values decide shapes.

    After unrolling, each iteration may know the contents that it needs.

    Linear in the number of operations.
    """
    function = main_function(module)
    found = _content_sources(_required_values(module, inference))
    return {
        op
        for op in walk(function)
        if isinstance(op, LoopOp) and not found.isdisjoint((op.iteration, *op.carried_arguments))
    }


def _required_values(module: ModuleOp, inference: Inference) -> Iterator[SSAValue]:
    return (value for op in walk(main_function(module)) for value in _required_by(op, inference))


def _required_by(op: Operation, inference: Inference) -> Iterable[SSAValue]:
    """The values of which an operation would have to know more."""
    if isinstance(op, OvOperation):
        facts = [inference.fact(operand) for operand in op.operands]
        with recording() as asked:
            try:
                op.infer(facts)
            except Error:
                return []  # in a branch that the shapes forbid
        return [o for o, fact in zip(op.operands, facts) if any(fact is a for a in asked)]
    if (flow := region_flow(op)) and any(isinstance(r.type, UnrankedTensorType) for r in op.results):
        return flow.deciders
    return []


def _content_sources(values: Iterable[SSAValue]) -> set[SSAValue]:
    """Everything that the contents of these values are computed from."""
    waiting = list(values)
    found: set[SSAValue] = set()
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting.extend(_computed_from(value))
    return found


def _computed_from(value: SSAValue) -> Iterator[SSAValue]:
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    flow = region_flow(op)
    if flow is not None:
        yield from flow.deciders
        for edge in (*flow.edges, *flow.derived):
            yield from (given for given, becomes in edge.pairs if becomes is value)
    elif op is not None and not isinstance(value, BlockArgument) and not isinstance(op, ShapeOfOp):
        yield from op.operands


_GRAPH_ONLY_KINDS: Mapping[type[Attribute], str] = {
    StringType: "strings",
    CodeType: "codes of fewer than eight bits",
}


def refuse_graph_only(module: ModuleOp) -> None:
    """Reject the first value or operation that no stage below GRAPH supports.

    Every lowering out of GRAPH calls it.

    `Error("graph-only-type")` for a value whose elements are only moved, `Error("unknown-operator")` for an `ov.custom`.
    """
    for op in walk(module):
        if isinstance(op, CustomOp):
            raise located(op.unknown(), op)
        for value in _values_of(op):
            element = _element_of(value.type)
            if element is None or not is_carried(element):
                continue
            kind = _GRAPH_ONLY_KINDS.get(type(element), "complex numbers")
            error = Error(
                "graph-only-type",
                f"a value of type {value.type}: only the graph engine supports {kind}",
                hint="run it with --engine graph (engine='graph' in Python), which can move them",
            )
            raise located(error, op)


def _values_of(op: Operation) -> Iterable[SSAValue]:
    if isinstance(op, FuncOp):
        # An argument that nothing uses is an argument nevertheless; of the others the first use says more of the place.
        return [a for a in op.args if not any(a.uses)] if op.body.blocks else []
    return [*op.operands, *op.results]


def _element_of(type_: Attribute) -> Attribute | None:
    shaped = isinstance(type_, TensorType | UnrankedTensorType | SeqType)
    return type_.element_type if shaped else None
