"""What installed packages announce: to ask it loads no extension, nor what extensions are made of."""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint, entry_points

from loomir.errors import Error

GROUP = "loomir.extensions"
"""The entry points of installed packages: each names a module, or an `Extension` in one."""


VARIABLE = "LOOMIR_EXTENSIONS"
"""The environment variable that switches them off (`none`); without it they hold (`installed`)."""


def announced() -> list[EntryPoint]:
    """The entry points of extensions, in the order of their names. Error: `bad-option`."""
    chosen = os.environ.get(VARIABLE) or "installed"
    if chosen not in ("installed", "none"):
        raise Error("bad-option", f"{VARIABLE}={chosen}", hint="known: installed (as without it), none")
    if chosen == "none":
        return []
    return sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
