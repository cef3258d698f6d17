"""Names of the API that stand above the module that uses them, found when they are used.

The Model Optimizer's modules refer to each other in circles: a graph makes constants, constants are operations, operations stand
in graphs; a base class of transformations names anchors that derive from it. Here imports go one way, and what has to look up
asks by the place that extensions would import from, which also finds the operations that are rows of a table and no files.
"""

from __future__ import annotations

import importlib
from typing import Any

ROOT = "loomir.compiler.mo"


def member(module: str, name: str) -> Any:
    """`name` of the API's module `module`, such as `member("ops.const", "Const")`.

    Errors: `mo-api-not-covered`.
    """
    return getattr(importlib.import_module(f"{ROOT}.{module}"), name)
