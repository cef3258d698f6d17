"""Reductions, with the fills and elementwise generics that their nests absorb.

*Iterations in any order* are possible for many reductions.

Each output combines the values of the iterations by one operation:

    acc + a·b        max(acc, a)        acc · a

Except for rounding, the result is the same for any order, and for one or several accumulators.

*Fills* are unnecessary before an accumulating generic.

The generic that accumulates into the buffer can start from the scalar:

    linalg.fill ins(%zero) outs(%o)
    …                                          nothing in between touches %o
    linalg.generic … outs(%o)                  reaches every element of %o once

The generic then begins with `%zero` instead of loading, or doesn't read `%o` at all.

*Epilogues* are elementwise generics computed where the preceding reduction stores its result.

    linalg.generic {… "reduction" …} ins(%x, %w) outs(%t)        a convolution
    linalg.generic {… all "parallel"} ins(%t, %bias) outs(%o)    its bias and activation

The second generic, the *epilogue*, is the only reader of `%t`. Its body then reads the accumulator directly, and its
result goes directly to `%o`: `%t` needs no memory and no second pass. Views in between may only add and remove
dimensions of extent 1.

If the epilogue adds an integer input to the accumulator, the accumulator starts with that integer (`BiasAdd`).

The nest takes the place of the epilogue. So nothing in between may write what the reduction reads, and `%o` must not
share memory with that either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from loomir.dialects.index_builder import INDEX
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.aliasing import VIEWS, Aliasing
from loomir.passes.loops.lower_linalg_to_loops.access import (
    STRUCTURED,
    MemRefAccess,
    accesses_of,
    covers_operand,
    is_cover,
    iterators_of,
    loaded_by,
)
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import Blocks, CollapsedLoops
from loomir.passes.structured.lib.memrefs import PADS_ATTR

_GATHERING = (
    arith.AddfOp,
    arith.MulfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.AddiOp,
    arith.MuliOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.MinSIOp,
    arith.MinUIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
"""Operations that are associative and commutative, except for rounding."""


_FEW = 4
"""Lanes that are gathered one by one."""


def combiner_op(generic: GenericOp) -> list[Operation] | None:
    """Return the operation that combines the values of each output, or None.

    Return None if an output is computed otherwise, or depends on the iteration number.
    """
    if any(isinstance(op, IndexOp) or op.regions for op in generic.body.block.ops):
        return None
    end = generic.body.block.last_op
    assert isinstance(end, YieldOp)
    found: list[Operation] = []
    for argument, yielded in zip(generic.body.block.args[len(generic.inputs) :], end.operands, strict=True):
        op = yielded.owner
        if not isinstance(op, _GATHERING) or argument not in op.operands:
            return None
        if not argument.has_one_use() or not yielded.has_one_use():
            return None
        found.append(op)
    return found


def reduce_lanes(
    op: Operation, first: SSAValue, vectors: Sequence[SSAValue], emitter: IndexEmitter
) -> SSAValue:
    """Combine a number and all lanes of vectors by an operation.

    Vectors are combined first, then the halves of one vector through memory, until few lanes are left, which are combined
    one by one.
    """
    total, *others = vectors
    for other in others:
        total = emitter.insert(_again(op, total, other)).results[0]
    assert isinstance(total.type, VectorType)
    (width,), element = total.type.get_shape(), total.type.element_type
    row = emitter.allocate(MemRefType(element, [width]))
    emitter.insert(vector.StoreOp(total, row, [emitter.index(0)]))
    while width > _FEW:
        width //= 2
        type_ = VectorType(element, [width])
        halves = [
            emitter.insert(vector.LoadOp(row, [emitter.index(n)], type_)).results[0] for n in (0, width)
        ]
        total = emitter.insert(_again(op, *halves)).results[0]
        emitter.insert(vector.StoreOp(total, row, [emitter.index(0)]))
    block = Block(arg_types=[INDEX, first.type])
    for argument in block.args:
        argument.location = emitter.location
    with emitter.at(block):
        lane = emitter.insert(memref.LoadOp.get(row, [block.args[0]])).results[0]
        emitter.insert(scf.YieldOp(emitter.insert(_again(op, block.args[1], lane)).results[0]))
    bounds = emitter.index(0), emitter.index(width), emitter.index(1)
    return emitter.insert(scf.ForOp(*bounds, [first], block)).results[0]


def _again(op: Operation, a: SSAValue, b: SSAValue) -> Operation:
    """The same operation of two other operands, of the same type."""
    return op.create(operands=[a, b], result_types=[a.type], properties=dict(op.properties))


def absorbed_fills(block: Block, aliasing: Aliasing) -> dict[Operation, dict[int, FillOp]]:
    """Return, for each generic of a block, the fills that become unnecessary.

    The fills of a generic are keyed by the number of the output.
    """
    result: dict[Operation, dict[int, FillOp]] = {}
    open_fills: dict[SSAValue, FillOp] = {}
    for op in block.ops:
        if isinstance(op, FillOp):
            _forget(open_fills, op.outputs[0], aliasing)
            open_fills[op.outputs[0]] = op
        elif not open_fills:
            continue
        elif isinstance(op, GenericOp):
            absorbed = _absorbed_by(op, open_fills, aliasing)
            if absorbed:
                result[op] = absorbed
            for value in [*op.operands, *loaded_by(op)]:
                _forget(open_fills, value, aliasing)
        elif op.regions:
            open_fills.clear()
        elif not isinstance(op, VIEWS):
            for value in op.operands:
                _forget(open_fills, value, aliasing)
    return result


def _forget(open_fills: dict[SSAValue, FillOp], touched: SSAValue, aliasing: Aliasing) -> None:
    if isinstance(touched.type, MemRefType):
        for target in [t for t in open_fills if aliasing.may_alias(t, touched)]:
            del open_fills[target]


def _absorbed_by(
    generic: GenericOp, open_fills: dict[SSAValue, FillOp], aliasing: Aliasing
) -> dict[int, FillOp]:
    parallel, _ = iterators_of(generic)
    absorbed: dict[int, FillOp] = {}
    for k, target in enumerate(generic.outputs):
        fill = open_fills.get(target)
        if fill is None:
            continue
        map = generic.indexing_maps.data[len(generic.inputs) + k].data
        if not covers_operand(MemRefAccess.of(target, map), parallel):
            continue
        others = [*generic.inputs, *loaded_by(generic), *(o for j, o in enumerate(generic.outputs) if j != k)]
        if any(isinstance(o.type, MemRefType) and aliasing.may_alias(o, target) for o in others):
            continue
        absorbed[k] = fill
    return absorbed


_OPEN = 8
"""Maximum number of reductions that wait for their epilogue.

