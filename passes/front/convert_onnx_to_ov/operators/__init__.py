"""Translators of ONNX operators, one module per group of operator families.

Importing a module registers its translators (`registry.translates`).
"""

from __future__ import annotations
