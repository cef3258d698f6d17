"""Values of a nest's body that outer loops decide.

A body may compute floats from iteration numbers (`linalg.index`):

    for i:  for j:  y[i, j] = x[j] + float(i)      →      for i:  f = float(i);  for j:  y[i, j] = x[j] + f

A C compiler may leave the conversion in the inner loop: without floating-point instructions it is a call. So it is emitted in the
innermost loop that it depends on. Integers alone stay where they are: C compilers move them as they need to.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.region_flow import owning_block
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free


class OuterValues:
    """Operations of a body that are emitted in outer loops, by level."""

    def __init__(self, body: Block, level_of: Callable[[int], int | None], innermost: int) -> None:
        """Find the operations.

        `level_of` returns the level of a loop dimension, or None if each point of a tile has an iteration number of its own.
        `innermost` is the level of the innermost loop.
        """
        self.values: dict[SSAValue, SSAValue] = {}
        self._at: dict[int, list[Operation]] = {}
        levels: dict[SSAValue, int] = {}
        for op in body.ops:
            level = _level(op, body, level_of, levels)
            if level is not None and level < innermost:
                levels.update(dict.fromkeys(op.results, level))
        needed: set[SSAValue] = set()
        for op in reversed(body.ops):
            if not any(result in levels for result in op.results):
                continue
            floats = any(isinstance(value.type, AnyFloat) for value in (*op.operands, *op.results))
            if floats or needed.intersection(op.results):
                needed.update(op.operands)
                self._at.setdefault(levels[op.results[0]], []).insert(0, op)

    def emit(
        self, level: int, iteration: Callable[[int], SSAValue], insert: Callable[[Operation], None]
    ) -> None:
        """Emit those of one loop, at its start.

        `iteration` returns the number of a loop's iteration.
        """
        for op in self._at.get(level, ()):
            if isinstance(op, IndexOp):
                self.values[op.result] = iteration(op.dim.value.data)
                continue
            copy = op.clone(self.values)
            insert(copy)
            self.values.update(zip(op.results, copy.results))


def _level(
    op: Operation, body: Block, level_of: Callable[[int], int | None], levels: dict[SSAValue, int]
) -> int | None:
    """Return the loop that an operation can be computed in, or None.

    The operation depends on iteration numbers alone.
    """
    if isinstance(op, IndexOp):
        return level_of(op.dim.value.data)
    if op.regions or not (is_side_effect_free(op) and speculatable(op)):
        return None
    inside = [value for value in op.operands if owning_block(value) is body]
    if not inside or any(value not in levels for value in inside):
        return None
    return max(levels[value] for value in inside)