The limit makes the search linear.
"""


@dataclass(frozen=True)
class BiasAdd:
    """Addition of an epilogue's input `position` to the accumulator.

    Nothing else reads the accumulator. An integer addition may come first.
    """

    position: int
    addition: arith.AddiOp


@dataclass(frozen=True)
class Epilogue:
    """An elementwise generic; its input `position` is the accumulator of the reduction.

    `accesses` are those of its operands as functions of the reduction's loops.
    """

    generic: GenericOp
    position: int
    accesses: tuple[MemRefAccess | None, ...]

    @property
    def bias(self) -> BiasAdd | None:
        """Addition whose input may become the accumulator's initial value, or None.

        This is for an accumulator that would begin with nothing.
        """
        arguments = self.generic.body.block.args[: len(self.generic.inputs)]
        accumulator = arguments[self.position]
        uses = list(accumulator.uses)
        if len(uses) != 1 or not isinstance(addition := uses[0].operation, arith.AddiOp):
            return None
        if addition.parent is not accumulator.block:
            return None
        (other,) = (operand for operand in addition.operands if operand is not accumulator)
        if not isinstance(other, BlockArgument) or other not in arguments or not other.has_one_use():
            return None
        position = arguments.index(other)
        return None if self.accesses[position] is None else BiasAdd(position, addition)

    def squeezed(self) -> Epilogue:
        """The same with squeezed accesses."""
        return replace(self, accesses=tuple(None if a is None else a.squeezed() for a in self.accesses))

    def viewed(self, emitter: IndexEmitter) -> Epilogue:
        """Return the epilogue with the views that its accesses need.

        The accumulator needs no view, since it is not in memory.
        """
        accesses = [
            access if access is None or position == self.position else access.viewed(emitter)
            for position, access in enumerate(self.accesses)
        ]
        return replace(self, accesses=tuple(accesses))

    def through(self, loops: CollapsedLoops | Blocks) -> Epilogue:
        """The same as a function of other loops."""
        return replace(self, accesses=tuple(loops.all_of(self.accesses)))


def absorbed_and_epilogues(
    function: FuncOp, aliasing: Aliasing
) -> tuple[dict[Operation, dict[int, FillOp]], dict[GenericOp, Epilogue]]:
    """Return the absorbed fills of a function's generics, and its reductions' epilogues.

    A reduction whose fill is not absorbed still needs the memory that it accumulates into: it has no epilogue.
    """
    absorbed: dict[Operation, dict[int, FillOp]] = {}
    epilogues: dict[GenericOp, Epilogue] = {}
    blocks = {op.parent: None for op in walk(function.body) if type(op) in STRUCTURED}
    for block in blocks:
        assert block is not None
        absorbed |= absorbed_fills(block, aliasing)
        epilogues |= epilogues_of(block, aliasing)
    return absorbed, {r: e for r, e in epilogues.items() if r in absorbed}


def epilogues_of(block: Block, aliasing: Aliasing) -> dict[GenericOp, Epilogue]:
    """The epilogues of the reductions in a block."""
    found: dict[GenericOp, Epilogue] = {}
    waiting: dict[SSAValue, GenericOp] = {}
    for op in block.ops:
        if op.regions and not isinstance(op, GenericOp):
            waiting.clear()
            continue
        if waiting and isinstance(op, GenericOp):
            for position, value in enumerate(op.inputs):
                reduction = waiting.get(_origin(value))
                epilogue = None if reduction is None else _epilogue(reduction, op, position, aliasing)
                if reduction is not None and epilogue is not None:
                    found[reduction] = epilogue
                    del waiting[_origin(value)]
                    break
        for target in _written(op) if waiting else ():
            for base in [
                b for b, r in waiting.items() if any(aliasing.may_alias(target, i) for i in _read(r))
            ]:
                del waiting[base]
        if isinstance(op, GenericOp) and (base := _result_of_reduction(op)) is not None:
            waiting[base] = op
            if len(waiting) > _OPEN:
                del waiting[next(iter(waiting))]
    return found


def _written(op: Operation) -> Sequence[SSAValue]:
    if isinstance(op, GenericOp | FillOp):
        return list(op.outputs)
    if isinstance(op, (memref.AllocOp, *VIEWS)):
        return ()
    return [o for o in op.operands if isinstance(o.type, MemRefType)]


def _read(reduction: GenericOp) -> list[SSAValue]:
    return [*reduction.inputs, *loaded_by(reduction)]


def _origin(value: SSAValue) -> SSAValue:
    """The memref behind reshapes."""
    while isinstance(value.owner, memref.CollapseShapeOp | memref.ExpandShapeOp):
        value = value.owner.operands[0]
    return value


def _result_of_reduction(op: GenericOp) -> SSAValue | None:
    """Return the allocation that a single-output reduction covers, or None.

    The allocation must be read once, and only through reshapes.
    """
    parallel, reductions = iterators_of(op)
    if len(op.outputs) != 1 or not reductions:
        return None
    base = _origin(op.outputs[0])
    if not isinstance(base.owner, memref.AllocOp):
        return None
    if not is_cover(op.indexing_maps.data[-1].data, parallel):
        return None
    readers, fills = 0, 0
    work = [base]
    while work:
        for use in work.pop().uses:
            user = use.operation
            if isinstance(user, memref.CollapseShapeOp | memref.ExpandShapeOp):
                work += user.results
            elif isinstance(user, FillOp) and use.index == 1:
                fills += 1
            elif isinstance(user, GenericOp) and (user is not op or use.index < len(op.inputs)):
                readers += 1
            elif user is not op:
                return None
    return base if readers == 1 and fills <= 1 else None


def _epilogue(reduction: GenericOp, generic: GenericOp, position: int, aliasing: Aliasing) -> Epilogue | None:
    """The generic as the epilogue of the reduction, if it can be."""
    parallel, reductions = iterators_of(generic)
    body = generic.body.block
    if reductions or PADS_ATTR in generic.attributes:
        return None
    if any(argument.uses for argument in body.args[len(generic.inputs) :]):
        return None
    if any(isinstance(op, IndexOp | memref.LoadOp) for op in walk(generic.body)):
        return None
    if not all(is_cover(map.data, parallel) for map in generic.indexing_maps.data[len(generic.inputs) :]):
        return None
    if any(aliasing.may_alias(o, i) for o in generic.outputs for i in _read(reduction)):
        return None
    written = _base_coordinates(reduction.outputs[0], reduction.indexing_maps.data[-1].data)
    read = _base_coordinates(generic.inputs[position], generic.indexing_maps.data[position].data)
    if written is None or read is None:
        return None
    loops: dict[int, AffineExpr] = {}
    base = _origin(generic.inputs[position]).type
    assert isinstance(base, MemRefType)
    for extent, w, r in zip(base.get_shape(), written, read, strict=True):
        if extent == 1:
            continue
        if not isinstance(w, AffineDimExpr) or not isinstance(r, AffineDimExpr) or r.position in loops:
            return None
        loops[r.position] = w
    # The other loops of the epilogue have to run once; the output tells their extents.
    for dim in set(parallel) - loops.keys():
        if _extent(generic, dim) != 1:
            return None
        loops[dim] = AffineConstantExpr(0)
    count = len(reduction.iterator_types)
    accesses = [
        None if access is None else _through(access, [loops[d] for d in range(len(loops))], count)
        for access in accesses_of(generic)
    ]
    return Epilogue(generic, position, tuple(accesses))


def _through(access: MemRefAccess, loops: Sequence[AffineExpr], count: int) -> MemRefAccess:
    """The access as a function of the reduction's loops."""
    results = tuple(e.replace_dims_and_symbols(list(loops), []) for e in access.map.results)
    return MemRefAccess.of(access.value, AffineMap(count, 0, results))


