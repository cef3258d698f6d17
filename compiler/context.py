"""The xDSL context that every part of loomir parses and rewrites in."""

from __future__ import annotations

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from loomir.compiler import implicit_builders
from loomir.errors import Error

implicit_builders.install()

USED_DIALECTS = ("builtin", "func", "arith", "math", "cf", "scf", "tensor", "linalg", "memref", "test")
"""Upstream dialects of our stages: loaded at once, since canonicalisation needs arith to be there."""


def make_context() -> Context:
    """A context that knows every upstream dialect and ours."""
    from loomir.dialects import ov, seq

    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    for name in USED_DIALECTS:
        context.load_registered_dialect(name)
    context.load_dialect(ov.get_dialect())
    context.load_dialect(seq.get_dialect())
    return context


def parse_module(text: str, *, name: str = "<text>", context: Context | None = None) -> ModuleOp:
    """The verified module of MLIR text. Errors: `mlir-syntax`, `mlir-invalid`."""
    try:
        module = Parser(context or make_context(), text, name).parse_module()
    except ParseError as error:
        raise Error("mlir-syntax", f"not valid MLIR: {error.msg}", file=name) from error
    try:
        module.verify()
    except VerifyException as error:
        raise Error("mlir-invalid", _first_line(error), file=name) from error
    return module


def load_mlir(path: Path) -> ModuleOp:
    """`parse_module` of a file; `file-unreadable` where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error("file-unreadable", f"cannot be read: {error}", file=str(path)) from error
    return parse_module(text, name=str(path))


def _first_line(error: Exception) -> str:
    """The verifier's own words: xDSL puts the whole module before them."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
