"""The Model Optimizer's Python API for extensions.

It provides graphs, operations and transformations under the names that extensions import.
"""

from loomir.compiler.mo.aliases import FINDER

FINDER.install()
