"""What is raised where an extension uses what this Model Optimizer API does not have."""

from __future__ import annotations

from loomir.errors import Error

NOT_COVERED = "mo-api-not-covered"
"""Identifier of the error for every module, class, function, method and attribute that is not there."""


class AttributeNotCovered(Error, AttributeError):
    """A name that a module or a class of the API does not have; also an `AttributeError`, for `hasattr`."""


class ImportNotCovered(Error, ModuleNotFoundError):
    """A module that the API does not have; also a `ModuleNotFoundError`, for `try: import`."""


class NodeAttributeMissing(Error, AttributeError, KeyError):
    """An attribute that a node does not have; also a `KeyError`, which extensions may catch, and an `AttributeError`."""

    # `KeyError` prints the representation of its argument, which would hide the place and the hint.
    __str__ = Error.__str__


def attribute_not_covered(owner: str, name: str) -> AttributeNotCovered:
    """The error for a name that `owner` (a module or class, as an extension writes it) does not have."""
    return AttributeNotCovered(
        NOT_COVERED,
        f"{owner} has no '{name}' in loomir's Model Optimizer API",
        hint="the extension has to do without it, or loomir.compiler.mo has to get it",
    )


def import_not_covered(name: str) -> ImportNotCovered:
    """The error for a module that is not there, by the name that was imported."""
    return ImportNotCovered(
        NOT_COVERED,
        f"there is no '{name}' in loomir's Model Optimizer API",
        hint="the extension has to do without it, or loomir.compiler.mo has to get it",
    )
