"""Extensions that a test makes itself, loaded as a module's are."""

from __future__ import annotations

import sys
from types import ModuleType

import loomir


def load(extension: loomir.Extension) -> None:
    """Load an extension as that of a module; whoever calls it takes it back (`unloaded_afterwards`)."""
    name = f"module_of_{id(extension)}"
    module = ModuleType(name)
    vars(module)["extension"] = extension
    sys.modules[name] = module
    try:
        loomir.load_extension(name)
    finally:
        del sys.modules[name]
