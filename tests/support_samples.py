"""How many of a family's cases a run takes: `make test` a sample of the large ones, `make thorough` (`LOOMIR_THOROUGH=1`) all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

THOROUGH = os.environ.get("LOOMIR_THOROUGH") == "1"
"""Whether a run has minutes for every family."""

Case = TypeVar("Case")


def sample(cases: Sequence[Case], one_of: int) -> list[Case]:
    """One of so many cases, evenly spread; all of them where a run is thorough."""
    return list(cases if THOROUGH else cases[::one_of])
