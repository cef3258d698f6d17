"""Features of a program that a checker counts.

They are operations by name and by place, and the values that loops and branches hand on.

| feature | how often there is |
|---|---|
| `ov.exp` | the operation |
| `ov.exp in ov.loop`, `ov.exp in ov.if` | the operation, somewhere inside of one |
| `ov.exp in two loops` | the operation, inside of two or more |
| `ov.exp guarded` | the operation, inside of a loop or a branch |
| `ov.exp outside ov.if` | the operation, inside of none |
| `carried values`, `slices`, `concatenations` | one of these of any loop |
| `carried values of one loop` | a carried value of the loop that has most of them |
| `conditions of loops` | a loop that a condition may end |
| `unbounded loops` | a loop without a trip count and slices |
| `results of ov.if` | a result of any branch |
| `dynamic results` | a result some extent of which is open |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block

from loomir.dialects.element_types import is_integer
from loomir.dialects.interface import main_function
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp


def features(module: ModuleOp, *, nested: bool = False) -> Counter[str]:
    """The features of a GRAPH program; of a nested one (`variants.py`) those of what is nested."""
    main = main_function(module)
    found: Counter[str] = Counter()
    around = 1 if nested else 0
    _count(main.body.block, found, -around, -around)
    if nested:
        found["ov.loop"] -= 1
        found["carried values"] -= carried_by_nest(main.function_type.inputs.data[:-2])
        found["ov.if"] -= 1
        found["results of ov.if"] -= len(main.function_type.outputs)
    results = _results_of_nested(main.body.block) if nested else main.function_type.outputs
    found["dynamic results"] = sum(not (isinstance(t, TensorType) and t.has_static_shape()) for t in results)
    return found


def carried_by_nest(inputs: Sequence[Attribute]) -> int:
    """How many values the loop around a nested program carries, by the program's inputs: two if some are integers (`variants.py`)."""
    return 1 + any(isinstance(t, TensorType) and is_integer(t.element_type) for t in inputs)


def _results_of_nested(block: Block) -> list[Attribute]:
    """Return the result types of an iteration around the nested program.

    After no iteration the loop gives 0 rows.
    """
    loop = next(op for op in block.walk() if isinstance(op, LoopOp))
    return [value.type for value in loop.next.last]


def _count(block: Block, found: Counter[str], loops: int, branches: int) -> None:
    """Count a block that this many loops and branches are around."""
    for op in block.ops:
        found[op.name] += 1
        found[f"{op.name} in ov.loop"] += loops > 0
        found[f"{op.name} in two loops"] += loops > 1
        found[f"{op.name} in ov.if"] += branches > 0
        found[f"{op.name} guarded"] += loops > 0 or branches > 0
        found[f"{op.name} outside ov.if"] += branches <= 0
        if isinstance(op, LoopOp):
            found["carried values"] += len(op.carried)
            if loops >= 0:
                most = max(found["carried values of one loop"], len(op.carried))
                found["carried values of one loop"] = most
            found["slices"] += len(op.sliced)
            found["concatenations"] += len(op.concat)
            found["conditions of loops"] += op.cond is not None or op.next.cond is not None
            found["unbounded loops"] += op.trip is None and not op.sliced
        if isinstance(op, IfOp):
            found["results of ov.if"] += len(op.output)
        for region in op.regions:
            inside = (loops + isinstance(op, LoopOp), branches + isinstance(op, IfOp))
            _count(region.block, found, *inside)
