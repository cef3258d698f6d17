"""`ov-reroll`: equal steps one behind the other become a loop."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.common_operations import operation_fingerprint
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import REGION_SIZE, code_size
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvRerollPass(ModulePass):
    """Makes a loop of equal steps that follow one another.

    ```mlir
    %p = ov.multiply %x, %w0          // before
    %v = ov.tanh %p
    %q = ov.multiply %v, %w1
    %u = ov.tanh %q
    …

    %r = ov.loop trip(%n) carried(%x) sliced(%ws) {slices = [#ov.slice<axis = 0>]} {       // after: %ws are all of the constants
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %part: tensor<1x4xf32>):
      %w = ov.reshape %part, %four
      %p = ov.multiply %v, %w
      %u = ov.tanh %p
      ov.next carried(%u)
    }
    ```

    A step reads what the step before it computes, its own constants, and values that are the same for all steps; what stands behind the
    steps reads the last one only. The operations keep their order, so that the error of a program stays the same. Steps have at most
    `max-operations` operations, of which none has a region, and there are at least `min-trips` of them.
    """

    name = "ov-reroll"
    EXACT = True

    min_trips: int = 4
    max_operations: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, min_trips=2, max_operations=1)
        remarks = Remarks(self.name)
        blocks = [b for o in walk(op) for region in o.regions for b in region.blocks]
        changed = [self._reroll(block, remarks) for block in blocks]
        if not any(changed):
            return analyses_of(ctx).keep_all()
        retype(ctx, op)

    def _reroll(self, block: Block, remarks: Remarks) -> bool:
        """Reroll the steps of a block; return True if there are any."""
        ops = [o for o in block.ops if not o.has_trait(ConstantLike) and not o.has_trait(IsTerminator)]
        forms = [operation_fingerprint(o) for o in ops]
        done = 0
        changed = False
        for start, period, trips in self._runs(forms):
            if start < done:
                continue
            # The first step may begin with any operation of the period.
            for shift in range(period):
                first = start + shift
                count = trips if shift == 0 else trips - 1
                steps = [ops[first + t * period : first + (t + 1) * period] for t in range(count)]
                smaller = (count - 1) * sum(map(code_size, steps[0])) > REGION_SIZE if steps else False
                if count >= self.min_trips and smaller and (found := _rolled(steps)) is not None:
                    loop = found.emit()
                    remarks.passed(loop, f"{count} steps are one loop", steps=count, operations=period)
                    done, changed = first + count * period, True
                    break
        return changed

    def _runs(self, forms: Sequence[Hashable]) -> Iterator[tuple[int, int, int]]:
        """Generate runs of operations that repeat with a period.

        Each is the first operation, the period and the number of steps. Shorter periods come first.
        """
        for period in range(1, self.max_operations + 1):
            length = 0
            for place in range(len(forms) - period + 1):
                same = place + period < len(forms) and forms[place] == forms[place + period]
                if same:
                    length += 1
                    continue
                if length:
                    yield place - length, period, length // period + 1
                length = 0


Place = tuple[int, int]
"""Number of an operation in its step, and of its result."""


@dataclass(frozen=True)
class Result:
    """Operand that a step computes: the same step, or the one before."""

    place: Place
    is_before: bool


@dataclass(frozen=True)
class Table:
    """Operand that is another constant in each step."""

    constants: tuple[ConstantOp, ...]


@dataclass
class Rolled:
    """Steps that one loop can do.

    `operands` has what each operand of a step is: a result, a constant of each step, or a value that is the same for all. `initial` are
    the values that the first step reads in place of results of the one before.
    """

    steps: Sequence[Sequence[Operation]]
    operands: dict[Place, Result | Table | SSAValue] = field(default_factory=dict)
    initial: dict[Place, SSAValue] = field(default_factory=dict)

    def emit(self) -> LoopOp:
        """Emit the loop in place of the steps."""
        last = self.steps[-1]
        build = GraphBuilder(InsertPoint.before(last[-1]), self.steps[0][0].location)
        tables = list(dict.fromkeys(source for source in self.operands.values() if isinstance(source, Table)))
        whole = [build.constant(np.stack([op.array for op in table.constants])) for table in tables]
        body, made = self._body(tables, build)
        inside = {op for step in self.steps for op in step}
        read = [
            place
            for place in made
            if place not in self.initial and any(u.operation not in inside for u in self._result(place).uses)
        ]
        end = NextOp.build(operands=[[], [made[p] for p in self.initial], [made[p] for p in read], []])
        end.location = build.location
        body.add_op(end)
        loop = LoopOp.of(
            trip=build.scalar(len(self.steps), i64),
            cond=None,
            carried=list(self.initial.values()),
            sliced=whole,
            slices=[Slicing()] * len(whole),
            concats=[],
            final_types=[made[p].type for p in self.initial],
            last_types=[made[p].type for p in read],
            concat_types=[],
            body=Region(body),
        )
        build.emit(loop)
        for place, result in zip((*self.initial, *read), loop.results):
            old = self._result(place)
            result.name_hint = old.name_hint
            old.replace_uses_with_if(result, lambda use: use.operation not in inside)
        for op in (op for step in reversed(self.steps) for op in reversed(step)):
            op.detach()
            op.erase()
        for constant in dict.fromkeys(op for table in tables for op in table.constants):
            if constant.output.first_use is None:
                constant.detach()
                constant.erase()
        return loop

    def _body(self, tables: Sequence[Table], build: GraphBuilder) -> tuple[Block, dict[Place, SSAValue]]:
        """Make the loop's body without its end; return its results, too."""
        constants = [table.constants[0].output.type for table in tables]
        parts = [TensorType(t.element_type, [1, *t.get_shape()]) for t in map(_tensor, constants)]
        body = Block(arg_types=[TRIP_TYPE, *(value.type for value in self.initial.values()), *parts])
        inside = GraphBuilder(InsertPoint.at_end(body), build.location)
        before = dict(zip(self.initial, body.args[1:]))
        arguments = body.args[1 + len(before) :]
        own = {
            table: reshaped(part, _tensor(table.constants[0].output.type).get_shape(), inside)
            for table, part in zip(tables, arguments)
        }
        made: dict[Place, SSAValue] = {}
        for k, op in enumerate(self.steps[-1]):
            copy = op.clone()
            for number in range(len(op.operands)):
                source = self.operands[k, number]
                if isinstance(source, Result):
                    value = (before if source.is_before else made)[source.place]
                else:
                    value = own[source] if isinstance(source, Table) else source
                copy.operands[number] = value
            copy.location = op.location
            inside.emit(copy)
            made |= {(k, number): result for number, result in enumerate(copy.results)}
        return body, made

    def _result(self, place: Place) -> SSAValue:
        """A result of the last step."""
        return self.steps[-1][place[0]].results[place[1]]


