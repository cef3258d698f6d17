"""What IR v10 means beyond v11: the types of a model's inputs and outputs are rewritten when it is loaded, and layers name them.

| | in the file | for the caller |
|---|---|---|
| input | `f16` | `f32` |
| output | `i64`, `u64`, `u32`, `i32` | `i32` |
| output | every other type (`f16`, `i8`, `boolean` …) | `f32` |

The rule is OpenVINO's own (`update_v10_model` in its model reader). An input is called what its Parameter is called, an output what the
layer is called that makes it, with `.<number>` of the output where that has several.
"""

from __future__ import annotations

from xdsl.ir import Attribute

from loomir.compiler.frontends.openvino.network import Layer, Network
from loomir.dialects.element_types import f16, f32, i32, i64, ui32, ui64

_TO_I32 = frozenset({i32, i64, ui32, ui64})


def input_element(element: Attribute) -> Attribute:
    """The element type that the caller gives for an input that the file declares with this one."""
    return f32 if element == f16 else element


def output_element(element: Attribute) -> Attribute:
    """The element type that the caller gets for an output of this one."""
    return i32 if element in _TO_I32 else f32


def output_name(network: Network, result: Layer) -> str:
    """What an output is called."""
    source = result.sources[0] if result.sources else None
    if source is None:
        return result.name
    producer = network.layers[source[0]]
    several = len(producer.outputs) > 1
    return f"{producer.name}.{producer.outputs.index(source[1])}" if several else producer.name
