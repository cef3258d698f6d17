"""Failing programs made smaller: the same failure of as little as possible."""

from __future__ import annotations

from collections.abc import Callable

from loomir.tools.fuzz.program import Program
from loomir.tools.fuzz.shrinking import data, loops, statements
from loomir.tools.fuzz.shrinking.edits import without_dead_code
from loomir.tools.fuzz.shrinking.termination import terminates

Candidates = Callable[[Program], list[Callable[[], Program | None]]]
"""Ways to reduce a program, each evaluated on demand.

A way that is not applicable returns None.
"""

PASSES: tuple[Candidates, ...] = (
    statements.fewer_outputs,
    data.one_feed,
    statements.arm_instead_of_if,
    loops.body_instead_of_loop,
    statements.operand_instead_of_result,
    statements.constant_instead_of_result,
    statements.fewer_if_outputs,
    loops.fewer_carried,
    loops.fewer_scans,
    loops.fewer_trips,
    loops.fewer_conditions,
    statements.no_dead_code,
    data.fewer_inputs,
    data.simpler_constants,
    data.simpler_feeds,
)
"""From coarse to fine."""


def reduce_program(program: Program, is_bad: Callable[[Program], bool], *, max_checks: int = 500) -> Program:
    """Return the smallest program found for which `is_bad` still holds.

    `is_bad` is called at most `max_checks` times. Each step that keeps the failure is kept; the same program and predicate
    produce the same result. A candidate may fail in ways other than the one looked for (shapes may not fit any more):
    `is_bad` returns False for it. Every loop of a candidate ends.
    """
    search = _Search(program, is_bad, max_checks)
    search.sweep()
    while sum(search.run(candidates) for candidates in PASSES):
        pass
    return search.program


class _Search:
    """The smallest failing program so far."""

    def __init__(self, program: Program, is_bad: Callable[[Program], bool], max_checks: int) -> None:
        self.program = program
        self._is_bad = is_bad
        self._left = max_checks
        self._sweep = False

    def sweep(self) -> None:
        """Remove dead code from now on, unless the failure needs it."""
        self._sweep = self._accept(without_dead_code(self.program))

    def run(self, candidates: Candidates) -> bool:
        """Try the ways of a pass.

        After a way was accepted, continue with those of the new program from the same position on.
        """
        ways = candidates(self.program)
        position = 0
        changed = False
        while position < len(ways) and self._left > 0:
            made = ways[position]()
            if made is not None and self._sweep:
                made = without_dead_code(made)
            if made is not None and terminates(made.body) and self._accept(made):
                ways = candidates(self.program)
                changed = True
            else:
                position += 1
        return changed

    def _accept(self, candidate: Program) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        if not self._is_bad(candidate):
            return False
        self.program = candidate
        return True
