"""Transformations of the back phase."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.late import member
from loomir.tools.model_optimizer.mo.utils.class_types import ClassType
from loomir.tools.model_optimizer.mo.utils.replacement_pattern import ReplacementPattern, only_a_base


@only_a_base
class BackReplacementPattern(ReplacementPattern):
    """Replacement on a graph whose layout is final.

    It runs between `BackStart` and `BackFinish` unless a class specifies otherwise.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def run_after(self) -> list[type]:
        return [member("back.pass_separator", "BackStart")]

    def run_before(self) -> list[type]:
        return [member("back.pass_separator", "BackFinish")]

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.BACK_REPLACER
