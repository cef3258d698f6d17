"""Errors for extensions that use parts missing from this Model Optimizer API."""

from __future__ import annotations

from loomir.errors import Error

NOT_COVERED = "mo-api-not-covered"
"""Error identifier for every missing module, class, function, method and attribute."""


class AttributeNotCovered(Error, AttributeError):
    """Name missing from a module or a class of the API.

    The error is also an `AttributeError`, for `hasattr`.
    """


class ImportNotCovered(Error, ModuleNotFoundError):
    """Module missing from the API.

    The error is also a `ModuleNotFoundError`, for `try: import`.
    """


class NodeAttributeMissing(Error, AttributeError, KeyError):
    """Attribute missing from a node.

    The error is also a `KeyError`, which extensions may catch, and an `AttributeError`.
    """

    # `KeyError` prints the representation of its argument, which would hide the place and the hint.
    __str__ = Error.__str__


def attribute_not_covered(owner: str, name: str) -> AttributeNotCovered:
    """Return the error for a name that `owner` does not have.

    `owner` is a module or class, as an extension writes it.
    """
    return AttributeNotCovered(
        NOT_COVERED,
        f"{owner} has no '{name}' in loomir's Model Optimizer API",
        hint="the extension has to do without it, or loomir.tools.model_optimizer.mo has to get it",
    )


def import_not_covered(name: str) -> ImportNotCovered:
    """Return the error for a missing module, by its imported name."""
    return ImportNotCovered(
        NOT_COVERED,
        f"there is no '{name}' in loomir's Model Optimizer API",
        hint="the extension has to do without it, or loomir.tools.model_optimizer.mo has to get it",
    )
