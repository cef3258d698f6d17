"""The one exception that loomir raises for anything a user can cause, and its warnings.

Every user error carries an identifier that documentation and tests refer to, says where it happened and
what is wrong, and, where there is something to do, what to do. The tools print `str(error)` and exit with 1;
an exception of any other class that reaches a user is a bug of ours: `boundary` answers it with `internal-error`.
"""

from __future__ import annotations

import errno
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import ParamSpec, TypeVar

MAX_TEXT = 800
"""Characters of a line of an error's text: names and attributes of a model may have a megabyte."""


@dataclass(frozen=True)
class Where:
    """The place that an error is about; every part is optional.

    `file` is a path as the user gave it, `layer` the name (or id) of an OpenVINO layer or ONNX node, `op` its
    operator type, such as `Loop` or `ov.loop`; `position` is the line in a text, and the column where that is known, from 1.
    """

    file: str | None = None
    layer: str | None = None
    op: str | None = None
    position: tuple[int] | tuple[int, int] | None = None

    @property
    def layer_and_op(self) -> str:
        """What of the place belongs to the program itself: no file."""
        place = ""
        if self.layer is not None:
            place = f"'{_one_line(self.layer)}'"
        if self.op is not None:
            place = f"{place} ({_one_line(self.op)})" if place else _one_line(self.op)
        return place

    def __str__(self) -> str:
        text = ":".join(map(str, (self.file or "", *(self.position or ()))))
        return ": ".join(part for part in (text, self.layer_and_op) if part)


class LoomirWarning(UserWarning):
    """Base of loomir's warnings, which its tools print in the form of errors: the work goes on all the same."""


class SemanticsWarning(LoomirWarning):
    """A node that ONNX's specification and ONNX Runtime read differently: names it, and the option that chooses."""


class ExtensionWarning(LoomirWarning):
    """What an installed package announces cannot be loaded, and is left out: names the package, and how to switch such extensions off."""


class FormatWarning(LoomirWarning):
    """Something that a file says and nothing reads: names it, with the file, the line and the layer."""


def warn(warning: LoomirWarning) -> None:
    """Issue a warning for the line that called loomir: Python shows that line, and warns once for each."""
    level, frame = 1, sys._getframe()
    while (caller := frame.f_back) is not None and caller.f_globals.get("__name__", "").startswith("loomir."):
        level, frame = level + 1, caller
    warnings.warn(warning, stacklevel=level + 1)


