"""Passes on FRONT, which take a framework's own operations: `convert-onnx-to-ov` makes GRAPH of ONNX's."""
