"""The xDSL context that every part of loomir parses and rewrites in."""

from __future__ import annotations

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.files import MAX_FILE_BYTES, read_file
from loomir.compiler.mlir.parser import parse, text_of
from loomir.compiler.stages.verify import verify_module
from loomir.errors import Error

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
    from loomir.dialects import onnx, ov, ovseq, quads

    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    for name in USED_DIALECTS:
        context.load_registered_dialect(name)
    context.register_dialect("onnx", onnx.get_dialect)
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
    return parse_module(text_of(read_file(path, MAX_FILE_BYTES), str(path)), name=str(path))
