"""loomir: a lowering compiler for the control flow of neural networks.

>>> import loomir
>>> model = loomir.load("model.onnx", shapes={"input": [1, 576]})
>>> outputs = model.run({"input": x}, engine="native")

The names here are loaded when they are first used, so that the command line starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomir.compiler.checking import Reducer, set_reducer

if TYPE_CHECKING:
    from loomir.tools.model_optimizer.convert.conversion import convert
    from loomir.compiler.extensions.extension import Transformation
    from loomir.compiler.extensions.extension import Extension
    from loomir.compiler.extensions.loading import load_extension
    from loomir.compiler.feeds import OptionalInfo, SequenceInfo, TensorInfo
    from loomir.compiler.loading import load
    from loomir.compiler.model import Model
    from loomir.errors import Error, ExtensionWarning, FormatWarning, SemanticsWarning

__all__ = [
    "Error",
    "Extension",
    "ExtensionWarning",
    "FormatWarning",
    "Model",
    "OptionalInfo",
    "SemanticsWarning",
    "SequenceInfo",
    "TensorInfo",
    "Transformation",
    "convert",
    "load",
    "load_extension",
]
__version__ = "0.1.0"

_HOMES = {
    "Error": "errors",
    "Extension": "compiler.extensions.extension",
    "ExtensionWarning": "errors",
    "FormatWarning": "errors",
    "Model": "compiler.model",
    "OptionalInfo": "compiler.feeds",
    "SemanticsWarning": "errors",
    "SequenceInfo": "compiler.feeds",
    "TensorInfo": "compiler.feeds",
    "Transformation": "compiler.extensions.extension",
    "convert": "tools.model_optimizer.convert.conversion",
    "load": "compiler.loading",
    "load_extension": "compiler.extensions.loading",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'loomir' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(f"loomir.{_HOMES[name]}"), name)


def _reducer() -> Reducer:
    from loomir.tools.reduce.failures import reduce_failure

    return reduce_failure


set_reducer(_reducer)