def _extent(generic: GenericOp, dim: int) -> int | None:
    target = generic.outputs[0].type
    assert isinstance(target, MemRefType)
    map = generic.indexing_maps.data[len(generic.inputs)].data
    for expr, extent in zip(map.results, target.get_shape(), strict=True):
        if isinstance(expr, AffineDimExpr) and expr.position == dim:
            return extent
    return None


def _base_coordinates(value: SSAValue, map: AffineMap) -> list[AffineExpr] | None:
    """Return the coordinates in the memref behind reshapes, or None.

    Return None if the reshapes do more than add or remove extents of 1.
    """
    coordinates = list(map.results)
    while isinstance(op := value.owner, memref.CollapseShapeOp | memref.ExpandShapeOp):
        source, result = op.operands[0].type, op.results[0].type
        assert isinstance(source, MemRefType)
        assert isinstance(result, MemRefType)
        collapse = isinstance(op, memref.CollapseShapeOp)
        split = source if collapse else result
        before: list[AffineExpr] = []
        for i, group in enumerate(op.reassociation.data):
            dims = [d.value.data for d in group.data]
            wide = [d for d in dims if split.get_shape()[d] != 1]
            if len(wide) > 1:
                return None
            if collapse:
                before += [coordinates[i] if d in wide else AffineConstantExpr(0) for d in dims]
            else:
                before.append(coordinates[wide[0]] if wide else AffineConstantExpr(0))
        coordinates, value = before, op.operands[0]
    return coordinates
