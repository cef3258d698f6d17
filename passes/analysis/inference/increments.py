"""Growth of a loop-carried extent per iteration, for any extent before it.

Inference computes bounds of extents, not relations between them: if an extent of at most 99 becomes one of at most 100, it does
not follow that 5 becomes at most 6 (a branch may be taken for 5 alone). `lines` follows the extents through operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from xdsl.ir import SSAValue

from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ovseq.facts import AnyFact, OptionalFact, SequenceFact
from loomir.passes.analysis.inference.lines import Line, Lines
from loomir.passes.analysis.inference.state import State
from loomir.passes.analysis.inference.tensor_lines import LENGTH, Extent, largest, tensor_in


def grows_by_steps(
    op: LoopOp,
    inference: State,
    history: Sequence[Sequence[AnyFact]],
    before: Sequence[AnyFact],
    joined: Sequence[AnyFact],
    trips_of: Callable[[LoopOp, State], Dim],
) -> bool:
    """Return True if no iteration adds more than the first step.

    The extents are those that grow from `before` to `joined`; the first step is the growth from `history[-4]` to `history[-3]`.

    `before` is the guess of the facts before the last iteration, and the facts in `inference` follow from it; `history[-2]` are the
    facts from which the guess was extrapolated. By induction the guess then holds before each iteration.
    """
    steps: dict[Extent, tuple[int, int]] = {}
    nexts: dict[Extent, SSAValue] = {}
    for k, (argument, value) in enumerate(zip(op.carried_arguments, op.next.carried)):
        for key in _keys(joined[k]):
            if largest(before[k], key) == largest(joined[k], key):
                continue
            start = largest(history[-2][k], key)
            first, second = (largest(history[at][k], key) for at in (-4, -3))
            if start is None or first is None or second is None or second <= first:
                return False
            steps[argument, key] = start, second - first
            nexts[argument, key] = value
    for extent, (start, step) in steps.items():
        # Where this one has come to L, others have gone as many steps.
        slopes = {e: (other, Fraction(each, step)) for e, (other, each) in steps.items()}
        extents = {e: Line(slope, other - slope * start) for e, (other, slope) in slopes.items()}
        added = Lines(inference, start, extents, trips_of).offset(nexts[extent], extent[1], Fraction(1))
        if added is None or added > step:
            return False
    return True


def _keys(fact: AnyFact) -> Iterable[int]:
    tensor, held = tensor_in(fact), fact.value if isinstance(fact, OptionalFact) else fact
    rank = None if tensor is None else tensor.rank
    return range(LENGTH if isinstance(held, SequenceFact) else 0, rank or 0)
