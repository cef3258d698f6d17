"""Shape and value inference of GRAPH.

It is one forward dataflow analysis through loops and branches to a fixpoint.

`infer(module)` computes a `Fact` for every value: element type, shape by intervals, and contents if they are small enough. It
enters both branches of an `ov.if` whose condition is unknown and only the taken one otherwise, so chains shape → value →
condition → branch → shape resolve in one run. Loop-carried facts are joined around the back edge until they stop changing;
facts that keep changing are widened (see `loops`).

Facts come from operands only: a type that an importer guessed for a region's argument or a result is never trusted. The
declared types of `main`'s arguments are trusted.
"""

from loomir.passes.analysis.inference.solver import Inference, infer

__all__ = ["Inference", "infer"]
