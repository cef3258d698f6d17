"""Direct equivalents of an operation in other operator sets.

The rows of OpenVINO's layer types, ONNX's translators and the columns of `docs/operators.md` are derived from them for
all operators whose operands and attributes are those of the operation. Operators that need more than that have their own
row or translator.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sources:
    """Names and versions: `Sources(openvino=("Sin", 1), onnx=("Sin", 7, 22))`."""

    openvino: tuple[str | int, ...] = ()
    """OpenVINO layer type and the versions with the same meaning.

    The layer has the declared operands, and its attributes are named as the properties.
    """
    onnx: tuple[str | int, ...] = ()
    """Operator of the domain `ai.onnx` and the versions with the same meaning.

    The inputs are the operands, and no attribute matters.
    """
    domain: str = ""
    """Domain of an extension's operator, if other than `ai.onnx`.

    The operator's attributes are named as the properties, whatever the version.
    """
    own: tuple[str, ...] = ()
    """Properties that no attribute of OpenVINO's says."""
    older: tuple[str, ...] = ()
    """Properties that only older versions of the layer say."""
    unused: tuple[str, ...] = ()
    """Attributes that change nothing.

    Older versions of the layer have them, or OpenVINO writes them.
    """
