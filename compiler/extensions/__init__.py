"""Extensions of loomir by other packages.

They add operators, meanings of nodes and layers, and transformations (`extension.py`); `loading.py` loads them.

This module finds the extensions that installed packages announce. That loads neither an extension nor the modules that
extensions build on.
"""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint, entry_points

from loomir.errors import Error

GROUP = "loomir.extensions"
"""Entry point group of installed packages.

Each entry point names a module, or an `Extension` in one.
"""


VARIABLE = "LOOMIR_EXTENSIONS"
"""Environment variable that disables announced extensions (`none`).

Without it they are enabled (`installed`).
"""


def announced() -> list[EntryPoint]:
    """Return the entry points of extensions, sorted by name.

    Error: `bad-option`.
    """
    chosen = os.environ.get(VARIABLE) or "installed"
    if chosen not in ("installed", "none"):
        raise Error("bad-option", f"{VARIABLE}={chosen}", hint="known: installed (as without it), none")
    if chosen == "none":
        return []
    return sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))


NAMED: dict[str, str] = {}
"""Sources of extensions that `load_extension` loaded, by the extensions' names."""


def named_sources() -> list[str]:
    """Return the sources for `--extension` that load these extensions again."""
    return list(dict.fromkeys(NAMED.values()))
