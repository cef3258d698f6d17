"""`linalg.fill`s that are unnecessary before an accumulating generic.

The generic that accumulates into the buffer can start from the scalar:

    linalg.fill ins(%zero) outs(%o)
    …                                          nothing in between touches %o
    linalg.generic … outs(%o)                  reaches every element of %o once

The generic then begins with `%zero` instead of loading, or doesn't read `%o` at all.
"""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.passes.analysis.aliasing import VIEWS, Aliasing
from loomir.passes.loops.lower_linalg_to_loops.access import (
    Access,
    covers_operand,
    iterators_of,
    loaded_by,
)


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
        if not covers_operand(Access.of(target, map), parallel):
            continue
        others = [*generic.inputs, *loaded_by(generic), *(o for j, o in enumerate(generic.outputs) if j != k)]
        if any(isinstance(o.type, MemRefType) and aliasing.may_alias(o, target) for o in others):
            continue
        absorbed[k] = fill
    return absorbed
