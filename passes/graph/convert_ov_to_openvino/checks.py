"""What stops a program when it runs, by operations of OpenVINO, which has none for that purpose.

`ov.require %v, %c` becomes

```mlir
%shape = ov.select %c, [2, 1], [3, 1]
%two = ov.reshape [1, 2], %shape          // fails where the condition does not hold: two elements are no three
%ok = ov.greater (ov.reduce_min %two), 0  // true
%r = ov.select %ok, %v, 0
```

so that nothing is known of less than before: the result has the type of the value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import dtype_of, zeros
from loomir.dialects.ov.base import int64_array
from loomir.dialects.ov.facts import Fact, fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import GreaterOp, LessOp, LogicalNotOp, SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.reduction import ReduceMinOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference

CHECKS = ("keep", "drop")


def always_stops(reason: str) -> Error:
    """What is said where nothing that is known lets a program go on."""
    return Error("not-in-openvino", f"the program always stops here: {reason}")


@dataclass(frozen=True)
class Checks:
    """What becomes of what stops a program: it is kept, or dropped; `facts` is what is known of the program before."""

    keep: bool
    facts: Inference

    def fact(self, value: SSAValue) -> Fact:
        """What is known of a value, which may have come into the program since."""
        known = self.facts.known(value)
        return known if isinstance(known, Fact) else fact_of(value)

    def require(self, build: GraphBuilder, value: SSAValue, condition: SSAValue) -> SSAValue:
        """The value where the condition, a scalar boolean, holds."""
        if not self.keep:
            return value
        shape = build.make(SelectOp, condition, build.integers([2, 1]), build.integers([3, 1]))
        two = build.make(ReshapeOp, build.integers([1, 2]), shape, attributes={"special_zero": False})
        least = build.make(ReduceMinOp, two, build.integers([0, 1]), attributes={"keep_dims": False})
        holds = build.make(GreaterOp, least, build.constant(np.array(0, np.int64)))
        nothing = build.constant(zeros((), dtype_of(build.fact(value).element)))
        return build.make(SelectOp, holds, value, nothing)

    def never(self, build: GraphBuilder, op: Operation) -> SSAValue | None:
        """A condition that does not hold where an operation runs, and that is not known before; None outside of branches and loops."""
        region = op.parent_region()
        parent = None if region is None else region.parent
        if isinstance(parent, IfOp):
            return build.make(LogicalNotOp, parent.cond) if region is parent.then_region else parent.cond
        if isinstance(parent, LoopOp):
            return build.make(LessOp, parent.iteration, build.constant(int64_array([0]).reshape(())))
        return None
