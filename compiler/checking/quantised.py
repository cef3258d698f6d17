"""Inputs and outputs that a pass has quantised to integers.

The module converts the float feeds of such programs to integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from loomir.dialects.element_types import dtype_of
from loomir.dialects.interface import (
    Entry,
    argument_names,
    arguments_of,
    main_function,
    result_names,
    results_of,
)
from loomir.dialects.quantisation import Quantisation


@dataclass(frozen=True)
class Quantisations:
    """Quantisations and user-visible types of inputs or outputs, by name.

    A quantisation defines the real numbers that integers stand for.
    """

    by_name: Mapping[str, Quantisation]
    types: Mapping[str, np.dtype]

    @staticmethod
    def of(module: ModuleOp) -> tuple[Quantisations, Quantisations]:
        """Those of the inputs, and those of the outputs."""
        main = main_function(module)
        types = main.function_type
        return (
            _read(argument_names(main), types.inputs.data, arguments_of(main)),
            _read(result_names(main), types.outputs.data, results_of(main)),
        )

    def of_floats(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the feed, quantised where the program takes integers.

        Only inputs that are given as floats are converted.
        """
        if not self.by_name:
            return feed
        return {name: self._fed(name, value) for name, value in feed.items()}

    def _fed(self, name: str, value: Any) -> Any:
        quantisation = self.by_name.get(name)
        if quantisation is None or np.asarray(value).dtype.kind != "f":
            return value
        return quantisation.integers(np.asarray(value), self.types[name])


def _read(names: Iterable[str], types: Iterable[Attribute], entries: Iterable[Entry]) -> Quantisations:
    found = [
        (name, quantisation, dtype_of(getattr(entry.type or type_, "element_type", type_)))
        for name, type_, entry in zip(names, types, entries)
        if (quantisation := entry.quantisation) is not None
    ]
    return Quantisations({n: q for n, q, _ in found}, {n: t for n, _, t in found})
