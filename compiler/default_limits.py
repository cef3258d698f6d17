"""The bounds of what a model may ask for, unless the user says otherwise: numbers alone, which argument parsers show too."""

from __future__ import annotations

MAX_BYTES = 1 << 30
"""Of one tensor, of the arena, and of all that folding constants makes, unless the user says otherwise."""

DEFAULT_MAX_ITERATIONS = 10**8
"""Of all loops together in an engine that counts them, unless the user says otherwise."""

MAX_CAPACITY = 1 << 20
"""Of an extent that nothing bounds, in the engines below GRAPH, unless the user says otherwise."""

MAX_SPECIALISATIONS = 16
"""Programs of one model for different values of its inputs, unless the user says otherwise."""
