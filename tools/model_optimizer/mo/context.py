"""State of a conversion with extensions, and errors of their code.

Conversions do not share the state: two may run at once, with different directories. The Model Optimizer converts one
model in a process, and its classes keep global state. Here each thread keeps the state.

Part of it is the inference of operations of operation sets. The bridge to loomir's own operations provides it. Classes of
extensions have their own `infer`; the table's operations call the function that was set here.

Exceptions in calls of foreign code become errors that name it; extensions raise errors of their own classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from loomir.errors import Error
from loomir.errors import Error as LoomirError


class blamed_on:
    """Context manager that attributes foreign exceptions to a line of a file.

    `with blamed_on(identifier, what, file):` converts any exception but an `Error` to an `Error` that names the line of the
    file.

    An `Error` is not converted; it receives the file if it has none.
    """

    def __init__(self, identifier: str, what: str, file: Path | str | None) -> None:
        self._identifier, self._what = identifier, what
        self._file = None if file is None else str(file)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Error):
            if error.where.file is None:
                error.at(file=self._file)
        elif isinstance(error, Exception):
            line = self._line(error, trace)
            place = "" if line is None else f" (line {line})"
            what = f"{self._what}: {type(error).__name__}: {error}{place}"
            raise Error(self._identifier, what, file=self._file) from error

    def _line(self, error: Exception, trace: TracebackType | None) -> int | None:
        """Return the last line of the file in the traceback.

        For a syntax error it is the line of the syntax error.
        """
        if isinstance(error, SyntaxError) and error.filename == self._file:
            return error.lineno
        line = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line


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


class ExtensionError(BasicError):
    """Something is wrong with the model or the options."""


class InternalError(BasicError):
    """Something is wrong with the extension."""


NodeKey = tuple[str, str, str]
"""Type, version and name."""


@dataclass
class ConversionState:
    """State of a conversion.

    `operations` are classes by their `op`; `replacements` are descriptions of a configuration file by their id; `infer`
    infers operations of operation sets; `nodes` has, for nodes that became operators, their `infer` and all their
    attributes, since a class may read attributes that no layer has.
    """

    operations: dict[str, Any] = field(default_factory=dict)
    replacements: dict[str, list[Any]] = field(default_factory=dict)
    infer: Callable[[Any], None] | None = None
    nodes: dict[NodeKey, tuple[Callable[[Any], object], Mapping[str, Any]]] = field(default_factory=dict)


_known: ContextVar[ConversionState | None] = ContextVar("known", default=None)


def conversion_state() -> ConversionState:
    """Return the state of the conversion that runs in this thread.

    Without a running conversion, it is the state that the thread itself has loaded.
    """
    found = _known.get()
    if found is None:
        found = ConversionState()
        _known.set(found)
    return found


@contextmanager
def conversion() -> Iterator[None]:
    """Begin a conversion, whose state is discarded at its end."""
    token = _known.set(ConversionState())
    try:
        yield
    finally:
        _known.reset(token)


Inference = Callable[[Any], None]
"""Sets shapes, and values where they are known, of a node's outputs."""


def set_inference(function: Inference | None) -> Inference | None:
    """`function` infers from now on, or nothing does; returns what did before."""
    before = conversion_state().infer
    conversion_state().infer = function
    return before


def infer(node: Any) -> None:
    """Infer shapes and values of the node's outputs.

    Errors: `mo-infer-missing` if no inference function was set.
    """
    function = conversion_state().infer
    if function is None:
        raise Error(
            "mo-infer-missing",
            "no inference of operations of operation sets is set here",
            layer=str(node.soft_get("name", node.id)),
            op=str(node.soft_get("type", node.soft_get("op"))),
            hint="set it with loomir.tools.model_optimizer.mo.context.set_inference",
        )
    function(node)
