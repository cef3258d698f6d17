"""One consumer and what it can take in."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, TensorType, UnknownLoc, i1
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp, IndexOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import dtype_of, shaped_type_of
from loomir.dialects.region_flow import terminator
from loomir.dialects.upstream.walking import walk
from loomir.passes.structured.linalg_fuse_elementwise.producers import InPlaceWrites, costs_nothing


class Consumer:
    """Generic while its producers are fused into it.

    Its inputs are pairs of value and map, each with its block argument.
    """

    def __init__(
        self, op: GenericOp, places: InPlaceWrites, unused: list[SSAValue], remarks: Remarks
    ) -> None:
        self.remarks = remarks
        self.left: dict[GenericOp, str] = {}
        self.op = op
        self.places = places
        self.unused = unused
        self.body = op.body.block
        self.dims = len(op.iterator_types)
        self.changed = False
        self.taken: list[GenericOp] = []
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
            producer = self.work.pop()
            if producer.parent is not self.places.block:
                continue
            if isinstance(producer, FillOp):
                self._take_scalar(producer)
            elif isinstance(producer, GenericOp):
                if isinstance(dims := self._fusible(producer), str):
                    self.left[producer] = dims
                else:
                    self._take_in(producer, dims)
        # Those that were tried again when their other user was gone are told of as they ended.
        for producer, why in self.left.items():
            if producer.parent is not None:
                self.remarks.missed(producer, why)
        if self.taken:
            count = len(self.taken)
            self.remarks.passed(self.op, f"fused {count} producers", producers=count)
        if self.changed:
            self._rebuild()

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
        result = fill.results[0]
        maps = list(self.maps.get(result, ()))
        if not maps or not self._keeps_extents(maps, []):
            return
        scalar = self._add_input(fill.inputs[0], AffineMap(self.dims, 0, ()))
        for map in maps:
            self._drop_input(result, map).replace_all_uses_with(scalar)
        self.unused.append(result)
        self.changed = True

    # linalg.generic

    def _fusible(self, producer: GenericOp) -> AffineMap | str:
        """Return the producer's loops in terms of the consumer's, or a reason.

        The reason tells why the producer must not be fused.
        """
        inputs = producer.inputs
        count, given = len(inputs), len(self.op.inputs)
        body = producer.body.block
        if producer.attributes or any(t.data is not IteratorType.PARALLEL for t in producer.iterator_types):
            return "it reduces, or is marked"
        if any(argument.uses for argument in body.args[count:]):
            return "it reads its own output"
        dims: AffineMap | None = None
        dropped: list[AffineMap] = []
        for k, result in enumerate(producer.results):
            if any(use.operation is not self.op or use.index >= given for use in result.uses):
                return "another operation uses it, too"
            back = _inverse(producer.indexing_maps.data[count + k].data)
            for map in self.maps.get(result, ()):
                if back is None:
                    return "it does not write each of its elements once"
                here = back.compose(map)
                if dims is not None and here != dims:
                    return "it is read through two different maps"
                dims = here
                dropped.append(map)
        if dims is None:
            return "it is unused"
        if _narrows_a_sum(producer) and (_reduces(self.op) or self._is_behind_a_sum()):
            return "it is narrower than the sum that it is computed from, which would be stored instead"
        if not all(_reads_once(map) for map in dropped) and not costs_nothing(producer):
            return "its elements are read more than once and would be recomputed"
        added = [attr.data.compose(dims) for attr in producer.indexing_maps.data[:count]]
        if not self._keeps_extents(dropped, added):
            return "no operand would determine the extent of a loop"
        captured = [v for op in walk(body) for v in op.operands if isinstance(v.type, TensorType)]
        for value in {*inputs, *captured}:
            if isinstance(value.type, TensorType) and self.places.is_overwritten(value, producer, self.op):
                return "what it reads may be overwritten before it is read"
        return dims

    def _is_behind_a_sum(self) -> bool:
        """Return True if the consumer can already be computed behind a reduction.

        It cannot be computed behind a second one.
        """
        return any(
            # What was taken in from a producer is no operand of the consumer yet.
            maps
            and isinstance(value.owner, GenericOp)
            and _reduces(value.owner)
            and value.uses.get_length() <= 1
            for value, maps in self.maps.items()
        )

    def _take_in(self, producer: GenericOp, dims: AffineMap) -> None:
        body, given = producer.body.block, producer.inputs
        maps = [attr.data.compose(dims) for attr in producer.indexing_maps.data[: len(given)]]
        # The consumer's uses go first: an input of the producer may be one of the consumer's already.
        replaced = [[self._drop_input(r, m) for m in list(self.maps.get(r, ()))] for r in producer.results]
        inputs = [self._add_input(value, map) for value, map in zip(given, maps)]
        end = terminator(body)
        for value, arguments in zip(end.operands, replaced, strict=True):
            for argument in arguments:
                argument.replace_all_uses_with(value)
        Rewriter.erase_op(end)
        for op in body.ops:
            if isinstance(op.location, UnknownLoc):
                op.location = producer.location
        for index in [op for op in walk(body) if isinstance(op, IndexOp)]:
            _replace_index(index, dims.results[index.dim.value.data])
        Rewriter.inline_block(body, InsertPoint.at_start(self.body), [*inputs, *body.args[len(inputs) :]])
        self.unused += producer.outputs
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
        for producer in self.taken:
            producer.erase()


def _inverse(map: AffineMap) -> AffineMap | None:
    """Return an output's loops in terms of its coordinates, or None.

    Each loop must be one coordinate, and the other coordinates must be constant.
    """
    found: dict[int, int] = {}
    for i, expr in enumerate(map.results):
        if isinstance(expr, AffineDimExpr) and expr.position not in found:
            found[expr.position] = i
        elif not isinstance(expr, AffineConstantExpr):
            return None
    if len(found) != map.num_dims:
        return None
    return AffineMap(len(map.results), 0, tuple(AffineDimExpr(found[dim]) for dim in range(map.num_dims)))


def _reads_once(map: AffineMap) -> bool:
    """Return True if different iterations read different elements.

    This is the case if every loop is a coordinate.
    """
    dims = {expr.position for expr in map.results if isinstance(expr, AffineDimExpr)}
    return len(dims) == map.num_dims


def _replace_index(index: IndexOp, expr: AffineExpr) -> None:
    """Replace a producer's loop index by the value of an affine expression.

    The expression is in terms of the consumer's loops.
    """

    def emit(op: Operation) -> SSAValue:
        op.location = index.location
        Rewriter.insert_op(op, InsertPoint.before(index))
        return op.results[0]

    def value(e: AffineExpr) -> SSAValue:
        match e:
            case AffineDimExpr():
                return emit(IndexOp(e.position))
            case AffineConstantExpr():
                return emit(arith.ConstantOp(IntegerAttr(e.value, IndexType())))
            case AffineBinaryOpExpr():
                left, right = value(e.lhs), value(e.rhs)
                return emit(_OPERATIONS[e.kind](left, right))
            case _:
                raise AssertionError(f"{e}: an indexing map has no symbols")

    Rewriter.replace_op(index, [], [value(expr)])


_OPERATIONS = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
    # Coordinates are not negative.
    AffineBinaryOpKind.Mod: arith.RemUIOp,
}


_STEPS = 64
"""Maximum number of elementwise operations searched for a narrow result's source.