def _rolled(steps: Sequence[Sequence[Operation]]) -> Rolled | None:
    """Return how steps are one loop, or None if they are not."""
    if any(op.regions or not is_side_effect_free(op) for op in steps[0]):
        return None
    where = {op: (t, k) for t, step in enumerate(steps) for k, op in enumerate(step)}
    for op, (t, _) in where.items():
        users = (where.get(use.operation) for result in op.results for use in result.uses)
        if t < len(steps) - 1 and any(user is None or user[0] > t + 1 for user in users):
            return None
    found = Rolled(steps)
    for k, op in enumerate(steps[0]):
        for number in range(len(op.operands)):
            source = _source([step[k].operands[number] for step in steps], where)
            if source is None:
                return None
            if isinstance(source, Result) and source.is_before:
                first = op.operands[number]
                following = steps[0][source.place[0]].results[source.place[1]]
                if found.initial.setdefault(source.place, first) is not first or first.type != following.type:
                    return None
            found.operands[k, number] = source
    return found if found.initial else None


def _source(
    values: Sequence[SSAValue], where: Mapping[Operation, tuple[int, int]]
) -> Result | Table | SSAValue | None:
    """Return what one operand is in all steps.

    `where` has the step and number of each operation. None if it differs in another way.
    """
    places = [(*where[v.op], v.index) if isinstance(v, OpResult) and v.op in where else None for v in values]
    if places[0] is None and all(value is values[0] for value in values):
        return values[0]
    for is_before in (False, True):
        first = 1 if is_before else 0
        wanted = places[first]
        if wanted is None or (is_before and places[0] is not None):
            continue
        # (From the second step on, or in each, it is the same result of the step before, or of this one.)
        if all(p == (t, *wanted[1:]) for t, p in enumerate(places[first:])):
            return Result((wanted[1], wanted[2]), is_before)
    constants = [v.owner for v in values if isinstance(v.owner, ConstantOp)]
    alike = len(constants) == len(values) and len({v.type for v in values}) == 1
    return Table(tuple(constants)) if alike and isinstance(values[0].type, TensorType) else None


def _tensor(type_: Attribute) -> TensorType[Attribute]:
    assert isinstance(type_, TensorType)
    return type_
