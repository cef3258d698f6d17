"""Layers of OpenVINO's operation sets and the operations they map to.

A layer is a type, an operation set, and attributes as text. The users of this package are the reader of OpenVINO IR, and
`ov-resolve-custom`, which finds the meaning of an `ov.custom`.
"""
