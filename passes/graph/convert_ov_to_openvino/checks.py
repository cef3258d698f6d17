"""Run-time checks by operations of OpenVINO, which has none for them.

`ov.require %v, %c` becomes

```mlir
%shape = ov.select %c, [2, 1], [3, 1]
%two = ov.reshape [1, 2], %shape          // fails where the condition does not hold: two elements are no three
%ok = ov.greater (ov.reduce_min %two), 0  // true
%r = ov.select %ok, %v, 0
```

so that no knowledge is lost: the result has the type of the value.
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
    """Return the error for a program that always stops here.

    No known fact lets the program go on.
    """
    return Error("not-in-openvino", f"the program always stops here: {reason}")


@dataclass(frozen=True)
class Checks:
    """Treatment of checks that stop a program: kept or dropped.

    `facts` holds the facts inferred from the original program.
    """

    keep: bool
    facts: Inference

    def fact(self, value: SSAValue) -> Fact:
        """Return the known fact of a value, which may be new.

        A new value has come into the program since the inference.
        """
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
        """Return a condition that is false where an operation runs.

        Its value is not known before run time. None outside of branches and loops.
        """
        region = op.parent_region()
        parent = None if region is None else region.parent
        if isinstance(parent, IfOp):
            return build.make(LogicalNotOp, parent.cond) if region is parent.then_region else parent.cond
        if isinstance(parent, LoopOp):
            return build.make(LessOp, parent.iteration, build.constant(int64_array([0]).reshape(())))
        return None
