"""Lookup of API names in higher-level modules at the time of use.

The Model Optimizer's modules refer to each other in cycles: a graph creates constants, constants are operations,
operations belong to graphs; a base class of transformations names anchors that derive from it. Here imports go one way,
and upward references use the place from which extensions would import, which also finds the operations that are rows of
a table and not files.
"""

from __future__ import annotations

import importlib
from typing import Any

ROOT = "loomir.tools.model_optimizer.mo"


def member(module: str, name: str) -> Any:
    """`name` of the API's module `module`, such as `member("ops.const", "Const")`.

    Errors: `mo-api-not-covered`.
    """
    return getattr(importlib.import_module(f"{ROOT}.{module}"), name)
