"""Shape and value inference: one forward dataflow analysis of GRAPH, through loops and branches, to a fixpoint.

`infer(module)` computes for every value a `Fact`: element type, shape by intervals, and contents where they are small enough. It
enters both branches of an `ov.if` whose condition it doesn't know and only the taken one where it does, so chains shape → value →
condition → branch → shape resolve in one run. Loop-carried facts are joined around the back edge until they stop
changing; what keeps changing is widened (see `loops`).

Facts come from operands only: a type that an importer guessed for a region's argument or a result is never believed. What
`main`'s arguments declare is.
"""

from loomir.passes.analysis.inference.solver import Inference, infer

__all__ = ["Inference", "infer"]
