"""Pipelines of random programs: levels in rotation, and random orders.

Levels are those of `-O0` to `-Os` (`compiler/levels.py`), and others. A level is data: for each lowering step it lists
the passes that are run (`loomir.load(model, pipelines=level.pipelines)`). Together the levels have every pass on in one
level and off in another, except for the passes without which there is no lower form (`REQUIRED`).

In a random order, any GRAPH pass may stand anywhere in the GRAPH pipeline, with any options; the passes of each lower
stage are shuffled among themselves. The passes that a stage needs keep their order. Such a pipeline depends on nothing
but the seed and the program's index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from xdsl.passes import ModulePass

from loomir.compiler.levels import DEFAULT_LEVEL
from loomir.compiler.levels import LEVELS as LEVELS_OF_PIPELINES
from loomir.compiler.pass_options import for_machine, with_options
from loomir.compiler.pipeline import PIPELINES, LevelPipelines, Pipeline, Pipelines, pass_instances
from loomir.compiler.pipeline_syntax import pass_text
from loomir.compiler.universe import folder_of, pass_modules

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
    added: Pipeline = ()
    """Passes under test (`passes_under_test.py`).

    They are also in the pipeline of their stage.
    """

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
    for name in pass_modules():
        folder = folder_of(name)
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
        structured=without(_STRUCTURED, "scf-overwrite-slices", "linalg-update-in-place", "cse"),
    ),
    Level(
        "reshapable",
        "shapes not folded; scales behind products; loops count their iterations",
        graph=with_options(_NARROW, "ov-fold-constants", keep_shapeof=True),
        structured=with_options(_STRUCTURED, "convert-ov-loop-to-scf", max_iterations=1_000_000),
    ),
)
LEVELS = (*_WRITTEN, *levels_of_the_rest(_WRITTEN))
"""Levels in the order of the rotation.

Program i of a seed gets `LEVELS[i % len(LEVELS)]`.
"""

BY_NAME = {level.name: level for level in LEVELS}


ORDERS = "orders"
"""The level of which each program has its own."""

Draw = Callable[[Random], str]
"""Options of a pass, as text."""


def _some(**values: tuple[object, ...]) -> Draw:
    """Return a function that draws options with these values.

    Each option has its default or one of these values; the limit on code growth is always specified.
    """

    def draw(random: Random) -> str:
        chosen = {
            name.replace("_", "-"): random.choice(of)
            for name, of in values.items()
            if name == "max_code_growth" or random.random() < 0.6
        }
        words = (f"{name}={str(value).lower()}" for name, value in chosen.items())
        return f"{{{' '.join(words)}}}" if chosen else ""

    return draw


def _none(random: Random) -> str:
    return ""


GRAPH_POOL: Mapping[str, Draw] = {
    "canonicalize": _none,
    "cse": _none,
    "ov-decompose": _none,
    "ov-fold-constants": _none,
    "ov-fold-ranges": _none,
    "ov-fuse-batch-norm": _none,
    "ov-if-merge": _some(window=(1, 2)),
    "ov-if-resolve-ranks": _none,
    "ov-if-absorb-users": _none,
    "ov-if-sink": _none,
    "ov-if-tail-merge": _some(max_bytes=(0, 16384)),
    "ov-if-thread": _none,
    "ov-if-to-select": lambda random: f'{{cost="{random.choice(("cost", "work", "always"))}"}}',
    "ov-infer": _none,
    "ov-layout": _some(to=('"nchw"', '"nhwc"')),
    "ov-loop-carry-joined": _some(max_bytes=(0, 64, 65536)),
    "ov-loop-carry-layout": _some(max_bytes=(0, 64, 65536), grow=(True, False)),
    "ov-loop-closed-forms": _some(affine=(True, False)),
    "ov-loop-collapse": _none,
    "ov-loop-forward-rows": _some(max_distance=(0, 1, 2, 5)),
    "ov-loop-fuse": _some(max_operations=(10, 1000)),
    "ov-loop-gather-to-slice": _none,
    "ov-loop-grow-in-place": _none,
    "ov-loop-hoist-products": lambda random: (
        f'{{machine="x86-64" rows={random.choice((2, 5, 16))} budget={random.choice((200, 2000, 32768))}}}'
    ),
    "ov-loop-carry-reductions": _some(max_values=(0, 1, 4)),
    "ov-loop-end-frozen": _none,
    "ov-loop-invariant-code-motion": _some(guard_elements=(0, 1, 8), max_bytes=(0, 64, 4096)),
    "ov-loop-join-parts": _none,
    "ov-loop-last-trip": _none,
    "ov-loop-merge-values": _some(max_rounds=(2, 16)),
    "ov-loop-peel": _some(all=(True, False), ranks=(True, False), max_code_growth=(4, 32, 100)),
    "ov-loop-reassociate": _some(max_bytes=(0, 64, 4096)),
    "ov-loop-reductions": _some(max_bytes=(0, 64, 4096)),
    "ov-loop-rotate": _some(max_code_growth=(0, 16, 100)),
    "ov-loop-shift-slices": _some(max_bytes=(0, 200, 65536)),
    "ov-loop-split": _some(max_code_growth=(0, 32, 100)),
    "ov-loop-to-lstm-sequence": _none,
    "ov-loop-unroll": _some(
        factor=(2, 2, 3, 4),
        max_trips=(0, 1, 4),
        max_code_growth=(8, 60, 200),
        deciding=(False, False, False, True),
    ),
    "ov-loop-unroll-residues": _some(max_period=(2, 3, 6), max_code_growth=(0, 32, 100)),
    "ov-loop-whole-axis": _some(max_bytes=(0, 1000, 65536)),
    "ov-loop-unswitch": _some(max_code_growth=(0, 16, 100)),
    "ov-lstm-sequence-to-loop": _none,
    "ov-merge-products": lambda random: f'{{machine="{random.choice(("x86-64", "x86-64-v3"))}"}}',
    "ov-narrow-weights": _some(least_bytes=(0,)),
    "ov-remove-casts": _none,
    "ov-remove-unneeded": _none,
    "ov-reroll": _some(min_trips=(2, 3, 4)),
    "ov-uplift-while-to-for": _none,
}
"""Passes from GRAPH to GRAPH, and what is drawn for their options."""

_COPYING = ("ov-loop-peel", "ov-loop-split", "ov-loop-unroll", "ov-loop-unroll-residues", "ov-loop-unswitch")
_MOST_COPYING = 3
"""Maximum number of passes that copy bodies in a pipeline.

