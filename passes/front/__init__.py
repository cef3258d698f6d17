"""Passes on FRONT, which lower a framework's own operations.

`convert-onnx-to-ov` converts ONNX operations to GRAPH.
"""
