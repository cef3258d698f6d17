"""What inputs and outputs of a quantised network are, by the name that users give. Nothing is imported, so that `--help` is quick."""

from __future__ import annotations

from typing import Literal

Io = Literal["float", "int8", "uint8"]
IO: tuple[Io, ...] = ("float", "int8", "uint8")
