"""Optimisation levels.

Each level lists, as text, the passes of every step on the way from import to LOOPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from loomir.errors import Error, shown

Level = Literal["O0", "O1", "O2", "Os"]
DEFAULT_LEVEL: Level = "O2"

PipelineStep = Literal["graph", "core", "structured", "loops"]
Steps = Mapping[PipelineStep, tuple[str, ...]]

UNOPTIMIZED_GRAPH = ("ov-remove-unneeded", "ov-infer")
"""Made once after import, whatever the user asks for."""

_CLEAN = ("ov-fold-constants", "canonicalize", "cse")

_PRIMITIVE = ("convert-ovseq-to-ov", "convert-unranked-to-flat", "ov-decompose")
"""Passes that lower sequences, unranked values and composite operations.

Sequences become tensors, values without a known rank become their flat elements, and composite operations become
primitive operations.
"""


def _graph(
    weights: tuple[str, ...] = (),
    unswitch: tuple[str, ...] = (),
    rows: tuple[str, ...] = ("ov-loop-forward-rows",),
    peel: tuple[str, ...] = (),
    axis: tuple[str, ...] = (),
    split: tuple[str, ...] = (),
    unroll: tuple[str, ...] = (),
    closed_forms: str = "ov-loop-closed-forms",
    rotate: str = "ov-loop-rotate",
    layout: str = "ov-loop-carry-layout",
    joined: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Return the passes that simplify loops and branches.

    Rows of tables are forwarded to where they are read. Loops are unswitched, iterations that differ are peeled, and loops
    whose branches change are split, before loop-invariant code motion. What is then done for all iterations at once leaves a
    loop, and short loops are unrolled. Passes that keep weights small run before constant folding.
    """
    return (
        "ov-remove-unneeded",
        *weights,
        *_CLEAN,
        "ov-uplift-while-to-for",
        "ov-loop-merge-values",
        *rows,
        "ov-loop-join-parts",
        "ov-loop-last-trip",
        closed_forms,
        "ov-loop-fuse",
        *unswitch,
        "ov-fold-ranges",
        *peel,
        *split,
        rotate,
        "ov-loop-invariant-code-motion",
        layout,
        *joined,
        *axis,
        "ov-loop-reductions",
        "ov-loop-carry-reductions",
        "ov-loop-collapse",
        *unroll,
        "ov-loop-end-frozen",
        "ov-if-tail-merge",
        "ov-if-sink",
        "ov-if-merge",
        *_CLEAN,
        'ov-if-to-select{cost="work"}',
    )


def _core(peel: str) -> tuple[str, ...]:
    """Return the passes from GRAPH to primitive operations.

    They first specialise lengths of index tuples, and ranks that differ between iterations or branches. The passes of
    `_PRIMITIVE` and `_CLEAN` follow.
    """
    return (
        "ov-dispatch-tuple-lengths",
        "ov-if-thread",
        peel,
        "ov-if-resolve-ranks",
        "ov-loop-join-parts",
        *_PRIMITIVE,
        *_CLEAN,
    )


_SMALL_CORE = _core("ov-loop-peel{max-code-growth=0}")
"""Core passes with restricted peeling.

Peeling applies only to loops in which a value has no single rank before, and where it makes nothing larger.
"""

_PRODUCTS = ("ov-merge-products", "ov-loop-gather-to-slice", "ov-loop-hoist-products")
"""Passes that combine matrix products, for machines with vectors.

Narrow products are merged into one. Products of a loop's slices are computed for several iterations at once.
"""

UNROLL_DECIDING = (
    "ov-fold-constants",
    "canonicalize",
    "ov-loop-unroll{deciding=true max-trips=64}",
    "ov-fold-constants",
    "canonicalize",
)
"""Unrolling before a failed lowering is tried again, at every level.

It applies if the lowering failed because it depends on something that a loop's iteration number decides.
"""

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
        "linalg-detensorize",
        "cse",
        "scf-overwrite-slices",
        "linalg-update-in-place",
    ),
    "loops": (
        "bufferize",
        "lower-linalg-to-loops{tile=false}",
        "mem2reg",
        "int-range-optimizations",
        "canonicalize",
        "plan-memory",
    ),
}

_O2: Steps = {
    "graph": _graph(
        unswitch=("ov-loop-unswitch",),
        peel=("ov-loop-peel{ranks=false}",),
        split=("ov-loop-split", "ov-loop-unroll-residues"),
        joined=("ov-loop-carry-joined",),
        axis=("ov-loop-shift-slices", "ov-loop-whole-axis"),
        unroll=("ov-loop-unroll{max-code-growth=8}",),
    ),
    "core": (*_core("ov-loop-peel"), "ov-loop-join-parts", "ov-loop-grow-in-place", *_PRODUCTS, "cse"),
    "structured": (
        "ov-bound-shapes",
        "convert-ov-loop-to-scf",
        "convert-ov-to-linalg",
        "linalg-detensorize",
        "sccp",
        "canonicalize",
        "remove-dead-values",
        "cse",
        "licm",
        "linalg-fuse-elementwise",
        "scf-overwrite-slices",
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
        "mem2reg",
        "int-range-optimizations",
        "canonicalize",
        "math-expand",
        "math-form-fma",
        "plan-memory",
    ),
}

_OS: Steps = {
    "graph": _graph(
        weights=("ov-narrow-weights",),
        rows=("ov-loop-forward-rows{max-distance=0}",),
        closed_forms="ov-loop-closed-forms{affine=false}",
        rotate="ov-loop-rotate{max-code-growth=0}",
        layout="ov-loop-carry-layout{grow=false}",
    ),
    "core": _SMALL_CORE,
    "structured": (
        "ov-bound-shapes",
        "convert-ov-loop-to-scf",
        "convert-ov-to-linalg",
        "linalg-detensorize",
        "sccp",
        "canonicalize",
        "remove-dead-values",
        "cse",
        "licm",
        "linalg-fuse-elementwise{small=true}",
        "scf-overwrite-slices",
        "linalg-update-in-place",
    ),
    "loops": (
        "bufferize",
        "memref-order-dimensions",
        "linalg-order-reductions",
        "linalg-pack-nibbles",
        "lower-linalg-to-loops{tile=false}",
        "mem2reg",
        "int-range-optimizations",
        "canonicalize",
        "plan-memory",
    ),
}

LEVELS: Mapping[Level, Steps] = {"O0": _O0, "O1": _O1, "O2": _O2, "Os": _OS}
"""Passes of each optimisation level, by step.

`O0`: only what each stage needs. `O1`: in addition, passes that make a program neither larger nor much slower to
compile. `O2`: all passes that are worth their time, the default. `Os`: as `O2` without passes that make code larger;
integer weights stay integers.
"""


def leading_level(pipeline: str, level: str) -> tuple[str, str]:
    """Return the level and the passes of a pipeline.

    A level in front (`O0,canonicalize`) is that of every stage; without one it is `level`. The passes are of GRAPH, behind those of
    the level.
    """
    first, _, rest = pipeline.strip().partition(",")
    return (first.strip(), rest.strip()) if first.strip() in LEVELS else (level, pipeline)


def checked_level(given: object) -> Level:
    """The name of a level. Error: `bad-option`."""
    for level in LEVELS:
        if isinstance(given, str) and given == level:
            return level
    raise Error("bad-option", f"level={shown(given)}: unknown level", hint=f"known: {', '.join(LEVELS)}")
