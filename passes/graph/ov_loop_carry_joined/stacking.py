"""Families as the body of a loop over their parts.

What such a body computes is then computed for all parts at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.reshape import SqueezeOp
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.lib.whole_axis.table import emit, rule_of
from loomir.passes.graph.lib.whole_axis.values import WholeAxis
from loomir.passes.graph.ov_loop_carry_joined.families import Carried, Computed, Cut, Family


def joined_type(family: Family) -> TensorType:
    """Return the type of all parts, joined along the first axis."""
    type_ = tensor_type_of(family.values[0])
    shape = type_.get_shape() or (1,)
    return TensorType(type_.element_type, [len(family.values) * shape[0], *shape[1:]])


class Stack:
    """Families as a loop that is nowhere: its iterations are the parts.

    It slices the joined tensors (`Carried`, `Cut`), and its body computes the others for one part. So the rules for operations of all
    iterations at once (`passes/graph/lib/whole_axis`) compute them for all parts at once.
    """

    def __init__(self, loop: LoopOp, families: Sequence[Family]) -> None:
        self.loop = loop
        places: dict[object, int] = {op: place for place, op in enumerate(loop.body.block.ops)}

        def place_of(family: Family) -> int:
            """Return where all parts of a family are known."""
            if isinstance(family, Computed):
                return max(places[op] for op in family.ops)
            return places.get(family.whole.owner, -1) if isinstance(family, Cut) else -1

        self.families = sorted(families, key=place_of)
        sources = [family for family in self.families if not isinstance(family, Computed)]
        tensors = Block(arg_types=[joined_type(family) for family in sources])
        first = [tensor_type_of(family.values[0]) for family in sources]
        parts = [TensorType(t.element_type, t.get_shape() or [1]) for t in first]
        block = Block(arg_types=[TensorType(i64, []), *parts])
        cuts = [Slicing(0, stride=part.get_shape()[0], part_size=part.get_shape()[0]) for part in parts]
        build = GraphBuilder(InsertPoint.at_end(block), loop.location)
        self._parts: dict[Family, SSAValue] = dict(zip(sources, block.args[1:]))
        self._cuts = dict(zip(sources, cuts))
        self._values: dict[SSAValue, SSAValue] = {}
        self._ops: dict[Family, Operation] = {}
        for family in self.families:
            value = family.values[0]
            if isinstance(family, Computed):
                op = family.ops[0].clone(self._values)
                op.location = family.ops[0].location
                block.add_op(op)
                self._ops[family], self._values[value] = op, op.results[0]
            elif tensor_type_of(value).get_shape():
                self._values[value] = self._parts[family]
            else:
                number = build.make(SqueezeOp, self._parts[family], build.integers([0]))
                assert isinstance(number.owner, Operation)
                self._ops[family], self._values[value] = number.owner, number
        block.add_op(NextOp.build(operands=[[], [], [], []]))
        self.over = LoopOp.of(
            trip=None,
            cond=None,
            carried=[],
            sliced=tensors.args,
            slices=cuts,
            concats=[],
            final_types=[],
            last_types=[],
            concat_types=[],
            body=Region(block),
        )

    def without_rule(self) -> Operation | None:
        """Return an operation that no rule does for all parts."""
        for family, op in self._ops.items():
            if isinstance(family, Computed) and rule_of(op, self.over) is None:
                return family.ops[0]
        return None

    def emit(self, joined: dict[Family, SSAValue]) -> WholeAxis:
        """Emit all families, behind their last part, and return them.

        `joined` has the tensors of the carried ones.
        """
        trips = trips_of(self.over)
        assert trips is not None
        builders = self._builders()
        axis = WholeAxis(self.over, trips, builders[self.families[0]], fact_of, backwards=False)
        for family in self.families:
            axis.build = builders[family]
            if not isinstance(family, Computed):
                whole = joined[family] if isinstance(family, Carried) else self._flat(family, axis.build)
                axis.values[self._parts[family]] = axis.parts(whole, self._cuts[family])
            if family in self._ops:
                emit(self._ops[family], axis)
        return axis

    def _builders(self) -> dict[Family, GraphBuilder]:
        """Return a builder for each family, where all its parts are known.

        Families of one place share one, so that they keep their order.
        """
        block = self.loop.body.block
        places = {op: place for place, op in enumerate(block.ops)}
        made: dict[Operation | None, GraphBuilder] = {}
        found: dict[Family, GraphBuilder] = {}
        for family in self.families:
            last: Operation | None = None
            if isinstance(family, Computed):
                last = max(family.ops, key=places.__getitem__)
            elif isinstance(family, Cut) and isinstance(owner := family.whole.owner, Operation):
                last = owner if owner in places else None
            if last not in made:
                at = InsertPoint.at_start(block) if last is None else InsertPoint.after(last)
                made[last] = GraphBuilder(at, self.loop.location if last is None else last.location)
            found[family] = made[last]
        return found

    @staticmethod
    def _flat(family: Family, build: GraphBuilder) -> SSAValue:
        assert isinstance(family, Cut)
        return reshaped(family.whole, joined_type(family).get_shape(), build)

    def joined(self, family: Family, axis: WholeAxis, build: GraphBuilder) -> SSAValue:
        """Emit a family's values as one tensor of `joined_type`."""
        axis.build, value = build, self._values[family.values[0]]
        if not tensor_type_of(value).get_shape():
            return axis.leading(value)
        return axis.joined(value, Slicing(0))

    def discard(self) -> None:
        """Remove what reads values of the body."""
        self.over.erase()
