"""docs/mlir-tests.md, side by side: what upstream's tool makes of the functions of our lit tests, beside what loomir's pass does.

Three numbers are compared: the operations, without constants and terminators; those of them in loops and branches; and the values that
loops and branches give. Where upstream comes to less in any, the page says why.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import with_full_constants
from tests.support_tools import MLIR_OPT, needs

pytestmark = needs(MLIR_OPT)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mlir-tests.md").read_text()
FIGURES = re.compile(r"(?m)^\| `([\w/]+\.mlir)` \| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$")
FEWER = re.compile(r"(?m)^\| `([\w/]+\.mlir)` \| `@(\w+)` \| ([^|]+) \|$")
PASS = re.compile(r"// RUN: loomir-opt %s .*-p ([\w-]+) \|")

UPSTREAM = {
    "licm": ("loop-invariant-code-motion",),
    "scf-uplift-while-to-for": ("test-scf-uplift-while-to-for",),
    "scf-for-loop-peeling": ("scf-for-loop-peeling", "lower-affine"),
}
"""Passes of another name there, and one that computes bounds in `affine`, which is made arith here."""

UNCOUNTED = ("arith.constant", "scf.yield", "scf.condition", "linalg.yield")

Fewer = Literal["none", "loomir", "mlir-opt"]


def sizes(module: ModuleOp) -> tuple[int, int, int]:
    """Operations; operations in loops and branches; values that loops and branches give."""
    all_ = inside = values = 0

    def count(op: Operation, is_inside: bool) -> None:
        nonlocal all_, inside, values
        for region in op.regions:
            for inner in (o for block in region.blocks for o in block.ops):
                is_structured = isinstance(inner, scf.ForOp | scf.WhileOp | scf.IfOp)
                if inner.name not in UNCOUNTED:
                    all_ += 1
                    inside += is_inside
                    values += len(inner.results) if is_structured else 0
                count(inner, is_inside or is_structured)

    count(module, False)
    return all_, inside, values


def context() -> Context:
    made = make_context()
    made.allow_unregistered = True
    return made


@cache
def compared(path: str) -> tuple[str, dict[str, Fewer]]:
    """The pass of a lit test, and for each of its functions which of both comes to less; upstream where it does in one of the numbers."""
    text = (ROOT / "tests/lit/passes" / path).read_text()
    (name,) = set(PASS.findall(text))
    module = parse_module(text, name=path, context=context())
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    found: dict[str, Fewer] = {}
    for function in functions:
        ours = ModuleOp([function.clone()])
        command = [
            MLIR_OPT,
            *(f"--{there}" for there in UPSTREAM.get(name, (name,))),
            "--allow-unregistered-dialect",
            "--mlir-print-op-generic",
        ]
        given = str(with_full_constants(ours))
        made = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
        run_passes(ours, name, context=context())
        theirs, own = sizes(parse_module(made, name=path, context=context())), sizes(ours)
        if theirs == own:
            found[function.sym_name.data] = "none"
        else:
            less = any(there < here for there, here in zip(theirs, own, strict=True))
            found[function.sym_name.data] = "mlir-opt" if less else "loomir"
    return name, found


def test_figures_of_the_page() -> None:
    stated = FIGURES.findall(PAGE)
    assert stated
    for path, stated_name, *figures in stated:
        name, found = compared(path)
        counts = Counter(found.values())
        expected = [len(found), *(counts[which] for which in ("none", "loomir", "mlir-opt"))]
        assert (stated_name, [int(f) for f in figures]) == (name, expected), path


def test_every_lit_test_of_the_page_is_compared() -> None:
    named = set(re.findall(r"(?m)^\| `[^`]+` \| [^|]+ \| yes \| `([\w/]+\.mlir)`", PAGE))
    assert named == {path for path, *_ in FIGURES.findall(PAGE)}


def test_where_upstream_comes_to_less_the_page_says_why() -> None:
    explained = {(path, function) for path, function, _ in FEWER.findall(PAGE)}
    found = {
        (path, function)
        for path, *_ in FIGURES.findall(PAGE)
        for function, fewer in compared(path)[1].items()
        if fewer == "mlir-opt"
    }
    assert found == explained
