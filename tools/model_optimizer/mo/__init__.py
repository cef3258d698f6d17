"""The Model Optimizer's Python API for extensions.

It provides graphs, operations and transformations under the names that extensions import.
"""

from loomir.tools.model_optimizer.mo.api_names import FINDER

FINDER.install()
