"""Which operator of another set an operation is, as it stands.

From this follow the rows of OpenVINO's layer types, ONNX's translators and the columns of `docs/operators.md` for all operators whose
operands and attributes are the operation's; those that are more than that have a row or a translator of their own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sources:
    """Names and versions: `Sources(openvino=("Sin", 1), onnx=("Sin", 7, 22))`."""

    openvino: tuple[str | int, ...] = ()
    """A layer type and the versions that mean the same: operands as declared, attributes named as the properties."""
    onnx: tuple[str | int, ...] = ()
    """An operator of the domain `ai.onnx` and the versions that mean the same: inputs are the operands, and no attribute matters."""
    domain: str = ""
    """Another domain than `ai.onnx`, of an extension's operator: its attributes are named as the properties, whatever the version."""
    own: tuple[str, ...] = ()
    """Properties that no attribute of OpenVINO's says."""
    older: tuple[str, ...] = ()
    """Properties that only older versions of the layer say."""
    unused: tuple[str, ...] = ()
    """Attributes that older versions of the layer have, or OpenVINO writes, and that change nothing."""
