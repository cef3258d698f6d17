"""Transformations of the middle phase."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.late import member
from loomir.tools.model_optimizer.mo.utils.class_types import ClassType
from loomir.tools.model_optimizer.mo.utils.replacement_pattern import ReplacementPattern, only_a_base


@only_a_base
class MiddleReplacementPattern(ReplacementPattern):
    """Transformation of a graph with data nodes.

    It runs between `MiddleStart` and `MiddleFinish` unless a class specifies otherwise.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    def run_after(self) -> list[type]:
        return [member("middle.pass_separator", "MiddleStart")]

    def run_before(self) -> list[type]:
        return [member("middle.pass_separator", "MiddleFinish")]

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.MIDDLE_REPLACER
