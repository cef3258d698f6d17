"""Rounding modes of a quantised network's integers, by user-facing name.

The module imports nothing, so that `--help` is quick.
"""

from __future__ import annotations

from typing import Literal

Rounding = Literal["exact", "tflite"]
ROUNDINGS: tuple[Rounding, ...] = ("exact", "tflite")
