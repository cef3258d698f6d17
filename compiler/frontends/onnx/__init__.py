"""ONNX importer: a checked model becomes FRONT, then GRAPH."""

from loomir.compiler.frontends.onnx.importer import load_front, load_onnx
from loomir.compiler.frontends.onnx.options import ImportOptions

__all__ = ["ImportOptions", "load_front", "load_onnx"]
