"""Kinds of inputs and outputs of a quantised network, by user-facing name.

The module imports nothing, so that `--help` is quick.
"""

from __future__ import annotations

from typing import Literal

Io = Literal["float", "int8", "uint8"]
IO: tuple[Io, ...] = ("float", "int8", "uint8")
