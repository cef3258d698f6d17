"""Calls of foreign code, whose exceptions become errors that name it."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from loomir.errors import Error


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
