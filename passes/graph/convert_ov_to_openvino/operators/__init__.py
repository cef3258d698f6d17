"""Expression of operations that no operation set has.

There is one module per group of operator families; their functions register themselves (`legalization.py`).
"""

from __future__ import annotations
