"""A program before and after loomir's passes: operations, operations executed, results, and whether a row's check holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from simplifications.features import features
from simplifications.rows import Feed, Row
from simplifications.variants import nested, nested_feeds, with_dynamic_extents
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.traits import IsTerminator

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.pipeline import PIPELINES, run_passes
from loomir.compiler.stages import verify_stage
from loomir.dialects.interface import main_function
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.tools.compare.counting import WorkCounter

Outcome = Mapping[str, Any] | str
"""The outputs for a feed, or the identifier of the error that a run ends with."""


@dataclass(frozen=True)
class Form:
    """A program as it is written or after the passes.

    - `operations`: how many it has, without constants and terminators;
    - `executed`: how many are executed for all feeds together (loops count once themselves, branches not);
    - `iterations`: of all loops for all feeds together.
    """

    module: ModuleOp
    operations: int
    executed: int
    iterations: int
    outcomes: tuple[Outcome, ...]

    @staticmethod
    def of(module: ModuleOp, feeds: Sequence[Feed]) -> Form:
        """Run a program with all feeds."""
        operations = [op for op in module.walk() if op.name.startswith("ov")]
        counted = [
            op for op in operations if not isinstance(op, ConstantOp) and not op.has_trait(IsTerminator)
        ]
        copy = module.clone()
        constants = _move_constants_out(main_function(copy).body.block)
        counter = WorkCounter()
        engine = GraphEngine(copy, listeners=[counter])
        executed = iterations = 0
        outcomes: list[Outcome] = []
        for feed in feeds:
            try:
                run = engine.run(feed)
            except Error as error:
                outcomes.append(error.identifier)
                continue
            executed += counter.operations - constants
            iterations += run.iterations
            outcomes.append(run.outputs)
        return Form(module, len(counted), executed, iterations, tuple(outcomes))


def _move_constants_out(block: Block) -> int:
    """Move every constant to the beginning of the block; how many there are."""
    constants = [op for op in block.walk() if isinstance(op, ConstantOp)]
    for op in constants:
        op.detach()
    first = block.first_op
    assert first is not None
    block.insert_ops_before(constants, first)
    return len(constants)


def optimised(module: ModuleOp, passes: str = "") -> ModuleOp:
    """A copy after the default passes on GRAPH, and others that are asked for."""
    copy = module.clone()
    run_passes(copy, [*PIPELINES["graph"], *PIPELINES["core"], *([passes] if passes else [])])
    verify_stage(copy, "graph")
    return copy


@dataclass(frozen=True)
class Pair:
    """A program before and after the passes."""

    before: Form
    after: Form
    nested: bool = False

    def counts(self) -> Mapping[str, int]:
        """The features of the optimised program; `iterations in %` are those of the program as it is written."""
        share = round(100 * self.after.iterations / max(self.before.iterations, 1))
        return {**features(self.after.module, nested=self.nested), "iterations in %": share}

    def has_at_most(self, asked: Mapping[str, int]) -> bool:
        """Return True if no feature occurs more often than asked."""
        counts = self.counts()
        return all(counts.get(name, 0) <= most for name, most in asked.items())

    def has_at_least(self, kept: Mapping[str, int]) -> bool:
        """Return True if each feature occurs at least as often as given."""
        counts = self.counts()
        return all(counts.get(name, 0) >= least for name, least in kept.items())

    def is_the_same(self, tolerance: float = 0.0) -> bool:
        """Return True if both programs agree on every feed: bit for bit, or up to this share of the greatest element.

        Errors are compared as well.
        """
        pairs = zip(self.before.outcomes, self.after.outcomes, strict=True)
        return all(_same(a, b, tolerance) for a, b in pairs)


def _same(a: Outcome, b: Outcome, tolerance: float) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return a.keys() == b.keys() and all(_same_tensor(a[k], b[k], tolerance) for k in a)


def _same_tensor(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if not tolerance:
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    greatest = np.max(np.abs(a), initial=0, where=np.isfinite(a))
    return np.allclose(a, b, rtol=0, atol=tolerance * greatest, equal_nan=True)


@dataclass(frozen=True)
class Measured:
    """A row's program, its near miss, and its variants."""

    row: Row
    own: Pair
    near: Pair
    nested: Pair
    dynamic: Pair | None

    @property
    def pairs(self) -> list[Pair]:
        """All that were run."""
        return [p for p in (self.own, self.near, self.nested, self.dynamic) if p is not None]

    @property
    def achieved(self) -> bool:
        """True if the row's requirements hold for its program."""
        return self.own.has_at_most(self.row.asks)

    @property
    def stays(self) -> bool:
        """True if the near miss is left alone."""
        return self.near.has_at_least(self.row.keeps)


def measure(row: Row) -> Measured:
    """Run a row's program, its near miss and its variants before and after the passes."""
    own, near = row.programs()
    feeds = row.feeds(own)

    def pair(module: ModuleOp, feeds: Sequence[Feed], within: bool = False) -> Pair:
        return Pair(Form.of(module, feeds), Form.of(optimised(module, row.passes), feeds), within)

    return Measured(
        row,
        pair(own, feeds),
        pair(near, row.feeds(near)),
        pair(nested(own), nested_feeds(own, feeds), within=True),
        None if row.static else pair(with_dynamic_extents(own), feeds),
    )
