"""Lowerings of primitive `ov` operations to `linalg`, `tensor`, `scf` and `arith`, one file per operator
family.

`base` has the API that they are written against, `convert-ov-to-linalg` runs them.
"""
