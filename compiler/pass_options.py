"""Options that users choose for whole pipelines: machine, integers, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from xdsl.passes import ModulePass

from loomir.compiler.pipeline import Pipeline, pass_instances


def with_options(passes: Sequence[ModulePass], name: str, **options: Any) -> Pipeline:
    """Return the passes with other options for those of this name.

    There must be a pass of this name.
    """
    assert any(each.name == name for each in passes), name
    return tuple(replace(each, **options) if each.name == name else each for each in passes)


def for_machine(passes: str | Sequence[str | ModulePass], machine: str) -> list[ModulePass]:
    """Return the passes with this machine in place of the generic one.

    This changes those passes that have a machine option with the generic machine.
    """
    option: dict[str, Any] = {"machine": machine}
    return [
        replace(each, **option) if getattr(each, "machine", None) == "generic" else each
        for each in pass_instances(passes)
    ]


def with_integers(
    passes: str | Sequence[str | ModulePass], io: str = "float", rounding: str = "exact"
) -> list[ModulePass]:
    """Return passes on GRAPH that include `ov-to-integer`.

    This pass runs before constant folding, which converts integer weights to floats, and before `ov-narrow-weights`, which
    is for weights that stay floats. `io` is `float`, or the type of inputs and outputs (`ov-quantize-io`); `rounding` is
    the rounding mode of `ov-to-integer`; `exact` leaves an existing pass unchanged.
    """
    found = pass_instances(passes)
    if not any(each.name == "ov-to-integer" for each in found):
        later = ("ov-narrow-weights", "ov-fold-constants")
        first = next((i for i, each in enumerate(found) if each.name in later), len(found))
        # (What the rules ask for has to be known; folding constants would infer it, too.)
        found = [*found[:first], *pass_instances("ov-infer,ov-to-integer"), *found[first:]]
    if rounding != "exact":
        found = list(with_options(found, "ov-to-integer", rounding=rounding))
    if io != "float" and not any(each.name == "ov-quantize-io" for each in found):
        first = next(i for i, each in enumerate(found) if each.name == "ov-to-integer")
        found = [*found[:first], *pass_instances(f"ov-quantize-io{{element={io}}}"), *found[first:]]
    return found


def limited(
    passes: str | Sequence[str | ModulePass],
    *,
    capacity: int | None = None,
    max_iterations: int | None = None,
    max_bytes: int | None = None,
) -> list[ModulePass]:
    """The passes under these limits (None: as they are).

    `capacity` is for those that give what grows its room, unless they have one; `max_iterations` for those that bound loops, where of
    two bounds the smaller one counts, and so it is with `max_bytes` for `ov-fold-constants` (of other passes such an option is no bound of
    what a user may ask for, but of what pays).
    """
    found: list[ModulePass] = []
    for instance in pass_instances(passes):
        options = {f.name: getattr(instance, f.name) for f in fields(instance)}
        changes: dict[str, int] = {}
        if capacity is not None and "capacity" in options and options["capacity"] is None:
            changes["capacity"] = capacity
        if max_iterations is not None and "max_iterations" in options:
            changes["max_iterations"] = _smaller(options["max_iterations"], max_iterations)
        if max_bytes is not None and instance.name == "ov-fold-constants":
            changes["max_bytes"] = _smaller(options["max_bytes"], max_bytes)
        found.append(replace(instance, **changes) if changes else instance)
    return found


def _smaller(own: int | None, given: int) -> int:
    return given if own is None else min(own, given)
