"""IR v10: differences from v11 in the types of inputs and outputs.

When a v10 model is loaded, the types of its inputs and outputs are rewritten, and layers name them.

| | in the file | for the caller |
|---|---|---|
| input | `f16` | `f32` |
| output | `i64`, `u64`, `u32`, `i32` | `i32` |
| output | every other type (`f16`, `i8`, `boolean` …) | `f32` |

The rule is OpenVINO's own (`update_v10_model` in its model reader). An input has the name of its Parameter, an output
the name of the layer that computes it, with `.<number>` of the output if the layer has several.
"""

from __future__ import annotations

from xdsl.ir import Attribute

from loomir.compiler.frontends.openvino.network import Layer, Network
from loomir.dialects.element_types import f16, f32, i32, i64, ui32, ui64

_TO_I32 = frozenset({i32, i64, ui32, ui64})


def input_element(element: Attribute) -> Attribute:
    """Return the caller's element type for an input declared with this one."""
    return f32 if element == f16 else element


def output_element(element: Attribute) -> Attribute:
    """Return the caller's element type for an output of this one."""
    return i32 if element in _TO_I32 else f32


def output_name(network: Network, result: Layer) -> str:
    """Return the name of an output."""
    source = result.sources[0] if result.sources else None
    if source is None:
        return result.name
    producer = network.layers[source[0]]
    several = len(producer.outputs) > 1
    return f"{producer.name}.{producer.outputs.index(source[1])}" if several else producer.name
