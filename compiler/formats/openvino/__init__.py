"""OpenVINO IR as a format of models."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.format import Format, ReadOptions, set_inputs


def _read(path: Path, options: ReadOptions) -> ModuleOp:
    from loomir.compiler.formats.openvino.reader import load_openvino

    module = load_openvino(path)
    set_inputs(module, options)
    return module


FORMAT = Format("OpenVINO IR", (".xml",), _read)
