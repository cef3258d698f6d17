"""Elementwise operations of two operands with numpy broadcasting."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact


@irdl_op_definition
class AddOp(OvOperation):
    name = "ov.add"
    a = operand_def()
    b = operand_def()
    auto_broadcast = opt_prop_def(StringAttr)
    output = result_def()
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [facts[0]]
