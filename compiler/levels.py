"""Optimisation levels: for each, the passes of every step on the way from import to LOOPS, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from loomir.errors import Error, shown

Level = Literal["O0", "O1", "O2", "Os"]
DEFAULT_LEVEL: Level = "O2"

Step = Literal["graph", "core", "structured", "loops"]
Steps = Mapping[Step, tuple[str, ...]]

UNOPTIMIZED_GRAPH = ("ov-remove-unneeded", "ov-infer")
"""Made once after import, whatever the user asks for."""

_CLEAN = ("ov-fold-constants", "canonicalize", "cse")

_PRIMITIVE = ("convert-ovseq-to-ov", "convert-unranked-to-flat", "ov-decompose")
"""Sequences become tensors, what has no rank still its elements, composite operations primitive ones."""


def _graph(
    weights: tuple[str, ...] = (), peel: tuple[str, ...] = (), unroll: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Loops and branches are simplified: iterations that differ are peeled before what is invariant moves, short loops unrolled after.
    What keeps weights small comes before constants are folded.
    """
    return (
        "ov-remove-unneeded",
        *weights,
        *_CLEAN,
        "ov-uplift-while-to-for",
        "ov-loop-merge-values",
        "ov-loop-fuse",
        *peel,
        "ov-loop-invariant-code-motion",
        *unroll,
        "ov-if-sink",
        "ov-if-merge",
        *_CLEAN,
        "ov-if-to-select",
    )


def _core(peel: str) -> tuple[str, ...]:
    """Lengths of tuples of indices, and ranks that differ between iterations or branches, are told apart; then as above."""
    return (
        "ov-dispatch-tuple-lengths",
        "ov-if-thread",
        peel,
        "ov-if-resolve-ranks",
        "ovseq-append-to-concat",
        *_PRIMITIVE,
        *_CLEAN,
    )


_SMALL_CORE = _core("ov-loop-peel{max-code-growth=0}")
"""Peeled is only what has no one rank before, and what makes nothing larger."""

_PRODUCTS = ("ov-merge-products", "ov-loop-gather-to-slice", "ov-loop-hoist-products")
"""Narrow products are one, those of what a loop cuts are computed for several iterations at once: for machines with vectors."""

UNROLL_DECIDING = (
    "ov-fold-constants",
    "canonicalize",
    "ov-loop-unroll{deciding=true max-trips=64}",
    "ov-fold-constants",
    "canonicalize",
)
"""Before a lowering that failed for want of what a loop's iteration decides is tried again, at every level."""

_O0: Steps = {
    "graph": UNOPTIMIZED_GRAPH,
    # What an importer computes of a rank, such as axes, is constant only once that is folded; what decompositions make of it, too.
    "core": ("ov-dispatch-tuple-lengths", "ov-fold-constants", *_PRIMITIVE, "ov-fold-constants"),
    "structured": ("ov-bound-shapes", "convert-ov-loop-to-scf", "convert-ov-to-linalg"),
    "loops": ("bufferize", "lower-linalg-to-loops{tile=false}", "plan-memory"),
}

_O1: Steps = {
    "graph": (
        "ov-remove-unneeded",
        *_CLEAN,
        "ov-uplift-while-to-for",
        "ov-loop-merge-values",
        "ov-if-sink",
        "ov-if-merge",
        *_CLEAN,
    ),
    "core": _SMALL_CORE,
    "structured": (
        "ov-bound-shapes",
        "convert-ov-loop-to-scf",
        "convert-ov-to-linalg",
        "cse",
        "linalg-update-in-place",
    ),
    "loops": ("bufferize", "lower-linalg-to-loops{tile=false}", "plan-memory"),
}

_O2: Steps = {
    "graph": _graph(peel=("ov-loop-peel{ranks=false}",), unroll=("ov-loop-unroll{max-code-growth=8}",)),
    "core": (*_core("ov-loop-peel"), "ov-loop-grow-in-place", *_PRODUCTS, "cse"),
    "structured": (
        "ov-bound-shapes",
        "convert-ov-loop-to-scf",
        "convert-ov-to-linalg",
        "sccp",
        "canonicalize",
        "remove-dead-values",
        "cse",
        "licm",
        "linalg-fuse-elementwise",
        "linalg-update-in-place",
    ),
    "loops": (
        "bufferize",
        "memref-order-dimensions",
        "linalg-order-reductions",
        "linalg-form-quads",
        "arith-form-high-products",
        "linalg-pack-weights",
        "lower-reductions-to-vectors",
        "lower-linalg-to-loops",
        "math-expand",
        "math-form-fma",
        "plan-memory",
    ),
}

_OS: Steps = {
    "graph": _graph(weights=("ov-narrow-weights",)),
    "core": _SMALL_CORE,
    "structured": (
        "ov-bound-shapes",
        "convert-ov-loop-to-scf",
        "convert-ov-to-linalg",
        "sccp",
        "canonicalize",
        "remove-dead-values",
        "cse",
        "licm",
        "linalg-fuse-elementwise",
        "linalg-update-in-place",
    ),
    "loops": (
        "bufferize",
        "memref-order-dimensions",
        "linalg-order-reductions",
        "linalg-pack-nibbles",
        "lower-linalg-to-loops{tile=false}",
        "plan-memory",
    ),
}

LEVELS: Mapping[Level, Steps] = {"O0": _O0, "O1": _O1, "O2": _O2, "Os": _OS}
"""`O0`: what each stage needs, and nothing else. `O1`: and what makes a program neither larger nor much slower to compile.
`O2`: all that is worth its time, the default. `Os`: as `O2` without what makes code larger, and integer weights stay integers."""


def checked_level(given: object) -> Level:
    """The name of a level. Error: `bad-option`."""
    for level in LEVELS:
        if isinstance(given, str) and given == level:
            return level
    raise Error(
        "bad-option", f"level={shown(given)}: there is no such level", hint=f"known: {', '.join(LEVELS)}"
    )
