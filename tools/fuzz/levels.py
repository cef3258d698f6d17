"""Pipelines that random programs go through, in rotation.

They are those of `-O0` to `-Os` (`compiler/levels.py`), and others. A level is data: for each lowering step it lists
the passes that are run (`loomir.load(model, pipelines=level.pipelines)`). Together the levels have every pass on in one
level and off in another, except for the passes without which there is no lower form (`REQUIRED`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.passes import ModulePass

from loomir.compiler.levels import DEFAULT_LEVEL
from loomir.compiler.levels import LEVELS as LEVELS_OF_PIPELINES
from loomir.compiler.pipeline import (
    PIPELINES,
    LevelPipelines,
    Pipeline,
    Pipelines,
    for_machine,
    pass_instances,
    with_options,
)
from loomir.compiler.universe import pass_modules

STEPS = ("graph", "core", "structured", "loops")

REQUIRED = frozenset(
    {
        "ov-decompose",
        "ov-bound-shapes",
        "convert-ovseq-to-ov",
        "convert-unranked-to-flat",
        # Axes that an importer computes of a rank which it does not know are constants once it is known.
        "ov-fold-constants",
        "convert-ov-loop-to-scf",
        "convert-ov-to-linalg",
        "bufferize",
        "lower-linalg-to-loops",
        "plan-memory",
    }
)
"""Passes without which the output is of no stage.

`ov-infer`, too, has to run once after import.
"""

REFUSING = frozenset({"convert-ov-to-openvino"})
"""Passes that refuse a program that always stops.

Other passes leave such a program to fail only when it runs.
"""

ROUNDING = frozenset({"ov-compress-constants"})
"""Passes that store weights in 16 bits.

Results differ by more than the tolerance of floats.
"""


@dataclass(frozen=True)
class Level:
    """Name, short description of its speciality, and passes of each step."""

    name: str
    about: str
    graph: Pipeline = PIPELINES["graph"]
    core: Pipeline = PIPELINES["core"]
    structured: Pipeline = PIPELINES["structured"]
    loops: Pipeline = PIPELINES["loops"]

    @property
    def pipelines(self) -> Pipelines:
        """As `loomir.load` takes them."""
        return {step: getattr(self, step) for step in STEPS}

    @property
    def passes(self) -> frozenset[str]:
        """The names of all passes that it runs."""
        return frozenset(p.name for step in STEPS for p in getattr(self, step))

    @property
    def keeps_extents_of_nothing(self) -> bool:
        """Return True if this level keeps the extents of empty scan outputs.

        docs/semantics.md has the rule.
        """
        return "ov-suit-openvino-2026" not in self.passes


def without(passes: Sequence[ModulePass], *names: str) -> Pipeline:
    """The passes but for these names, which must be among them."""
    missing = set(names) - {p.name for p in passes}
    assert not missing, missing
    return tuple(p for p in passes if p.name not in names)


def only_required(passes: Sequence[ModulePass]) -> Pipeline:
    """The passes without which there is no next stage."""
    return tuple(p for p in passes if p.name in REQUIRED)


def behind(passes: Sequence[ModulePass], name: str, more: str) -> Pipeline:
    """The passes with `more` behind the last one of a name."""
    last = max(k for k, p in enumerate(passes) if p.name == name)
    return (*passes[: last + 1], *pass_instances(more), *passes[last + 1 :])


def levels_of_the_rest(levels: Sequence[Level]) -> Iterator[Level]:
    """Generate a level for each loomir pass that no given level runs.

    Such a level consists of the default pipelines, plus the pass in the pipeline that its folder names.
    """
    known = REQUIRED.union(REFUSING, ROUNDING, *(level.passes for level in levels))
    for name, module in pass_modules().items():
        folder = module.split(".")[2]
        if name in known or folder not in STEPS:
            continue
        passes = PIPELINES[folder]
        if folder == "loops":
            passes = behind(passes, "lower-linalg-to-loops", name)
        else:
            clean = f",{_CLEAN}" if folder == "graph" else ""
            passes = (*passes, *pass_instances(f"{name}{clean}"))
        yield replace(Level(f"with-{name}", f"the default pipelines with {name}"), **{folder: passes})


_GRAPH, _CORE, _STRUCTURED, _LOOPS = (PIPELINES[step] for step in STEPS)
_CLEAN = "ov-fold-constants,canonicalize,cse"
_NARROW = (*pass_instances("ov-infer,ov-narrow-weights{least-bytes=0}"), *_GRAPH[1:])

_WRITTEN: tuple[Level, ...] = (
    Level(
        "imported",
        "as imported: no pass but those that each stage needs",
        graph=tuple(pass_instances("ov-infer")),
        core=only_required(_CORE),
        structured=only_required(_STRUCTURED),
        loops=only_required(_LOOPS),
    ),
    Level("default", "the default pipelines, those of -O2"),
    *(
        Level(name, f"the pipelines of -{name}", **LevelPipelines(name))
        for name in LEVELS_OF_PIPELINES
        if name != DEFAULT_LEVEL
    ),
    *(
        Level(
            f"for-{machine}",
            f"the default pipelines, for {machine}",
            **{step: tuple(for_machine(PIPELINES[step], machine)) for step in STEPS},
        )
        for machine in ("x86-64", "x86-64-v3", "x86-64-v4")
    ),
    Level(
        "unrolled",
        "short loops unrolled completely",
        graph=(*_GRAPH, *pass_instances(f"ov-loop-unroll{{max-trips=8}},{_CLEAN}")),
    ),
    Level(
        "partly-unrolled",
        "two iterations of a loop at a time, in GRAPH and in LOOPS",
        graph=(*_GRAPH, *pass_instances(f"ov-loop-unroll{{max-trips=1 factor=2}},{_CLEAN}")),
        loops=behind(_LOOPS, "lower-linalg-to-loops", "scf-unroll{factor=2 all=true}"),
    ),
    Level(
        "unfused",
        "no fusion, no constants laid out anew, tanh as it is; innermost loops unrolled completely",
        structured=without(_STRUCTURED, "linalg-fuse-elementwise"),
        loops=behind(
            without(_LOOPS, "linalg-pack-weights", "math-expand"),
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
        graph=with_options(
            with_options(_NARROW, "ov-infer", keep_shapeof=True), "ov-fold-constants", keep_shapeof=True
        ),
        structured=with_options(_STRUCTURED, "convert-ov-loop-to-scf", max_iterations=1_000_000),
    ),
)
LEVELS = (*_WRITTEN, *levels_of_the_rest(_WRITTEN))
"""Levels in the order of the rotation.

Program i of a seed gets `LEVELS[i % len(LEVELS)]`.
"""

BY_NAME = {level.name: level for level in LEVELS}
