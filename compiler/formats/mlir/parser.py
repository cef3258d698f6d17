"""MLIR text, parsed in the xDSL context that knows every dialect.

Every part of loomir parses and rewrites in this context.

xDSL's parser is extended so that every operation has its source location. `syntax` has its lexer, literals and custom formats;
`programs` checks what was read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, get_all_dialects
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import BlockArgument, Operation, SSAValue, TypeAttribute
from xdsl.parser import Parser
from xdsl.parser.core import UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from loomir.compiler.files import MAX_FILE_BYTES, read_file
from loomir.compiler.formats.format import dialects_of_formats
from loomir.compiler.formats.mlir.syntax import FORMATS, AssemblyFormat, Lexer, LiteralParser
from loomir.compiler.stages import verify_module
from loomir.compiler.universe import added_dialects
from loomir.dialects.upstream.implicit_bodies import IMPLICIT_BUILDER
from loomir.dialects.upstream.vector_conditions import select
from loomir.dialects.vectors import is_vector
from loomir.errors import Error, Where, raised_by_loomir, suggestion

SPLAT = 1 << 24
"""Elements of `dense<1.0>`."""

_PLAIN_TYPE = re.compile(r"(?:tensor|memref)<[0-9a-zA-Z?*]+>")
"""A type whose text says all about it: no alias, no attribute."""

_UNDEFINED = "values used but not defined"
"""Beginning of xDSL's error for undefined values.

That error is at the end of the text.
"""

SHOWN = 100
"""Characters of a line that an error shows."""


class _Scopes(dict[str, tuple[SSAValue, ...]]):
    """Visible values by name.

    A copy is only a mark to return to, so that the cost of a region does not grow with all the text before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __setitem__(self, name: str, values: tuple[SSAValue, ...]) -> None:
        self.names.append(name)
        super().__setitem__(name, values)

    def copy(self) -> _Mark:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _Mark(len(self.names))

    def back_to(self, mark: _Mark) -> None:
        while len(self.names) > mark.size:
            del self[self.names.pop()]


@dataclass(frozen=True)
class _Mark:
    size: int


