"""All mutations, by the family of the passes that they are in."""

from __future__ import annotations

from tests.differential.mutations.branches import BRANCHES
from tests.differential.mutations.closed_forms import CLOSED_FORMS
from tests.differential.mutations.control_flow import CONTROL_FLOW
from tests.differential.mutations.copies import COPIES
from tests.differential.mutations.fusion import FUSION
from tests.differential.mutations.joined_values import JOINED_VALUES
from tests.differential.mutations.layouts import LAYOUTS
from tests.differential.mutations.loop_structure import LOOP_STRUCTURE
from tests.differential.mutations.loop_values import LOOP_VALUES
from tests.differential.mutations.motion import MOTION
from tests.differential.mutations.mutation import Mutation
from tests.differential.mutations.structured import STRUCTURED
from tests.differential.mutations.trip_counts import TRIP_COUNTS
from tests.differential.mutations.vectors import VECTORS
from tests.differential.mutations.whole_axis import WHOLE_AXIS

FAMILIES: dict[str, tuple[Mutation, ...]] = {
    "trip counts": TRIP_COUNTS,
    "branches": BRANCHES,
    "unrolling and peeling": COPIES,
    "loop values": LOOP_VALUES + JOINED_VALUES,
    "motion and fusion": MOTION + FUSION,
    "structure of loops": CLOSED_FORMS + WHOLE_AXIS + LOOP_STRUCTURE + LAYOUTS,
    "passes on scf": STRUCTURED + CONTROL_FLOW,
    "vectors": VECTORS,
}

MUTATIONS: dict[str, Mutation] = {m.name: m for mutations in FAMILIES.values() for m in mutations}
