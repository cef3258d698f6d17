"""Default limits on the resources that a model may request.

The user can override them. The module contains only numbers, which argument parsers also show.
"""

from __future__ import annotations

MAX_BYTES = 1 << 30
"""Default limit in bytes of one tensor, the arena, and constant folding.

For constant folding it limits the sum of all folded constants.
"""

DEFAULT_MAX_ITERATIONS = 10**8
"""Default limit on the iterations of all loops together.

It applies to an engine that counts them.
"""

MAX_CAPACITY = 1 << 20
"""Default limit of otherwise unbounded extents, in engines below GRAPH."""

MAX_SPECIALISATIONS = 16
"""Default limit on a model's specialised programs.

They are programs of one model for different values of its inputs.
"""
