"""MLIR text as a format of models."""

from __future__ import annotations

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.format import Format, ReadOptions, set_inputs
from loomir.compiler.formats.sources import is_text


def _read(model: Path | bytes, options: ReadOptions) -> ModuleOp:
    """Read text of any stage; the inputs stay as they are."""
    from loomir.compiler.formats.mlir.parser import decode_text, load_mlir, parse_module

    return parse_module(decode_text(model, "<text>")) if isinstance(model, bytes) else load_mlir(model)


def _finish(module: ModuleOp, options: ReadOptions, path: Path | None) -> None:
    """Check a program of any stage, and set the inputs of GRAPH."""
    from loomir.compiler.formats.mlir.programs import check_lowered, check_program, forward_all, stage_of
    from loomir.passes.graph.ov_resolve_custom import OvResolveCustomPass

    if (stage := stage_of(module)) != "graph":
        forward_all(module)
        check_lowered(module, path, stage)
        return
    check_program(module, path)
    # What nobody knew when the text was written may be an extension's.
    OvResolveCustomPass().apply(Context(), module)
    set_inputs(module, options)


def _reads(model: object) -> bool:
    """Return True for text that does not begin as textual ONNX."""
    return isinstance(model, bytes) and is_text(model) and not model.lstrip().startswith(b"<")


FORMAT = Format("MLIR", (".mlir",), _read, reads_object=_reads, finish=_finish)