Each doubles what the one before it has doubled.
"""

STRUCTURED_POOL: Mapping[str, Draw] = {
    "canonicalize": _none,
    "cse": _none,
    "int-range-optimizations": _none,
    "licm": _none,
    "linalg-detensorize": _none,
    "linalg-fuse-elementwise": _some(small=(True, False)),
    "linalg-update-in-place": _none,
    "remove-dead-values": _none,
    "sccp": _none,
    "scf-for-loop-peeling": _some(peel_front=(True, False), skip_partial=(True, False)),
    "scf-loop-sink": _some(max_operations=(0, 1, 4, 100)),
    "scf-overwrite-slices": _none,
    "scf-uplift-while-to-for": _none,
}
"""The same for STRUCTURED programs of tensors."""


def _machine(random: Random) -> str:
    """Return the option of a random machine.

    The machines have vectors of several lengths, with and without fused multiply-add.
    """
    return f'{{machine="{random.choice(("x86-64", "x86-64-v3", "x86-64-v4"))}"}}'


BUFFERS_POOL: Mapping[str, Draw] = {
    "arith-form-high-products": _machine,
    "linalg-form-quads": _machine,
    "linalg-order-reductions": _machine,
    "linalg-pack-nibbles": _some(least_bytes=(0,)),
    "linalg-pack-weights": _none,
    "lower-reductions-to-vectors": _machine,
    "memref-order-dimensions": _machine,
}
"""The same for linalg on buffers, between `bufferize` and `lower-linalg-to-loops`."""

LOOPS_POOL: Mapping[str, Draw] = {
    "canonicalize": _none,
    "cse": _none,
    "int-range-optimizations": _none,
    "math-expand": _machine,
    "math-form-fma": _machine,
    "mem2reg": _none,
    "remove-dead-values": _none,
    "sccp": _none,
    "scf-for-loop-peeling": _some(peel_front=(True, False), skip_partial=(True, False)),
    "scf-unroll": _some(factor=(2, 3), full=(True, False), max_trips=(4, 8), all=(True, False)),
    "scf-uplift-while-to-for": _none,
}
"""The same behind `lower-linalg-to-loops`."""


def random_passes(pool: Mapping[str, Draw], random: Random, most: int) -> list[str]:
    """Return up to `most` random passes of a pool, with random options.

    The passes are in random order; a pass may occur several times.
    """
    found: list[str] = []
    copying = 0
    for _ in range(random.randint(0, most)):
        name = random.choice(list(pool))
        copying += name in _COPYING
        if name not in _COPYING or copying <= _MOST_COPYING:
            found.append(name + pool[name](random))
    return found


def random_order(seed: int, index: int) -> Level:
    """Return the pipelines of a program, in random order.

    The required passes of the default level have random passes before, between and behind them.
    """
    random = Random(f"orders {seed}/{index}")
    default = BY_NAME["default"]
    graph = ["ov-infer", *random_passes(GRAPH_POOL, random, 10)]
    core: list[str] = []
    # Where a program has sequences or open ranks, what moves branches and peels iterations gives everything one rank.
    for each in default.core:
        if each.name not in ("canonicalize", "cse"):
            core += [*random_passes(GRAPH_POOL, random, 1), pass_text(each)]
    core += random_passes(GRAPH_POOL, random, 2)
    structured = ["ov-bound-shapes", *random_passes(GRAPH_POOL, random, 4)]
    structured += ["ov-bound-shapes", "convert-ov-loop-to-scf", "convert-ov-to-linalg"]
    structured += random_passes(STRUCTURED_POOL, random, 10)
    lowered = f"lower-linalg-to-loops{_machine(random) if random.random() < 0.5 else ''}"
    loops = ["bufferize", *random_passes(BUFFERS_POOL, random, 2), lowered]
    loops += [*random_passes(LOOPS_POOL, random, 5), "plan-memory"]
    return Level(
        ORDERS,
        f"the random order of {seed}/{index}",
        **{
            step: tuple(pass_instances(passes))
            for step, passes in (
                ("graph", graph),
                ("core", core),
                ("structured", structured),
                ("loops", loops),
            )
        },
    )
