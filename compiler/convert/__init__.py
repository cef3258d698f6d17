"""The Model Optimizer's way: a model goes through named phases of transformations that extensions add to, and becomes a GRAPH module.

`transformation.py` is what a step is, `ordering.py` in which order steps run, `phases.py` which steps there are, `running.py` runs
them, `conversion.py` is the whole way from a file to a `Model`.
"""
