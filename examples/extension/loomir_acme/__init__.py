"""Acme's operators for loomir, and transformations of models that hold them. Each module adds its part to the one extension."""

from loomir_acme import layers, nodes, operators, replacements, transformations
from loomir_acme.package import extension

__all__ = ["extension", "layers", "nodes", "operators", "replacements", "transformations"]
