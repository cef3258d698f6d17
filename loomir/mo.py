"""`loomir.mo`: the API for extensions of the Model Optimizer, which is the package `loomir.compiler.mo` by another name.

>>> from loomir.mo.graph.graph import Graph
"""

import importlib
import sys

sys.modules[__name__] = importlib.import_module("loomir.compiler.mo")
