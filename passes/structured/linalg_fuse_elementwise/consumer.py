"""One consumer and what it can take in."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import NamedTuple

from xdsl.dialects.builtin import AffineMapAttr, TensorType, UnknownLoc
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp, IndexOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.region_flow import terminator
from loomir.dialects.upstream.walking import walk
from loomir.passes.structured.linalg_fuse_elementwise.counting import (
    costs_a_load,
    counts,
    outer_loops,
)
from loomir.passes.structured.linalg_fuse_elementwise.maps import (
    inverse,
    replace_index,
    skipped,
    unit_view,
    viewed,
)
from loomir.passes.structured.linalg_fuse_elementwise.producers import InPlaceWrites, costs_nothing
from loomir.passes.structured.linalg_fuse_elementwise.sequences import sequence_of
from loomir.passes.structured.linalg_fuse_elementwise.states import belongs_behind_reductions
from loomir.passes.structured.linalg_fuse_elementwise.sums import narrows_a_sum, reduces

RECOMPUTED = "its elements are read more than once and would be recomputed"


class Read(NamedTuple):
    """Input of a consumer that is a producer's result.

    `map` is its map. `here` is the map of the result itself, which may be read through a view.
    """

    value: SSAValue
    map: AffineMap
    here: AffineMap


class Fusion(NamedTuple):
    """Loops of a producer in terms of its consumer's.

    `reads` are the inputs that are each of its results.
    """

    dims: AffineMap
    reads: list[list[Read]]


class Consumer:
    """Generic while its producers are fused into it.

    Its inputs are pairs of value and map, each with its block argument.
    """

    def __init__(
        self,
        op: GenericOp,
        places: InPlaceWrites,
        unused: list[SSAValue],
        remarks: Remarks,
        *,
        small: bool = False,
    ) -> None:
        self.remarks, self.small = remarks, small
        self.left: dict[GenericOp, str] = {}
        self.op = op
        self.places = places
        self.unused = unused
        self.body = op.body.block
        self.dims = len(op.iterator_types)
        self.changed = False
        self.taken: list[GenericOp] = []
        # Views through which results of producers were read, each behind its source.
        self.views: list[Operation] = []
        # True once nothing else can be taken in: a consumer that computes from indices is no reduction's epilogue.
        self.late = False
        self.inputs: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
        self.maps: dict[SSAValue, list[AffineMap]] = {}
        # How many operands tell the extent of each loop.
        self.extents: Counter[int] = Counter()
        self.work: list[Operation] = []
        count = len(op.inputs)
        maps = [attr.data for attr in op.indexing_maps]
        for map in maps[count:]:
            self._count_extents(map, 1)
        for value, map, argument in zip(op.inputs, maps, self.body.args):
            self._add_input(value, map, argument)

    def run(self) -> None:
        """Take in whatever can be, producers of producers too."""
        while self.work:
            self._try(viewed(self.work.pop()))
        self.late = True
        for producer in [producer for producer, why in self.left.items() if why is RECOMPUTED]:
            self._try(producer)
        if not reduces(self.op):
            for value in [value for value, maps in self.maps.items() if maps]:
                self._count(value)
        # Those that were tried again when their other user was gone are told of as they ended.
        for producer, why in self.left.items():
            if producer.parent is not None:
                self.remarks.missed(producer, why)
        if self.taken:
            count = len(self.taken)
            self.remarks.passed(self.op, f"fused {count} producers", producers=count)
        if self.changed:
            self._rebuild()

    def _try(self, producer: Operation | None) -> None:
        """Take in a producer if it can be."""
        if producer is None or producer.parent is not self.places.block:
            return
        if isinstance(producer, FillOp):
            self._take_scalar(producer)
        elif isinstance(producer, GenericOp):
            if isinstance(fusion := self._fusible(producer), str):
                self.left[producer] = fusion
            else:
                self._take_in(producer, fusion)

    def _add_input(self, value: SSAValue, map: AffineMap, argument: SSAValue | None = None) -> SSAValue:
        """Add a value, read through a map, as an input.

        An existing input of the same value and map is shared.
        """
        if isinstance(value.owner, Operation):
            # Even if it was tried before: it may have had another user then.
            self.work.append(value.owner)
        found = self.inputs.get((value, map))
        if found is not None:
            if argument is not None:
                argument.replace_all_uses_with(found)
                self.changed = True
            return found
        if argument is None:
            type = value.type.get_element_type() if isinstance(value.type, TensorType) else value.type
            argument = self.body.insert_arg(type, len(self.body.args))
            argument.name_hint = value.name_hint
        self.inputs[value, map] = argument
        self.maps.setdefault(value, []).append(map)
        self._count_extents(map, 1)
        return argument

    def _count_extents(self, map: AffineMap, by: int) -> None:
        for expr in map.results:
            if isinstance(expr, AffineDimExpr):
                self.extents[expr.position] += by

    def _drop_input(self, value: SSAValue, map: AffineMap) -> SSAValue:
        """Remove an input; returns the block argument that stood for it."""
        self.maps[value].remove(map)
        self._count_extents(map, -1)
        return self.inputs.pop((value, map))

    def _keeps_extents(self, dropped: list[AffineMap], added: list[AffineMap]) -> bool:
        """Return True if all loops still have an extent after a change.

        The change removes the maps `dropped` and adds the maps `added`.
        """
        touched = {e.position for map in dropped for e in map.results if isinstance(e, AffineDimExpr)}
        for map in dropped:
            self._count_extents(map, -1)
        for map in added:
            self._count_extents(map, 1)
        kept = all(self.extents[dim] > 0 for dim in touched)
        for map in added:
            self._count_extents(map, -1)
        for map in dropped:
            self._count_extents(map, 1)
        return kept

    # linalg.fill

    def _take_scalar(self, fill: FillOp) -> None:
        reads = self._reads_of(fill.results[0])
        if not reads or not self._keeps_extents([map for _, map, _ in reads], []):
            return
        scalar = self._add_input(fill.inputs[0], AffineMap(self.dims, 0, ()))
        for value, map, _ in reads:
            self._drop_input(value, map).replace_all_uses_with(scalar)
            self.unused.append(value)
        self.changed = True

    # linalg.generic

    def _reads_of(self, result: SSAValue) -> list[Read]:
        """Return how the consumer reads a result.

        Views that only add dimensions of extent 1 may be between them.
        """
        reads = [Read(result, map, map) for map in self.maps.get(result, ())]
        for use in result.uses:
            view = use.operation
            if (kept := unit_view(view)) is not None:
                value = view.results[0]
                reads += [Read(value, map, kept.compose(map)) for map in self.maps.get(value, ())]
        return reads

    def _only_reads(self, value: SSAValue) -> bool:
        """Return True if only the consumer uses a value or its views."""
        given = len(self.op.inputs)
        return all(
            use.index < given
            if use.operation is self.op
            else unit_view(use.operation) is not None
            and all(u.operation is self.op and u.index < given for u in use.operation.results[0].uses)
            for use in value.uses
        )

    def _fusible(self, producer: GenericOp) -> Fusion | str:
        """Return the producer's loops in terms of the consumer's, or a reason.

        The reason tells why the producer must not be fused.
        """
        inputs = producer.inputs
        count = len(inputs)
        body = producer.body.block
        if producer.attributes or any(t.data is not IteratorType.PARALLEL for t in producer.iterator_types):
            return "it reduces, or is marked"
        if any(argument.uses for argument in body.args[count:]):
            return "it reads its own output"
        dims: AffineMap | None = None
        reads: list[list[Read]] = []
        for k, result in enumerate(producer.results):
            if not self._only_reads(result):
                return "another operation uses it, too"
            back = inverse(producer.indexing_maps.data[count + k].data)
            reads.append(self._reads_of(result))
            for read in reads[-1]:
                if back is None:
                    return "it does not write each of its elements once"
                here = back.compose(read.here)
                if dims is not None and here != dims:
                    return "it is read through two different maps"
                dims = here
        if dims is None:
            return "it is unused"
        if narrows_a_sum(producer) and (reduces(self.op) or self._is_behind_a_sum()):
            return "it is narrower than the sum that it is computed from, which would be stored instead"
        if belongs_behind_reductions(producer, self.op):
            return (
                "it is computed behind the reductions that it unites, which read what the consumer overwrites"
            )
        every = [read for of_result in reads for read in of_result]
        if not (
            all(skipped(read.here) <= self._once for read in every)
            or costs_nothing(producer)
            or (self.late and self._can_count(producer, dims))
        ):
            return RECOMPUTED
        added = [attr.data.compose(dims) for attr in producer.indexing_maps.data[:count]]
        if not self._keeps_extents([read.map for read in every], added):
            return "no operand would determine the extent of a loop"
        captured = [v for op in walk(body) for v in op.operands if isinstance(v.type, TensorType)]
        for value in {*inputs, *captured}:
            if isinstance(value.type, TensorType) and self.places.is_overwritten(value, producer, self.op):
                return "what it reads may be overwritten before it is read"
        return Fusion(dims, reads)

    def _can_count(self, producer: GenericOp, dims: AffineMap, *, held: bool = False) -> bool:
        """Return True if a producer of indices costs nothing where read.

        Where a constant holds its elements (`held`), C compilers load vectors of them: only an inner loop that reads an element
        again saves more. With `small`, the memory of integers counts more.
        """
        if not counts(producer) or reduces(self.op) or self._is_behind_a_sum():
            return False
        order = self._order()
        outer = outer_loops(producer, dims, order)
        if outer is not None and (outer < len(order) or not held):
            return True
        return (self.small or not held) and costs_a_load(producer, dims)

    def _count(self, value: SSAValue) -> None:
        """Take in a constant sequence as a generic that computes it."""
        given = len(self.op.inputs)
        if any(use.operation is not self.op or use.index >= given for use in value.uses):
            return
        if (sequence := sequence_of(value)) is None:
            return
        maps = list(self.maps[value])
        made = [sequence.generic() for _ in maps]
        if not self._keeps_extents(maps, []) or not all(
            self._can_count(generic, map, held=True) for (_, generic), map in zip(made, maps)
        ):
            return
        for (empty, generic), map in zip(made, maps):
            empty.location = generic.location = self.op.location
            Rewriter.insert_op([empty, generic], InsertPoint.before(self.op))
            self._take_in(generic, Fusion(map, [[Read(value, map, map)]]))

    @cached_property
    def _once(self) -> set[int]:
        """Loops of one iteration, which an operand of extent 1 tells."""
        found: set[int] = set()
        for value, map in [*self.inputs, *self._outputs()]:
            extents = value.type.get_shape() if isinstance(value.type, TensorType) else ()
            for expr, extent in zip(map.results, extents):
                if extent == 1 and isinstance(expr, AffineDimExpr):
                    found.add(expr.position)
        return found

    def _order(self) -> list[int]:
        """Return the loops of an elementwise consumer, outermost first.

        Loops of one iteration are left out.

        They run along its first output.
        """
        _, first = self._outputs()[0]
        along = [expr.position for expr in first.results if isinstance(expr, AffineDimExpr)]
        order = along if len(set(along)) == self.dims else range(self.dims)
        return [dim for dim in order if dim not in self._once]

    def _outputs(self) -> list[tuple[SSAValue, AffineMap]]:
        count = len(self.op.inputs)
        return [(v, attr.data) for v, attr in zip(self.op.outputs, self.op.indexing_maps.data[count:])]

    def _is_behind_a_sum(self) -> bool:
        """Return True if the consumer can already be computed behind a reduction.

        It cannot be computed behind a second one.
        """
        return any(
            # What was taken in from a producer is no operand of the consumer yet.
            maps
            and isinstance(value.owner, GenericOp)
            and reduces(value.owner)
            and value.uses.get_length() <= 1
            for value, maps in self.maps.items()
        )

    def _take_in(self, producer: GenericOp, fusion: Fusion) -> None:
        body, dims = producer.body.block, fusion.dims
        maps = [attr.data.compose(dims) for attr in producer.indexing_maps.data[: len(producer.inputs)]]
        # The consumer's uses go first: an input of the producer may be one of the consumer's already.
        replaced = [[self._drop_input(read.value, read.map) for read in reads] for reads in fusion.reads]
        inputs = [self._add_input(value, map) for value, map in zip(producer.inputs, maps)]
        end = terminator(body)
        for value, arguments in zip(end.operands, replaced, strict=True):
            for argument in arguments:
                argument.replace_all_uses_with(value)
        Rewriter.erase_op(end)
        for op in body.ops:
            if isinstance(op.location, UnknownLoc):
                op.location = producer.location
        for index in [op for op in walk(body) if isinstance(op, IndexOp)]:
            replace_index(index, dims.results[index.dim.value.data])
        Rewriter.inline_block(body, InsertPoint.at_start(self.body), [*inputs, *body.args[len(inputs) :]])
        self.unused += producer.outputs
        self.views += [
            use.operation
            for result in producer.results
            for use in result.uses
            if use.operation is not self.op
        ]
        # Its operands' other users may now be the consumer alone. It is erased when the consumer lets go of
        # its results.
        producer.operands = ()
        producer.detach()
        self.taken.append(producer)
        self.changed = True

    def _rebuild(self) -> None:
        """Replace the consumer by a generic with the new inputs."""
        op, count = self.op, len(self.op.inputs)
        inputs = list(self.inputs)
        outputs = self.body.args[count : count + len(op.outputs)]
        arguments = [*self.inputs.values(), *outputs]
        block = Block(arg_types=[argument.type for argument in arguments])
        for old, new in zip(arguments, block.args, strict=True):
            new.name_hint, new.location = old.name_hint, op.location
            old.replace_all_uses_with(new)
        Rewriter.inline_block(self.body, InsertPoint.at_end(block))
        fused = GenericOp(
            [value for value, _ in inputs],
            op.outputs,
            Region(block),
            [*(AffineMapAttr(map) for _, map in inputs), *op.indexing_maps.data[count:]],
            op.iterator_types,
            op.result_types,
            op.doc,
            op.library_call,
        )
        fused.attributes |= op.attributes
        fused.location = op.location
        self.places.number[fused] = self.places.number[op]
        for old, new in zip(op.results, fused.results, strict=True):
            new.name_hint = old.name_hint
        Rewriter.replace_op(op, fused)
        for view in self.views:
            Rewriter.erase_op(view)
        for producer in self.taken:
            producer.erase()
