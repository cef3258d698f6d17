"""`loomir.mo`: the API for extensions of the Model Optimizer, which is the package `loomir.tools.model_optimizer.mo` by another name.

>>> from loomir.mo.graph.graph import Graph
"""

import importlib
import sys

sys.modules[__name__] = importlib.import_module("loomir.tools.model_optimizer.mo")
