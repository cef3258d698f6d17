"""The errors that extensions raise."""

from __future__ import annotations

from typing import Any

from loomir.errors import Error as LoomirError

EXTENSION_ERROR = "mo-extension-error"
"""Identifier of what an extension raises itself."""


class BasicError(LoomirError):
    """Error with a text in the notation of `str.format`.

    The text has placeholders for the other arguments. Users see the error like any other of loomir.
    """

    def __init__(self, text: Any = "", *args: Any) -> None:
        template = str(text)
        super().__init__(EXTENSION_ERROR, template.format(*args) if args else template)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what,)


class FrameworkError(BasicError):
    """Error of the framework that the model comes from."""


class Error(BasicError):
    """Something is wrong with the model or the options."""


class InternalError(BasicError):
    """Something is wrong with the extension."""