class MlirParser(LiteralParser, Parser):
    """Parser that locates each operation at its name, as MLIR does.

    A name location in the text is kept, with the operation's position inside.

    `first_line` is the number of the text's first line, if the text is a part of a file.
    """

    def __init__(self, context: Context, text: str, name: str = "<text>", *, first_line: int = 1) -> None:
        super().__init__(context, "", name)
        self._parser_state = ParserState(Lexer(Input(text, name)))
        self._file = StringAttr(name)
        self._first_line = first_line
        self._line_starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))[:-1]
        self._types: dict[str, Any] = {}
        self._first_uses: dict[str, Span] = {}
        self._names: list[int] = []
        """Name positions of the operations being parsed, outermost first."""

    @property
    def ssa_values(self) -> Any:
        """Table of visible values.

        xDSL copies the table before a region and restores the copy after it.
        """
        return self._scopes

    @ssa_values.setter
    def ssa_values(self, values: Any) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        if isinstance(values, _Mark):
            self._scopes.back_to(values)
        else:
            self._scopes = _Scopes()

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            with self._reading():
                return super().parse_module(allow_implicit_module)
        except ParseError as error:
            if not error.msg.startswith(_UNDEFINED):
                raise
            first, *others = (self._first_uses[name] for name in self.forward_ssa_references)
            raise MultipleSpansParseError(
                first,
                f"value {first.text} is used but not defined",
                "it is used here",
                [(span, f"so is {span.text}") for span in others],
            ) from error

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue:
        """As xDSL's; notes first uses of undefined values for errors."""
        name = operand.operand_name
        if name not in self.ssa_values and name not in self.forward_ssa_references:
            self._first_uses[name] = operand.span
        return super().resolve_operand(operand, type)

    def parse_operation(self) -> Operation:
        self._names.append(self.pos)
        with self._reading():
            op = super().parse_operation()
        start = self._names.pop()
        if isinstance(op.location, UnknownLoc):
            op.location = self._location(start)
        elif isinstance(op.location, NameLoc) and isinstance(op.location.location, NoneAttr):
            op.location = NameLoc(op.location.desc, self._location(start))
        return op

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        """As xDSL's; arguments of blocks are located at their names."""
        for value in values:
            if isinstance(value, BlockArgument) and isinstance(value.location, UnknownLoc):
                value.location = self._location(span.start)
        super()._register_ssa_definition(name, values, span)

    def _get_op_by_name(self, name: str) -> Any:
        """As xDSL's; the error is at the name, and suggests one."""
        try:
            found = super()._get_op_by_name(name)
        except ParseError as error:
            start = self._names[-1] if self._names else self.pos
            dialect = self.ctx.get_optional_dialect(name.partition(".")[0])
            near = suggestion(name, [each.name for each in dialect.operations] if dialect else [])
            text = "; ".join(part for part in (error.msg, near) if part)
            raise ParseError(Span(start, start + len(name), self.lexer.input), text) from error
        return FORMATS.get(found, found)

    def _parse_generic_operation(self, op_type: Any) -> Operation:
        op = super()._parse_generic_operation(
            op_type.operation if isinstance(op_type, AssemblyFormat) else op_type
        )
        if not isinstance(op, arith.SelectOp) or len(op.operands) != 3 or not is_vector(op.operands[0].type):
            return op
        masked = select(*op.operands)
        masked.attributes |= op.attributes
        masked.location = op.location
        op.erase()
        return masked

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        self._names[-1] = self.pos
        return results

    def parse_optional_type(self) -> TypeAttribute | None:
        """As xDSL's; the same text is parsed once."""
        plain = _PLAIN_TYPE.match(self.lexer.input.content, self.pos)
        if plain is None:
            return super().parse_optional_type()
        if plain[0] in self._types:
            self._resume_from(plain.end())
            return self._types[plain[0]]
        type_ = super().parse_optional_type()
        self._types[plain[0]] = type_
        return type_

    def _parse_dense_literal_type(self) -> Any:
        type_ = super()._parse_dense_literal_type()
        self._check_elements(type_)
        return type_

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> DenseIntOrFPElementsAttr:
        """Parse a dense attribute; pack a splat value only once.

        xDSL builds a list with one entry for each element instead. Otherwise as xDSL's.
        """
        start = self.pos
        self.parse_punctuation("<", " in dense attribute")
        if self._current_token.kind in (
            MLIRTokenKind.GREATER,
            MLIRTokenKind.L_SQUARE,
            MLIRTokenKind.STRING_LIT,
        ):
            self._resume_from(start)
            if type is not None:
                self._check_elements(type)
            return super().parse_dense_int_or_fp_elements_attr(type)
        value = self._parse_tensor_literal_element()
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = super()._parse_dense_literal_type()
        self._check_elements(type)
        element = type.element_type
        one = DenseIntOrFPElementsAttr.from_list(TensorType(element, [1]), [value.to_type(self, element)])  # pyright: ignore[reportCallIssue, reportArgumentType]
        return DenseIntOrFPElementsAttr(type, BytesAttr(one.data.data * prod(type.get_shape())))

    def _check_elements(self, type_: Any) -> None:
        """Check the number of elements of a constant against its text.

        A constant with more elements than the text has characters has a single value. Error: `limit-bytes`.
        """
        count = prod(type_.get_shape())
        if count > max(SPLAT, len(self.lexer.input)):
            position = self.line_and_column(self._names[-1] if self._names else self.pos)
            what = f"a constant of {count} elements: in a text, one value may stand for {SPLAT} at most"
            raise Error("limit-bytes", what).at(file=self._file.data, position=position)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Convert exceptions for invalid values to errors at the innermost operation.

        xDSL raises such exceptions for a value that a type, an attribute or an operation cannot have. Its parsers trust their
        input and raise arbitrary exceptions. Exceptions of loomir's own code are not converted, except for rejected values.
        """
        try:
            yield
        except (ParseError, Error, RecursionError, MemoryError):
            raise
        except Exception as error:
            refused = isinstance(error, VerifyException | ValueError | OverflowError)
            if not refused and raised_by_loomir(error):
                raise
            what = str(error) if refused and str(error) else f"{type(error).__name__}: {error}"
            start = self._names[-1] if self._names else self.pos
            raise ParseError(Span(start, start + 1, self.lexer.input), " ".join(what.split())) from error

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Both from 1, of a position in the text."""
        line = bisect_right(self._line_starts, position) - 1
        return self._first_line + line, position - self._line_starts[line] + 1

    def _location(self, position: int) -> LocationAttr:
        line, column = self.line_and_column(position)
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))


