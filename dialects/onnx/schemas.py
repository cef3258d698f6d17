"""ONNX's operator schemas, cached.

Each schema is queried once, because the package copies a schema's lists on every read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import onnx.defs
from onnx import AttributeProto
from onnx.defs import OpSchema

KNOWN = 4096
"""How many operators are remembered: models may name any number."""

VERSIONS = range(1, 1 << 31)
"""Versions that ONNX's package accepts."""


@dataclass(frozen=True)
class Parameter:
    """Formal input or output, with its type variable and permitted types."""

    name: str
    type_variable: str
    types: frozenset[str]
    is_variadic: bool
    is_homogeneous: bool


@dataclass(frozen=True)
class Schema:
    """One version of an operator."""

    operator: OpSchema
    version: int
    inputs: tuple[Parameter, ...]
    input_counts: tuple[int, int]
    """The least and the most."""
    outputs: tuple[Parameter, ...]
    output_counts: tuple[int, int]
    defaults: dict[str, AttributeProto | None]
    """Attributes of the operator, with their defaults."""


@lru_cache(KNOWN)
def schema_of(operator: str, version: int, domain: str = "") -> Schema | None:
    """Return the newest version of an operator not newer than `version`.

    None if there is none.
    """
    if version not in VERSIONS:
        return None
    try:
        schema: Any = onnx.defs.get_schema(operator, version, domain)
    except onnx.defs.SchemaError:
        return None
    defaults = {name: attribute.default_value for name, attribute in schema.attributes.items()}
    return Schema(
        schema,
        schema.since_version,
        tuple(map(_parameter, schema.inputs)),
        (schema.min_input, schema.max_input),
        tuple(map(_parameter, schema.outputs)),
        (schema.min_output, schema.max_output),
        {n: d if d is not None and d.type != AttributeProto.UNDEFINED else None for n, d in defaults.items()},
    )


def _parameter(formal: OpSchema.FormalParameter) -> Parameter:
    variadic = formal.option == OpSchema.FormalParameterOption.Variadic
    return Parameter(formal.name, formal.type_str, frozenset(formal.types), variadic, formal.is_homogeneous)
