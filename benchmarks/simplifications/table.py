"""The rows of `docs/optimisations.md`, by what they are about. They were fixed before the passes that they measure."""

from __future__ import annotations

from simplifications import branches, motion, trips, values

GROUPS = {
    "Trip counts": trips.ROWS,
    "Branches": branches.ROWS,
    "Loop values": values.ROWS,
    "Motion, unrolling, peeling": motion.ROWS,
}

ROWS = tuple(row for rows in GROUPS.values() for row in rows)
