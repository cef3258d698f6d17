"""The ONNX importer: a checked model becomes a GRAPH module, one translator per operator."""

from loomir.compiler.frontends.onnx.importer import load_onnx
from loomir.compiler.frontends.onnx.options import ImportOptions

__all__ = ["ImportOptions", "load_onnx"]
