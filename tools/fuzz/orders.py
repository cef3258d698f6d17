"""Pipelines in random order.

Any GRAPH pass may stand anywhere in the GRAPH pipeline, with any options; the passes of each lower stage are shuffled
among themselves. The passes that a stage needs keep their order. A pipeline depends on nothing but the seed and the
program's index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from loomir.compiler.pipeline import pass_instances
from loomir.tools.fuzz.levels import BY_NAME, Level

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


GRAPH: Mapping[str, Draw] = {
    "canonicalize": _none,
    "cse": _none,
    "ov-decompose": _none,
    "ov-fold-constants": _none,
    "ov-fuse-batch-norm": _none,
    "ov-if-merge": _some(window=(1, 2)),
    "ov-if-resolve-ranks": _none,
    "ov-if-sink": _none,
    "ov-if-thread": _none,
    "ov-if-to-select": lambda random: f'{{cost="{random.choice(("cost", "always"))}"}}',
    "ov-infer": _none,
    "ov-layout": _some(to=('"nchw"', '"nhwc"')),
    "ov-loop-fuse": _some(max_operations=(10, 1000)),
    "ov-loop-gather-to-slice": _none,
    "ov-loop-grow-in-place": _none,
    "ov-loop-hoist-products": lambda random: (
        f'{{machine="x86-64" rows={random.choice((2, 5, 16))} budget={random.choice((200, 2000, 32768))}}}'
    ),
    "ov-loop-invariant-code-motion": _some(guard_elements=(0, 1, 8), max_bytes=(0, 64, 4096)),
    "ov-loop-merge-values": _some(max_rounds=(2, 16)),
    "ov-loop-peel": _some(all=(True, False), ranks=(True, False), max_code_growth=(4, 32, 100)),
    "ov-loop-to-lstm-sequence": _none,
    "ov-loop-unroll": _some(
        factor=(2, 2, 3, 4),
        max_trips=(0, 1, 4),
        max_code_growth=(8, 60, 200),
        deciding=(False, False, False, True),
    ),
    "ov-lstm-sequence-to-loop": _none,
    "ov-merge-products": lambda random: f'{{machine="{random.choice(("x86-64", "x86-64-v3"))}"}}',
    "ov-narrow-weights": _some(least_bytes=(0,)),
    "ov-remove-casts": _none,
    "ov-remove-unneeded": _none,
    "ov-uplift-while-to-for": _none,
    "ovseq-append-to-concat": _none,
}
"""Passes from GRAPH to GRAPH, and what is drawn for their options."""

_COPYING = ("ov-loop-peel", "ov-loop-unroll")
_MOST_COPYING = 3
"""Maximum number of passes that copy bodies in a pipeline.

Each doubles what the one before it has doubled.
"""

STRUCTURED: Mapping[str, Draw] = {
    "canonicalize": _none,
    "cse": _none,
    "licm": _none,
    "linalg-fuse-elementwise": _none,
    "linalg-update-in-place": _none,
    "remove-dead-values": _none,
    "sccp": _none,
    "scf-for-loop-peeling": _some(peel_front=(True, False), skip_partial=(True, False)),
    "scf-uplift-while-to-for": _none,
}
"""The same for STRUCTURED programs of tensors."""


def _machine(random: Random) -> str:
    """Return the option of a random machine.

    The machines have vectors of several lengths, with and without fused multiply-add.
    """
    return f'{{machine="{random.choice(("x86-64", "x86-64-v3", "x86-64-v4"))}"}}'


BUFFERS: Mapping[str, Draw] = {
    "arith-form-high-products": _machine,
    "linalg-form-quads": _machine,
    "linalg-order-reductions": _machine,
    "linalg-pack-nibbles": _some(least_bytes=(0,)),
    "linalg-pack-weights": _none,
    "lower-reductions-to-vectors": _machine,
    "memref-order-dimensions": _machine,
}
"""The same for linalg on buffers, between `bufferize` and `lower-linalg-to-loops`."""

LOOPS: Mapping[str, Draw] = {
    "canonicalize": _none,
    "cse": _none,
    "math-expand": _machine,
    "math-form-fma": _machine,
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
    graph = ["ov-infer", *random_passes(GRAPH, random, 10)]
    core: list[str] = []
    # Where a program has sequences or open ranks, what moves branches and peels iterations gives everything one rank.
    for each in default.core:
        if each.name not in ("canonicalize", "cse"):
            core += [*random_passes(GRAPH, random, 1), str(each.pipeline_pass_spec())]
    core += random_passes(GRAPH, random, 2)
    structured = ["ov-bound-shapes", *random_passes(GRAPH, random, 4)]
    structured += ["ov-bound-shapes", "convert-ov-loop-to-scf", "convert-ov-to-linalg"]
    structured += random_passes(STRUCTURED, random, 10)
    lowered = f"lower-linalg-to-loops{_machine(random) if random.random() < 0.5 else ''}"
    loops = ["bufferize", *random_passes(BUFFERS, random, 2), lowered]
    loops += [*random_passes(LOOPS, random, 5), "plan-memory"]
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