class Error(Exception):
    """A user error: `identifier` names its class, `what` is wrong, `hint` says what to do.

    Identifiers are kebab-case and literal at the place that raises them, so that a test can list them all.
    An error raised deep inside may not know its file or layer: whoever knows adds it with `at`. `inferred` marks what inference
    found: that shapes or contents forbid an operation.

    >>> print(Error("unknown-operator", "no operator 'Foo' in opset1", file="a.xml", layer="x", op="Foo"))
    a.xml: 'x' (Foo): no operator 'Foo' in opset1 [unknown-operator]
    """

    identifier: str
    what: str
    where: Where
    hint: str | None
    notes: list[tuple[str, Where]]
    """What else there is to say, each with its own place."""
    inferred: bool = False

    def __init__(
        self,
        identifier: str,
        what: str,
        *,
        file: str | None = None,
        layer: str | None = None,
        op: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(what)
        self.identifier = identifier
        self.what = what
        self.where = Where(file, layer, op)
        self.hint = hint
        self.notes = []

    def at(
        self,
        *,
        file: str | None = None,
        layer: str | None = None,
        op: str | None = None,
        position: tuple[int, int] | None = None,
        line: int | None = None,
    ) -> Error:
        """Fill in the parts of the place that are not known yet, and return the error itself."""
        now = self.where
        found = position if line is None else (line,)
        self.where = Where(now.file or file, now.layer or layer, now.op or op, now.position or found)
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """How it is sent to another process."""
        return _rebuilt, (type(self), self.identifier, self.what, self.where, self.hint, self.notes)

    def __str__(self) -> str:
        head = ": ".join(
            part for part in (str(self.where), f"{_one_line(self.what)} [{self.identifier}]") if part
        )
        lines = [head, *([brief(self.hint)] if self.hint else [])]
        if not self.hint:
            lines += [f"{where}: {_one_line(what)}" for what, where in self.notes[:1]]
        return "\n  ".join(lines)


def _rebuilt(
    kind: type[Error],
    identifier: str, what: str, where: Where, hint: str | None, notes: list[tuple[str, Where]]
) -> Error:
    error = kind(identifier, what, hint=hint)
    error.where, error.notes = where, notes
    return error


def brief(text: str) -> str:
    """A text with the middle of its long lines left out."""
    if len(text) <= MAX_TEXT:
        return text
    cut = (
        f"{t[: MAX_TEXT // 2]} … {t[-MAX_TEXT // 4 :]}" if len(t) > MAX_TEXT else t for t in text.split("\n")
    )
    return "\n".join(cut)


def shown(value: object) -> str:
    """What a user has given, in a few words: anything at all, and some of it may be long, or not even have words."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:60]} … {text[-12:]}"


def suggestion(given: str, known: Iterable[str]) -> str | None:
    """`did you mean 'x'?` for the name that is nearest to what a user has written; None if there is none near."""
    from difflib import get_close_matches

    near = get_close_matches(given[:80], list(known), n=1)
    return f"did you mean '{near[0]}'?" if near else None


def _one_line(text: str) -> str:
    return brief(" ".join(text.splitlines()))


P = ParamSpec("P")
R = TypeVar("R")


def boundary(function: Callable[P, R]) -> Callable[P, R]:
    """What users call: only `Error` leaves it, as with `only_errors`. Error: `bad-option`, for arguments that it does not take."""

    @wraps(function)
    def answered(*arguments: P.args, **options: P.kwargs) -> R:
        # (No `with`: a context manager would take a tenth of the time of a call of a small model.)
        try:
            return function(*arguments, **options)
        except Error:
            raise
        except Exception as error:
            if isinstance(error, TypeError):
                _check_arguments(function, arguments, options)
            raise _error_of(error) from error

    return answered


def _check_arguments(function: Callable[..., object], arguments: Sequence[object], options: Mapping[str, object]) -> None:
    try:
        signature(function).bind(*arguments, **options)
    except TypeError as error:
        raise Error("bad-option", f"{function.__name__}: {error}") from None


@contextmanager
def only_errors() -> Iterator[None]:
    """Only `Error` leaves it, with what it stands for as its `__cause__`.

    Errors: `limit-memory`, `model-too-deep`, `file-unwritable` for a device that is full, and for whatever else nobody foresaw `internal-error`. It is there for users alone: who
    looks for faults of loomir asks `crash_of`.
    """
    try:
        yield
    except Error:
        raise
    except Exception as error:
        raise _error_of(error) from error


def _error_of(error: Exception) -> Error:
    """The `Error` for an exception of another class."""
    if isinstance(error, MemoryError):
        return Error(
            "limit-memory",
            f"there is not enough memory{_place(error)}",
            hint="set smaller bounds to fail earlier: --max-bytes (max_bytes= in Python), --max-shape, --capacity",
        )
    if isinstance(error, RecursionError):
        return Error("model-too-deep", f"something is nested too deep{_place(error)}")
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return file_unwritable(error.filename or "the output", error)
    return internal_error(error)


def internal_error(error: Exception) -> Error:
    """What users are told of a defect."""
    said = _one_line(str(error))
    return Error(
        "internal-error",
        f"unexpected exception in loomir: {type(error).__name__}{': ' if said else ''}{said}{_place(error)}",
        hint="this is a defect of loomir, not of the model: please report it with this message, the command and the model"
        " (loomir-reduce makes it small)",
    )


def file_unwritable(path: str | Path, error: OSError | ValueError) -> Error:
    """What a user is told of a file or folder that cannot be written (a `ValueError`: no path, for there is a NUL in it)."""
    said = error.strerror if isinstance(error, OSError) else None
    return Error("file-unwritable", f"cannot be written: {said or error}", file=str(path).replace("\0", "\\0"))


def crash_of(error: Error) -> Exception | None:
    """The exception that an `internal-error` stands for; None for an error that was foreseen."""
    if error.identifier != "internal-error":
        return None
    return error.__cause__ if isinstance(error.__cause__, Exception) else error


def raised_by_loomir(error: BaseException) -> bool:
    """Whether an exception was raised by a line of loomir, not of what it calls."""
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return bool(frames) and _own(frames[-1].filename) is not None


def _own(filename: str) -> Path | None:
    """A file of loomir, from its root; None for any other."""
    root = Path(__file__).resolve().parents[1]
    path = Path(filename).resolve()
    if not path.is_relative_to(root) or "site-packages" in path.relative_to(root).parts:
        return None
    return path.relative_to(root)


def _place(error: BaseException) -> str:
    """The innermost line of loomir that an exception came through."""
    for frame in reversed(traceback.extract_tb(error.__traceback__, limit=-60)):
        path = _own(frame.filename)
        if path is not None and path != _own(__file__):
            return f" ({path.as_posix()}:{frame.lineno})"
    return ""
