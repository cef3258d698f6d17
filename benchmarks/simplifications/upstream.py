"""Results of `mlir-opt`'s passes for a row's STRUCTURED text.

Of loomir's own passes only those run that a program needs to get there; they drop what is dead by themselves.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass

from simplifications.rows import Row
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.mlir.parser import make_context, parse
from loomir.compiler.levels import UNOPTIMIZED_GRAPH
from loomir.compiler.lowering import lower
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import with_full_constants

TOOL = "mlir-opt-22"
PASSES = (
    "test-scf-uplift-while-to-for",
    "canonicalize",
    "cse",
    "sccp",
    "loop-invariant-code-motion",
    "scf-for-loop-canonicalization",
    "scf-for-loop-range-folding",
    "control-flow-sink",
    "remove-dead-values",
    "canonicalize",
    "cse",
)
CAPACITY = 1024
"""The largest extent of what loops join that nothing bounds."""

LOWERING = {
    "core": ("ov-if-resolve-ranks", "convert-ovseq-to-ov", "ov-decompose"),
    "structured": ("ov-bound-shapes", "convert-ov-loop-to-scf", "convert-ov-to-linalg"),
    "loops": (),
}
"""Smallest set of passes between GRAPH and STRUCTURED."""

UNCOUNTED = ("arith.constant", "scf.yield", "scf.condition", "linalg.yield", "func.func", "func.return")


@dataclass(frozen=True)
class Counts:
    """Operations without constants and terminators, and how many of them are of each kind."""

    operations: int
    whiles: int
    counted_loops: int
    branches: int

    @staticmethod
    def of(module: ModuleOp) -> Counts:
        """Of a STRUCTURED module."""
        names = Counter(op.name for op in module.walk() if op.name not in (*UNCOUNTED, "builtin.module"))
        return Counts(names.total(), names["scf.while"], names["scf.for"], names["scf.if"])


def is_there() -> bool:
    """Return True if the tool is installed."""
    return shutil.which(TOOL) is not None


def compare(row: Row) -> tuple[Counts, Counts]:
    """A row's program as STRUCTURED text, and what the tool makes of it."""
    module, _ = row.programs()
    run_passes(module, UNOPTIMIZED_GRAPH)
    structured = lower(module, "structured", capacity=CAPACITY, pipelines=LOWERING)
    command = [TOOL, *(f"--{name}" for name in PASSES), "--mlir-print-op-generic"]
    text = str(with_full_constants(structured))
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    # xDSL's arith.trunci lacks a property that the tool writes: the operations are counted, not verified.
    return Counts.of(structured), Counts.of(parse(make_context(), made, row.name))
