"""Layers of OpenVINO's operation sets, and which operations they are: a type, an operation set, attributes as text.

The reader of OpenVINO IR asks here, and `convert-custom-to-ov`, which finds the meaning of an `ov.custom`.
"""
