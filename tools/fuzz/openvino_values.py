"""Values of one program region in one network of OpenVINO IR."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loomir.tools.fuzz.openvino_network import Network, Port
from loomir.tools.fuzz.program import Shape, Value


class Values:
    """Ports of a region's values in a network.

    Values of the enclosing regions enter as Parameters.
    """

    def __init__(
        self, network: Network, constants: dict[Value, np.ndarray], outer: Values | None = None
    ) -> None:
        self.network = network
        self.constants = constants
        self.outer = outer
        self.captures: list[tuple[Value, Port]] = []
        self._ports: dict[Value, Port] = {}

    def bind(self, value: Value, port: Port) -> None:
        """The value is this output of a layer."""
        self._ports[value] = port

    def port(self, value: Value) -> Port:
        """Return the port of a value in this network.

        A value of an enclosing region becomes a Parameter, once.
        """
        if value not in self._ports:
            assert self.outer is not None, value.name
            parameter = self.network.parameter(value.dtype, value.shape)
            self.captures.append((value, parameter))
            self._ports[value] = parameter
        return self._ports[value]

    def array(self, value: Value) -> np.ndarray | None:
        """The contents of a value that is a constant."""
        return self.constants.get(value)

    def constant(self, array: np.ndarray | Sequence[int] | int | bool) -> Port:
        """A constant of this network; Python numbers are i64."""
        if isinstance(array, bool):
            return self.network.constant(np.array(array))
        return self.network.constant(array if isinstance(array, np.ndarray) else np.array(array, np.int64))

    def add(
        self,
        kind: str,
        version: int,
        inputs: Sequence[Port],
        output: tuple[str, Shape | None],
        **attributes: object,
    ) -> Port:
        """A layer with one output."""
        return self.network.layer(kind, f"opset{version}", inputs, [output], attributes)[2][0]
