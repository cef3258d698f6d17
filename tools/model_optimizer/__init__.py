"""The Model Optimizer: a client of the compiler.

`convert/` runs phases of transformations on models (`loomir.convert`, `loomir convert`). `mo/` is the API for its extensions, which
is also importable as `loomir.mo` and, by old extensions, as `openvino.tools.mo`.
"""
