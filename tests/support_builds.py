"""The native engine in the builds that it may have: machine, C compiler, level, in rotation over the cases of a net.

Tests run native code for any processor where they compare bits (`tests/__init__.py`). Nets, which compare within the tolerance of
rounding, run what users get by default, and the others beside it: which case gets which depends on its name only, so that a run takes
no longer.
"""

from __future__ import annotations

from loomir.compiler.levels import LEVELS, Level
from loomir.passes.analysis.machines import NATIVE
from loomir.tools.fuzz.builds import Build, build_for, builds, number_of

BUILDS = builds(flags=("O2",))
"""Every machine and compiler, with the flags of the native engine itself."""

DEFAULT = builds((NATIVE,), flags=("O2",))
"""The machine that users get, with every compiler."""


def build_of(key: str) -> Build:
    """The build of a case."""
    return build_for(key, BUILDS)


def default_build_of(key: str) -> Build:
    """The build of a case of which there are few: the machine that users get."""
    return build_for(key, DEFAULT)


def level_of(key: str) -> Level:
    """The level of a case."""
    return tuple(LEVELS)[number_of(f"level of {key}") % len(LEVELS)]
