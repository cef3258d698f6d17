"""How a quantised network's integers are rounded, by the name that users give. Nothing is imported, so that `--help` is quick."""

from __future__ import annotations

from typing import Literal

Rounding = Literal["exact", "tflite"]
ROUNDINGS: tuple[Rounding, ...] = ("exact", "tflite")
