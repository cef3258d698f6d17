"""How extractors read nodes of ONNX."""
