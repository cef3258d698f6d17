"""All steps of a reduced, those that take away most first."""

from __future__ import annotations

from loomir.tools.reduce.contents import Attributes, Constants, Extents, Inputs, Specialise
from loomir.tools.reduce.control_flow import Arm, Carried, Condition, Initial, Once, Trips
from loomir.tools.reduce.editor import Step
from loomir.tools.reduce.operations import ByConstant, ByOperand, BySeen, Outputs

STEPS: tuple[Step, ...] = (
    Outputs(),
    BySeen(),
    Initial(),
    Once(),
    Arm(first=True),
    Arm(first=False),
    ByOperand(),
    Carried(),
    Condition(),
    Trips(),
    Specialise(),
    Extents(),
    ByConstant(),
    Constants(),
    Inputs(),
    Attributes(),
)
