"""Lowerings of primitive `ov` operations, one file per operator family (`operators/`).

The operations are lowered to `linalg`, `tensor`, `scf` and `arith`.

`base` has the API that the lowerings are written against, and the modules beside it contain what several families share;
`convert-ov-to-linalg` runs the lowerings.
"""
