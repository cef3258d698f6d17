"""Kinds of classes in extensions."""

from __future__ import annotations

from enum import Enum


class ClassType(Enum):
    """Where a class belongs; `class_type()` of each base class says it."""

    EXTRACTOR = 0
    OP = 1
    FRONT_REPLACER = 2
    MIDDLE_REPLACER = 3
    BACK_REPLACER = 4
    IR_READER_EXTENDER = 5
    LOADER = 6
