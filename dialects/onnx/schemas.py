"""What ONNX says of its operators, asked once for each: the package copies a schema's lists whenever they are read."""

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
"""What ONNX's package takes for a version."""


@dataclass(frozen=True)
class Parameter:
    """A formal input or output: the types that it may have, by the variable that stands for them."""

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
    """Its attributes, with what they are where a node does not give them."""


@lru_cache(KNOWN)
def schema_of(operator: str, version: int, domain: str = "") -> Schema | None:
    """The newest version of an operator that is not newer than the one given; None where there is none."""
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
