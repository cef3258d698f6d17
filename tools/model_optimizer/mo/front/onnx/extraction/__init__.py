"""Built-in extraction of ONNX nodes, one file per operator family.

The files are discovered by their presence.
"""