It covers the operations of a requantisation, and some more.
"""


def _reduces(generic: GenericOp) -> bool:
    return any(t.data is not IteratorType.PARALLEL for t in generic.iterator_types)


def _narrows_a_sum(producer: GenericOp) -> bool:
    """Return True if the producer narrows the result of a reduction.

    Its elements are narrower than those of the reduction's result, from which elementwise steps that nothing else reads
    compute them. The producer then belongs behind that reduction.
    """
    narrow = max(_element_bytes(result) for result in producer.results)
    steps, waiting = {producer}, list(producer.inputs)
    left = _STEPS
    while waiting and left:
        left -= 1
        value = waiting.pop(0)
        owner = value.owner
        if not isinstance(owner, GenericOp) or (_element_bytes(value) <= narrow and not _is_truth(value)):
            continue
        readers = [use.operation for use in islice(value.uses, _STEPS)]
        if len(readers) == _STEPS:
            continue
        if not steps.issuperset(readers):
            # (Another step may read it that is found later.)
            waiting += [value] if waiting else []
            continue
        if _reduces(owner):
            return True
        if owner not in steps:
            steps.add(owner)
            waiting += owner.inputs
    return False


def _is_truth(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.element_type == i1


def _element_bytes(value: SSAValue) -> int:
    """Bytes of an element."""
    return dtype_of(shaped_type_of(value).element_type).itemsize
