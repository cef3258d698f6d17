"""The front phase of ONNX models."""
