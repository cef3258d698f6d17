"""Lowerings of primitive `ov` operations to `linalg`, `tensor`, `scf` and `arith`, one file per operator
family (`operators/`).

`base` has the API that they are written against, the modules beside it what several families share; `convert-ov-to-linalg` runs them.
"""
