"""The Model Optimizer's Python API for extensions: graphs, operations, transformations, under the names that extensions import."""

from loomir.compiler.mo.aliases import FINDER

FINDER.install()
