"""Generics below GRAPH: broadcast operands, reductions, and sliding windows.

*Broadcasting* determines the extents of results and emits generics whose operands are broadcast.

Whether a dimension of extent `?` is 1 at run time is not known when the code is made. An operand is
*ambiguous* in a dimension that is `?` and not the very same extent as the result's; it is then read with an
index that is multiplied by 0 or 1.

*Reductions* are into a tensor, or into the single element that stands for a scalar.

*Sliding windows* have padded tensors, the extents of results, and maps from loops to elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.element_types import signless, tensor_type_of
from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.operators.windows import Window
from loomir.dialects.scalars.row import constant_number
from loomir.passes.structured.lib.builder import Extent, tensor_type
from loomir.passes.structured.lib.lowering import Lowering
from loomir.passes.structured.lib.scalars import ScalarMath, wide
from loomir.passes.structured.lib.tensor_builder import Shaped


def broadcast_extents(low: Lowering, shapes: Sequence[Sequence[Extent]]) -> list[Extent]:
    """Return the extents of the numpy broadcast of these shapes.

    Constraints that can only be checked at run time are asserted.
    """
    rank = max((len(s) for s in shapes), default=0)
    return [
        _broadcast(low, [s[axis - (rank - len(s))] for s in shapes if axis >= rank - len(s)])
        for axis in range(rank)
    ]


def _broadcast(low: Lowering, extents: Sequence[Extent]) -> Extent:
    numbers = [e for e in extents if isinstance(e, int)]
    values = list(dict.fromkeys(e for e in extents if not isinstance(e, int)))
    result: Extent = next((n for n in numbers if n != 1), 1)
    if isinstance(result, int) and result == 1:
        if not values:
            return 1
        result = values[0]
        for other in values[1:]:
            result = low.select(low.compare("eq", result, 1), other, result)
        if len(values) == 1:
            return result
    for value in values:
        one, same = low.compare("eq", value, 1), low.compare("eq", value, result)
        if one is True or same is True:
            continue
        assert isinstance(one, SSAValue)
        assert isinstance(same, SSAValue)
        low.assert_(low.insert(arith.OrIOp(one, same)).result, "shape: operands do not broadcast")
    return result


@dataclass(frozen=True)
class BroadcastAccess:
    """Access of a generic to one broadcast operand.

    The operand is read through a map or, if it is ambiguous, with computed indices.
    """

    operand: Shaped
    map: AffineMap | None
    factors: tuple[SSAValue | int, ...] = ()
    """Index factors per dimension of the operand, for computed indices.

    A factor is 1 (the dimension's own index), 0 (always index 0) or an index value of 0 or 1.
    """


def access(
    low: Lowering, x: Shaped, extents: Sequence[Extent], first: int = 0, count: int | None = None
) -> BroadcastAccess:
    """Return the access to `x` from a generic over these extents.

    The extents are the result's; `x` is read for each of its elements. `first` is the loop of the result's first dimension;
    `count` is the number of loops if the generic has other loops as well.
    """
    rank = len(extents)
    loops = rank if count is None else count
    factors: list[SSAValue | int] = []
    for axis, extent in enumerate(x.dims, rank - x.rank):
        target = extents[axis]
        if isinstance(extent, int):
            factors.append(0 if extent == 1 and target != 1 else 1)
        elif extent is target:
            factors.append(1)
        else:
            many = low.compare("ne", extent, 1)
            assert isinstance(many, SSAValue)
            factors.append(low.select(many, 1, 0))
    if all_static(factors):
        offset = first + rank - x.rank
        exprs = [
            AffineExpr.dimension(offset + k) if f == 1 else AffineExpr.constant(0)
            for k, f in enumerate(factors)
        ]
        return BroadcastAccess(x, AffineMap(loops, 0, tuple(exprs)))
    return BroadcastAccess(x, None, tuple(factors))


def elementwise(
    low: Lowering, result: SSAValue, operands: Sequence[Shaped], body: Callable[..., SSAValue]
) -> Shaped:
    """Emit `body` for every element of the broadcast operands.

    `result` is the GRAPH value that is computed. Constants are passed to the body as the constants themselves, so that the
    body can see their numbers.
    """
    extents = broadcast_extents(low, [x.dims for x in operands])
    element = tensor_type_of(result).element_type
    constants = [_constant(x) for x in operands]
    if not extents:
        return low.of_scalar(body(*(x.value for x in operands)), element)
    dest = low.destination(result, extents)
    accesses = [None if c is not None else access(low, x, dest.dims) for x, c in zip(operands, constants)]
    return generic_over(low, accesses, constants, dest, body)


def generic_over(
    low: Lowering,
    accesses: Sequence[BroadcastAccess | None],
    constants: Sequence[SSAValue | None],
    dest: Shaped,
    body: Callable[..., SSAValue],
) -> Shaped:
    """Emit a parallel generic over the destination.

    Each operand is read as its access specifies, or is a constant.
    """
    rank = dest.rank
    direct = [a for a in accesses if a is not None and a.map is not None]
    maps = [a.map for a in direct if a.map is not None]

    def emit(*elements: SSAValue) -> SSAValue:
        given = iter(elements)
        values: list[SSAValue] = []
        for a, c in zip(accesses, constants):
            if c is not None:
                values.append(c)
            elif a is not None and a.map is not None:
                values.append(next(given))
            else:
                assert a is not None
                values.append(_extracted(low, a, rank))
        return body(*values)

    return low.each([a.operand for a in direct], dest, emit, maps)


def _extracted(low: Lowering, a: BroadcastAccess, rank: int) -> SSAValue:
    """The operand's element at the current indices."""
    x = a.operand
    indices: list[SSAValue] = []
    for axis, factor in enumerate(a.factors, rank - x.rank):
        if isinstance(factor, int) and factor == 0:
            indices.append(low.index(0))
            continue
        index = low.insert(IndexOp(axis)).result
        indices.append(index if isinstance(factor, int) else low.insert(arith.MuliOp(index, factor)).result)
    return low.insert(tensor.ExtractOp(x.value, indices, signless(x.element))).result


def _constant(x: Shaped) -> SSAValue | None:
    """The `arith.constant` that every element of an operand is."""
    scalar = x.splat
    return scalar if scalar is not None and constant_number(scalar) is not None else None


def broadcast_to(low: Lowering, x: Shaped, extents: Sequence[Extent], bounds: Sequence[int]) -> Shaped:
    """Broadcast an operand to extents in which it was ambiguous.

    Only the operand's leading dimensions, those of `extents`, are widened.
    """
    dest = low.new(list(extents), x.element, bounds)
    return generic_over(low, [access(low, x, dest.dims)], [None], dest, lambda v: v)


def dims_map(count: int, places: Sequence[int | None]) -> AffineMap:
    """Return the map that selects these of `count` loops.

    None denotes the only index of a dimension of extent 1.
    """
    exprs = (AffineExpr.constant(0) if p is None else AffineExpr.dimension(p) for p in places)
    return AffineMap(count, 0, tuple(exprs))


def reduced(
    low: Lowering,
    result: SSAValue,
    ins: Sequence[Shaped | SSAValue],
    maps: Sequence[AffineMap],
    iterators: Sequence[str],
    dims: Sequence[Extent],
    places: Sequence[int | None],
    *,
    initial: float | int,
    accumulator: Attribute,
    body: Callable[..., SSAValue],
    finish: Callable[[SSAValue], SSAValue] | None = None,
) -> Shaped:
    """Reduce into the value `result` of GRAPH.

    `dims` are the extents of the result and `places` the loops that run over them (None: extent 1); `body(*elements, acc)`
    gives the next value of an accumulator of element type `accumulator` that begins with `initial`. `finish`
    makes an element of the result of an accumulator (default: a conversion to the result's type).
    """
    element = tensor_type_of(result).element_type
    scalars = ScalarMath(low)
    if finish is None and accumulator != element:
        finish = partial(scalars.convert, source=accumulator, target=element)

    count = len(iterators)
    begin = low.constant(initial, accumulator)
    if not dims:
        # Rank 0 is a scalar: one element of a tensor stands for it meanwhile.
        single = low.fill(begin, low.new([1], accumulator))
        everywhere = AffineMap(count, 0, (AffineExpr.constant(0),))
        (made,) = low.generic(ins, [single], [*maps, everywhere], iterators, body)
        value = low.extract(made, [0])
        return low.of_scalar(value if finish is None else finish(value), element)
    out = low.destination(result, dims)
    if accumulator != element:
        out = low.new(out.dims, accumulator, out.bounds)
    (made,) = low.generic(ins, [low.fill(begin, out)], [*maps, dims_map(count, places)], iterators, body)
    return made if finish is None else elementwise(low, result, [made], finish)


def multiply_add(low: Lowering, element: Attribute) -> Callable[[SSAValue, SSAValue, SSAValue], SSAValue]:
    """The body of a sum of products, kept in `wide(element)`."""
    scalars, to = ScalarMath(low), wide(element)

    def body(a: SSAValue, b: SSAValue, total: SSAValue) -> SSAValue:
        a, b = scalars.convert(a, element, to), scalars.convert(b, element, to)
        return scalars.add(total, scalars.mul(a, b, to), to)

    return body


def window_count(low: Lowering, window: Window, extent: Extent) -> Extent:
    """Return the number of windows on an axis.

    If it is not known statically that one window fits, this is asserted.
    """
    if isinstance(extent, int):
        return window.extent(extent)
    if window.is_same:
        return low.ceildiv(extent, window.stride)
    begin, end = (0, 0) if window.auto_pad == "valid" else (window.pad_begin, window.pad_end)
    room = low.add(extent, begin + end - window.span)
    low.assert_(low.compare("sge", room, 0), "shape: a window does not fit its axis")
    if window.rounding == "floor" or window.auto_pad == "valid":
        return low.add(low.floordiv(room, window.stride), 1)
    last = low.ceildiv(room, window.stride)
    if window.rounding == "ceil_torch":
        # A last window that begins behind the input and the padding before it is left out.
        outside = low.compare("sge", low.mul(last, window.stride), low.add(extent, begin))
        last = low.sub(last, low.select(outside, 1, 0))
    return low.add(last, 1)


def padding(low: Lowering, window: Window, extent: Extent, count: Extent) -> tuple[Extent, Extent]:
    """Return the padding before and behind an axis.

    The axis has this extent and `count` windows.
    """
    if isinstance(extent, int) or not window.is_same:
        return window.padding(extent if isinstance(extent, int) else 0)
    needed = low.add(low.mul(low.sub(count, 1), window.stride), window.span)
    total = low.max(low.sub(needed, extent), 0)
    small = low.floordiv(total, 2)
    large = low.sub(total, small)
    return (small, large) if window.auto_pad == "same_upper" else (large, small)


def padded(
    low: Lowering,
    x: Shaped,
    windows: Sequence[Window],
    counts: Sequence[Extent],
    first: int,
    fill: float | int,
) -> tuple[Shaped, list[Extent]]:
    """Return the padded tensor, and the padding before each axis.

    The axes from `first` on are padded with as much of `fill` as the windows read. If the padding is negative, as many
    elements are cut off. The padding behind an axis is what the last window needs, which is less than the attribute
    specifies if the windows do not divide the axis evenly.
    """
    begins: list[Extent] = []
    lows: list[Extent] = [0] * first
    highs: list[Extent] = [0] * first
    for window, extent, count in zip(windows, x.dims[first:], counts):
        begin, _ = padding(low, window, extent, count)
        reach = low.add(low.mul(low.sub(count, 1), window.stride), window.span)
        behind = low.max(low.sub(reach, low.add(extent, begin)), 0)
        begins.append(begin)
        lows.append(max(begin, 0) if isinstance(begin, int) else begin)
        highs.append(behind)
    # Only explicit padding is negative, and that is a number.
    x = _cropped(low, x, [0] * first + [max(-b, 0) if isinstance(b, int) else 0 for b in begins])
    if all(p == 0 for p in (*lows, *highs)):
        return x, begins
    dims = [low.add(low.add(d, a), b) for d, a, b in zip(x.dims, lows, highs)]
    bounds = [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims]
    block = Block(arg_types=[low.index(0).type] * x.rank)
    value = low.constant(fill, x.element)
    with low.at(block):
        low.insert(tensor.YieldOp(value))
    op = tensor.PadOp(
        x.value,
        [p for p in lows if not isinstance(p, int)],
        [p for p in highs if not isinstance(p, int)],
        Region(block),
        [p if isinstance(p, int) else DYNAMIC_INDEX for p in lows],
        [p if isinstance(p, int) else DYNAMIC_INDEX for p in highs],
        tensor_type(x.element, dims),
    )
    # Nobody asks for the bounds: the padded tensor never gets a buffer of its own.
    return Shaped(low, low.insert(op).result, x.element, dims, bounds), begins


def _cropped(low: Lowering, x: Shaped, offsets: Sequence[int]) -> Shaped:
    """Return a view without the first elements of each axis.

    An axis shorter than its offset loses all of its elements.
    """
    if not any(offsets):
        return x
    begins = [low.min(o, d) for d, o in zip(x.dims, offsets)]
    return low.slice(x, begins, [low.sub(d, b) for d, b in zip(x.dims, begins)])


def window_exprs(windows: Sequence[Window], outer: Sequence[int], inner: Sequence[int]) -> list[AffineExpr]:
    """Return the expression of the padded element's index, per axis.

    It is the element that window `outer` reads at kernel position `inner` (loop numbers).
    """
    return [
        AffineExpr.dimension(o) * w.stride + AffineExpr.dimension(k) * w.dilation
        for w, o, k in zip(windows, outer, inner)
    ]


def window_shape(low: Lowering, windows: Sequence[Window]) -> SSAValue:
    """Return an operand that only conveys the extents of the kernel's loops.

    Nothing else in a pooling's generic conveys them.
    """
    return low.empty(low.index(0).type, [w.kernel for w in windows])
