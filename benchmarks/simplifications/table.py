"""The rows of `docs/optimisations.md`, by what they are about. They were fixed before the passes that they measure."""

from __future__ import annotations

from simplifications import (
    branches,
    branches_in_loops,
    motion,
    parallel,
    places,
    recurrences,
    reductions,
    trips,
    values,
)

GROUPS = {
    "Trip counts": trips.ROWS,
    "Branches": branches.ROWS,
    "Loop values": values.ROWS,
    "Motion, unrolling, peeling": motion.ROWS,
    "Parallel parts of loops": parallel.ROWS,
    "Reductions": reductions.ROWS,
    "Recurrences": recurrences.ROWS,
    "Branches in loops": branches_in_loops.ROWS,
    "Layouts and places": places.ROWS,
}

ROWS = tuple(row for rows in GROUPS.values() for row in rows)
