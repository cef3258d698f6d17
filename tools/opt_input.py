"""Input of `loomir-opt`: files and standard input, their parts, and models."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats import known_suffixes
from loomir.compiler.formats.format import formats
from loomir.compiler.formats.mlir.parser import decode_text, parse
from loomir.errors import Error
from loomir.tools.arguments import parse_shapes

MODELS = {
    suffix.removeprefix("."): each for each in formats() for suffix in each.suffixes if suffix != ".mlir"
}
"""Formats that importers read from files, by the files' endings."""


@dataclass(frozen=True)
class Chunk:
    """Part of the input, and the number of its first line.

    It is all of the input, unless the input is split.
    """

    data: bytes
    first_line: int


@dataclass(frozen=True)
class OptInput:
    """The input that the options of `loomir-opt` name."""

    options: Namespace

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.options.input_file if self.is_file else "<stdin>"

    @property
    def is_file(self) -> bool:
        """True for a file, False for standard input."""
        return self.options.input_file not in (None, "-")

    def format(self, known: Container[str]) -> str:
        """`mlir`, a model format or another of the known ones. Error: `unknown-format`."""
        ending = Path(self.options.input_file).suffix.removeprefix(".") if self.is_file else "mlir"
        found = self.options.frontend or ending
        if found not in known or (found in MODELS and not self.is_file):
            raise Error(
                "unknown-format",
                f"'{found}' is not read from {'files' if self.is_file else 'standard input'}",
                file=self.name,
                hint=f"known: {' '.join(known_suffixes())}, or name it with --frontend; standard input is .mlir",
            )
        return found

    def chunks(self) -> list[Chunk]:
        """The input, or its parts. Error: `file-unreadable`."""
        try:
            data = Path(self.options.input_file).read_bytes() if self.is_file else sys.stdin.buffer.read()
        except OSError as error:
            raise Error("file-unreadable", f"cannot be read: {error.strerror}", file=self.name) from error
        if not self.options.split_input_file:
            return [Chunk(data, 1)]
        chunks: list[Chunk] = []
        line = 1
        for part in re.split(rb"^// -----", data, flags=re.MULTILINE):
            chunks.append(Chunk(part, line))
            line += part.count(b"\n")
        return chunks

    def module(self, context: Context, chunk: Chunk, kind: str) -> ModuleOp:
        """Return the module of a part, or of a model.

        Errors: the parser's, the importers'.
        """
        if kind not in MODELS:
            return parse(
                context,
                decode_text(chunk.data, self.name, chunk.first_line),
                self.name,
                first_line=chunk.first_line,
                implicit_module=not self.options.no_implicit_module,
            )
        from loomir.compiler.formats import load_front, load_module
        from loomir.compiler.options import checked_root

        root, shapes = checked_root(self.options.external_data_root), parse_shapes(self.options.shape)
        if self.options.stage == "front":
            return load_front(self.options.input_file, shapes, root)
        return load_module(
            self.options.input_file,
            shapes=shapes,
            semantics=self.options.semantics,
            external_data_root=root,
        )