def decode_text(data: bytes, name: str, first_line: int = 1) -> str:
    """Decode the text of a file or of a part of it.

    `first_line` is the line on which the part begins. Error: `mlir-syntax` if the text is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        column = error.start - data.rfind(b"\n", 0, error.start)
        what = f"not valid MLIR: byte {error.start} is not UTF-8"
        raise Error("mlir-syntax", what).at(file=name, position=(line, column)) from None


def parse(
    context: Context, text: str, name: str = "<text>", *, first_line: int = 1, implicit_module: bool = True
) -> ModuleOp:
    """Parse MLIR text into a module without verifying it.

    Errors: `model-too-deep`; `mlir-syntax`, with the position, the line of the text and a mark.
    """
    try:
        with IMPLICIT_BUILDER:
            return MlirParser(context, text, name, first_line=first_line).parse_module(implicit_module)
    except ParseError as error:
        if not text.strip():
            raise Error("mlir-syntax", "the text is empty", file=name) from error
        raise _syntax_error(error, name, first_line) from error
    except RecursionError as error:
        raise Error("model-too-deep", "it is nested too deep", file=name) from error


def _syntax_error(error: ParseError, name: str, first_line: int) -> Error:
    def where(span: Span[str] | Span[bytes]) -> Where:
        found = span.get_location()
        return Where(name, position=(found.line + first_line - 1, found.col))

    found = Error("mlir-syntax", f"not valid MLIR: {' '.join(error.msg.split())}", hint=marked(error.span))
    found.where = where(error.span)
    if isinstance(error, MultipleSpansParseError):
        found.notes += [(text or error.ref_text or "see here", where(span)) for span, text in error.refs]
    return found


def marked(span: Span[str] | Span[bytes]) -> str | None:
    """Return the line of a span, with a mark under its beginning.

    The text is to be indented by two. For a long line only the part around the span is returned.
    """
    text = span.input.content
    assert isinstance(text, str)
    start = span.input.get_start_of_line(span.start)
    line = text[start : span.input.get_end_of_line(span.start)]
    first = max(0, span.start - start - SHOWN // 2)
    # Other separators of lines, tabs and controls would move the mark, or the error's lines.
    shown = "".join(c if c.isprintable() else " " for c in line[first : first + SHOWN]).rstrip()
    return f"{shown}\n  {' ' * (span.start - start - first)}^" if shown.strip() else None


USED_DIALECTS = (
    "builtin",
    "func",
    "arith",
    "math",
    "cf",
    "scf",
    "tensor",
    "linalg",
    "memref",
    "vector",
    "test",
)
"""Upstream dialects of loomir's stages.

They are loaded immediately, since canonicalization requires arith to be loaded.
"""


def make_context() -> Context:
    """A context that knows every upstream dialect and ours."""
    from loomir.dialects import ov, ovseq, quads

    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    for name in USED_DIALECTS:
        context.load_registered_dialect(name)
    for name, factory in dialects_of_formats().items():
        context.register_dialect(name, factory)
    for dialect in added_dialects.values():
        context.load_dialect(dialect)
    context.load_dialect(ov.get_dialect())
    context.load_dialect(ovseq.get_dialect())
    context.load_dialect(quads.get_dialect())
    return context


def parse_module(text: str, *, name: str = "<text>", context: Context | None = None) -> ModuleOp:
    """Parse MLIR text and return the verified module.

    Errors: those of `parse` and `verify_module`, with line and column.
    """
    module = parse(context or make_context(), text, name)
    try:
        verify_module(module)
    except Error as error:
        raise error.at(file=name) from None
    return module


def load_mlir(path: Path) -> ModuleOp:
    """`parse_module` of a file. Errors: `file-unreadable`, `file-too-large`, and those of `parse_module`."""
    return parse_module(decode_text(read_file(path, MAX_FILE_BYTES), str(path)), name=str(path))
