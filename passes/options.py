"""Options of passes: what is out of range is refused, and not taken in silence."""

from __future__ import annotations

from xdsl.passes import ModulePass

from loomir.errors import Error


def check_least(instance: ModulePass, **least: int) -> None:
    """Refuse options that are less than what is given for their names; None is an option that is not given. Error: `bad-option`."""
    for name, lowest in least.items():
        value = getattr(instance, name)
        if value is not None and value < lowest:
            option = name.replace("_", "-")
            raise Error("bad-option", f"{instance.name}: {option}={value} must be at least {lowest}")
