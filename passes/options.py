"""Checks of pass options.

An option that is out of range is an error, and is not accepted silently.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.passes import ModulePass

from loomir.errors import Error


def check_least(instance: ModulePass, **least: int) -> None:
    """Check that options are numbers and not less than their minimum.

    `true` is not the number 1. Each keyword argument is the minimum of the option of that name; None is an option that is
    not set. Error: `bad-option`.
    """
    for name, lowest in least.items():
        value = getattr(instance, name)
        option = name.replace("_", "-")
        if isinstance(value, bool):
            raise Error("bad-option", f"{instance.name}: {option}={str(value).lower()} must be a number")
        if value is not None and value < lowest:
            raise Error("bad-option", f"{instance.name}: {option}={value} must be at least {lowest}")


def check_choice(instance: ModulePass, name: str, choices: Sequence[str]) -> None:
    """Refuse an option that is none of these words. Error: `bad-option`."""
    value = getattr(instance, name)
    if value not in choices:
        option = name.replace("_", "-")
        raise Error("bad-option", f"{instance.name}: {option}={value} must be one of {', '.join(choices)}")
