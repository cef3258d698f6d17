"""Optimisation levels: the pipelines that random programs go through, in rotation.

A level is data: for each step of the way the passes that are run (`loomir.load(model, pipelines=level.pipelines)`). Together they
have every pass on in one level and off in another, but for those without which there is no lower form (`REQUIRED`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loomir.compiler.pipeline import CONVERT_LOOPS, PIPELINES, Pipelines

STEPS = ("graph", "core", "structured", "loops")

REQUIRED = frozenset(
    {
        "ov-decompose",
        "ov-bound-shapes",
        "convert-seq-to-ov",
        CONVERT_LOOPS,
        "convert-ov-to-linalg",
        "bufferize",
        "lower-linalg-to-loops",
        "plan-memory",
    }
)
"""Without these, what comes out is of no stage. (`ov-infer` too has to run once after import.)"""


@dataclass(frozen=True)
class Level:
    """A name, what is special in a few words, and the passes of each step."""

    name: str
    about: str
    graph: tuple[str, ...] = tuple(PIPELINES["graph"])
    core: tuple[str, ...] = tuple(PIPELINES["core"])
    structured: tuple[str, ...] = tuple(PIPELINES["structured"])
    loops: tuple[str, ...] = tuple(PIPELINES["loops"])

    @property
    def pipelines(self) -> Pipelines:
        """As `loomir.load` takes them."""
        return {step: getattr(self, step) for step in STEPS}

    @property
    def passes(self) -> frozenset[str]:
        """The names of all passes that it runs."""
        return frozenset(name_of(p) for step in STEPS for p in getattr(self, step))


def name_of(spec: str) -> str:
    """The name of a pass without its options."""
    return spec.partition("{")[0]


def without(passes: Sequence[str], *names: str) -> tuple[str, ...]:
    """The passes but for these names, which must be among them."""
    missing = set(names) - {name_of(p) for p in passes}
    assert not missing, missing
    return tuple(p for p in passes if name_of(p) not in names)


def only_required(passes: Sequence[str]) -> tuple[str, ...]:
    """The passes without which there is no next stage."""
    return tuple(p for p in passes if name_of(p) in REQUIRED)


def behind(passes: Sequence[str], name: str, *more: str) -> tuple[str, ...]:
    """The passes with `more` behind the last one of a name."""
    last = max(k for k, p in enumerate(passes) if name_of(p) == name)
    return (*passes[: last + 1], *more, *passes[last + 1 :])


def replaced(passes: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    """The passes with another one (or other options) instead of every `old`."""
    assert old in passes, old
    return tuple(new if p == old else p for p in passes)


_GRAPH, _CORE, _STRUCTURED, _LOOPS = (tuple(PIPELINES[step]) for step in STEPS)
_CLEAN = ("ov-fold-constants", "canonicalize", "cse")
_NARROW = ("ov-infer", "ov-narrow-weights{least-bytes=0}", *_GRAPH[1:])

LEVELS: tuple[Level, ...] = (
    Level(
        "imported",
        "as imported: no pass but those that each stage needs",
        graph=("ov-infer",),
        core=only_required(_CORE),
        structured=only_required(_STRUCTURED),
        loops=only_required(_LOOPS),
    ),
    Level("default", "the default pipelines"),
    Level(
        "unrolled",
        "short loops unrolled completely",
        graph=(*_GRAPH, "ov-loop-unroll{max-trips=8}", *_CLEAN),
    ),
    Level(
        "partly-unrolled",
        "two iterations of a loop at a time, in GRAPH and in LOOPS",
        graph=(*_GRAPH, "ov-loop-unroll{max-trips=1 factor=2}", *_CLEAN),
        loops=behind(_LOOPS, "lower-linalg-to-loops", "scf-unroll{factor=2 all=true}"),
    ),
    Level(
        "unfused",
        "no fusion, no constants laid out anew, tanh as it is; innermost loops unrolled completely",
        structured=without(_STRUCTURED, "linalg-fuse-elementwise"),
        loops=behind(
            without(_LOOPS, "linalg-pack-weights", "math-expand-tanh"),
            "lower-linalg-to-loops",
            "scf-unroll{full=true max-trips=8}",
        ),
    ),
    Level(
        "copied",
        "carried tensors never overwritten by their next values; nothing folded below GRAPH",
        core=only_required(_CORE),
        structured=without(_STRUCTURED, "linalg-update-in-place", "cse"),
    ),
    Level(
        "reshapable",
        "shapes not folded; scales behind products; loops count their iterations",
        graph=tuple(
            f"{p}{{keep-shapeof=true}}" if p in ("ov-infer", "ov-fold-constants") else p for p in _NARROW
        ),
        structured=replaced(_STRUCTURED, CONVERT_LOOPS, f"{CONVERT_LOOPS}{{max-iterations=1000000}}"),
    ),
)
"""In the order of the rotation: program i of a seed gets `LEVELS[i % len(LEVELS)]`."""

BY_NAME = {level.name: level for level in LEVELS}
