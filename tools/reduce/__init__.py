"""Delta debugging of programs: the smallest module that still shows what is wrong with a larger one.

`reduce(case, interesting)` makes a program of any stage smaller step by step, and keeps each step after which the predicate
`interesting` still holds:

- `outputs`: results of `main` are taken away;
- `control_flow`: a loop becomes one run of its body or what it starts with, a branch one of its arms, and values that they carry,
  slice or give are taken away; trip counts become small numbers;
- `operations`: results become an operand, what was seen when the program ran (a new input), or a constant;
- `contents`: constants, inputs and extents become simpler, attributes that nothing needs go.

Each kind of step is tried on all places at once, then on halves, quarters … and single ones (`driver`), until nothing helps any more.
Every candidate is verified before the predicate sees it. `predicates` has what a program may be wanted for: a pass that changes its
result or falls over, two engines that disagree, an external command.
"""

from loomir.tools.reduce.case import Case
from loomir.tools.reduce.driver import Limits, Reduced, reduce

__all__ = ["Case", "Limits", "Reduced", "reduce"]
