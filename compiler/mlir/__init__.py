"""MLIR text: read and checked, in the context that knows every dialect."""
