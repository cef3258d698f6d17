"""Quantisation of reals as 8-bit integers at the boundary of a program.

An integer stands for the real number scale · (integer − zero point).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Quantisation:
    """One scale and one zero point for a whole tensor."""

    scale: float
    zero_point: int

    def integers(self, reals: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
        """Quantise real numbers to integers of the given type.

        Rounds to the nearest integer, ties to even; saturates values out of range; maps NaN to 0.
        """
        limits = np.iinfo(dtype)
        numbers = np.nan_to_num(np.asarray(reals, np.float64), posinf=np.inf, neginf=-np.inf)
        steps = np.rint(numbers / self.scale) + self.zero_point
        return steps.clip(limits.min, limits.max).astype(dtype)

    def reals(self, integers: np.ndarray) -> np.ndarray:
        """Dequantise integers to float32."""
        return (self.scale * (np.asarray(integers, np.float64) - self.zero_point)).astype(np.float32)

    def __str__(self) -> str:
        zero = self.zero_point
        integer = "q" if not zero else f"(q {'-' if zero > 0 else '+'} {abs(zero)})"
        return f"{self.scale:.9g} * {integer}"
