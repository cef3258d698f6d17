"""Decompositions, one module per group of operator families.

The families are those of `dialects/ov/operators`.
"""

from __future__ import annotations
