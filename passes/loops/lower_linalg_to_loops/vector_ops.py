"""Bodies on vectors: operations on all lanes at once, and their forms.

A vector operation performs the same operation on numbers lane by lane. A value that is equal in all lanes stays a
number, and is broadcast (`vector.broadcast`) where it meets a vector.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, VectorType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import is_boolean
from loomir.dialects.vectors import MaskedSelectOp, is_vector
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter


def bits_of(element: Attribute) -> int | None:
    """Return the bits of an element that vectors can hold, or None.

    Return None for an element that they cannot hold: `index`, and floats that C computes by functions.
    """
    match element:
        case Float32Type():
            return 32
        case Float64Type():
            return 64
        case IntegerType() if element.width.data in (1, 8, 16, 32, 64):
            return element.width.data
        case _:
            return None


def widest_element(body: Block, lanes: Collection[SSAValue], along: int) -> int | None:
    """Return the bits of the largest element of a body's vectors.

    `lanes` are the arguments that differ from lane to lane.

    Return None if the body cannot be vectorized. `along` is the loop along which the lanes run: a body that depends on its
    iteration number cannot be vectorized.
    """
    varying = set(lanes)
    # What is yielded is stored, or accumulated: it is a vector in any case. In memory a boolean is a byte.
    in_memory = [value.type for value in lanes]
    types: list[Attribute] = []
    for op in body.ops:
        if isinstance(op, YieldOp):
            in_memory += [value.type for value in op.operands]
            continue
        if isinstance(op, IndexOp):
            if op.dim.value.data == along:
                return None
            continue
        if not any(operand in varying for operand in op.operands):
            if op.regions:
                return None
            continue
        if type(op) not in SCALARS or op.regions:
            return None
        types += [value.type for value in (*op.operands, *op.results)]
        varying |= set(op.results)
    if any(is_boolean(type_) for type_ in in_memory):
        return None
    sizes = [bits_of(type_) for type_ in (*types, *in_memory)]
    known = [size for size in sizes if size is not None]
    return max(known, default=None) if len(known) == len(sizes) else None


def vector_of(element: Attribute, width: int) -> Attribute:
    """The type of `width` lanes; of one lane, the element itself."""
    return element if width == 1 or isinstance(element, VectorType) else VectorType(element, [width])


def spread(value: SSAValue, width: int, emitter: IndexEmitter, made: dict[object, SSAValue]) -> SSAValue:
    """Broadcast a number to all lanes, reusing the broadcasts in `made`.

    Return a vector unchanged, and any value if there are no lanes.
    """
    if width == 1 or isinstance(value.type, VectorType):
        return value
    key = "spread", value
    if key not in made:
        type_ = VectorType(value.type, [width])
        made[key] = emitter.insert(vector.BroadcastOp(value, type_)).results[0]
    return made[key]


def on_vectors(
    op: Operation, operands: list[SSAValue], width: int, emitter: IndexEmitter, made: dict[object, SSAValue]
) -> Operation:
    """Return the same operation on these operands, not inserted yet.

    Some of the operands are vectors.
    """
    spread_operands = [spread(operand, width, emitter, made) for operand in operands]
    results = [vector_of(result.type, width) for result in op.results]
    masked = isinstance(op, arith.SelectOp) and is_vector(spread_operands[0].type)
    return (MaskedSelectOp if masked else type(op)).create(
        operands=spread_operands,
        result_types=results,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
