"""loomir: a lowering compiler for the control flow of neural networks.

>>> import loomir
>>> model = loomir.load("model.onnx", shapes={"input": [1, 576]})
>>> y = model(x)                            # the only output, or a dict of several
>>> outputs = model.run({"input": x})       # always a dict
>>> compiled = model.compile()              # for many calls

docs/python.md describes everything that is public and stable. The names here are loaded when they are first used, so that the command line starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomir.compiler.checking import Reducer, set_reducer

if TYPE_CHECKING:
    from loomir.tools.model_optimizer.convert.conversion import convert
    from loomir.compiler.extensions.extension import Transformation
    from loomir.compiler.extensions.extension import Extension
    from loomir.compiler.extensions.loading import load_extension
    from loomir.compiler.calls import CompiledModel
    from loomir.compiler.feeds import OptionalInfo, SequenceInfo, StateInfo, TensorInfo
    from loomir.compiler.loading import load
    from loomir.compiler.model import Model
    from loomir.errors import Error, ExtensionWarning, FormatWarning, LoomirWarning, SemanticsWarning

__all__ = [
    "CompiledModel",
    "Error",
    "Extension",
    "ExtensionWarning",
    "FormatWarning",
    "LoomirWarning",
    "Model",
    "OptionalInfo",
    "SemanticsWarning",
    "SequenceInfo",
    "StateInfo",
    "TensorInfo",
    "Transformation",
    "convert",
    "load",
    "load_extension",
]
__version__ = "0.1.0"

_HOMES = {
    "CompiledModel": "compiler.calls",
    "Error": "errors",
    "Extension": "compiler.extensions.extension",
    "ExtensionWarning": "errors",
    "FormatWarning": "errors",
    "LoomirWarning": "errors",
    "Model": "compiler.model",
    "OptionalInfo": "compiler.feeds",
    "SemanticsWarning": "errors",
    "SequenceInfo": "compiler.feeds",
    "StateInfo": "compiler.feeds",
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


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


def _reducer() -> Reducer:
    from loomir.tools.reduce.failures import reduce_failure

    return reduce_failure


set_reducer(_reducer)
