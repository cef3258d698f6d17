"""What installed packages announce: to ask it loads no extension, nor what extensions are made of."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

GROUP = "loomir.extensions"
"""The entry points of installed packages: each names a module, or an `Extension` in one."""


def announced() -> list[EntryPoint]:
    """The entry points of extensions, in the order of their names."""
    return sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
