"""Delta debugging of programs.

The result is the smallest module that still has the problem of a larger one. `reduce(case, interesting)` reduces a
program of any stage step by step, and keeps each step after which the predicate `interesting` still holds:

- `outputs`: results of `main` are removed;
- `control_flow`: a loop becomes one run of its body or its initial values, a branch becomes one of its arms, and values
  that they carry, slice or yield are removed; trip counts become small numbers;
- `operations`: results become an operand, the value observed when the program ran (a new input), or a constant;
- `contents`: constants, inputs and extents become simpler; unneeded attributes are removed.

Each kind of step is tried on all places at once, then on halves, quarters … and single ones (`driver`), until no step
helps any more. Every candidate is verified before the predicate sees it. `predicates` contains the properties that a
program may be reduced for: a pass that changes its result or crashes, two engines that disagree, an external command.
"""

from loomir.tools.reduce.case import Case
from loomir.tools.reduce.driver import Limits, Reduced, reduce

__all__ = ["Case", "Limits", "Reduced", "reduce"]
