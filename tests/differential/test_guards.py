"""Guarded operations that fail if the guard lets them run.

In every engine, at every level, nothing fails if the guard is false, and the same error appears everywhere if it is
true.

One program has all operations of `FAILING`, each behind a guard that lets it run where the input `k` is its number. What it gives is
reduced to one number. The operands are such that it fails.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine, Model
from loomir.compiler.pipeline import PIPELINES, Pipelines
from tests.differential.test_regressions import parse

FAILING = {
    "Gather": ("y = Gather (x, i)", "runtime-index"),
    "Gather of equal elements": ("y = Gather (fives, i)", "runtime-index"),
    "GatherElements": ("y = GatherElements (x, i)", "runtime-index"),
    "GatherND": ("y = GatherND (x, i)", "runtime-index"),
    "ScatterElements": ("one = Slice (x, zero, ones)\n y = ScatterElements (x, i, one)", "runtime-index"),
    "ScatterND": (
        "row = Unsqueeze (i, zero)\n one = Slice (x, zero, ones)\n y = ScatterND (x, row, one)",
        "runtime-index",
    ),
    "SequenceAt": (
        "s = SequenceConstruct (x, x)\n at = Squeeze (i)\n y = SequenceAt (s, at)",
        "runtime-index",
    ),
    "Add": ("y = Add (x, three)", "runtime-shape"),
    "MatMul": ("y = MatMul (x, three)", "runtime-shape"),
    "Concat": (
        "u = Unsqueeze (x, zero)\n v = Unsqueeze (three, zero)\n y = Concat <axis = 0> (u, v)",
        "runtime-shape",
    ),
    "Expand": ("y = Expand (three, i)", "runtime-shape"),
    "Reshape": ("y = Reshape (x, i)", "runtime-shape"),
    "Reshape to the shape that there is": ("y = Reshape (four, i)", "runtime-shape"),
    "Reshapes": ("m = Reshape (four, i)\n y = Reshape (m, fours)", "runtime-shape"),
    "Slice": ("y = Slice (x, zero, ones, zero, nothing)", "runtime-shape"),
    "Split": ("y, w = Split (x, both)", "runtime-shape"),
    "Tile": ("less = Neg (i)\n y = Tile (x, less)", "runtime-shape"),
    "TopK": ("y, w = TopK (x, i)", "runtime-shape"),
    "Pad": (
        'both_ends = Concat <axis = 0> (i, i)\n y = Pad <mode = "reflect"> (x, both_ends)',
        "runtime-shape",
    ),
    "Range": (
        "f = Cast <to = 1> (nothing)\n s = Squeeze (f)\n"
        " begin = ReduceSum <keepdims = 0> (x)\n y = Range (begin, begin, s)",
        "runtime-shape",
    ),
}
"""Operations whose operands make them fail, and the error."""

REFUSED_IN_LOOPS = {"Add", "MatMul", "Concat", "Expand"}
"""Shapes that are known and do not go together are refused in a loop's body, even if it may run no iteration."""

GUARDS = {
    "if": """
        r{n} = If (here{n}) <
            then_branch = then{n} () => (float r) {{ {op}\n r = ReduceSum <keepdims = 0> (y) }},
            else_branch = else{n} () => (float r) {{ r = Identity (d) }}
        >""",
    "loop": """
        trips{n} = Cast <to = 7> (here{n})
        r{n} = Loop (trips{n}, , d) <
            body = body{n} (int64 number, bool c0, float before) => (bool c1, float r) {{
                c1 = Identity (c0)\n {op}\n sum = ReduceSum <keepdims = 0> (y)\n r = Add (before, sum)
            }}
        >""",
    "if in a loop": """
        r{n} = Loop (two, , d) <
            body = body{n} (int64 number, bool c0, float before) => (bool c1, float r) {{
                c1 = Identity (c0)
                r = If (here{n}) <
                    then_branch = then{n} () => (float r) {{ {op}\n r = ReduceSum <keepdims = 0> (y) }},
                    else_branch = else{n} () => (float r) {{ r = Identity (before) }}
                >
            }}
        >""",
}

LEVELS: dict[str, tuple[bool, str, Pipelines]] = {
    "as imported": (False, "", PIPELINES),
    "optimised": (True, "", PIPELINES),
    "with all that moves": (
        True,
        "ov-loop-unroll{max-trips=2},canonicalize,cse,ov-loop-peel{all=true},ov-fold-constants,canonicalize,licm,cse,dce",
        {
            **PIPELINES,
            "structured": (
                *PIPELINES["structured"],
                "licm",
                "control-flow-hoist",
                "canonicalize",
                "cse",
                "dce",
            ),
        },
    ),
}

FEED = {
    "x": np.arange(4, dtype=np.float32),
    "four": np.ones(4, np.float32),
    "three": np.ones(3, np.float32),
    "i": np.array([7]),
    "nothing": np.array([0]),
    "both": np.array([1, 7]),
}


def failing(guard: str) -> dict[str, tuple[str, str]]:
    """The operations that are tried behind a guard."""
    return {name: use for name, use in FAILING.items() if guard != "loop" or name not in REFUSED_IN_LOOPS}


def program(guard: str) -> onnx.ModelProto:
    """All operations behind such a guard."""
    parts = ["d = Constant <value_float = 0.5> ()", "two = Constant <value_int = 2> ()"]
    parts += [f"{v} = Constant <value_ints = [{k}]> ()" for v, k in (("zero", 0), ("ones", 1), ("fours", 4))]
    parts.append("fives = Constant <value_floats = [5.0, 5.0, 5.0]> ()")
    operations_of = failing(guard)
    for n, (operations, _) in enumerate(operations_of.values()):
        parts.append(f"n{n} = Constant <value_int = {n}> ()\n here{n} = Equal (k, n{n})")
        parts.append(GUARDS[guard].format(n=n, op=operations))
    outputs = ", ".join(f"float r{n}" for n in range(len(operations_of)))
    inputs = "int64 k, float[n] x, float[4] four, float[m] three, int64[1] i, int64[1] nothing, int64[2] both"
    return parse(f"main ({inputs}) => ({outputs}) {{ {chr(10).join(parts)} }}")


@cache
def model(guard: str, level: str) -> Model:
    """The program, loaded so."""
    optimize, passes, pipelines = LEVELS[level]
    loaded = loomir.load(
        program(guard), optimize=optimize, pipelines=pipelines, max_shapes={"x": [8], "three": [8]}
    )
    return loaded.optimize(passes) if passes else loaded


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("guard", GUARDS)
def test_what_fails_stays_behind_its_guard(guard: str, level: str, engine: Engine) -> None:
    program = model(guard, level)
    outputs = program.run({**FEED, "k": np.array(-1)}, engine=engine)
    assert all(value == 0.5 for value in outputs.values())
    found = {
        name: outcome(program, {**FEED, "k": np.array(n)}, engine) for n, name in enumerate(failing(guard))
    }
    assert found == {name: identifier for name, (_, identifier) in failing(guard).items()}


def outcome(program: Model, feed: dict[str, np.ndarray], engine: Engine) -> str:
    """The error, if there is one."""
    try:
        return str(program.run(feed, engine=engine))
    except loomir.Error as error:
        return error.identifier
