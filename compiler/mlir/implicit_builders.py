"""xDSL's implicit builders in several threads.

Inside of `with ImplicitBuilder(block)` every operation that is made goes into the block. To be told of them, xDSL 0.74 replaces
`Operation.__post_init__` on entry and puts back what it found on exit. Which builder is the current one it keeps for each thread,
but that method is everybody's: of two threads that build regions at once, the first to leave takes the method away from the
other, whose block then stays empty (`linalg.fill`, `scf.if` and the parsers build regions in this way). Here the replacement is made
once and stays: without a builder in a thread it does nothing.
"""

from __future__ import annotations

from xdsl import builder
from xdsl.ir import Operation


def install() -> None:
    """Make the replacement, once."""
    if getattr(builder, "_loomir_installed", False):
        return
    builder._override_operation_post_init()
    told = Operation.__post_init__
    # What a builder finds on entry is now what it is to leave behind.
    builder._override_operation_post_init = lambda: told
    builder._loomir_installed = True  # pyright: ignore[reportAttributeAccessIssue]
