"""What the built-in extractors read of nodes of ONNX: a file per family, found by being there."""
